/** The first call: choose a client, copy, run. */
import { useState } from 'preact/hooks';
import { type BoardRow, rows } from '../data/board.ts';
import { Choice } from '../parts/choice.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Copy } from '../parts/source.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { type Client, clients } from './clients.ts';

/** The screen at `#/start`. */
export function FirstCallView() {
  const known = rows.value?.filter(({ preview, deprecated }) => !preview && !deprecated);
  const [chosen, choose] = useState<string | null>(null);
  const [name, setName] = useState(clients[0]?.name ?? '');
  if (known === undefined) return <Loading />;
  const row = known.find(({ model }) => model === chosen) ?? known[0];
  const client = clients.find((other) => other.name === name);
  if (!row || !client) return <Empty>No model is on sale here yet.</Empty>;
  return (
    <>
      <h1>First call</h1>
      <p class="faint">
        Any OpenAI or Anthropic client works as it is. With a key in SLUICE_KEY, copy and run. The{' '}
        <a href="/docs">documentation</a> explains the rest.
      </p>
      <div class="choices">
        <select aria-label="Model" value={row.model} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {known.map(({ model, display_name }) => (
            <option key={model} value={model}>
              {display_name}
            </option>
          ))}
        </select>
        <Choice
          label="Client"
          options={clients.map((each) => [each.name, each.name])}
          value={name}
          onChoose={setName}
        />
      </div>
      <Call key={row.model} row={row} client={client} />
    </>
  );
}

/** The limit is that of the moment in which the model was chosen: what is being copied must not move. */
function Call({ row, client }: { readonly row: BoardRow; readonly client: Client }) {
  const [limit] = useState(row.level === null ? null : limitFor(row.level));
  const text = client.text({ origin: location.origin, model: row.model, limit });
  return (
    <>
      <section class="panel code" aria-label="What to run">
        <div class="head">
          <span class="faint small">{client.where}</span>
          <Copy key={text} text={text} />
        </div>
        <ScrolledCode text={text} />
      </section>
      {limit !== null && (
        <p class="faint small">
          The level is what this market costs at the moment, in USD per 1M input tokens; it moves with demand. The price
          limit here is twice that. A request is charged the level at which it starts, never more than its limit. While
          others offer more and no slot is free, it waits.
        </p>
      )}
    </>
  );
}

/** Twice the level, in two digits. */
function limitFor(level: number): number {
  return Number((2 * Math.max(level, 0.000001)).toPrecision(2));
}

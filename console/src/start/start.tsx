/** The first call: choose a client, copy, run. */
import { useState } from 'preact/hooks';
import { useChoice, useText } from '../address.ts';
import { type BoardRow, rows } from '../data/board.ts';
import { Choice } from '../parts/choice.tsx';
import { Heading } from '../parts/heading.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Copy } from '../parts/source.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { type Client, clients } from './clients.ts';
import { Steps } from './steps.tsx';

const NAMES = clients.map((client) => client.name) as [string, ...string[]];

/** The screen at `#/start`; with `accounts` readers make their keys themselves. */
export function FirstCallView({ accounts }: { readonly accounts: boolean }) {
  const known = rows.value?.filter(({ preview, deprecated }) => !preview && !deprecated);
  const [chosen, choose] = useText('model');
  const [name, setName] = useChoice('client', NAMES);
  if (known === undefined) return <Loading />;
  const row = known.find(({ model }) => model === chosen) ?? known[0];
  const client = clients.find((other) => other.name === name);
  if (!row || !client) return <Empty>No model is on sale here yet.</Empty>;
  const call = (
    <>
      <div class="choices">
        <select aria-label="Model" value={row.model} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {known.map(({ model, display_name }) => (
            <option key={model} value={model}>
              {display_name}
            </option>
          ))}
        </select>
        <Choice label="Client" options={NAMES.map((each) => [each, each])} value={name} onChoose={setName} />
      </div>
      <Call key={row.model} row={row} client={client} />
    </>
  );
  return (
    <>
      <Heading title="First call" />
      <p class="faint">
        Any OpenAI or Anthropic client works as it is. The <a href="/docs">documentation</a> explains the rest.
      </p>
      {accounts ? (
        <Steps>{call}</Steps>
      ) : (
        <>
          <p>No key yet? The operator of this gateway makes one.</p>
          {call}
        </>
      )}
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
          <span class="faint small">
            {client.where} It reads your key from SLUICE_KEY: <code>export SLUICE_KEY=…</code>
          </span>
          <Copy key={text} text={text} />
        </div>
        <ScrolledCode text={text} />
      </section>
      {limit !== null && (
        <p class="faint small">
          The level is what this market costs at the moment, in USD per 1M input tokens at the reference mix; it moves
          with demand. The price limit here is twice that. A request is charged the level at which it starts, never more
          than its limit. While others offer more and no slot is free, it waits.
        </p>
      )}
    </>
  );
}

/** Twice the level, in two digits. */
function limitFor(level: number): number {
  return Number((2 * Math.max(level, 0.000001)).toPrecision(2));
}

/** Where a signed-in member tries models: a prompt, one model or two, a bid for each, the answer, and what it cost. */
import { useEffect, useState } from 'preact/hooks';
import { keep, useChoice, useText } from '../address.ts';
import { type BoardRow, rows } from '../data/board.ts';
import { usualLimit } from '../model/bid.tsx';
import { Choice } from '../parts/choice.tsx';
import { Heading } from '../parts/heading.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Copy } from '../parts/source.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { loadSession, type Schemas, session } from '../settings/session.ts';
import { MemberArea, SignIn } from '../settings/signed-in.tsx';
import { clients, type FirstCall } from '../start/clients.ts';
import { Player, type PlayerBid } from './player.tsx';

const PROMPT = 'Explain in three sentences why markets clear.';
const TOKENS = 300;
const TOKENS_MAX = 100_000;

/** The screen at `#/playground`. */
export function Playground() {
  useEffect(() => {
    if (session.value === undefined) void loadSession();
  }, []);
  return (
    <MemberArea
      outside={
        <SignIn
          title="Playground"
          about="Send a prompt to any model at a price that you name, and see what it cost and why."
        />
      }
    >
      {(who) => <Inside who={who} />}
    </MemberArea>
  );
}

function Inside({ who }: { readonly who: Schemas['Session'] }) {
  const known = rows.value?.filter(({ preview, deprecated }) => !preview && !deprecated);
  if (who.account === null || who.role === 'viewer')
    return (
      <>
        <Heading title="Playground" />
        <Empty>Owners and developers of an account send requests here. You are neither.</Empty>
      </>
    );
  if (known === undefined) return <Loading />;
  const able = known.filter(({ degraded }) => !degraded);
  const [first = known[0], second = first] = able;
  if (!first || !second) return <Empty>No model is on sale here yet.</Empty>;
  return <Bench known={known} first={first} second={second} />;
}

interface BenchProps {
  readonly known: readonly BoardRow[];
  /** Where the address names no models. */
  readonly first: BoardRow;
  readonly second: BoardRow;
}

function Bench({ known, first, second }: BenchProps) {
  const [prompt, write] = useState(PROMPT);
  const [tokens, setTokens] = useText('tokens');
  const one = useBid({ known, usual: first, suffix: '' });
  const other = useBid({ known, usual: second, suffix: '2' });
  const [isTwo, setTwo] = useChoice('two', ['', 'yes']);
  const [round, send] = useState(0);
  const tokensMax = /^[1-9]\d*$/.test(tokens) ? Math.min(Number(tokens), TOKENS_MAX) : TOKENS;
  return (
    <>
      <Heading title="Playground">
        <button type="button" onClick={() => setTwo(isTwo === 'yes' ? '' : 'yes')}>
          {isTwo === 'yes' ? 'One model' : 'Two models side by side'}
        </button>
      </Heading>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send(round + 1);
        }}
      >
        <label class="field">
          Prompt
          <textarea
            value={prompt}
            required
            onInput={({ currentTarget }) => write(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        <div class="toolbar">
          <button class="button primary" type="submit">
            Send
          </button>
          <span class="faint small">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
          <label class="choices small faint">
            Output tokens, at most ({TOKENS} if empty)
            <input
              class="amount"
              type="number"
              min={1}
              max={TOKENS_MAX}
              placeholder={String(TOKENS)}
              value={tokens}
              onInput={({ currentTarget }) => setTokens(currentTarget.value)}
            />
          </label>
          <span class="faint small">Charged to your account, through your Playground key.</span>
        </div>
      </form>
      <div class="players">
        <Player label={one.row.display_name} bid={one} {...{ known, prompt, tokensMax, round }} />
        {isTwo === 'yes' && (
          <Player
            label={`${other.row.display_name}${other.row.model === one.row.model ? ', beside' : ''}`}
            bid={other}
            {...{ known, prompt, tokensMax, round }}
          />
        )}
      </div>
      <Code model={one.row.model} limit={one.limit} question={prompt} outputMax={tokensMax} />
    </>
  );
}

interface BidParts {
  readonly known: readonly BoardRow[];
  readonly usual: BoardRow;
  /** Of its names in the address. */
  readonly suffix: string;
}

/** Kept in the address. */
function useBid({ known, usual, suffix }: BidParts): PlayerBid {
  const [model] = useText(`model${suffix}`);
  const [text, writeLimit] = useText(`limit${suffix}`);
  const row = known.find((other) => other.model === model) ?? usual;
  // What is on offer first must not move while the reader looks at it.
  const [offered, offer] = useState<{ model: string; limit: number } | null>(null);
  useEffect(() => {
    if (row.level !== null && offered?.model !== row.model) offer({ model: row.model, limit: usualLimit(row) });
  }, [row]);
  const first = offered?.model === row.model ? offered.limit : usualLimit(row);
  const isSet = text !== '' && Number(text) >= 0;
  return {
    row,
    limit: row.level === null ? null : isSet ? Number(text) : first,
    choose: (other) => keep({ [`model${suffix}`]: other, [`limit${suffix}`]: '' }),
    offer: (limit) => writeLimit(String(limit)),
  };
}

const NAMES = clients.map(({ name }) => name) as [string, ...string[]];

/** The same request for programs. */
function Code(call: Omit<FirstCall, 'origin'>) {
  const [name, choose] = useChoice('client', NAMES);
  const client = clients.find((other) => other.name === name);
  const text = client?.text({ origin: location.origin, ...call }) ?? '';
  return (
    <section class="panel code later" aria-label="As code">
      <div class="head">
        <h2>As code</h2>
        <Copy key={text} text={text} />
      </div>
      <Choice label="Client" options={NAMES.map((each) => [each, each])} value={name} onChoose={choose} />
      <p class="faint small">
        {client?.where} The key is in SLUICE_KEY; <a href="/settings#/keys">make one</a> for your program.
      </p>
      <ScrolledCode text={text} />
    </section>
  );
}

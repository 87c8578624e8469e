/** What a request would cost and when it would start, at a limit that the reader tries; and the ways to send it. */
import { useState } from 'preact/hooks';
import { placeLink, useChoice, useText } from '../address.ts';
import { costOf } from '../calculator/estimate.ts';
import type { BoardRow } from '../data/board.ts';
import { Money } from '../parts/figures.tsx';
import { Copy } from '../parts/source.tsx';
import { clients } from '../start/clients.ts';
import { BidOutcome, LimitField, usualLimit } from './bid.tsx';

/** Each change asks at once. A request costs the gateway as much as fifty frames, and pages are left open. */
const EVERY_MS = 300_000;
const INPUT = 2000;
const OUTPUT = 500;
const TOKENS_MAX = 1e7;
const WITHIN = [
  ['60', 'a minute'],
  ['10', '10 seconds'],
  ['600', '10 minutes'],
  ['3600', 'an hour'],
] as const;

interface BuyBoxProps {
  readonly row: BoardRow;
  readonly accounts: boolean;
}

/** The box beside the prices; with `accounts` it leads to the playground. */
export function BuyBox({ row, accounts }: BuyBoxProps) {
  return (
    <section class="panel" aria-label="Buy">
      <h2>Buy</h2>
      <Offer row={row} accounts={accounts} />
    </section>
  );
}

function Offer({ row, accounts }: BuyBoxProps) {
  const { level, degraded } = row;
  const [limitText, writeLimit] = useText('limit');
  const input = useTokens('input', INPUT);
  const output = useTokens('output', OUTPUT);
  const [within, wait] = useChoice('within', ['60', '10', '600', '3600']);
  // What is offered must not move while the reader looks at it; each move would ask the gateway, too.
  const [usual] = useState(() => usualLimit(row));
  const limit = level === null ? null : limitText === '' ? usual : Number(limitText);
  const tokens = { input: input.value, output: output.value };
  return (
    <>
      {degraded && (
        <p class="note">
          Nothing can start now: no pod of it is healthy{level !== null && ', and its level stands still'}. A request
          waits until one is, and costs nothing meanwhile.
        </p>
      )}
      {level !== null && limit !== null && (
        <LimitField row={row} value={limit} onChange={(value) => writeLimit(String(value))} />
      )}
      <div class="fields-row">
        <Tokens label="Input tokens" of={input} />
        <Tokens label="Output tokens" of={output} />
        {limit !== null && (
          <label>
            To start within
            <select value={within} onChange={({ currentTarget }) => wait(currentTarget.value as typeof within)}>
              {WITHIN.map(([seconds, text]) => (
                <option key={seconds} value={seconds}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {limit === null ? (
        <dl class="outcome">
          <div>
            <dt>Costs</dt>
            <dd>
              <Money value={costOf({ ...tokens, cachedShare: 0 }, row.usd_per_million)} />
            </dd>
          </div>
        </dl>
      ) : (
        <BidOutcome {...{ row, limit, ...tokens }} withinS={Number(within)} everyMs={EVERY_MS} />
      )}
      <Ways row={row} limit={limit} accounts={accounts} />
    </>
  );
}

interface WaysProps extends BuyBoxProps {
  readonly limit: number | null;
}

/** The ways to send it. What cannot start now cannot be tried. */
function Ways({ row: { model, degraded }, limit, accounts }: WaysProps) {
  const call = clients[0]?.text({ origin: location.origin, model, limit }) ?? '';
  const bid: Readonly<Record<string, string>> = limit === null ? {} : { limit: String(limit) };
  return (
    <div class="choices">
      {accounts && !degraded && (
        <a class="button primary" href={placeLink('playground', '', { model, ...bid })}>
          Try
        </a>
      )}
      <Copy key={call} text={call} label="Copy call" look="" />
      {accounts && limit !== null && (
        <a class="button" href={`/settings${placeLink('alerts', '', { model, bound: String(limit) })}`}>
          Alert me
        </a>
      )}
    </div>
  );
}

interface Tokens {
  readonly text: string;
  /** Where the text is no such number. */
  readonly usual: number;
  readonly value: number;
  readonly write: (text: string) => void;
}

/** A number of tokens that is kept in the address. */
function useTokens(name: string, usual: number): Tokens {
  const [text, write] = useText(name);
  const isFit = /^\d+$/.test(text) && Number(text) <= TOKENS_MAX;
  return { text, usual, value: isFit ? Number(text) : usual, write };
}

function Tokens({ label, of: { text, usual, write } }: { readonly label: string; readonly of: Tokens }) {
  return (
    <label>
      {label}
      <input
        type="number"
        min={0}
        max={TOKENS_MAX}
        placeholder={`${usual} if empty`}
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
    </label>
  );
}

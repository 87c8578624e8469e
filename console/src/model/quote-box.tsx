/**
 * The quote: the price of a locked request, how long it holds, and how well it was kept. The stream of the page brings
 * each new price; what is measured over a day is asked for every quarter of an hour, and when the price has run out without a new one.
 */
import { useEffect, useState } from 'preact/hooks';
import type { BoardQuote, Quote } from '#generated/types.ts';
import { after, nowMs, repeatedly } from '../clock.ts';
import type { BoardRow } from '../data/board.ts';
import { markets } from '../data/live.ts';
import { askQuote, SLOW_MS } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { rangeText, share } from '../format.ts';
import { Nothing, UnitPrice } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { Empty } from '../parts/states.tsx';

/** By then the stream has brought the next quote. */
const LATE_MS = 2_000;

/** A quote, and how far the clock of this machine, which may be wrong, is ahead of the gateway's. */
interface Held {
  readonly quote: Quote;
  readonly aheadMs: number;
}

/** The quote of a market, with its countdown. */
export function QuoteBox({ row: { model, degraded } }: { readonly row: BoardRow }) {
  const asking = askQuote(model);
  const load = async (): Promise<Held> => {
    const answer = await asking.ask();
    return { quote: answer, aheadMs: nowMs() + answer.valid_for_ms - Date.parse(answer.valid_until) };
  };
  const source = useSource(model, load, SLOW_MS);
  const { value } = source.asked.value;
  const now = ({ quote }: Held) => newest(quote, markets.value.get(model)?.quote);
  const endsAtMs = value && Date.parse(now(value).valid_until) + value.aheadMs;
  return (
    <section class="panel" aria-label="Quote">
      <div class="head">
        <h2>Quote</h2>
        {!degraded && endsAtMs !== null && (
          <Countdown key={endsAtMs} {...{ endsAtMs }} onLate={() => void source.refresh()} />
        )}
      </div>
      <p class="faint small">What a request with price_lock bids, so that it starts at once or not at all.</p>
      <Shown source={source} lines={3}>
        {(held) =>
          degraded ? (
            <Empty>
              Nothing can start now: no pod of it is healthy. A request with price_lock ends with 429, uncharged.
            </Empty>
          ) : (
            <Figures quote={now(held)} />
          )
        }
      </Shown>
      <Source path={asking.path} />
    </section>
  );
}

function newest(asked: Quote, streamed: BoardQuote | undefined): Quote {
  return streamed && streamed.valid_until > asked.valid_until ? { ...asked, ...streamed } : asked;
}

interface CountdownProps {
  readonly endsAtMs: number;
  /** Called when it is over and nothing new came. */
  readonly onLate: () => void;
}

function Countdown({ endsAtMs, onLate }: CountdownProps) {
  const left = () => Math.ceil((endsAtMs - nowMs()) / 1000);
  const [seconds, set] = useState(left);
  useEffect(() => repeatedly(1000, () => set(left())), []);
  useEffect(() => after(endsAtMs - nowMs() + LATE_MS, onLate), []);
  return <span class="faint small">{seconds > 0 ? `valid for ${seconds} s` : 'the next one is due'}</span>;
}

function Figures({ quote }: { readonly quote: Quote }) {
  const window = Math.round(quote.clear_rate_window_ms / 3_600_000);
  return (
    <dl class="figures">
      <dt>Price</dt>
      <dd class="level">
        <UnitPrice value={quote.price} />
      </dd>
      <dt>The window before</dt>
      <dd>
        <UnitPrice value={quote.previous_price} />
      </dd>
      <dt>Started in time, last {rangeText(`${window}h`)}</dt>
      <dd>{rate(quote.clear_rate)}</dd>
      <dt>Where slots were scarce</dt>
      <dd>{rate(quote.scarce_clear_rate)}</dd>
      <dt>Aims at</dt>
      <dd>
        {share(quote.target_start_rate * 100)} within {quote.execute_window_seconds} s
        {quote.attainable === false && <span class="badge badge-degraded">cannot be kept now</span>}
      </dd>
    </dl>
  );
}

function rate(value: number | null) {
  return value === null ? <Nothing /> : <span title={String(value)}>{share(value * 100)}</span>;
}

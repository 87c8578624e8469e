/** The quote: the price of a locked request, how long it holds, and how well it was kept. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Quote } from '#generated/types.ts';
import { after, nowMs, repeatedly } from '../clock.ts';
import { askQuote } from '../data/model.ts';
import { type Polled, polled } from '../data/polled.ts';
import { share } from '../format.ts';
import { Nothing, Usd } from '../parts/figures.tsx';
import { Source } from '../parts/source.tsx';
import { Failure, Loading } from '../parts/states.tsx';

const EVERY_MS = 10_000;
/** The gateway needs a moment to begin the next window. */
const LATE_MS = 150;

/** A quote, and when it ends by the clock of this machine, which may be wrong. */
interface Held {
  readonly quote: Quote;
  readonly endsAtMs: number;
}

/** The quote of a market, with its countdown. */
export function QuoteBox({ model }: { readonly model: string }) {
  const asking = askQuote(model);
  const source = useMemo(() => {
    const load = async (): Promise<Held> => {
      const answer = await asking.ask();
      return { quote: answer, endsAtMs: nowMs() + answer.valid_for_ms };
    };
    return polled(load, EVERY_MS);
  }, [model]);
  useEffect(() => source.start(), [source]);
  const { value, failure } = source.asked.value;
  return (
    <section class="panel" aria-label="Quote">
      <div class="head">
        <h2>Quote</h2>
        {value && <Countdown key={value.endsAtMs} held={value} source={source} />}
      </div>
      <p class="faint small">What a request with price_lock bids, so that it starts at once or not at all.</p>
      {failure && <Failure sentence={failure} />}
      {value === null ? !failure && <Loading lines={3} /> : <Figures quote={value.quote} />}
      <Source path={asking.path} />
    </section>
  );
}

function Countdown({ held, source }: { readonly held: Held; readonly source: Polled<Held> }) {
  const left = () => Math.max(0, Math.ceil((held.endsAtMs - nowMs()) / 1000));
  const [seconds, set] = useState(left);
  useEffect(() => repeatedly(1000, () => set(left())), []);
  useEffect(() => after(held.endsAtMs - nowMs() + LATE_MS, () => void source.refresh()), []);
  return <span class="faint small">valid for {seconds} s</span>;
}

function Figures({ quote }: { readonly quote: Quote }) {
  const window = Math.round(quote.clear_rate_window_ms / 3_600_000);
  return (
    <dl class="figures">
      <dt>Price</dt>
      <dd class="level">
        <Usd value={quote.price} />
      </dd>
      <dt>The window before</dt>
      <dd>
        <Usd value={quote.previous_price} />
      </dd>
      <dt>Started in time, last {window} h</dt>
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

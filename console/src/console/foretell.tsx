/** What one more pod would do to the level: the market played on from its live book, when somebody asks. */
import { useMemo, useState } from 'preact/hooks';
import { type ChartSeries, LineChart } from '../charts/line.tsx';
import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { change, countWhole, duration, priceText } from '../format.ts';
import { type Act, Form, useAct } from '../parts/act.tsx';
import { Count, UnitPrice } from '../parts/figures.tsx';
import { Source } from '../parts/source.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

/** Pods come with a restart, and their slots change seldom. */
const PODS_EVERY_MS = 30_000;

type Answer = Schemas['Foretold'];

interface ForetellProps {
  readonly model: string;
  /** Slots of healthy pods now. */
  readonly slots: number;
}

/** The form and the answer. */
export function Foretell({ model, slots }: ForetellProps) {
  const source = useSource('pods', () => granted(settings.GET('/console/api/pods')), PODS_EVERY_MS);
  const pods = source.asked.value.value?.data ?? [];
  const pod = Math.max(1, ...pods.filter((pod) => pod.model === model).map((pod) => pod.slots.configured));
  const [wanted, want] = useState<string | null>(null);
  const [answer, setAnswer] = useState<{ readonly value: Answer; readonly atMs: number } | null>(null);
  const text = wanted ?? String(slots + pod);
  const play = async (asked: string) => {
    want(asked);
    const query = { model, slots: Number(asked) };
    const value = await granted(settings.GET('/console/api/book/what-if', { params: { query } }));
    setAnswer({ value, atMs: nowMs() });
  };
  const own = useAct(() => play(text));
  const more = useAct(() => play(`${slots + pod}`));
  const less = useAct(() => play(`${slots - pod}`));
  const isBusy = own.isBusy || more.isBusy || less.isBusy;
  const failure = more.failure || less.failure;
  return (
    <section class="panel later" aria-label="What if">
      <h2>What one more pod would do to the level</h2>
      <Form act={own}>
        <label>
          Slots{' '}
          <input
            type="number"
            min={0}
            max={100_000}
            required
            value={text}
            onInput={({ currentTarget }) => want(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {isBusy ? 'Playing…' : 'Play it'}
        </button>
        <span class="faint small">
          It has {countWhole(slots)} now; <Preset text={`one more pod: ${slots + pod}`} act={more} />
          {slots >= pod && (
            <>
              , <Preset text={`one less: ${slots - pod}`} act={less} />
            </>
          )}
        </span>
      </Form>
      {failure && <Failure sentence={failure} />}
      {answer && (
        <div class={isBusy ? 'stale' : ''} aria-busy={isBusy}>
          <Outcome of={answer.value} atMs={answer.atMs} />
        </div>
      )}
    </section>
  );
}

function Preset({ text, act }: { readonly text: string; readonly act: Act }) {
  return (
    <button type="button" class="plain" onClick={() => void act.run()}>
      {text}
    </button>
  );
}

function Outcome({ of: answer, atMs }: { readonly of: Answer; readonly atMs: number }) {
  const { model, unknown, as_it_is: now, changed, assumed, other_slots: slots } = answer;
  if (unknown === 'too_few_orders')
    return <Empty>Too few orders have ended lately to know how long one runs. Ask again later.</Empty>;
  if (!now || !changed || !assumed)
    return <Empty>Another gateway has the book of this market, or it is a preview.</Empty>;
  const pct = now.level === 0 ? null : (changed.level / now.level - 1) * 100;
  return (
    <>
      <p role="status">
        In {duration((answer.minutes ?? 0) * 60_000)} the level would be about <UnitPrice value={changed.level} /> with{' '}
        {countWhole(slots)} slots, and <UnitPrice value={now.level} /> with {countWhole(answer.slots ?? 0)} as now
        {pct !== null && <> ({change(pct)})</>}. <Count value={changed.waiting} /> orders would wait, instead of{' '}
        <Count value={now.waiting} />.
      </p>
      <Paths of={answer} atMs={atMs} />
      <p class="faint small">
        This plays the rules of the market on from the book as it was, several times. It assumes that orders keep coming
        as in the last minute, {countWhole(assumed.arrivals_per_minute)} a minute with the bids that they had; that each
        runs {duration(assumed.run_ms)} on average, as lately; that more slots are as fast; and that nobody leaves,
        reprices, or comes because the price is lower.
        {answer.deeper !== null && answer.deeper > 0 && ` ${countWhole(answer.deeper)} low bids were left out.`}
      </p>
      <Source
        path={`/console/api/book/what-if?${new URLSearchParams({ model, slots: String(slots) })}`}
        sheet={{ name: `${model}-what-if-${slots}`, rows: () => rowsOf(answer) }}
      />
    </>
  );
}

function Paths({ of: { points, level, other_slots: slots }, atMs }: { readonly of: Answer; readonly atMs: number }) {
  const { times, lines } = useMemo(() => {
    const begin = Math.floor(atMs / 1000);
    const lines: readonly ChartSeries[] = [
      { label: 'As it is', values: [level, ...points.map(({ as_it_is }) => as_it_is)], color: 'faint' },
      { label: `With ${slots} slots`, values: [level, ...points.map(({ changed }) => changed)], color: 'accent' },
    ];
    return { times: [begin, ...points.map(({ after_s }) => begin + after_s)], lines };
  }, [points]);
  return <LineChart label="The level, foretold" {...{ times, lines }} format={priceText} height={180} fromZero />;
}

function rowsOf({ points }: Answer) {
  return [['after_s', 'as_it_is', 'changed'], ...points.map((point) => [point.after_s, point.as_it_is, point.changed])];
}

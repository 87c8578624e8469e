/** The calculator: your tokens times the past of a market. */
import { useMemo } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { keep, useChoice, useText } from '../address.ts';
import { type BoardRow, rows } from '../data/board.ts';
import { askHistory, type ChartRange, RANGE_MS, RANGES } from '../data/model.ts';
import { countWhole, duration, priceText, share } from '../format.ts';
import { Choice, periods } from '../parts/choice.tsx';
import { Money, Nothing } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { chancesOf, costOf, outlookOf, type RequestTokens } from './estimate.ts';
import { Live } from './live.tsx';

const EVERY_MS = 60_000;
const WAITS = [
  ['0', 'none'],
  ['600', '10 min'],
  ['3600', '1 h'],
  ['21600', '6 h'],
] as const;

/** The screen at `#/calculator`. */
export function Calculator() {
  const known = rows.value?.filter(({ deprecated }) => !deprecated);
  const [chosen] = useText('model');
  const input = useAmount('input', { usual: 10_000, max: 1e7 });
  const cachedPct = useAmount('cached', { usual: 0, max: 100 });
  const output = useAmount('output', { usual: 500, max: 1e7 });
  const requests = useAmount('requests', { usual: 1000, max: 1e9 });
  if (known === undefined) return <Loading />;
  const row = known.find(({ model }) => model === chosen) ?? known[0];
  if (!row) return <Empty>No model is on sale here yet.</Empty>;
  const tokens = { input: input.value, cachedShare: cachedPct.value / 100, output: output.value };
  return (
    <>
      <Heading title="Calculator" />
      <p class="faint">Your tokens, at the prices now and at those of the past.</p>
      <div class="panel form">
        <label>
          Model
          <select value={row.model} onChange={({ currentTarget }) => keep({ model: currentTarget.value, limit: '' })}>
            {known.map(({ model, display_name, preview }) => (
              <option key={model} value={model}>
                {preview ? `${display_name} (not sold yet)` : display_name}
              </option>
            ))}
          </select>
        </label>
        <Amount label="Requests" of={requests} />
        <Amount label="Input tokens each" of={input} />
        <Amount label="Of these cached, %" of={cachedPct} />
        <Amount label="Output tokens each" of={output} />
      </div>
      <dl class="now">
        <div>
          <dt>One request, now</dt>
          <dd class="big">
            <Money value={costOf(tokens, row.usd_per_million)} />
          </dd>
        </div>
        <div>
          <dt>All {countWhole(requests.value)}, now</dt>
          <dd class="big">
            <Money value={requests.value * costOf(tokens, row.usd_per_million)} />
          </dd>
        </div>
      </dl>
      {row.level === null ? (
        <p class="faint">Its prices are fixed: they were and will be the same.</p>
      ) : (
        <WithLimit key={row.model} {...{ row, tokens }} requests={requests.value} />
      )}
    </>
  );
}

/** A number that the reader sets, kept in the address. */
interface AmountInAddress {
  readonly value: number;
  readonly max: number;
  readonly write: (text: string) => void;
}

function useAmount(name: string, { usual, max }: { readonly usual: number; readonly max: number }): AmountInAddress {
  const [text, write] = useText(name);
  const fits = (other: string) => other !== '' && Number(other) >= 0 && Number(other) <= max;
  return {
    value: fits(text) ? Number(text) : usual,
    max,
    write(other) {
      if (fits(other)) write(other);
    },
  };
}

function Amount({ label, of: { value, max, write } }: { readonly label: string; readonly of: AmountInAddress }) {
  return (
    <label>
      {label}
      <input
        type="number"
        min={0}
        max={max}
        step="any"
        value={value}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
    </label>
  );
}

function WithLimit(props: LimitProps) {
  const { row, tokens, requests } = props;
  const usual = useMemo(() => Number((row.level ?? 1).toPrecision(3)), []);
  const limit = useAmount('limit', { usual, max: 1e6 });
  return (
    <>
      <div class="panel form">
        <Amount label="Price limit, USD per 1M" of={limit} />
        {limit.value < (row.level ?? 0) && (
          <p class="faint small">
            Below the level now: a request waits for a free slot, and then pays at most this limit.
          </p>
        )}
      </div>
      <div class="grid">
        <Live model={row.model} limit={limit.value} {...{ tokens, requests }} />
      </div>
      <Past {...props} limit={limit.value} />
    </>
  );
}

interface LimitProps {
  readonly row: BoardRow;
  readonly tokens: RequestTokens;
  readonly requests: number;
}

function Past({ row, tokens, requests, limit }: LimitProps & { readonly limit: number }) {
  const [range, setRange] = useChoice<ChartRange>('range', ['7d', '1h', '24h', '30d']);
  const [wait, setWait] = useChoice('wait', ['0', '600', '3600', '21600']);
  return (
    <FiguresSection
      title="With this limit in the past"
      about="By the level alone. A bid at or above the level pays the level. A bid below it starts when a slot is free and pays its own price; the level does not show when that was."
      asking={askHistory(row.model, range)}
      everyMs={EVERY_MS}
      choices={
        <div class="choices">
          <span class="faint small">Wait at most</span>
          <Choice label="Wait at most" options={WAITS} value={wait} onChoose={setWait} />
          <span class="faint small">Period</span>
          <Choice label="Period" options={periods(RANGES)} value={range} onChoose={setRange} />
        </div>
      }
    >
      {(history) => <Figures {...{ history, range, row, tokens, requests, limit }} waitMs={Number(wait) * 1000} />}
    </FiguresSection>
  );
}

interface FiguresProps extends LimitProps {
  readonly history: MarketHistory;
  readonly range: ChartRange;
  readonly limit: number;
  readonly waitMs: number;
}

function Figures({ history, range, row, tokens, requests, limit, waitMs }: FiguresProps) {
  const past = useMemo(() => history.points.map(({ t, level }) => ({ atMs: Date.parse(t), level })), [history]);
  const { below, withinWait, meanLevel } = useMemo(() => chancesOf(past, limit, waitMs), [past, limit, waitMs]);
  if (below === null) return <Empty>There are no levels of this time yet.</Empty>;
  // Prices are proportional to the level.
  const costAt = (level: number | null) =>
    level === null || !row.level ? null : (costOf(tokens, row.usd_per_million) * level) / row.level;
  const one = costAt(meanLevel);
  const ofTime = ofTimeKnown(history, range);
  const outlook = outlookOf(past, { now: row.level ?? 0, bid: limit, waitMs });
  return (
    <dl class="figures">
      <dt>When the level was about {priceText(row.level ?? 0)}, as now, it fell to the limit within the wait</dt>
      <dd class="level">
        {outlook === null ? (
          <Nothing />
        ) : outlook.moments === 0 ? (
          'it is not above it now'
        ) : (
          `in ${share(outlook.chance * 100)} of ${countWhole(outlook.moments)} moments`
        )}
      </dd>
      <dt>Charge for one request then, about</dt>
      <dd>
        <Money value={costAt(outlook?.level ?? null)} />
      </dd>
      <dt>The level was at or below {priceText(limit)}</dt>
      <dd>{`${share(below * 100)} ${ofTime}`}</dd>
      <dt>At any level: it was at or below {priceText(limit)}, or fell to it within the wait</dt>
      <dd class="level">{withinWait === null ? <Nothing /> : `${share(withinWait * 100)} ${ofTime}`}</dd>
      <dt>Charge for one request, at the mean of those levels</dt>
      <dd>
        <Money value={one} />
      </dd>
      <dt>Charge for all {countWhole(requests)}</dt>
      <dd>
        <Money value={one === null ? null : one * requests} />
      </dd>
    </dl>
  );
}

/** From less than this share of a period, its figures say how much they are of. */
const MOST = 0.9;

function ofTimeKnown({ bucket_seconds, points }: MarketHistory, range: ChartRange): string {
  const [first, last] = [points[0], points.at(-1)].map((point) => Date.parse(point?.t ?? ''));
  const knownMs = (last ?? 0) - (first ?? 0) + 1000 * bucket_seconds;
  return knownMs < MOST * RANGE_MS[range] ? `so far, under ${duration(knownMs)}` : 'of the time';
}

/** The calculator: your tokens times the past of a market. */
import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { type BoardRow, rows } from '../data/board.ts';
import { askHistory, type ChartRange, RANGES } from '../data/model.ts';
import { countWhole, price, share } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Money, Nothing } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { chancesOf, costOf, outlookOf, type RequestTokens } from './estimate.ts';
import { Live } from './live.tsx';

const EVERY_MS = 60_000;
const WAITS = [
  ['0', 'at once'],
  ['600', '10 min'],
  ['3600', '1 h'],
  ['21600', '6 h'],
] as const;

/** The screen at `#/calculator`. */
export function Calculator() {
  const known = rows.value?.filter(({ deprecated }) => !deprecated);
  const chosen = useSignal<string | null>(null);
  const input = useSignal(10_000);
  const cachedPct = useSignal(0);
  const output = useSignal(500);
  const requests = useSignal(1000);
  if (known === undefined) return <Loading />;
  const row = known.find(({ model }) => model === chosen.value) ?? known[0];
  if (!row) return <Empty>No model is on sale here yet.</Empty>;
  const tokens = { input: input.value, cachedShare: cachedPct.value / 100, output: output.value };
  return (
    <>
      <h1>Calculator</h1>
      <p class="faint">Your tokens, at the prices now and at those of the past.</p>
      <div class="panel form">
        <label>
          Model
          <select value={row.model} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
            {known.map(({ model, display_name, preview }) => (
              <option key={model} value={model}>
                {preview ? `${display_name} (not sold yet)` : display_name}
              </option>
            ))}
          </select>
        </label>
        <Amount label="Requests" value={requests} max={1e9} />
        <Amount label="Input tokens each" value={input} max={1e7} />
        <Amount label="Of these cached, %" value={cachedPct} max={100} />
        <Amount label="Output tokens each" value={output} max={1e7} />
      </div>
      <dl class="now">
        <div>
          <dt>One request, now</dt>
          <dd class="big">
            <Money value={costOf(tokens, row.usd_per_million)} />
          </dd>
        </div>
        <div>
          <dt>All of them, now</dt>
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

interface AmountProps {
  readonly label: string;
  readonly value: Signal<number>;
  readonly max: number;
}

function Amount({ label, value, max }: AmountProps) {
  const take = (text: string) => {
    const amount = Number(text);
    if (text !== '' && amount >= 0 && amount <= max) value.value = amount;
  };
  return (
    <label>
      {label}
      <input
        type="number"
        min={0}
        max={max}
        step="any"
        value={value.value}
        onInput={({ currentTarget }) => take(currentTarget.value)}
      />
    </label>
  );
}

function WithLimit(props: LimitProps) {
  const { row, tokens, requests } = props;
  const limit = useSignal(Number((row.level ?? 1).toPrecision(3)));
  return (
    <>
      <div class="panel form">
        <Amount label="Price limit, USD" value={limit} max={1e6} />
      </div>
      <div class="grid two">
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
  const range = useSignal<ChartRange>('7d');
  const wait = useSignal<(typeof WAITS)[number][0]>('0');
  return (
    <FiguresSection
      title="With this limit in the past"
      about="By the level alone: a bid at or above it as a rule starts at once, and pays the level. A bid below the level starts whenever a slot is free, and pays its own price; the level does not show when that was."
      asking={askHistory(row.model, range.value)}
      everyMs={EVERY_MS}
      choices={
        <div class="choices">
          <Choice label="Wait at most" options={WAITS} value={wait.value} onChoose={(to) => (wait.value = to)} />
          <Choice
            label="Period"
            options={RANGES.map((name) => [name, name])}
            value={range.value}
            onChoose={(to) => (range.value = to)}
          />
        </div>
      }
    >
      {(history) => <Figures {...{ history, row, tokens, requests, limit }} waitMs={Number(wait.value) * 1000} />}
    </FiguresSection>
  );
}

interface FiguresProps extends LimitProps {
  readonly history: MarketHistory;
  readonly limit: number;
  readonly waitMs: number;
}

function Figures({ history, row, tokens, requests, limit, waitMs }: FiguresProps) {
  const past = useMemo(() => history.points.map(({ t, level }) => ({ atMs: Date.parse(t), level })), [history]);
  const { below, withinWait, meanLevel } = useMemo(() => chancesOf(past, limit, waitMs), [past, limit, waitMs]);
  if (below === null) return <Empty>There are no levels of this time yet.</Empty>;
  // Prices are proportional to the level.
  const costAt = (level: number | null) =>
    level === null || !row.level ? null : (costOf(tokens, row.usd_per_million) * level) / row.level;
  const one = costAt(meanLevel);
  const outlook = outlookOf(past, { now: row.level ?? 0, bid: limit, waitMs });
  return (
    <dl class="figures">
      <dt>Now, with the level at {price(row.level ?? 0)}: it starts within the wait</dt>
      <dd class="level">
        {outlook === null ? (
          <Nothing />
        ) : outlook.moments === 0 ? (
          'at once, as a rule'
        ) : (
          `in ${share(outlook.chance * 100)} of ${countWhole(outlook.moments)} such moments`
        )}
      </dd>
      <dt>One request is then charged about</dt>
      <dd>
        <Money value={costAt(outlook?.level ?? null)} />
      </dd>
      <dt>The level was at or below {price(limit)}</dt>
      <dd>{share(below * 100)} of the time</dd>
      <dt>It was, or became so within the wait</dt>
      <dd class="level">{withinWait === null ? <Nothing /> : `${share(withinWait * 100)} of the time`}</dd>
      <dt>One request, at the mean of those levels</dt>
      <dd>
        <Money value={one} />
      </dd>
      <dt>All of them</dt>
      <dd>
        <Money value={one === null ? null : one * requests} />
      </dd>
    </dl>
  );
}

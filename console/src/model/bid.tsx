/** A bid, and what it brings: the chance to start, the wait and the cost. The model's page and the playground have both. */
import { useId } from 'preact/hooks';
import { costAtLimit } from '../calculator/estimate.ts';
import type { BoardRow } from '../data/board.ts';
import { askEstimate } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { share } from '../format.ts';
import { Money, Nothing } from '../parts/figures.tsx';
import { Hint } from '../parts/hint.tsx';
import { useSettled } from '../parts/settled.ts';
import { Shown } from '../parts/shown.tsx';

/** How far the slider goes. */
const TIMES_LEVEL = 3;
const STEPS = 300;

/** A limit that starts soon as a rule: a little above the level, and not below the quote. Two digits. */
export function usualLimit({ level, quote }: Pick<BoardRow, 'level' | 'quote'>): number {
  const bid = Math.max(1.2 * Math.max(level ?? 0, 0.000001), quote?.price ?? 0);
  return Number(bid.toPrecision(2));
}

interface LimitProps {
  readonly row: Pick<BoardRow, 'level' | 'quote'>;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A number and a slider for the same limit. */
export function LimitField({ row: { level, quote }, value, onChange }: LimitProps) {
  const id = useId();
  const most = Math.max((level ?? 0) * TIMES_LEVEL, 2 * (quote?.price ?? 0), value);
  const take = (text: string) => {
    const limit = Number(text);
    if (text !== '' && limit >= 0 && limit <= 1e6) onChange(limit);
  };
  return (
    <div class="field">
      <span>
        <label for={id}>Price limit, USD per 1M</label>
        <Hint word="price limit" />
      </span>
      <input
        id={id}
        type="number"
        min={0}
        step="any"
        value={value}
        onInput={({ currentTarget }) => take(currentTarget.value)}
      />
      <input
        type="range"
        aria-label="Price limit"
        min={0}
        max={most}
        step={most / STEPS}
        value={value}
        onInput={({ currentTarget }) => take(String(Number(Number(currentTarget.value).toPrecision(3))))}
      />
    </div>
  );
}

interface BidOutcomeProps {
  readonly row: BoardRow;
  readonly limit: number;
  readonly input: number;
  readonly output: number;
  /** Within how many seconds it is to start. */
  readonly withinS: number;
  /** How often it is asked again while nothing changes. */
  readonly everyMs: number;
}

/** What such a request may expect now. Its cost moves with the prices that stand beside it. */
export function BidOutcome({ row, limit, input, output, withinS, everyMs }: BidOutcomeProps) {
  const bid = useSettled(limit);
  const asking = askEstimate(row.model, { limit: bid, withinS, requests: 1, input, output });
  const source = useSource(asking.path, asking.ask, everyMs);
  return (
    <Shown source={source} lines={2}>
      {({ chance, wait_p50_seconds: half, wait_p90_seconds: most, greatest_charge_usd }) => (
        <dl class="outcome" aria-live="polite">
          <div>
            <dt>Starts within {secondsText(withinS)}</dt>
            <dd>{chance === null ? <Nothing /> : share(chance * 100)}</dd>
          </div>
          <div>
            <dt>Wait, typical to long</dt>
            <dd>{chance === null ? <Nothing /> : waitText(half, most)}</dd>
          </div>
          <div>
            <dt>Costs about</dt>
            <dd>
              <Money value={costAtLimit({ input, output, cachedShare: 0 }, row, limit)} />
            </dd>
          </div>
          <div>
            <dt>At most</dt>
            <dd>
              <Money value={greatest_charge_usd} />
            </dd>
          </div>
        </dl>
      )}
    </Shown>
  );
}

/** Of half of such requests, and of nine in ten; null is beyond an hour. */
function waitText(half: number | null, most: number | null): string {
  if (half === 0 && most === 0) return 'none';
  const text = (seconds: number | null) => (seconds === null ? 'over an hour' : secondsText(Math.ceil(seconds)));
  return half === most ? text(most) : `${text(half)} to ${text(most)}`;
}

function secondsText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** Where the labels of axes are: at round figures, and at moments that are round in the zone of the reader. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 40].map((days) => days * DAY_MS),
];
/** Of steps between figures, times a power of ten. */
const ROUND = [1, 2, 5, 10];

/** Moments from `fromMs` to `toMs`, both inclusive. */
export interface Moments {
  readonly stepMs: number;
  readonly atMs: readonly number[];
}

/** At most `countMax` round moments; `offsetMs` is how far the reader's clock is ahead of UTC. */
export function roundMoments(fromMs: number, toMs: number, countMax: number, offsetMs: number): Moments {
  const stepMs = STEPS_MS.find((step) => (toMs - fromMs) / step <= countMax) ?? (toMs - fromMs) / countMax;
  const first = Math.ceil((fromMs + offsetMs) / stepMs) * stepMs - offsetMs;
  const length = toMs < first ? 0 : Math.floor((toMs - first) / stepMs) + 1;
  return { stepMs, atMs: Array.from({ length }, (_, at) => first + at * stepMs) };
}

/** About four round figures from `low` to `high`; none where they are the same. */
export function roundFigures(low: number, high: number): readonly number[] {
  const rough = (high - low) / 4;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (ROUND.find((round) => round * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => (first + at) * step);
}

/** Room above and below what hardly moves, as a part of it: in less, the labels of a price, of four digits, would read the same. */
const FLAT = 0.01;

/** From the lowest to the highest value with a tenth of room; at least `[0, 1]` where all are zero. Zero is in it where it must be. */
export function rangeOf(values: readonly number[], fromZero: boolean): readonly [low: number, high: number] {
  const known = fromZero ? [0, ...values] : values;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = Math.max((high - low || Math.abs(high) || 1) / 10, FLAT * Math.abs(high));
  return [fromZero && low === 0 ? 0 : low - room, high + room];
}

/** The period that Activity and the bill look at. It is in the address: by its name, or with both ends. */
import { keep, place } from '../address.ts';
import { nowMs } from '../clock.ts';
import { dayUtc, moment, momentToMinute } from '../format.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a reader chooses from, in its order. */
export const PERIODS = { '7 days': 7, '24 hours': 1, '30 days': 30, '90 days': 90 } as const;
type PeriodName = keyof typeof PERIODS;

/** A period as the gateway is asked for it. */
export interface ShownPeriod {
  /** Null where the reader has chosen both ends. */
  readonly name: PeriodName | null;
  readonly fromMs: number;
  readonly toMs: number;
  /** For the query: ISO 8601. There is no end where it is now. */
  readonly query: { readonly from: string; readonly to?: string };
  /** What a bar sums. */
  readonly step: 'hour' | 'day';
  readonly stepMs: number;
}

/** The period in the address; the last seven days where there is none. */
export function periodNow(): ShownPeriod {
  const { query } = place.value;
  const [from, to] = [momentOf(query.get('from'), 0), momentOf(query.get('to'), DAY_MS - 1)];
  if (from !== null && to !== null && from < to) return periodOf(null, from, to);
  const name = nameOf(query.get('period'));
  const now = nowMs();
  return periodOf(name, now - PERIODS[name] * DAY_MS, now);
}

/** Shows another period, from its first page on. */
export function choosePeriod(name: string): void {
  keep({ period: name === '7 days' ? '' : name, from: '', to: '', page: '' });
}

/** The query of an address for the bar that begins at `atMs`. */
export function barQuery(
  { stepMs }: Pick<ShownPeriod, 'stepMs'>,
  atMs: number,
): { from: string; to: string; period: '' } {
  return { from: new Date(atMs).toISOString(), to: new Date(atMs + stepMs - 1).toISOString(), period: '' };
}

/** When a bar begins: the hour, or the day in UTC. */
export function barText({ step }: Pick<ShownPeriod, 'step'>, atMs: number): string {
  return step === 'day' ? dayUtc(atMs) : momentToMinute(atMs);
}

/** A period in words. */
export function periodText({ name, fromMs, toMs }: ShownPeriod): string {
  return name === null ? `${moment(fromMs)} to ${moment(toMs)}` : `the last ${name}`;
}

function periodOf(name: PeriodName | null, from: number, toMs: number): ShownPeriod {
  const step = toMs - from > 3 * DAY_MS ? 'day' : 'hour';
  const stepMs = step === 'day' ? DAY_MS : HOUR_MS;
  // Whole bars, so that the first one is no stump.
  const fromMs = name === null ? from : from - (from % stepMs) + stepMs;
  const query = {
    from: new Date(fromMs).toISOString(),
    ...(name === null ? { to: new Date(toMs).toISOString() } : {}),
  };
  return { name, fromMs, toMs, query, step, stepMs };
}

function nameOf(text: string | null): PeriodName {
  return (Object.keys(PERIODS) as PeriodName[]).find((name) => name === text) ?? '7 days';
}

/** A date alone is its first or last millisecond, as the gateway reads it. */
function momentOf(text: string | null, rest: number): number | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : ms + (/^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? rest : 0);
}

/**
 * When the orders were made whose ids begin alike. An id is a UUIDv7: its first characters are the millisecond in which
 * it was made, so the first characters of an id are a period, and the sums and indexes of periods serve them.
 */
import type { Period } from './days.ts';

/** An id's time is that of its order, but for a clock that was set back meanwhile: ids never go back. */
export const CLOCK_STEP_MS = 600_000;

const BEGINNING = /^[0-9a-f]{1,8}$|^[0-9a-f]{8}-[0-9a-f]{0,4}$|^[0-9a-f]{8}-[0-9a-f]{4}-/;
const TIME_DIGITS = 12;

/** Whether `prefix` is an id, and not only the beginning of some. */
export function isWholeId(prefix: string): boolean {
  return prefix.length === 36;
}

/** The time of the ids that begin with `prefix`; null when none can. */
export function timeOfIds(prefix: string): { readonly fromMs: number; readonly toMs: number } | null {
  if (!BEGINNING.test(prefix)) return null;
  const digits = prefix.slice(0, 13).replace('-', '');
  return {
    fromMs: Number.parseInt(digits.padEnd(TIME_DIGITS, '0'), 16),
    toMs: Number.parseInt(digits.padEnd(TIME_DIGITS, 'f'), 16),
  };
}

/** The period in which every order of such an id was made. */
export function widened({ fromMs, toMs }: { fromMs: number; toMs: number }): Period {
  return { fromMs: fromMs - CLOCK_STEP_MS, toMs: toMs + CLOCK_STEP_MS };
}

/**
 * The time in an id prefix. An id is a UUIDv7: its first characters are the millisecond at which it was created, so an
 * id prefix is a period, which the sums and indexes of periods can serve.
 */
import type { Period } from '../database/periods.ts';

/** An id has the time of its order, unless the clock was set back in between: ids never go back. */
export const CLOCK_STEP_MS = 600_000;

const BEGINNING = /^[0-9a-f]{1,8}$|^[0-9a-f]{8}-[0-9a-f]{0,4}$|^[0-9a-f]{8}-[0-9a-f]{4}-/;
const TIME_DIGITS = 12;

/** Whether `prefix` is a whole id. */
export function isWholeId(prefix: string): boolean {
  return prefix.length === 36;
}

/** The period of the ids with this prefix; null when there can be none. */
export function timeOfIds(prefix: string): { readonly fromMs: number; readonly toMs: number } | null {
  if (!BEGINNING.test(prefix)) return null;
  const digits = prefix.slice(0, 13).replace('-', '');
  return {
    fromMs: Number.parseInt(digits.padEnd(TIME_DIGITS, '0'), 16),
    toMs: Number.parseInt(digits.padEnd(TIME_DIGITS, 'f'), 16),
  };
}

/** The period in which every order with such an id was created. */
export function widened({ fromMs, toMs }: { fromMs: number; toMs: number }): Period {
  return { fromMs: fromMs - CLOCK_STEP_MS, toMs: toMs + CLOCK_STEP_MS };
}

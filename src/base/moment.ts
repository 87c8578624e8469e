/**
 * Moments and days as people, programming languages and tools write them. Every date that the gateway takes is read here:
 * in queries and bodies, and on the command line. Only what names one moment without doubt is taken.
 */
import { MINUTE_MS } from './time.ts';

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?)([Zz]|([+ -])([01]\d|2[0-3]):?([0-5]\d))?$/;

/** The first millisecond of a calendar day in UTC, such as `2026-01-31`; null when `text` is not an existing day. */
export function dayStartOf(text: string): number | null {
  const match = DAY.exec(text);
  if (!match) return null;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  // Dates go on into the next month: the 30th of February would be a day in March.
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/**
 * A moment in epoch milliseconds, from RFC 3339 or what common tools make of it: a space for the T, a comma in the
 * fraction, no seconds, no colon in the offset. A plus sign that was not escaped in an address arrives as a space, and
 * is read as a plus sign. Null for anything else, and for a time without a zone unless `zone` is `UTC`.
 */
export function momentOf(text: string, zone: 'UTC' | null = null): number | null {
  const [, day, time, offset, sign, hours, minutes] = MOMENT.exec(text) ?? [];
  if (day === undefined || time === undefined || dayStartOf(day) === null) return null;
  if (offset === undefined && zone === null) return null;
  const ms = Date.parse(`${day}T${time.replace(',', '.')}Z`);
  if (sign === undefined) return ms;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? ms + offsetMs : ms - offsetMs;
}

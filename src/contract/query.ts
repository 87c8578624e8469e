/**
 * Reads the query parameters of lists. An empty parameter counts as absent; an invalid one is refused by name, never
 * ignored. Spec 4.6, 4.7.
 */

import type { PageSize } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import { DAY_MS } from '#base/time.ts';
import type { Listings } from '#market/listing.ts';

/** The query parameters of a call. */
export type Query = Readonly<Record<string, string>>;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?:[Zz]|([+ -])([01]\d|2[0-3]):?([0-5]\d))?$/;

/** The text of a parameter; null when it is absent or empty. */
export function textParam(query: Query, name: string): string | null {
  return query[name] || null;
}

/** One of `choices`; null when absent. */
export function choiceParam<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const text = textParam(query, name);
  return text === null ? null : oneOf(text, name, choices);
}

/** Comma-separated members of `choices`, each once; null when absent. */
export function listParam<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): ReadonlySet<Choice> | null {
  const text = textParam(query, name);
  if (text === null) return null;
  return new Set(text.split(',').map((part) => oneOf(part.trim(), name, choices)));
}

/** A page size: a whole number from 1, reduced to `max`; `standard` when absent. */
export function limitParam(query: Query, { standard, max }: PageSize): number {
  const text = textParam(query, 'limit');
  if (text === null) return standard;
  if (!/^\d+$/.test(text) || Number(text) < 1) throw badParam('limit', 'limit must be a whole number of 1 or more.');
  return Math.min(Number(text), max);
}

/** A number from `min` to `max`, as plain decimals; null when absent. */
export function numberParam(
  query: Query,
  name: string,
  { min, max, whole = false }: { readonly min: number; readonly max: number; readonly whole?: boolean },
): number | null {
  const text = textParam(query, name);
  if (text === null) return null;
  const number = (whole ? /^(0|[1-9]\d*)$/ : /^(0|[1-9]\d*)(\.\d+)?$/).test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw badParam(name, `${name} must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
}

/** The real id of a served model, by id or alias; null when absent. Throws unknown_model. */
export function modelParam(query: Query, listings: Listings): string | null {
  const name = textParam(query, 'model');
  if (name === null) return null;
  const listing = listings.find(name);
  if (!listing) throw new Fault('unknown_model', { param: 'model' });
  return listing.id;
}

/**
 * `from` and `to` as inclusive bounds in epoch milliseconds, null when absent. A date alone is a UTC day: its first
 * millisecond in `from`, its last in `to`. A time without a zone is UTC.
 */
export function periodParams(query: Query): { fromMs: number | null; toMs: number | null } {
  return { fromMs: dateParam(query, 'from', 0), toMs: dateParam(query, 'to', DAY_MS - 1) };
}

function dateParam(query: Query, name: string, intoDayMs: number): number | null {
  const text = textParam(query, name);
  if (text === null) return null;
  const dayMs = dayOf(text);
  const ms = dayMs === null ? momentOf(text) : dayMs + intoDayMs;
  if (ms === null || Number.isNaN(ms))
    throw badParam(name, `${name} must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00+01:00.`);
  return ms;
}

/** The start of a calendar day in UTC; null when `text` is not an existing day. */
function dayOf(text: string): number | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** A point in time. A plus sign that was not escaped arrives as a space, and is read as a plus sign. */
function momentOf(text: string): number | null {
  const match = MOMENT.exec(text);
  const [, day, time, sign, hours, minutes] = match ?? [];
  if (day === undefined || time === undefined || dayOf(day) === null) return null;
  const ms = Date.parse(`${day}T${time.replace(',', '.')}Z`);
  if (sign === undefined) return ms;
  const offsetMinutes = Number(hours) * 60 + Number(minutes);
  return ms - (sign === '-' ? -offsetMinutes : offsetMinutes) * 60_000;
}

function oneOf<Choice extends string>(text: string, name: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text);
  if (choice === undefined) throw badParam(name, `${name} takes ${choices.join(', ')}.`);
  return choice;
}

function badParam(param: string, message: string): Fault {
  return new Fault('invalid_request', { param, message });
}

/** Parses what the operator writes of a key: its budget, expiry and models. Each error says what to write instead. */
import type { KeySettings } from '#access/principal.ts';
import type { Clock } from '#base/clock.ts';
import { type BudgetReset, budgetResets } from '#base/key-budget.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { Listings } from '#market/listing.ts';
import { readAmount } from './arguments.ts';
import { CommandError } from './output.ts';

/** What was written; what is absent stays as it is. */
export interface TypedKeySettings {
  readonly name?: string;
  readonly budget?: string;
  readonly reset?: string;
  readonly expires?: string;
  readonly models?: string;
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
/** Ten years: what is longer is a mistake. */
const DURATION_MAX_MS = 3660 * DAY_MS;

/** The settings; `listings` is called only where models are named. Throws CommandError. */
export function readKeySettings(typed: TypedKeySettings, clock: Clock, listings: () => Listings): KeySettings {
  const { name, budget, reset, expires, models } = typed;
  return {
    ...(name === undefined ? {} : { name }),
    ...(budget === undefined ? {} : { budget: budget === 'none' ? null : readAmount(budget) }),
    ...(reset === undefined ? {} : { reset: readReset(reset) }),
    ...(expires === undefined ? {} : { expiresAtMs: expires === 'never' ? null : readMoment(expires, clock) }),
    ...(models === undefined ? {} : { models: models === 'all' ? null : readModels(models, listings()) }),
  };
}

/** A length of time such as `30m`, `24h` or `7d`, or 0. Throws CommandError. */
export function readDuration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(number) * (UNITS[unit] ?? Number.NaN);
  if (ms <= DURATION_MAX_MS) return ms;
  throw new CommandError(`${text} is not a length of time; write minutes, hours or days, such as 30m, 24h or 7d.`);
}

/** A moment: a date, which begins at midnight UTC, a time with its zone, or a length of time from now. */
function readMoment(text: string, clock: Clock): number {
  if (/^\d+[mhd]$/.test(text)) return clock.nowMs() + readDuration(text);
  const isMoment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const ms = isMoment ? Date.parse(text) : Number.NaN;
  // Date.parse takes the 30th of February for the first or second of March.
  const isDay =
    !Number.isNaN(ms) && new Date(`${text.slice(0, 10)}T00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (isDay) return ms;
  throw new CommandError(`${text} is not a date; write 2027-01-31, 2027-01-31T18:00Z, or 90d for 90 days from now.`);
}

function readReset(text: string): BudgetReset {
  const reset = budgetResets.find((one) => one === text);
  if (reset) return reset;
  throw new CommandError(`A budget begins anew every day, week or month, or never; --reset is ${text}.`);
}

function readModels(text: string, listings: Listings): string[] {
  const ids = text.split(',').map((typed) => {
    const listing = listings.find(typed.trim());
    if (listing) return listing.id;
    throw new CommandError(`No model ${typed.trim()} is in the configuration; npx sluice serve lists them.`);
  });
  return [...new Set(ids)];
}

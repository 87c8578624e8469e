/**
 * Parses the values of arguments and options: amounts, days and price limits. Each error says what to write instead. The
 * options themselves are declared, and unknown ones refused, in `cli.ts`.
 */
import { type KeySettings, type Scope, scopes } from '#access/principal.ts';
import { TOP_UP_MAX, TOP_UP_MIN } from '#accounts/ledger/transfers.ts';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import type { Clock } from '#base/clock.ts';
import { type BudgetReset, budgetResets } from '#base/key-budget.ts';
import { dayStartOf, momentOf } from '#base/moment.ts';
import { type NanoUsd, PRICE_LIMIT_USD_MAX, type PriceNano, parseUsd } from '#base/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { Listings } from '#market/listing.ts';
import { WrongValue } from './output.ts';

/** An amount above 0 in USD. Throws WrongValue. */
export function readAmount(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null && amount > 0n) return amount;
  throw new WrongValue(`${text} is not an amount; write USD above 0, up to nine decimals, such as 25 or 12.50.`);
}

/** A top-up of $10 to $10,000 (Spec 8); `force` takes any amount. Throws WrongValue. */
export function readTopUp(text: string, force: boolean): NanoUsd {
  const amount = readAmount(text);
  if (force || (amount >= TOP_UP_MIN && amount <= TOP_UP_MAX)) return amount;
  throw new WrongValue(`A top-up is $10 to $10,000, this one is $${text}; add --force to allow it.`);
}

/** Days that results are kept, 0 to 30. Throws WrongValue. */
export function readRetentionDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= RETENTION_DAYS_MAX) return days;
  throw new WrongValue(`--retention-days is ${text}; write a whole number from 0 to ${RETENTION_DAYS_MAX}.`);
}

/** Parses `MODEL=USD`; does not check the model. Throws WrongValue. */
export function readPriceLimit(text: string): { model: string; price: PriceNano } {
  const match = /^(.+)=(\d{1,10}(?:\.\d{1,9})?)$/.exec(text);
  const [, model, usd] = match ?? [];
  const nano = usd === undefined ? null : parseUsd(usd);
  if (model === undefined || nano === null || nano > BigInt(PRICE_LIMIT_USD_MAX) * 1_000_000_000n)
    throw new WrongValue(
      `${text} is not a price limit; write MODEL=USD with 0 to ${PRICE_LIMIT_USD_MAX} USD per 1M input tokens, such as tide-70b=2.`,
    );
  return { model, price: Number(nano) };
}

/** The values given; what is absent stays as it is. */
export interface TypedKeySettings {
  readonly name?: string;
  readonly budget?: string;
  readonly reset?: string;
  readonly expires?: string;
  readonly models?: string;
  readonly scopes?: string;
  readonly addresses?: string;
  readonly member?: string;
  readonly strict?: string;
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
/** Ten years: what is longer is a mistake. */
const DURATION_MAX_MS = 3660 * DAY_MS;

/** The settings; `listings` is called only where models are named. Throws WrongValue. */
export function readKeySettings(typed: TypedKeySettings, clock: Clock, listings: () => Listings): KeySettings {
  const { name, budget, reset, expires, models, scopes: allowed, addresses, member, strict } = typed;
  return {
    ...(name === undefined ? {} : { name }),
    ...(budget === undefined ? {} : { budget: budget === 'none' ? null : readAmount(budget) }),
    ...(reset === undefined ? {} : { reset: readReset(reset) }),
    ...(expires === undefined ? {} : { expiresAtMs: expires === 'never' ? null : readMoment(expires, clock) }),
    ...(models === undefined ? {} : { models: models === 'all' ? null : readModels(models, listings()) }),
    ...(allowed === undefined ? {} : { scopes: allowed === 'default' ? null : readScopes(allowed) }),
    ...(addresses === undefined ? {} : { addresses: addresses === 'any' ? null : addresses.split(',') }),
    ...(member === undefined ? {} : { member: member === 'none' ? null : member }),
    ...(strict === undefined ? {} : { strict: readSwitch(strict) }),
  };
}

/** A length of time such as `30m`, `24h` or `7d`, or 0. Throws WrongValue. */
export function readDuration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(number) * (UNITS[unit] ?? Number.NaN);
  if (ms <= DURATION_MAX_MS) return ms;
  throw new WrongValue(`${text} is not a length of time; write minutes, hours or days, such as 30m, 24h or 7d.`);
}

/** A moment: a date, which begins at midnight UTC, a time with its zone, or a length of time from now. Throws WrongValue. */
export function readMoment(text: string, clock: Clock): number {
  if (/^\d+[mhd]$/.test(text)) return clock.nowMs() + readDuration(text);
  const ms = dayStartOf(text) ?? momentOf(text);
  if (ms !== null) return ms;
  throw new WrongValue(`${text} is not a date; write 2027-01-31, 2027-01-31T18:00Z, or 90d for 90 days from now.`);
}

function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new WrongValue(`--strict is ${text}; write on or off.`);
}

function readReset(text: string): BudgetReset {
  const reset = budgetResets.find((one) => one === text);
  if (reset) return reset;
  throw new WrongValue(`A budget resets every day, week or month, or never; --reset is ${text}.`);
}

function readScopes(text: string): Scope[] {
  return text.split(',').map((typed) => {
    const scope = scopes.find((one) => one === typed.trim());
    if (scope) return scope;
    throw new WrongValue(`${typed.trim()} is not a scope; write some of ${scopes.join(', ')}, or default.`);
  });
}

function readModels(text: string, listings: Listings): string[] {
  const ids = text.split(',').map((typed) => {
    const listing = listings.find(typed.trim());
    if (listing) return listing.id;
    throw new WrongValue(`No model ${typed.trim()} is in the configuration; npx sluice serve lists them.`);
  });
  return [...new Set(ids)];
}

/**
 * Figures as text. A price has four significant digits, an amount at least cents; the whole figure is where the reader
 * points. Times are in the locale of the browser, and in its time zone or UTC, as the reader has chosen.
 */
import { isUtc } from './zone.ts';

const digits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });

/** Decimals of the smallest figure that is shown. What is left of a sum below that is an error of its binary fractions. */
const DECIMALS_MAX = 12;
/** Of a nano-dollar, the smallest amount that is charged. */
const NANO_DECIMALS = 9;

/** `$0.1235`: a price, with at most four significant digits and without an exponent. */
export function priceText(value: number): string {
  return signed(value, (size) => digits.format(Number(size.toFixed(DECIMALS_MAX))));
}

/** Prices on an axis: with more digits where neighbors would read the same. */
export function priceTexts(values: readonly number[]): string[] {
  const texts = values.map(priceText);
  return texts.some((text, at) => text === texts[at - 1]) ? values.map(priceWholeText) : texts;
}

/** The same with all its digits. */
export function priceWholeText(value: number): string {
  return signed(value, (size) => whole.format(size));
}

/** `$2,344.97`: an amount, at least in cents and never rounded up. Below a dollar it has four significant digits. */
export function moneyText(value: number): string {
  return signed(value, (size) => {
    const first = size === 0 || size >= 1 ? 0 : Math.floor(Math.log10(size));
    return cut(size, first === 0 ? 2 : Math.min(NANO_DECIMALS, Math.max(2, 3 - first)));
  });
}

/** `$2,344.971`: the same with all its digits, for bills and receipts. */
export function moneyWholeText(value: number): string {
  return signed(value, (size) => cut(size, NANO_DECIMALS));
}

/** At least cents. The digits are cut from the text of the number: a product may round up. */
function cut(size: number, decimals: number): string {
  const [dollars = '', fraction = ''] = size.toFixed(NANO_DECIMALS).split('.');
  const cents = fraction.slice(0, 2);
  return `${whole.format(Number(dollars))}.${cents}${fraction.slice(2, decimals).replace(/0+$/, '')}`;
}

function signed(value: number, format: (size: number) => string): string {
  const text = format(Math.abs(value));
  return `${value < 0 && /[1-9]/.test(text) ? '-' : ''}$${text}`;
}

/** `1,234`, `1.235M`: a count whose last digits do not matter. Bills use `countWhole`. */
export function count(value: number): string {
  return Math.abs(value) < 10_000 ? digits.format(value) : compact.format(value);
}

/** `1,234,567`. */
export function countWhole(value: number): string {
  return whole.format(value);
}

/** `52.43 MB`, in powers of 1000. */
export function byteCount(value: number): string {
  const step = value < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(value) / 3));
  return `${digits.format(value / 1000 ** step)} ${['bytes', 'kB', 'MB', 'GB', 'TB'][step]}`;
}

/** `+1.2%`, for a change; `0.0%` when it rounds to nothing. */
export function change(pct: number): string {
  const text = Math.abs(pct) < 1000 ? pct.toFixed(1) : digits.format(pct);
  return `${pct > 0 && text !== '0.0' ? '+' : ''}${text === '-0.0' ? '0.0' : text}%`;
}

/** `99.95%`: never 100 for less than all of it. */
export function share(pct: number): string {
  return `${pct >= 100 ? '100' : Math.min(99.99, Math.floor(pct * 100) / 100)}%`;
}

/** `16.66%`: by how much less than its bid something cost, never rounded up; empty for less than a hundredth of a percent. */
export function savedShare(paidUsd: number, bidUsd: number): string {
  const [paid, bid] = [BigInt(Math.round(paidUsd * 1e9)), BigInt(Math.round(bidUsd * 1e9))];
  const hundredths = paid < bid ? Number((10_000n * (bid - paid)) / bid) : 0;
  return hundredths === 0 ? '' : `${hundredths / 100}%`;
}

/** `340 ms`, `12.3 s`, `4 min`, `2 h`: how long something took. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${digits.format(Math.round(ms / 100) / 10)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${digits.format(Math.round(ms / 360_000) / 10)} h`;
}

const day = { month: 'short', day: 'numeric' } as const;
const minute = { hour: '2-digit', minute: '2-digit' } as const;
const second = { ...minute, second: '2-digit' } as const;
const local = formatsOf({});
const utc = formatsOf({ timeZone: 'UTC' });

function formatsOf(zone: Intl.DateTimeFormatOptions) {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, { ...options, ...zone });
  // A moment says so where it is not local.
  const moment = { ...day, ...second, ...(zone.timeZone ? { timeZoneName: 'short' as const } : {}) };
  return {
    moment: format(moment),
    minuteOfDay: format({ ...day, ...minute }),
    day: format(day),
    minute: format(minute),
    second: format(second),
  };
}

function formats() {
  return isUtc.value ? utc : local;
}

/** A moment to the second, without the year. */
export function moment(ms: number): string {
  return formats().moment.format(ms);
}

/** A moment to the minute, without the year. */
export function momentToMinute(ms: number): string {
  return formats().minuteOfDay.format(ms);
}

/** The hour of the day in which a moment is: `14:00`. */
export function hourOfDay(ms: number): string {
  const hour = isUtc.value ? new Date(ms).getUTCHours() : new Date(ms).getHours();
  return `${String(hour).padStart(2, '0')}:00`;
}

/** A day that begins at midnight UTC. */
export function dayUtc(ms: number): string {
  return utc.day.format(ms);
}

/** Moments on the axis of a chart, `stepMs` apart: the time of day, and below it the day where it begins. */
export function ticks(times: readonly number[], stepMs: number): readonly string[] {
  const { day, minute, second } = formats();
  if (stepMs >= 86_400_000) return times.map((ms) => day.format(ms));
  const time = stepMs < 60_000 ? second : minute;
  const dayOf = times.map((ms) => day.format(ms));
  return times.map((ms, at) => (dayOf[at] === dayOf[at - 1] ? time.format(ms) : `${time.format(ms)}\n${dayOf[at]}`));
}

/** A period as the API calls it, such as `24h`, for people; it is not broken. */
export function rangeText(name: string): string {
  return name.replace(/(?<=\d)(?=[a-z])/, '\u00a0');
}

/** The same in UTC, for those who compare. */
export function momentUtc(ms: number): string {
  return `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csv(rows: readonly (readonly (string | number | boolean | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  // A small number would have an exponent, which not every program reads.
  if (typeof value === 'number' && Math.abs(value) < 1e-6) return value.toFixed(12).replace(/\.?0+$/, '');
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

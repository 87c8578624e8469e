/** Figures as text: four significant digits here, the whole figure where the reader points. Times are local. */

const digits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });

/** `$0.1235`, with at most four significant digits and without an exponent. */
export function usd(value: number): string {
  return signed(value, digits);
}

/** The same with all its digits. */
export function usdWhole(value: number): string {
  return signed(value, whole);
}

function signed(value: number, format: Intl.NumberFormat): string {
  return `${value < 0 ? '-' : ''}$${format.format(Math.abs(value))}`;
}

/** `1.235M`. */
export function count(value: number): string {
  return compact.format(value);
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

/** `340 ms`, `12.3 s`, `4 min`, `2 h`: how long something took. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${digits.format(Math.round(ms / 100) / 10)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${digits.format(Math.round(ms / 360_000) / 10)} h`;
}

/** A moment in local time, without the year. */
export function moment(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
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

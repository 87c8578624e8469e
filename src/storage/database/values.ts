/**
 * Converts values of the database to ours and back. SQLite returns bigint, MySQL text for BIGINT and numbers for the
 * rest; read through here, both give the same figure, exactly.
 */

/** A row as a driver returns it. */
export type Row = Readonly<Record<string, unknown>>;
/** What both drivers can bind to a placeholder. */
export type Value = string | number | bigint | Buffer | null;

/** A row to write. */
export type NewRow = Readonly<Record<string, Value>>;

/** Text that is never null. */
export function text(value: unknown): string {
  return String(value);
}

/** Bytes that are never null; both drivers return a Buffer. */
export function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error('The database holds something else where bytes belong.');
  return value;
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** A count, a time, a price: an integer that a double holds. */
export function int(value: unknown): number {
  return Number(value);
}

export function intOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Money. A sum over no rows is 0. */
export function money(value: unknown): bigint {
  if (value === null || value === undefined) return 0n;
  return typeof value === 'bigint' ? value : BigInt(String(value));
}

export function flag(value: unknown): boolean {
  return Number(value) === 1;
}

/** A price to bind: a number above 2^31 would be sent as a double. */
export function price(value: number): bigint {
  return BigInt(value);
}

export function priceOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value);
}

export function bit(value: boolean): number {
  return value ? 1 : 0;
}

/** A value that is one of `known`. Throws when the database contains something else. */
export function oneOf<Word extends string>(known: readonly Word[], value: unknown): Word {
  const found = known.find((word) => word === value);
  if (found === undefined)
    throw new Error(`The database holds ${String(value)} where one of ${known.join(', ')} belongs.`);
  return found;
}

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

/** A kind of value. As a function it reads the value that a driver returned; `bind` makes the stored value. */
export interface ValueKind<Of> {
  (stored: unknown): Of;
  readonly bind: (value: Of) => Value;
}

/** A kind of value, from how it is read and how it is stored. */
export function kind<Of>(read: (stored: unknown) => Of, bind: (value: Of) => Value): ValueKind<Of> {
  return Object.assign((stored: unknown) => read(stored), { bind });
}

function same<Of extends Value>(value: Of): Of {
  return value;
}

/** Text that is never null. */
export const text: ValueKind<string> = kind(String, same);

/** Text that people read, such as why something failed. Its end is cut where its column has no room for it. */
export function sentence(lengthMax: number): ValueKind<string> {
  return kind(String, (value) => {
    if (value.length <= lengthMax) return value;
    // Columns count characters, and half of one is no text.
    const characters = [...value];
    return characters.length <= lengthMax ? value : `${characters.slice(0, lengthMax - 1).join('')}…`;
  });
}

/**
 * Text from outside that names something. A name too long for its column is refused, because a shortened one would name
 * something else.
 */
export function name(lengthMax: number): ValueKind<string> {
  return kind(String, (value) => {
    if (value.length <= lengthMax) return value;
    throw new Error(`A name has ${value.length} characters, and its column has room for ${lengthMax}.`);
  });
}

/** A count or a time: an integer that a double holds. */
export const int: ValueKind<number> = kind(Number, same);

/** A price: read like any integer, but a number above 2^31 would be bound as a double. */
export const price: ValueKind<number> = kind(Number, BigInt);

/** Money. A sum over no rows is 0. */
export const money: ValueKind<bigint> = kind((stored) => {
  if (stored === null || stored === undefined) return 0n;
  return typeof stored === 'bigint' ? stored : BigInt(String(stored));
}, same);

export const flag: ValueKind<boolean> = kind((stored) => Number(stored) === 1, bit);

/** A value that is one of `known`. Reading throws when the database contains something else. */
export function oneOf<const Word extends string>(known: readonly Word[]): ValueKind<Word> {
  return kind<Word>((stored) => {
    const found = known.find((word) => word === stored);
    if (found === undefined)
      throw new Error(`The database holds ${String(stored)} where one of ${known.join(', ')} belongs.`);
    return found;
  }, same);
}

/** An object as JSON. The gateway wrote it after a check, so it is not checked again. */
export function json<Of>(): ValueKind<Of> {
  return kind((stored) => JSON.parse(String(stored)) as Of, JSON.stringify);
}

/** The same kind of value, or null. */
export function orNull<Of>(of: ValueKind<Of>): ValueKind<Of | null> {
  return kind<Of | null>(
    (stored) => (stored === null || stored === undefined ? null : of(stored)),
    (value) => (value === null ? null : of.bind(value)),
  );
}

export const textOrNull = orNull(text);
export const intOrNull = orNull(int);
/** Why something failed or was switched off, in a column of 255 characters. */
export const reasonOrNull = orNull(sentence(255));
export const moneyOrNull = orNull(money);

/** Bytes that are never null; both drivers return a Buffer. */
export function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error('The database holds something else where bytes belong.');
  return value;
}

export function bit(value: boolean): number {
  return value ? 1 : 0;
}

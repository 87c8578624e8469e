/**
 * Tables described once. A description names each field of an object and the kind of its column. From it come the object
 * in a row, the row of an object, and the object as an array, which crosses to another thread without names. A field that
 * the type has and the description has not, or the other way round, does not compile.
 *
 * What every order needs is generated as the text of a function, once for each description: a loop takes 1.5 µs to make
 * an object of 41 fields, a literal 0.06. The text has names from descriptions in it, and never data.
 */
import type { NewRow, Row, Value, ValueKind } from './values.ts';

/** How one field is stored: in the column of its name, in a `column` of another name, or in those of another codec. */
type Field<Of> = ValueKind<Of> | NamedColumn<Of> | (Of extends object ? Codec<Of> : never);

/**
 * The fields of an object. The column of `createdAtMs` is `created_at_ms` unless another is named. A field that may be
 * absent is null in its column then; if its type has no null, it is `optional`, and absent again after it was packed.
 */
export type Description<Whole> = {
  readonly [Name in keyof Whole]-?: undefined extends Whole[Name]
    ? null extends Whole[Name]
      ? Field<Exclude<Whole[Name], undefined>>
      : OptionalKind<Exclude<Whole[Name], undefined>>
    : Field<Whole[Name]>;
};

interface NamedColumn<Of> {
  readonly column: string;
  readonly kind: ValueKind<Of>;
}

interface OptionalKind<Of> {
  readonly optional: ValueKind<Of>;
}

/** The values of an object in the order of its description. */
export type Packed<Whole> = readonly unknown[] & { readonly packs?: Whole };

/** Columns for a statement of knex. Amounts are text: knex cannot report an error about a bigint. */
export type Columns = Record<string, Exclude<Value, bigint>>;

/** What comes from the description of an object. */
export interface Codec<Whole extends object> {
  readonly description: Description<Whole>;
  /** All columns, in the order of the description. */
  readonly columns: readonly string[];
  /** The object in a row that has these columns. */
  readonly from: (row: Row) => Whole;
  /** The row of an object, for the journal. */
  readonly row: (whole: Whole) => NewRow;
  /** The columns of those fields that are given, for knex. */
  readonly some: (part: { readonly [Name in keyof Whole]?: Whole[Name] | undefined }) => Columns;
  readonly pack: (whole: Whole) => Packed<Whole>;
  readonly unpack: (packed: Packed<Whole>) => Whole;
}

/** One value of an object: where it is among all of them, and how a generated function finds it in `whole`. */
interface Leaf {
  readonly name: string;
  readonly at: number;
  readonly path: string;
  readonly columnName: string;
  readonly kind: ValueKind<unknown>;
  readonly isOptional: boolean;
}

/** A value, or an object within the object. */
type Part = Leaf | { readonly name: string; readonly parts: readonly Part[] };

/** A field of any description: inside, no types are known. */
type AnyField = ValueKind<unknown> | NamedColumn<unknown> | OptionalKind<unknown> | { readonly description: object };

/** A column with another name than its field. */
export function column<Of>(name: string, kind: ValueKind<Of>): NamedColumn<Of> {
  return { column: name, kind };
}

/** A field that may be absent, and is never null. */
export function optional<Of>(kind: ValueKind<Of>): OptionalKind<Of> {
  return { optional: kind };
}

/** Compiles a description. */
export function codec<Whole extends object>(description: Description<Whole>): Codec<Whole> {
  const leaves: Leaf[] = [];
  const parts = partsOf(description, 'whole', leaves);
  const kinds = leaves.map(({ kind }) => kind);
  const objectOf = (text: (leaf: Leaf) => string) => literal(parts, text);
  const optionals = leaves.filter(({ isOptional }) => isOptional);
  const lateText = optionals.map(({ at, path }) => `if (packed[${at}] !== undefined) ${path} = packed[${at}];`);
  return {
    description,
    columns: leaves.map((leaf) => leaf.columnName),
    from: generated(kinds, 'row', () => `return ${objectOf(({ at, columnName }) => `k${at}(row.${columnName})`)};`),
    row: generated(kinds, 'whole', () => {
      const values = leaves.map(({ at, path, columnName }) => `${columnName}: k${at}.bind(${path} ?? null)`);
      return `return { ${values.join(', ')} };`;
    }),
    some: (part) => Object.fromEntries(given(parts, part)),
    pack: generated(kinds, 'whole', () => {
      const values = leaves.map(({ path, isOptional }) => (isOptional ? path : `${path} ?? null`));
      return `return [${values.join(', ')}];`;
    }),
    unpack: generated(kinds, 'packed', () => {
      const whole = objectOf(({ at, isOptional }) => (isOptional ? '' : `packed[${at}]`));
      return `const whole = ${whole}; ${lateText.join(' ')} return whole;`;
    }),
  };
}

/** Reads a value, or the column of another name. */
type Reader = ((stored: unknown) => unknown) | { readonly kind: (stored: unknown) => unknown };

/** The object that these fields describe. */
type Described<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends (stored: unknown) => infer Of
    ? Of
    : Fields[Name] extends { readonly kind: (stored: unknown) => infer Of }
      ? Of
      : never;
};

/** Compiles a description of a type that is stated nowhere else; `ObjectOf` is that type. */
export function described<Fields extends Readonly<Record<string, Reader>>>(fields: Fields): Codec<Described<Fields>> {
  return codec(fields as unknown as Description<Described<Fields>>);
}

/** The object of a codec. */
export type ObjectOf<Of> = Of extends Codec<infer Whole> ? Whole : never;

function partsOf(description: object, path: string, leaves: Leaf[]): Part[] {
  return Object.entries<AnyField>(description as Record<string, AnyField>).map(([name, field]): Part => {
    const own = `${path}.${name}`;
    if ('description' in field) return { name, parts: partsOf(field.description, own, leaves) };
    const kind = 'kind' in field ? field.kind : 'optional' in field ? field.optional : field;
    const ownColumn = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const columnName = 'column' in field ? field.column : ownColumn;
    const leaf = { name, at: leaves.length, path: own, columnName, kind, isOptional: 'optional' in field };
    leaves.push(leaf);
    return leaf;
  });
}

/** The text of an object; values without a text are left out. */
function literal(parts: readonly Part[], text: (leaf: Leaf) => string): string {
  const values = parts.map((part) => [part.name, 'parts' in part ? literal(part.parts, text) : text(part)]);
  const written = values.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
  return `{ ${written.join(', ')} }`;
}

/** The function of one argument with this text, made at its first call; `k0` and so on are the kinds. */
function generated<Input, Output>(
  kinds: readonly ValueKind<unknown>[],
  argument: string,
  text: () => string,
): (input: Input) => Output {
  let made: ((input: Input) => Output) | null = null;
  const make = () => {
    const names = kinds.map((_, at) => `k${at}`);
    made = new Function(...names, `return (${argument}) => { ${text()} };`)(...kinds) as (input: Input) => Output;
    return made;
  };
  return (input) => (made ?? make())(input);
}

function* given(parts: readonly Part[], whole: object): Generator<[string, Columns[string]]> {
  const values = whole as Readonly<Record<string, unknown>>;
  for (const part of parts) {
    const value = values[part.name];
    if (value === undefined) continue;
    if ('parts' in part) yield* given(part.parts, value as object);
    else {
      const bound = part.kind.bind(value);
      yield [part.columnName, typeof bound === 'bigint' ? bound.toString() : bound];
    }
  }
}

/**
 * Reads query parameters. generated/queries.ts has a reader for each parameter of each operation, made of the functions
 * here by what the parameter's schema says. An empty parameter counts as absent; an invalid one is refused by name, never
 * ignored. Spec 4.6, 4.7.
 */
import { invalidRequest } from '#base/fault.ts';
import { dayStartOf, momentOf } from '#base/moment.ts';
import { DAY_MS } from '#base/time.ts';

/** The first value of each query parameter, as it was sent. */
export type QueryTexts = Readonly<Record<string, string>>;

/** Reads the text of a parameter, which is null when the parameter is absent. Throws Fault invalid_request. */
export type Reader<Value> = (text: string | null, name: string) => Value;

/** The query of an operation: each parameter is read, and refused, when its handler first asks for it. */
export type ReadQuery<Readers extends Readonly<Record<string, Reader<unknown>>>> = {
  readonly [Name in keyof Readers]: ReturnType<Readers[Name]>;
};

/** Makes the query of a request; `readers` are those of its parameters. */
export type QueryReader<Readers extends Readonly<Record<string, Reader<unknown>>>> = {
  (texts: QueryTexts): ReadQuery<Readers>;
  readonly readers: Readers;
};

/** A reader of queries. Its parameters become getters of a class, so that a request costs one small object. */
export function queryOf<Readers extends Readonly<Record<string, Reader<unknown>>>>(
  readers: Readers,
): QueryReader<Readers> {
  class Query {
    readonly #texts: QueryTexts;

    constructor(texts: QueryTexts) {
      this.#texts = texts;
    }

    static {
      for (const [name, read] of Object.entries(readers))
        Object.defineProperty(Query.prototype, name, {
          get(this: Query) {
            return read(this.#texts[name] || null, name);
          },
        });
    }
  }
  const read = (texts: QueryTexts) => new Query(texts) as unknown as ReadQuery<Readers>;
  return Object.assign(read, { readers });
}

/** Any text of at most `lengthMax` characters; null when absent. */
export function plainText(lengthMax = Number.POSITIVE_INFINITY): Reader<string | null> {
  return (sent, name) => {
    if (sent !== null && sent.length > lengthMax) throw invalidRequest(name, `${name} takes ${lengthMax} characters.`);
    return sent;
  };
}

/** An order id or its first characters, in lower case; null when absent. */
export function idPrefix(lengthMin: number): Reader<string | null> {
  return (sent, name) => {
    if (sent !== null && sent.length < lengthMin)
      throw invalidRequest(name, `${name} takes an order id or its first characters, at least ${lengthMin}.`);
    return sent?.toLowerCase() ?? null;
  };
}

/** Whether it is `true`; anything else counts as absent. */
export function trueFlag(): Reader<boolean> {
  return (sent) => sent === 'true';
}

/** One of `choices`; `standard` when absent. */
export function choice<const Choice extends string, Standard extends Choice | null>(
  choices: readonly Choice[],
  standard: Standard,
): Reader<Choice | Standard> {
  return (sent, name) => (sent === null ? standard : oneOf(sent, name, choices));
}

/** One of `choices`; `standard` when absent or unknown. */
export function choiceOr<const Choice extends string, Standard extends Choice | null>(
  choices: readonly Choice[],
  standard: Standard,
): Reader<Choice | Standard> {
  return (sent) => choices.find((known) => known === sent) ?? standard;
}

/** Comma-separated members of `choices`, each once; null when absent. */
export function list<const Choice extends string>(choices: readonly Choice[]): Reader<ReadonlySet<Choice> | null> {
  return (sent, name) =>
    sent === null ? null : new Set(sent.split(',').map((part) => oneOf(part.trim(), name, choices)));
}

/** A whole number of `min` or more, reduced to `max`; `standard` when absent. The reader says both. */
export function clamped<Standard extends number | null>(
  min: number,
  max: number,
  standard: Standard,
): Reader<number | Standard> & { readonly max: number; readonly standard: Standard } {
  const read: Reader<number | Standard> = (sent, name) => {
    if (sent === null) return standard;
    if (!/^\d+$/.test(sent) || Number(sent) < min)
      throw invalidRequest(name, `${name} must be a whole number of ${min} or more.`);
    return Math.min(Number(sent), max);
  };
  return Object.assign(read, { max, standard });
}

/** A number from `min` to `max`, as plain decimals; `standard` when absent. */
export function decimal<Standard extends number | null>(min: number, max: number, standard: Standard) {
  return numberReader(/^(0|[1-9]\d*)(\.\d+)?$/, 'number', { min, max, standard });
}

/** A whole number from `min` to `max`; `standard` when absent. */
export function whole<Standard extends number | null>(min: number, max: number, standard: Standard) {
  return numberReader(/^(0|[1-9]\d*)$/, 'whole number', { min, max, standard });
}

/** The same, refused when absent. */
export function requiredWhole(min: number, max: number): Reader<number> {
  const read = whole(min, max, 0);
  return (sent, name) => read(sent ?? 'absent', name);
}

function numberReader<Standard extends number | null>(
  pattern: RegExp,
  kind: string,
  { min, max, standard }: { readonly min: number; readonly max: number; readonly standard: Standard },
): Reader<number | Standard> {
  return (sent, name) => {
    if (sent === null) return standard;
    const number = pattern.test(sent) ? Number(sent) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw invalidRequest(name, `${name} must be a ${kind} from ${min} to ${max}.`);
  };
}

/** The greatest of `steps` that is not above the number; the first when it is below all, absent or no number. */
export function stepBelow<const Step extends number>(steps: readonly [Step, ...Step[]]): Reader<Step> {
  return (sent) => steps.findLast((step) => step <= Number(sent ?? Number.NaN)) ?? steps[0];
}

/**
 * A moment in epoch milliseconds; null when absent. A date alone is a UTC day: its first millisecond for `start`, its last
 * for `end`. A time without a zone is UTC.
 */
export function timestamp(ofDay: 'start' | 'end'): Reader<number | null> {
  const intoDayMs = ofDay === 'start' ? 0 : DAY_MS - 1;
  return (sent, name) => {
    if (sent === null) return null;
    const dayMs = dayStartOf(sent);
    const ms = dayMs === null ? momentOf(sent, 'UTC') : dayMs + intoDayMs;
    if (ms === null)
      throw invalidRequest(
        name,
        `${name} must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00+01:00.`,
      );
    return ms;
  };
}

function oneOf<Choice extends string>(text: string, name: string, choices: readonly Choice[]): Choice {
  const known = choices.find((one) => one === text);
  if (known === undefined) throw invalidRequest(name, `${name} takes ${choices.join(', ')}.`);
  return known;
}

/**
 * Names in a request that look like misspelt fields or headers of the gateway. Unknown fields are forwarded to the
 * model (Spec 4.1), so a misspelt bound would be charged at the default and its sender would never learn it. Only the
 * gateway's own names count: nothing is said about a field of a wire shape, misspelt or not. docs/buy/clients.md.
 */
import { nearest } from '#base/nearest.ts';
import type { JsonObject, Misspelt } from '#orders/request.ts';
import type { RequestHeaders } from './wire-shape.ts';

/** The most warnings of one request, and the most names of its body and of its headers that are looked at. */
const TOLD_MAX = 5;
const LOOKED_AT_MAX = 200;
/** No name of the gateway is longer. */
const NAME_LENGTH_MAX = 40;
/** Names that are remembered; callers choose them. */
const REMEMBERED_MAX = 1000;

/**
 * The near misses in a body and its headers, at most five; null for none. `limits` are the names of the price limit in the
 * wire shape; a name that only another shape reads is one, too.
 */
export function nearMisses(body: JsonObject, sent: RequestHeaders, limits: readonly string[]): Misspelt | null {
  const isForeign = (name: string) => LIMITS.has(name) && !limits.includes(name);
  const inBody = among(Object.keys(body), 'field', (name) => {
    if (OWN_FIELDS.has(name) && !isForeign(name)) return null;
    const meant = fields.of(name);
    return meant !== null && isForeign(meant) ? (limits[0] ?? null) : meant;
  });
  const inHeaders = among(Object.keys(sent), 'header', (name) => {
    if (!OWN_HEADERS.has(name)) return headers.of(name);
    return name === 'x-max-price' && isForeign('max_price') ? 'X-Price-Limit' : null;
  });
  const found = [...inBody, ...inHeaders].slice(0, TOLD_MAX);
  const [first] = found;
  return first ? { param: first.name, warning: found.map(({ sentence }) => sentence).join(' ') } : null;
}

function among(names: readonly string[], kind: 'field' | 'header', meantBy: (name: string) => string | null) {
  const found: { readonly name: string; readonly sentence: string }[] = [];
  for (const sent of names.slice(0, LOOKED_AT_MAX)) {
    const meant = meantBy(sent);
    if (meant === null) continue;
    const name = printable(sent);
    found.push({ name, sentence: `${name} is not a ${kind} of this gateway; did you mean ${meant}?` });
    if (found.length === TOLD_MAX) break;
  }
  return found;
}

/** The name as a header may contain it. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?');
}

/** Every field of the gateway's own, in any shape. */
const FIELDS = [
  ...['price_limit', 'max_price', 'max_charge_usd', 'price_lock', 'max_wait', 'expires_after', 'deadline', 'detached'],
  ...['store', 'retention_days', 'tags'],
];
const OWN_FIELDS: ReadonlySet<string> = new Set(FIELDS);
/** Some shapes read only one of them. */
const LIMITS: ReadonlySet<string> = new Set(['price_limit', 'max_price']);
/** The gateway's own headers, as they are documented. */
const HEADERS = [
  ...['X-Price-Limit', 'X-Max-Price', 'X-Expires-After', 'X-Max-Charge-USD', 'X-Deadline', 'X-Dry-Run', 'X-Strict'],
  ...['Idempotency-Key', 'X-Tags'],
];
/** As Node spells them. */
const OWN_HEADERS: ReadonlySet<string> = new Set(HEADERS.map((name) => name.toLowerCase()));

/** A name of at most eight letters is near with one edit, a longer one with two. */
const SHORT = 8;
/** Names of vendors and libraries that mean something else, though they are near to names of ours. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(['stored', 'score', 'expires', 'detach', 'retention']);
const OTHER_HEADERS: ReadonlySet<string> = new Set(['x-store', 'x-deadline-ms', 'strict']);
/** Two names of at least this many letters are near if one begins with the other, such as `max_wait_seconds`. */
const BEGINNING = 7;

/** Says which name was meant by another. Remembers what it said. */
class Meaning {
  /** The warning about a name, by the letters of the name. */
  readonly #told: ReadonlyMap<string, string>;
  readonly #short: readonly string[];
  readonly #long: readonly string[];
  readonly #beginnings: readonly string[];
  readonly #others: ReadonlySet<string>;
  readonly #said = new Map<string, string | null>();

  /** `others` are near to no name. */
  constructor(
    told: Iterable<readonly [string, string]>,
    { beginnings, others }: { readonly beginnings: boolean; readonly others: ReadonlySet<string> },
  ) {
    this.#told = new Map(Array.from(told, ([name, text]) => [lettersOf(name), text]));
    const letters = [...this.#told.keys()];
    this.#short = letters.filter(({ length }) => length <= SHORT);
    this.#long = letters.filter(({ length }) => length > SHORT);
    this.#beginnings = beginnings ? letters.filter(({ length }) => length >= BEGINNING) : [];
    this.#others = others;
  }

  of(name: string): string | null {
    if (name.length > NAME_LENGTH_MAX || this.#others.has(name.toLowerCase())) return null;
    const said = this.#said.get(name);
    if (said !== undefined) return said;
    if (this.#said.size >= REMEMBERED_MAX) this.#said.clear();
    const near = this.#near(lettersOf(name));
    const told = near === null ? null : (this.#told.get(near) ?? null);
    this.#said.set(name, told);
    return told;
  }

  #near(letters: string): string | null {
    const short = this.#short.filter((known) => beginsLike(letters, known));
    const near = nearest(letters, short, 1) ?? nearest(letters, this.#long, 2);
    if (near !== null || letters.length < BEGINNING) return near;
    return this.#beginnings.find((known) => known.startsWith(letters) || letters.startsWith(known)) ?? null;
  }
}

/** Whether a word and a known one have the same first letter, or the first two swapped. */
function beginsLike(word: string, known: string): boolean {
  return word[0] === known[0] || (word[0] === known[1] && word[1] === known[0]);
}

/** Two headers have no field beside them: a dry run that is asked for in the body would be charged. */
const fields = new Meaning(
  [
    ...FIELDS.map((name): [string, string] => [name, name]),
    ...['X-Dry-Run', 'Idempotency-Key'].map((name): [string, string] => [name, `the header ${name}`]),
  ],
  { beginnings: true, others: OTHER_FIELDS },
);
/** Fields are not read from headers of their names. No beginnings: `Expires` is a header of HTTP. */
const headers = new Meaning(
  [
    ...FIELDS.map((name): [string, string] => [name, `${name} in the body`]),
    ['max_wait', 'X-Expires-After'],
    ['max_charge', 'X-Max-Charge-USD'],
    ...HEADERS.map((name): [string, string] => [name, name]),
  ],
  { beginnings: false, others: OTHER_HEADERS },
);

function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^x-/, '')
    .replace(/[^a-z0-9]/g, '');
}

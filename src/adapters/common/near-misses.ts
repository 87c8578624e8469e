/**
 * Names in a request that look like misspelt fields or headers of the gateway. Unknown fields are forwarded to the model
 * (Spec 4.1), so a misspelt bound would be charged at the default and its sender would never learn it. Only the gateway's
 * own names count: nothing is said of a field of a wire shape, misspelt or not. docs/using.md.
 */
import { nearest } from '#base/nearest.ts';
import type { JsonObject, Misspelt } from '#orders/request.ts';
import type { RequestHeaders } from './wire-shape.ts';

/** How many of a request are told, and how many names of its body and of its headers are looked at. */
const TOLD_MAX = 5;
const LOOKED_AT_MAX = 200;
/** A longer name is none of ours. */
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
  return names.slice(0, LOOKED_AT_MAX).flatMap((sent) => {
    const meant = meantBy(sent);
    if (meant === null) return [];
    const name = printable(sent);
    return [{ name, sentence: `${name} is not a ${kind} of this gateway; did you mean ${meant}?` }];
  });
}

/** As it may stand in a header. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?');
}

/** Every field of the gateway's own, in any shape. */
const FIELDS = [
  ...['price_limit', 'max_price', 'max_charge_usd', 'price_lock', 'max_wait', 'expires_after', 'deadline', 'detached'],
  ...['store', 'retention_days'],
];
const OWN_FIELDS: ReadonlySet<string> = new Set(FIELDS);
/** Some shapes read only one of them. */
const LIMITS: ReadonlySet<string> = new Set(['price_limit', 'max_price']);
/** The gateway's own headers, as they are documented. */
const HEADERS = [
  ...['X-Price-Limit', 'X-Max-Price', 'X-Expires-After', 'X-Max-Charge-USD', 'X-Deadline', 'X-Dry-Run', 'X-Strict'],
  'Idempotency-Key',
];
/** As Node spells them. */
const OWN_HEADERS: ReadonlySet<string> = new Set(HEADERS.map((name) => name.toLowerCase()));

/** A name of at most six letters is near with one edit, a longer one with two. */
const SHORT = 6;
/** Two names of at least so many letters are near if one begins with the other, such as `max_wait_seconds`. */
const BEGINNING = 7;

/** Says which name was meant by another. Remembers what it said. */
class Meaning {
  /** What is told of a name, by the letters of that. */
  readonly #told: ReadonlyMap<string, string>;
  readonly #short: readonly string[];
  readonly #long: readonly string[];
  readonly #beginnings: boolean;
  readonly #said = new Map<string, string | null>();

  constructor(told: Iterable<readonly [string, string]>, { beginnings }: { readonly beginnings: boolean }) {
    this.#told = new Map(Array.from(told, ([name, text]) => [lettersOf(name), text]));
    const letters = [...this.#told.keys()];
    this.#short = letters.filter(({ length }) => length <= SHORT);
    this.#long = letters.filter(({ length }) => length > SHORT);
    this.#beginnings = beginnings;
  }

  of(name: string): string | null {
    if (name.length > NAME_LENGTH_MAX) return null;
    const said = this.#said.get(name);
    if (said !== undefined) return said;
    if (this.#said.size >= REMEMBERED_MAX) this.#said.clear();
    const near = this.#near(lettersOf(name));
    const told = near === null ? null : (this.#told.get(near) ?? null);
    this.#said.set(name, told);
    return told;
  }

  #near(letters: string): string | null {
    const near = nearest(letters, this.#short, 1) ?? nearest(letters, this.#long, 2);
    if (near !== null || !this.#beginnings || letters.length < BEGINNING) return near;
    return this.#long.find((known) => known.startsWith(letters) || letters.startsWith(known)) ?? null;
  }
}

const fields = new Meaning(
  FIELDS.map((name) => [name, name]),
  { beginnings: true },
);
/** Fields are not read from headers of their names. No beginnings: `Expires` is a header of HTTP. */
const headers = new Meaning(
  [
    ...FIELDS.map((name): [string, string] => [name, `${name} in the body`]),
    ['max_wait', 'X-Expires-After'],
    ...HEADERS.map((name): [string, string] => [name, name]),
  ],
  { beginnings: false },
);

function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^x-/, '')
    .replace(/[^a-z0-9]/g, '');
}

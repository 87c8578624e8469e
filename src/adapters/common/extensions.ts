/**
 * The gateway's own fields of an inference request: price, bound of the charge, wait, retention and tags, from the body and
 * from headers, and the Idempotency-Key with the fingerprint of the request. The body takes precedence over a header, but an
 * invalid header is refused even then: silently dropping a price is worse than a 400. The shapes differ only in the names of the price limit. Spec 4.1, 4.2.
 */
import { hash } from 'node:crypto';
import { NESTING_MAX, ORDER_TIMEOUT_S } from '#base/bounds.ts';
import { exactly } from '#base/exact-json.ts';
import { momentOf } from '#base/moment.ts';
import { MAX_CHARGE_USD_MAX, PRICE_LIMIT_USD_MAX, priceFromUsd } from '#base/money.ts';
import type { Extensions, InferenceRequest, JsonObject } from '#orders/request.ts';
import { nestedTooDeeply } from '#orders/token-estimate.ts';
import { refusal, TAGS_MAX, tagsRule } from './fields.ts';
import { nearMisses } from './near-misses.ts';
import type { CompletionBody, RequestHeaders } from './wire-shape.ts';

/** The body fields of the price limit, each with its header. A shape reads one or both, in its order of precedence. */
const LIMIT_HEADERS = { price_limit: 'x-price-limit', max_price: 'x-max-price' } as const;
type LimitField = keyof typeof LIMIT_HEADERS;

/** The other fields. Two of the schemas have no `detached`: there anything but null and false detaches. */
type ExtensionFields = Pick<
  CompletionBody,
  'max_charge_usd' | 'price_lock' | 'max_wait' | 'expires_after' | 'store' | 'retention_days'
> & {
  readonly detached?: unknown;
  readonly deadline?: unknown;
  readonly tags?: readonly string[] | null;
};

const MAX_WAIT_FIELDS = ['max_wait', 'expires_after'] as const;
const MAX_WAIT_HEADER = 'x-expires-after';
const MAX_CHARGE_HEADER = 'x-max-charge-usd';
const DECIMAL = /^\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

/** Reads the extensions of a validated body. Throws invalid_price_limit, invalid_max_wait or invalid_max_charge for a header. */
export function readExtensions<Field extends LimitField>(
  body: ExtensionFields & { readonly [Name in Field]?: number | null },
  headers: RequestHeaders,
  limitFields: readonly Field[],
): Extensions {
  let limitUsd: number | null = null;
  for (const name of limitFields) limitUsd ??= body[name] ?? null;
  let maxWaitS: number | null = null;
  for (const name of MAX_WAIT_FIELDS) maxWaitS ??= body[name] ?? null;
  // All headers are read, so that an invalid one is refused even if unused.
  for (const name of limitFields) {
    const sent = limitHeader(headers, LIMIT_HEADERS[name]);
    limitUsd ??= sent;
  }
  const waitS = waitHeader(headers);
  const chargeUsd = chargeHeader(headers);
  const maxChargeUsd = body.max_charge_usd ?? chargeUsd;
  const misspelt = nearMisses(body, headers, limitFields);
  const deadline = readDeadline(body, headers);
  const tags = readTags(body, headers);
  if (deadline !== null) refuseBeside(deadline.from, body, maxWaitS ?? waitS);
  return {
    limit: limitUsd === null ? null : priceFromUsd(limitUsd),
    maxChargeNano: maxChargeUsd === null ? null : priceFromUsd(maxChargeUsd),
    priceLock: body.price_lock ?? null,
    maxWaitS: maxWaitS ?? waitS,
    deadline: deadline?.wished ?? null,
    detached: (body.detached ?? false) !== false,
    store: body.store ?? null,
    retentionDays: body.retention_days ?? null,
    ...(tags ? { tags } : {}),
    ...(misspelt ? { misspelt } : {}),
  };
}

/** The body fields that `readExtensions` reads; none of them is sent to a pod. */
export function extensionFields(limitFields: readonly LimitField[]): string[] {
  return [
    ...limitFields,
    'max_charge_usd',
    'price_lock',
    ...MAX_WAIT_FIELDS,
    'deadline',
    'tags',
    'detached',
    'store',
    'retention_days',
  ];
}

/** The headers that change the meaning of a request, in lower case. */
export function extensionHeaders(limitFields: readonly LimitField[]): string[] {
  return [
    ...limitFields.map((name) => LIMIT_HEADERS[name]),
    MAX_WAIT_HEADER,
    MAX_CHARGE_HEADER,
    DEADLINE_HEADER,
    TAGS_HEADER,
  ];
}

function limitHeader(headers: RequestHeaders, name: string): number | null {
  const usd = decimal(headers[name]);
  if (usd === null || (usd >= 0 && usd <= PRICE_LIMIT_USD_MAX)) return usd;
  throw refusal(
    name,
    `${name} must be a number from 0 to ${PRICE_LIMIT_USD_MAX}, in USD per 1M input tokens at the reference mix.`,
    'invalid_price_limit',
  );
}

function waitHeader(headers: RequestHeaders): number | null {
  const seconds = decimal(headers[MAX_WAIT_HEADER]);
  if (seconds === null || (Number.isInteger(seconds) && seconds >= 1 && seconds <= ORDER_TIMEOUT_S.max)) return seconds;
  throw refusal(
    MAX_WAIT_HEADER,
    `${MAX_WAIT_HEADER} must be a whole number of seconds from 1 to ${ORDER_TIMEOUT_S.max}.`,
    'invalid_max_wait',
  );
}

function chargeHeader(headers: RequestHeaders): number | null {
  const usd = decimal(headers[MAX_CHARGE_HEADER]);
  if (usd === null || (usd >= 0 && usd <= MAX_CHARGE_USD_MAX)) return usd;
  throw refusal(
    MAX_CHARGE_HEADER,
    `${MAX_CHARGE_HEADER} must be a number from 0 to ${MAX_CHARGE_USD_MAX}, in USD.`,
    'invalid_max_charge',
  );
}

/** The number in a header; null without one; NaN, which every check refuses, for anything else and for a repeat. */
function decimal(text: RequestHeaders[string]): number | null {
  if (text === undefined) return null;
  return typeof text === 'string' && DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
}

/** The fields at the top of a request whose numbers the gateway reads, in any shape. */
const READ = [
  ...extensionFields(['price_limit', 'max_price']),
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
] as const;

/**
 * The body with numbers that a double cannot keep as they were written, where they are forwarded; the same object when
 * it has none. A validator must have seen `body` itself, in which all numbers are plain.
 */
export function forwardable<Body>(body: Body): Body {
  const exact = exactly(body);
  if (exact === body) return body;
  const plain = Object.entries(body ?? {}).filter(([name]) => READ.includes(name));
  return { ...exact, ...Object.fromEntries(plain) };
}

export const DEADLINE_HEADER = 'x-deadline';

const SECONDS = /^\d{1,7}$/;
/**
 * The deadline of a request; null for none. Both places are read, so that an invalid header is refused even if unused.
 * No clock here: whether a time is ahead, and not too far, is checked with the order's terms. docs/decisions/0057.
 */
export function readDeadline(body: { readonly deadline?: unknown }, headers: RequestHeaders) {
  const header = headers[DEADLINE_HEADER];
  const sent = header === undefined ? null : deadlineFrom(seconds(header), DEADLINE_HEADER);
  return body.deadline == null ? sent : deadlineFrom(body.deadline, 'deadline');
}

/** Throws invalid_request for a deadline beside another word on when to start. */
export function refuseBeside(from: string, body: { readonly price_lock?: unknown }, maxWaitS: number | null): void {
  if (body.price_lock === true)
    throw refusal(from, `${from} and price_lock exclude each other: a lock starts within seconds or expires.`);
  if (maxWaitS !== null)
    throw refusal(from, `${from} and max_wait exclude each other: the order expires at its deadline.`);
}

function deadlineFrom(value: unknown, from: string) {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= ORDER_TIMEOUT_S.max)
    return { wished: { inS: value }, from };
  const atMs = typeof value === 'string' ? momentOf(value) : null;
  if (atMs !== null) return { wished: { atMs }, from };
  const message = `${from} must be a whole number of seconds from 1 to ${ORDER_TIMEOUT_S.max}, or a time such as 2027-01-31T06:00:00Z.`;
  throw refusal(from, message);
}

/** A header's digits as a number; anything else as it is. */
function seconds(text: NonNullable<RequestHeaders[string]>): unknown {
  const digits = typeof text === 'string' ? text.trim() : '';
  return SECONDS.test(digits) ? Number(digits) : typeof text === 'string' ? digits : text;
}

const TAGS_HEADER = 'x-tags';
const TAG = /^[A-Za-z0-9._:-]{1,32}$/;

/** The tags of a request, each once; null for none. Both places are read, so that an invalid header is refused even if unused. */
export function readTags(body: Pick<ExtensionFields, 'tags'>, headers: RequestHeaders): readonly string[] | null {
  const header = headers[TAGS_HEADER];
  if (header === undefined && !body.tags) return null;
  const sent =
    header === undefined
      ? []
      : String(header)
          .split(',')
          .map((tag) => tag.trim());
  if (header !== undefined && (sent.length > TAGS_MAX || !sent.every((tag) => TAG.test(tag))))
    throw refusal(TAGS_HEADER, tagsRule(TAGS_HEADER));
  const tags = new Set(body.tags ?? sent);
  return tags.size === 0 ? null : [...tags];
}

const KEY_CHARACTERS_MAX = 255;
const DELIVERY = new Set(['stream', 'stream_options']);
/**
 * Counted also where they are not sent, as the first release did. Every other header counts only where it is sent, so that
 * one that is added leaves the fingerprints of all requests without it as they are stored.
 */
const FIRST_HEADERS = new Set(['x-price-limit', 'x-max-price', 'x-expires-after']);

/**
 * The key and fingerprints; null without the header, and then nothing is hashed. `headerNames` are the headers that
 * change the meaning of the request. Throws invalid_request for a key that is empty or over 255 characters.
 */
export function readIdempotency(
  body: JsonObject,
  headers: RequestHeaders,
  headerNames: readonly string[],
): InferenceRequest['idempotency'] {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length === 0 || key.length > KEY_CHARACTERS_MAX)
    throw refusal('Idempotency-Key', `Idempotency-Key must have 1 to ${KEY_CHARACTERS_MAX} characters.`);
  const meant = Object.fromEntries(Object.entries(body).filter(([name]) => !DELIVERY.has(name)));
  let meantHeaders = '';
  for (const name of headerNames) {
    const sent = headers[name];
    if (sent !== undefined || FIRST_HEADERS.has(name)) meantHeaders += `\n${name}:${sent ?? ''}`;
  }
  const hashOf = (json: string) => hash('sha256', json + meantHeaders, 'hex');
  let exactNumbers = false;
  const json = canonicalJson(meant, 1, (digits) => {
    exactNumbers = true;
    return digits;
  });
  const fingerprint = hashOf(json);
  if (!exactNumbers) return { key, fingerprint };
  return {
    key,
    fingerprint,
    firstFingerprint: hashOf(canonicalJson(meant, 1, (digits) => JSON.stringify(Number(digits)))),
  };
}

/** JSON with sorted keys and no spaces: equal for equal values. `written` renders a number that a double cannot keep. */
function canonicalJson(value: unknown, depth: number, written: (digits: string) => string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (JSON.isRawJSON(value)) return written(value.rawJSON);
  if (depth > NESTING_MAX) throw nestedTooDeeply();
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1, written)).join(',')}]`;
  const object = value as JsonObject;
  const names = Object.keys(object).sort();
  const fields = names.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name], depth + 1, written)}`);
  return `{${fields.join(',')}}`;
}

/**
 * The gateway's own fields on an inference request: price, time and keeping, from the body and from headers. The body
 * wins over a header, but a header that cannot be read is refused even then: silently dropping a price is worse than a
 * 400. The shapes differ only in which names they read. Spec 4.1, 4.2.
 */
import { ORDER_TIMEOUT_S } from '#base/bounds.ts';
import { PRICE_LIMIT_USD_MAX, type PriceNano, priceFromUsd } from '#base/money.ts';
import type { Extensions, JsonObject } from '#orders/request.ts';
import { optionalBoolean, refusal } from './fields.ts';
import type { RequestHeaders } from './wire-shape.ts';

/** Which names a shape reads, the one that wins first. */
export interface ExtensionNames {
  /** Body fields of the price limit. */
  readonly prices: readonly string[];
  /** Headers of the price limit, in lower case. */
  readonly priceHeaders: readonly string[];
}

const MAX_WAIT_FIELDS = ['max_wait', 'expires_after'];
const MAX_WAIT_HEADER = 'x-expires-after';
const DECIMAL = /^\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

/** Reads the extensions. Throws invalid_price_limit, invalid_max_wait or invalid_request. */
export function readExtensions(body: JsonObject, headers: RequestHeaders, names: ExtensionNames): Extensions {
  return {
    priceLimit: firstOf([
      ...names.prices.map((name) => priceField(body, name)),
      ...names.priceHeaders.map((name) => priceHeader(headers, name)),
    ]),
    priceLock: optionalBoolean(body, 'price_lock'),
    maxWaitS: firstOf([...MAX_WAIT_FIELDS.map((name) => waitField(body, name)), waitHeader(headers)]),
    detached: optionalBoolean(body, 'detached') ?? false,
    store: optionalBoolean(body, 'store'),
    retentionDays: retentionDays(body),
  };
}

/** The body fields that `readExtensions` reads: none of them ever reaches a pod. */
export function extensionFields(names: ExtensionNames): string[] {
  return [...names.prices, 'price_lock', ...MAX_WAIT_FIELDS, 'detached', 'store', 'retention_days'];
}

/** The headers that change what a request means, in lower case. */
export function extensionHeaders(names: ExtensionNames): string[] {
  return [...names.priceHeaders, MAX_WAIT_HEADER];
}

/** The first value that was said. Every one has been read, so a bad one is refused even when another wins. */
function firstOf(values: readonly (number | null)[]): number | null {
  return values.find((value) => value !== null) ?? null;
}

function priceField(body: JsonObject, name: string): PriceNano | null {
  const value = body[name] ?? null;
  return value === null ? null : price(value, name);
}

function priceHeader(headers: RequestHeaders, name: string): PriceNano | null {
  const text = headers[name];
  return text === undefined ? null : price(decimal(text), name);
}

function price(value: unknown, name: string): PriceNano {
  if (typeof value === 'number' && value >= 0 && value <= PRICE_LIMIT_USD_MAX) return priceFromUsd(value);
  throw refusal(
    name,
    `${name} must be a number from 0 to ${PRICE_LIMIT_USD_MAX}, in USD per 1M input tokens at the reference mix.`,
    'invalid_price_limit',
  );
}

function waitField(body: JsonObject, name: string): number | null {
  const value = body[name] ?? null;
  return value === null ? null : seconds(value, name);
}

function waitHeader(headers: RequestHeaders): number | null {
  const text = headers[MAX_WAIT_HEADER];
  return text === undefined ? null : seconds(decimal(text), MAX_WAIT_HEADER);
}

function seconds(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= ORDER_TIMEOUT_S.max) return value;
  throw refusal(
    name,
    `${name} must be a whole number of seconds from 1 to ${ORDER_TIMEOUT_S.max}.`,
    'invalid_max_wait',
  );
}

function retentionDays(body: JsonObject): number | null {
  const value = body.retention_days ?? null;
  if (value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0)) return value;
  throw refusal('retention_days', 'retention_days must be a whole number of days, 0 or more.');
}

/** The number that a header spells; NaN, which no check lets through, for anything else, a repeated header included. */
function decimal(text: string | readonly string[]): number {
  return typeof text === 'string' && DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
}

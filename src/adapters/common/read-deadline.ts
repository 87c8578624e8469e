/**
 * The deadline of an inference request, from the body or its header. No clock here: whether a time is ahead, and not too
 * far, is checked with the order's terms. Our own extension; docs/decisions/0057.
 */
import { ORDER_TIMEOUT_S } from '#base/bounds.ts';
import type { WishedDeadline } from '#orders/request.ts';
import { refusal } from './fields.ts';
import type { RequestHeaders } from './wire-shape.ts';

export const DEADLINE_HEADER = 'x-deadline';

const SECONDS = /^\d{1,7}$/;
/** A time of RFC 3339, without leap seconds. */
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** A deadline, and the field or header that has it. */
interface ReadDeadline {
  readonly wished: WishedDeadline;
  readonly from: string;
}

/** The deadline of a request; null for none. Both places are read, so that an invalid header is refused even if unused. */
export function readDeadline(body: { readonly deadline?: unknown }, headers: RequestHeaders): ReadDeadline | null {
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

function deadlineFrom(value: unknown, from: string): ReadDeadline {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= ORDER_TIMEOUT_S.max)
    return { wished: { inS: value }, from };
  const atMs =
    typeof value === 'string' && TIME.test(value) && isDay(value.slice(0, 10)) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(atMs)) return { wished: { atMs }, from };
  const message = `${from} must be a whole number of seconds from 1 to ${ORDER_TIMEOUT_S.max}, or a time such as 2027-01-31T06:00:00Z.`;
  throw refusal(from, message);
}

/** Whether the month has the day; `Date.parse` goes on into the next one. */
function isDay(day: string): boolean {
  const atMs = Date.parse(day);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}

/** A header's digits as a number; anything else as it is. */
function seconds(text: NonNullable<RequestHeaders[string]>): unknown {
  const digits = typeof text === 'string' ? text.trim() : '';
  return SECONDS.test(digits) ? Number(digits) : typeof text === 'string' ? digits : text;
}

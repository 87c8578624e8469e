/**
 * From the body of a line to a request for the order service, and from a refusal to an entry of the error file. A line
 * is a request to its endpoint without a choice of delivery: it never locks, streams or detaches, and its wait and
 * retention are those of its batch. Spec 4.8; docs/understand/lifecycle.md.
 */
import { forwardable } from '#adapters/common/extensions.ts';
import { assertValid } from '#adapters/common/validation.ts';
import { Fault, invalidRequest, publicCode } from '#base/fault.ts';
import type { Validator } from '#generated/validators.js';
import { LINE_CANCELED } from '#orders/order-port.ts';
import type { InferenceRequest } from '#orders/request.ts';
import type { LineFailure } from './batch.ts';
import type { NewBatch } from './units.ts';

/** The half of an adapter that reads requests. */
export interface RequestReader {
  readonly isBody: Validator<unknown>;
  parseRequest(body: unknown, headers: Readonly<Record<string, never>>): { readonly request: InferenceRequest };
}

/** The request of a line. Throws its endpoint's and its shape's Faults; invalid_request for a stream, detached or a deadline. */
export function lineRequest(body: unknown, shape: RequestReader, { limit, strict }: NewBatch): InferenceRequest {
  assertValid(shape.isBody, body);
  const { request } = shape.parseRequest(forwardable(body), {});
  const { misspelt } = request.extensions;
  if (strict && misspelt) throw invalidRequest(misspelt.param, misspelt.warning);
  if (request.stream) throw refusal('stream');
  if (request.extensions.detached) throw refusal(request.kind === 'responses' ? 'background' : 'detached');
  // Ignored, it would have the line bid its limit at once, and its sender pay for the day.
  if (request.extensions.deadline) {
    const message = 'A line of a batch has no deadline of its own: give it to the batch.';
    throw new Fault('invalid_request', { param: 'deadline', message });
  }
  const extensions = {
    limit: request.extensions.limit ?? limit,
    maxChargeNano: request.extensions.maxChargeNano,
    priceLock: false,
    maxWaitS: null,
    detached: false,
    store: null,
    retentionDays: null,
    ...(misspelt ? { misspelt } : {}),
  };
  return { ...request, extensions, idempotency: null };
}

function refusal(param: string): Fault {
  return new Fault('invalid_request', { param, message: `A line of a batch cannot have ${param}: true.` });
}

/** How many characters of a refusal are kept. */
const MESSAGE_LENGTH_MAX = 1000;

/** Refusals of Spec 7 that keep their own code in an error file; every other fault of a request is invalid_request. */
const KEPT = new Set([
  'invalid_output_cap',
  'context_length_exceeded',
  'max_charge_too_low',
  'model_deprecated',
  'model_preview',
]);

/** The failure of a line that was refused before it became an order. */
export function failureOf({ code, status, message }: Fault): LineFailure {
  return { status: 'error', code: lineErrorCode(publicCode(code), status), message: shortened(message) };
}

/** A refusal may quote what was wrong with its request, and that may be megabytes. */
function shortened(message: string): string {
  return message.length <= MESSAGE_LENGTH_MAX ? message : `${message.slice(0, MESSAGE_LENGTH_MAX).toWellFormed()}…`;
}

/** The code in an error file, by the code and the status of the fault that an interactive caller would get. */
export function lineErrorCode(code: string, status: number): string {
  return status === 400 && !KEPT.has(code) ? 'invalid_request' : code;
}

/** The failure of a line that never ran, because its batch ended first. */
export const NOT_RUN: Readonly<Record<'canceled' | 'expired', LineFailure>> = {
  canceled: { status: 'canceled', code: 'canceled', message: LINE_CANCELED.order_canceled },
  expired: { status: 'expired', code: 'expired', message: 'The batch expired before this line ran.' },
};

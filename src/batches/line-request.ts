/**
 * From the body of a line to a request as the desk takes it, and from a refusal to an entry of the error file. A line is
 * a request of its endpoint that cannot choose how it is answered: it never locks, streams or detaches, it waits and is
 * kept as its batch says. Spec 4.8; docs/lifecycle.md.
 */
import { Fault, publicCode } from '#base/fault.ts';
import type { NewBatch } from '#orders/batch-units.ts';
import type { InferenceRequest } from '#orders/request.ts';
import type { LineFailure } from './batch-ports.ts';

/** The reading half of a wire shape. */
export interface RequestReader {
  parseRequest(body: unknown, headers: Readonly<Record<string, never>>): { readonly request: InferenceRequest };
}

/** The request of a line. Throws the Faults of its shape, and invalid_request for a stream or a detached order. */
export function lineRequest(body: unknown, shape: RequestReader, { priceLimit }: NewBatch): InferenceRequest {
  const { request } = shape.parseRequest(body, {});
  if (request.stream) throw refusal('stream');
  if (request.extensions.detached) throw refusal('detached');
  const extensions = {
    priceLimit: request.extensions.priceLimit ?? priceLimit,
    priceLock: false,
    maxWaitS: null,
    detached: false,
    store: null,
    retentionDays: null,
  };
  return { ...request, extensions, idempotency: null };
}

function refusal(param: string): Fault {
  return new Fault('invalid_request', { param, message: `A line of a batch cannot have ${param}: true.` });
}

/** Characters of a refusal that are told. */
const MESSAGE_LENGTH_MAX = 1000;

/** Refusals of Spec 7 that keep their own code in an error file; every other fault of a request is invalid_request. */
const KEPT = new Set(['invalid_output_cap', 'model_deprecated', 'model_preview']);

/** The failure of a line that was refused before it became an order. */
export function failureOf({ code, status, message }: Fault): LineFailure {
  return { status: 'error', code: lineErrorCode(publicCode(code), status), message: shortened(message) };
}

/** A refusal may repeat what was wrong with its request, and that may be megabytes of it. */
function shortened(message: string): string {
  return message.length <= MESSAGE_LENGTH_MAX ? message : `${message.slice(0, MESSAGE_LENGTH_MAX).toWellFormed()}…`;
}

/** What an error file calls the end of a line, by the code and the status of the fault that an interactive caller gets. */
export function lineErrorCode(code: string, status: number): string {
  return status === 400 && !KEPT.has(code) ? 'invalid_request' : code;
}

/** A line that never ran, because its batch ended first. */
export const NOT_RUN: Readonly<Record<'canceled' | 'expired', LineFailure>> = {
  canceled: { status: 'canceled', code: 'canceled', message: 'The batch was canceled before this line ran.' },
  expired: { status: 'expired', code: 'expired', message: 'The batch ran out of time before this line ran.' },
};

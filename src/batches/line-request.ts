/**
 * From the body of a line to a request for the order service, and from a refusal to an entry of the error file. A line
 * is a request to its endpoint without a choice of delivery: it never locks, streams or detaches, and its wait and
 * retention are those of its batch. Spec 4.8; docs/understand/lifecycle.md.
 */
import { forwardable } from '#adapters/common/extensions.ts';
import { assertValid } from '#adapters/common/validation.ts';
import { Fault, invalidRequest, publicCode } from '#base/fault.ts';
import type { Validator } from '#generated/validators.js';
import type { OrderKind } from '#orders/order.ts';
import { LINE_CANCELED } from '#orders/order-port.ts';
import type { InferenceRequest } from '#orders/request.ts';
import { ENDPOINTS, type LineFailure } from './batch.ts';
import type { InputLine } from './input-lines.ts';
import { readLine } from './line.ts';
import type { NewBatch } from './units.ts';

/** The half of an adapter that reads requests. */
export interface RequestReader {
  readonly isBody: Validator<unknown>;
  parseRequest(body: unknown, headers: Readonly<Record<string, never>>): { readonly request: InferenceRequest };
}

/** A line as a request, or why it is refused. */
export interface ReadLine {
  readonly customId: string;
  readonly request: InferenceRequest | Fault;
}

/** What of a batch decides how its lines are read. */
export type LineRules = Pick<NewBatch, 'kind' | 'limit' | 'strict' | 'tags'>;

/** Reads large lines in another thread, one after the other, so that they hold up nobody. */
export interface LargeLines {
  /** As `customIdOf` for a line of a batch of this kind. */
  customIdOf(line: InputLine, kind: OrderKind): Promise<string>;
  /** As `readRequest`. */
  readRequest(line: InputLine, rules: LineRules): Promise<ReadLine>;
}

/** Reads a line. Throws BadLine. */
export function readRequest(line: InputLine, shape: RequestReader, rules: LineRules): ReadLine {
  const { customId, body } = readLine(line, ENDPOINTS[rules.kind]);
  try {
    return { customId, request: lineRequest(body, shape, rules) };
  } catch (error) {
    if (error instanceof Fault) return { customId, request: error };
    throw error;
  }
}

/** The request of a line. Throws its endpoint's and its shape's Faults; invalid_request for a stream, detached or a deadline. */
export function lineRequest(
  body: unknown,
  shape: RequestReader,
  { limit, strict, tags: ofBatch }: Omit<LineRules, 'kind'>,
): InferenceRequest {
  assertValid(shape.isBody, body);
  const { request } = shape.parseRequest(forwardable(body), {});
  const { misspelt, tags = ofBatch } = request.extensions;
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
    ...(tags ? { tags } : {}),
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

/** The failure of a line that was refused before it became an order, with the warning about misspelt names in it. */
export function failureOf({ code, status, message }: Fault, warning: string | undefined): LineFailure {
  const failure = { code: lineErrorCode(publicCode(code), status), message: shortened(message) };
  return { status: 'error', ...warned(failure, warning) };
}

/** The failure, whose message ends with the warning where there is one. */
export function warned<Failure extends { readonly message: string }>(
  failure: Failure,
  warning?: string | null,
): Failure {
  const { message } = failure;
  return warning == null ? failure : { ...failure, message: `${message} ${warning}` };
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

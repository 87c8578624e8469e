/** An answer that kept the document's promises, with their types. */
import assert from 'node:assert/strict';
import { isConsolePath, type OperationId, operations, type Wire } from './operations.ts';
import type { RawAnswer } from './raw-answer.ts';
import { type Frame, parseStream } from './sse.ts';

/** The documented statuses of an operation, as a type. */
export type StatusOf<Id extends OperationId> = keyof Wire[Id]['responses'] & number;
/** The JSON body of an operation's answer of one status. */
export type BodyOf<Id extends OperationId, Status extends StatusOf<Id>> = Wire[Id]['responses'][Status] extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : never;

/** The error of a refusal; the Messages routes have no `param`, so theirs is null. */
export interface Refusal {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** A whole answer. */
export class Reply<Id extends OperationId = OperationId> {
  readonly operationId: Id;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;

  constructor(operationId: Id, { status, headers, text }: RawAnswer) {
    this.operationId = operationId;
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** The JSON body, after asserting the status. */
  body<Status extends StatusOf<Id>>(status: Status): BodyOf<Id, Status> {
    assert.equal(this.status, status, this.text);
    return JSON.parse(this.text);
  }

  /** The error, after asserting the status, the code and the envelope of this operation. */
  refusal(status: number, code: string): Refusal {
    assert.equal(this.status, status, this.text);
    if (isConsolePath(operations[this.operationId].path)) return problemIn(this.text, this.headers, code);
    if (!operations[this.operationId].path.startsWith('/v1/messages')) return refusalIn(this.text, code);
    const error = messagesRefusalIn(this.text, code);
    assert.equal(error.type, MESSAGES_TYPES[status], this.text);
    assert.ok(this.headers['request-id'], 'A client of this shape finds its request-id.');
    return error;
  }

  /** The order id in x-service-order-id; fails when there is none. */
  get orderId(): string {
    const id = this.headers['x-service-order-id'];
    assert.ok(id, 'The answer names no order.');
    return id;
  }

  get frames(): readonly Frame[] {
    return parseStream(this.text).frames;
  }

  get comments(): readonly string[] {
    return parseStream(this.text).comments;
  }
}

/** The error in a problem document, after asserting its code, its media type and its members. */
export function problemIn(text: string, headers: RawAnswer['headers'], code: string): Refusal {
  assert.equal(headers['content-type'], 'application/problem+json', text);
  const problem = JSON.parse(text);
  assert.equal(problem.code, code, text);
  assert.equal(problem.request_id, headers['x-request-id'], text);
  assert.match(problem.detail, /\S/);
  return { message: problem.detail, type: problem.type, param: problem.param, code };
}

/** The error in an envelope or an in-band error frame, after asserting its code and its four keys. */
export function refusalIn(text: string, code: string): Refusal {
  const { error } = JSON.parse(text);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type'], text);
  assert.equal(error.code, code, text);
  assert.match(error.message, /\S/);
  return error;
}

/** The same for the envelope of the Messages routes, which also ends their streams. Spec 7. */
export function messagesRefusalIn(text: string, code: string): Refusal {
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body).sort(), ['error', 'request_id', 'type'], text);
  const { details: _, ...required } = body.error;
  assert.deepEqual(Object.keys(required).sort(), ['code', 'message', 'type'], text);
  assert.deepEqual([body.type, body.error.code], ['error', code], text);
  assert.match(body.error.message, /\S/);
  return { ...body.error, param: null };
}

const MESSAGES_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  410: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
};

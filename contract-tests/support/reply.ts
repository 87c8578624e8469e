/** An answer that kept the document's promises, typed by them. */
import assert from 'node:assert/strict';
import type { OperationId } from '#generated/operations.ts';
import type { operations as Wire } from '#generated/types.ts';
import type { RawAnswer } from './conformance.ts';
import { type Frame, parseStream } from './sse.ts';

/** The documented statuses of an operation, as a type. */
export type StatusOf<Id extends OperationId> = keyof Wire[Id]['responses'] & number;
/** The JSON body of an operation's answer with one status. */
export type BodyOf<Id extends OperationId, Status extends StatusOf<Id>> = Wire[Id]['responses'][Status] extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : never;

/** The error of a refusal outside the Messages routes. */
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

  /** The error, after asserting status, code and that the envelope has its four keys and no other. */
  refusal(status: number, code: string): Refusal {
    assert.equal(this.status, status, this.text);
    return refusalIn(this.text, code);
  }

  /** The same on a Messages route, whose envelope is another; gives its error. Spec 7. */
  messagesRefusal(status: number, code: string): { readonly type: string; readonly message: string } {
    assert.equal(this.status, status, this.text);
    const body = JSON.parse(this.text);
    assert.deepEqual([body.type, body.error.code], ['error', code], this.text);
    return body.error;
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

/** The error inside an envelope or an in-band error frame, after asserting its code and its four keys. */
export function refusalIn(text: string, code: string): Refusal {
  const { error } = JSON.parse(text);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type'], text);
  assert.equal(error.code, code, text);
  assert.match(error.message, /\S/);
  return error;
}

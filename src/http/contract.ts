/**
 * What the server knows of the interface document: the operations table and the validators that codegen writes. The
 * table is the one place that says which route exists, who may call it and what it counts as; an operation that is not
 * in it cannot be reached.
 */
import type { KeyHeaders } from '#access/gate.ts';
import type { RateClass } from '#access/request-rates.ts';
import type { Validator } from '#generated/validators.js';

/** One operation. `path` has its parameters in braces, `method` is in lower case. */
export interface OperationEntry {
  readonly method: string;
  readonly path: string;
  readonly security: 'open' | KeyHeaders;
  readonly limitClass: RateClass;
  /** The kind of body that it requires; null for none. */
  readonly body: 'json' | 'multipart' | null;
}

/** `generated/operations.ts` and `generated/validators.js`; tests bring smaller ones. */
export interface Contract {
  /** By operationId. */
  readonly operations: Readonly<Record<string, OperationEntry>>;
  /** Validators of JSON bodies by operationId. An operation that has one requires a body. */
  readonly requestBodies: Readonly<Record<string, Validator<unknown>>>;
}

/** Whether errors on this path come in the Messages envelope; unknown addresses below it included. Spec 4.5. */
export function isMessagesPath(path: string): boolean {
  return path === '/v1/messages' || path.startsWith('/v1/messages/');
}

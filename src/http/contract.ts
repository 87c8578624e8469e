/**
 * What the server knows of the interface document: the operations table and the validators, both generated. Only the
 * table says which routes exist, which key each needs and which limit it counts against; an operation that is not in
 * it cannot be reached.
 */
import type { RateClass } from '#access/request-rates.ts';
import type { KeyHeaders } from '#accounts/keys/authenticator.ts';
import type { Validator } from '#generated/validators.js';

/** What each kind of `security` in an operations table requires, in the words of the documents. */
export const REQUIREMENTS = {
  open: [],
  key: [{ bearerAuth: [] }],
  'key-or-header': [{ bearerAuth: [] }, { apiKeyHeader: [] }],
  session: [{ sessionCookie: [] }],
  'session-csrf': [{ sessionCookie: [], csrfToken: [] }],
} as const;

/** What dispatch uses of an operation. Parameters of `path` are in braces, `method` is in lower case. */
export interface DispatchEntry {
  readonly method: string;
  readonly path: string;
  readonly security: keyof typeof REQUIREMENTS;
}

/** An operations table and the validators of its JSON bodies, both by operationId. */
export interface DispatchContract<Entry> {
  readonly operations: Readonly<Record<string, Entry>>;
  /** An operation with a validator requires a body. */
  readonly requestBodies: Readonly<Record<string, Validator<unknown>>>;
}

/** An operation as handlers see it. */
export interface DispatchedOperation<Entry> {
  readonly operationId: string;
  readonly entry: Entry;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  /** Of its JSON body; null for an operation without one. */
  readonly validator: Validator<unknown> | null;
}

/** A row of generated/operations.ts. */
export interface OperationEntry extends DispatchEntry {
  readonly security: 'open' | KeyHeaders;
  readonly limitClass: RateClass;
  /** The kind of body that the operation requires; null for none. */
  readonly body: 'json' | 'multipart' | null;
}

/** The tables of openapi.yaml; tests use smaller ones. */
export type Contract = DispatchContract<OperationEntry>;

/** Whether errors on this path have the Messages envelope, also at unknown addresses below /v1/messages. Spec 4.5. */
export function isMessagesPath(path: string): boolean {
  return path === '/v1/messages' || path.startsWith('/v1/messages/');
}

// Written by codegen/generate.ts from openapi-backend 5.21.2. Do not edit.
import type { ValidationError } from '../validators.js';

/** What a handler gets. */
export interface Context<Call, Operation> {
  /** What the router made of the request. */
  readonly request: Call;
  /** What the router matched. Undefined in `notFound`, in `methodNotAllowed` and in `postRoutingHandler` before them. */
  readonly operation: Operation;
  /** What each security handler returned, by its scheme, or `{error}` with what it threw. */
  readonly security: Readonly<Record<string, unknown>> & { readonly authorized: boolean };
  /** What the validator found; undefined before it runs. */
  readonly validation: Validation;
}

/** The errors of a request; null for none. */
export interface Validation {
  readonly errors: readonly ValidationError[] | null;
}

export type Handler<Call, Operation, Answer = unknown> = (
  context: Context<Call, Operation>,
) => Answer | Promise<Answer>;

export type Handlers<Call, Operation, Answer = unknown> = Readonly<Record<string, Handler<Call, Operation, Answer>>>;

/** What dispatch reads of the document. */
export interface Definition {
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
}

/**
 * The dispatcher of openapi-backend. `definition`, `router` and `validator` are assigned, and `initialized` is set,
 * instead of calling `init`.
 */
export declare class OpenAPIBackend<Call, Operation, Answer> {
  constructor(options: {
    readonly definition: Definition;
    readonly strict: boolean;
    readonly validate: (context: Context<Call, Operation>) => boolean;
  });
  definition: Definition;
  router: {
    /** Called once before the operation is known and once after. */
    parseRequest(call: Call, operation?: Operation): Call;
    /** Throws an error whose message begins with 404 or 405. */
    matchOperation(call: Call): Operation;
    getOperation(operationId: string): Operation | undefined;
  };
  validator: {
    readonly coerceTypes: false;
    validateRequest(call: Call, operation: Operation): Validation;
  };
  initialized: boolean;
  /** Throws when a handler is neither of an operation nor of a step. */
  register(handlers: Handlers<Call, Operation>): void;
  /** Throws when the document has no such scheme. */
  registerSecurityHandler(scheme: string, handler: Handler<Call, Operation>): void;
  /** Rejects with what a handler threw. */
  handleRequest(call: Call): Promise<Answer>;
}

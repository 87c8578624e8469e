/**
 * Builds openapi-backend for one interface document. It calls, in this order: its router, `postRoutingHandler`, the
 * handlers of the security schemes, `postSecurityHandler`, its validator and the handler of the operation. Its router and
 * its validator are our generated tables, since those that it brings rebuild theirs for each request. Decision 25.
 */
import { invalidBody } from '#adapters/common/validation.ts';
import { Fault } from '#base/fault.ts';
import type { Reply } from '#contract/call.ts';
import {
  type Context,
  type Handler,
  type Handlers,
  OpenAPIBackend,
  type Validation,
} from '#generated/openapi-backend/backend.js';
import type { Validator } from '#generated/validators.js';
import { type DispatchContract, type DispatchEntry, REQUIREMENTS } from './contract.ts';
import type { RequestContext } from './request-context.ts';
import type { Router } from './routes.ts';
import { unknownAddress } from './unknown-address.ts';

/** An operation as handlers see it. */
export interface DispatchedOperation<Entry> {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly entry: Entry;
  /** Of its JSON body; null for an operation without one. */
  readonly validator: Validator<unknown> | null;
}

/** What openapi-backend calls a handler with. */
export type Matched<Entry> = Context<RequestContext, DispatchedOperation<Entry>>;
type Step<Entry> = Handler<RequestContext, DispatchedOperation<Entry>>;

/** The handlers of a document. */
export interface DocumentHandlers<Entry extends DispatchEntry> {
  readonly contract: DispatchContract<Entry>;
  /** By operationId. */
  readonly handlers: Handlers<RequestContext, DispatchedOperation<Entry>, Reply>;
  /** By security scheme. False leaves the decision to the other schemes; what is thrown refuses the request. */
  readonly securityHandlers: Readonly<Record<string, Step<Entry>>>;
  readonly postRoutingHandler?: Step<Entry>;
  /** Reads the body. It is called before a request without a valid key is refused: `security` says so. */
  readonly postSecurityHandler: Step<Entry>;
}

/** Answers requests with `handleRequest`, which rejects with what a handler threw. */
export type DocumentBackend<Entry> = OpenAPIBackend<RequestContext, DispatchedOperation<Entry>, Reply>;

/**
 * Builds it on a router of the same operations. Throws when an operation has no handler and when a handler is of no
 * operation or scheme, with a sentence that names it.
 */
export function createBackend<Entry extends DispatchEntry>(
  { contract, handlers, securityHandlers, postRoutingHandler, postSecurityHandler }: DocumentHandlers<Entry>,
  router: Router,
): DocumentBackend<Entry> {
  const operations = operationsOf(contract);
  for (const name of operations.keys()) if (!handlers[name]) throw new Error(`Operation ${name} has no handler.`);
  const schemes = [...operations.values()].flatMap(({ security }) => security.flatMap(Object.keys));
  const definition = { components: { securitySchemes: Object.fromEntries(schemes.map((name) => [name, {}])) } };
  const validate = ({ request, operation }: Matched<Entry>) => operation.validator !== null && !request.bodyChecked;
  const backend: DocumentBackend<Entry> = new OpenAPIBackend({ definition, strict: true, validate });
  backend.definition = definition;
  backend.router = {
    parseRequest: (call) => call,
    matchOperation: (call) => operationOf(call, operations, router),
    getOperation: (operationId) => operations.get(operationId),
  };
  backend.validator = { coerceTypes: false, validateRequest: validationOf };
  backend.initialized = true;
  backend.register(handlers);
  backend.register({ ...refusals(router), postSecurityHandler });
  if (postRoutingHandler) backend.register({ postRoutingHandler });
  for (const [scheme, check] of Object.entries(securityHandlers)) backend.registerSecurityHandler(scheme, check);
  return backend;
}

function operationsOf<Entry extends DispatchEntry>({ operations, requestBodies }: DispatchContract<Entry>) {
  const rows = Object.entries(operations).map(([operationId, entry]): [string, DispatchedOperation<Entry>] => [
    operationId,
    { operationId, entry, security: REQUIREMENTS[entry.security], validator: requestBodies[operationId] ?? null },
  ]);
  return new Map(rows);
}

const NOT_FOUND = new Error('404-notFound');
const METHOD_NOT_ALLOWED = new Error('405-methodNotAllowed');

/** Notes the operation in the call. What it throws is how openapi-backend tells an unknown address from a method. */
function operationOf<Entry>(
  call: RequestContext,
  operations: ReadonlyMap<string, DispatchedOperation<Entry>>,
  router: Router,
): DispatchedOperation<Entry> {
  const route = router.match(call.request.method, call.path);
  const operation = route && operations.get(route.operationId);
  if (!operation) throw router.methodsAt(call.path).length > 0 ? METHOD_NOT_ALLOWED : NOT_FOUND;
  call.operationId = operation.operationId;
  call.params = route.params;
  return operation;
}

const VALID: Validation = { errors: null };

function validationOf<Entry>({ body }: RequestContext, { validator }: DispatchedOperation<Entry>): Validation {
  return validator === null || validator(body) ? VALID : { errors: validator.errors ?? [] };
}

/** The handlers of requests that reach no operation. */
function refusals<Entry>(router: Router): Handlers<RequestContext, DispatchedOperation<Entry>, never> {
  return {
    notFound({ request: { path } }) {
      throw unknownAddress(path, router);
    },
    methodNotAllowed({ request: { path, request } }) {
      const allow = router.methodsAt(path).join(', ');
      throw new Fault('method_not_allowed', {
        message: `This address takes ${allow}, not ${request.method}.`,
        headers: { allow },
      });
    },
    unauthorizedHandler({ security, operation }) {
      const required = operation.security.flatMap(Object.keys).map((scheme) => security[scheme]);
      const refused = required.find((result): result is { error: unknown } => Object(result).error !== undefined);
      throw refused ? refused.error : new Fault('invalid_api_key');
    },
    validationFail({ validation, request }) {
      throw invalidBody(validation.errors ?? [], request.body);
    },
  };
}

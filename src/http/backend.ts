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
import type { RequestContext } from './request-context.ts';
import type { Router } from './routes.ts';
import { unknownAddress } from './unknown-address.ts';

/** What each kind of `security` in an operations table requires, in the words of the documents. */
export const REQUIREMENTS = {
  open: [],
  key: [{ bearerAuth: [] }],
  'key-or-header': [{ bearerAuth: [] }, { apiKeyHeader: [] }],
  session: [{ sessionCookie: [] }],
  'session-csrf': [{ sessionCookie: [], csrfToken: [] }],
} as const;

/** What dispatch uses of a row of an operations table. Parameters of `path` are in braces, `method` is in lower case. */
export interface DispatchEntry {
  readonly method: string;
  readonly path: string;
  readonly security: keyof typeof REQUIREMENTS;
}

/** A generated operations table, and the validators of its JSON bodies; both by operationId. */
export interface DispatchContract<Entry> {
  readonly operations: Readonly<Record<string, Entry>>;
  /** An operation with a validator requires a body. */
  readonly requestBodies: Readonly<Record<string, Validator<unknown>>>;
}

/** An operation as handlers see it. */
export interface Operation<Entry> {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly entry: Entry;
  /** Of its JSON body; null for an operation without one. */
  readonly validator: Validator<unknown> | null;
}

/** What openapi-backend calls a handler with. */
export type Matched<Entry> = Context<RequestContext, Operation<Entry>>;
type Step<Entry> = Handler<RequestContext, Operation<Entry>>;

/** The handlers of a document. */
export interface BackendOptions<Entry extends DispatchEntry> {
  readonly contract: DispatchContract<Entry>;
  /** By operationId. */
  readonly handlers: Handlers<RequestContext, Operation<Entry>, Reply>;
  /** By security scheme. False leaves the decision to the other schemes; what is thrown refuses the request. */
  readonly securityHandlers: Readonly<Record<string, Step<Entry>>>;
  readonly postRoutingHandler?: Step<Entry>;
  /** Reads the body. It is called before a request without a valid key is refused: `security` says so. */
  readonly postSecurityHandler: Step<Entry>;
}

/** Answers requests with `handleRequest`, which rejects with what a handler threw. */
export type Backend<Entry> = OpenAPIBackend<RequestContext, Operation<Entry>, Reply>;

/**
 * Builds it on a router of the same operations. Throws when an operation has no handler and when a handler is of no
 * operation or scheme, with a sentence that names it.
 */
export function createBackend<Entry extends DispatchEntry>(
  { contract, handlers, securityHandlers, postRoutingHandler = () => {}, postSecurityHandler }: BackendOptions<Entry>,
  router: Router,
): Backend<Entry> {
  const operations = operationsOf(contract);
  for (const name of operations.keys()) if (!handlers[name]) throw new Error(`Operation ${name} has no handler.`);
  const schemes = [...operations.values()].flatMap(({ security }) => security.flatMap(Object.keys));
  const definition = { components: { securitySchemes: Object.fromEntries(schemes.map((name) => [name, {}])) } };
  const validate = ({ request, operation }: Matched<Entry>) => operation.validator !== null && !request.bodyChecked;
  const backend: Backend<Entry> = new OpenAPIBackend({ definition, strict: true, validate });
  backend.definition = definition;
  backend.router = {
    parseRequest: (call) => call,
    matchOperation: (call) => operationOf(call, operations, router),
    getOperation: (operationId) => operations.get(operationId),
  };
  backend.validator = { coerceTypes: false, validateRequest: validationOf };
  backend.initialized = true;
  backend.register(handlers);
  backend.register({ ...refusals(router), postRoutingHandler, postSecurityHandler });
  for (const [scheme, check] of Object.entries(securityHandlers)) backend.registerSecurityHandler(scheme, check);
  return backend;
}

function operationsOf<Entry extends DispatchEntry>({ operations, requestBodies }: DispatchContract<Entry>) {
  const rows = Object.entries(operations).map(([operationId, entry]): [string, Operation<Entry>] => [
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
  operations: ReadonlyMap<string, Operation<Entry>>,
  router: Router,
): Operation<Entry> {
  const route = router.match(call.request.method, call.path);
  const operation = route && operations.get(route.operationId);
  if (!operation) throw router.methodsAt(call.path).length > 0 ? METHOD_NOT_ALLOWED : NOT_FOUND;
  call.operationId = operation.operationId;
  call.params = route.params;
  return operation;
}

const VALID: Validation = { errors: null };

function validationOf<Entry>({ body }: RequestContext, { validator }: Operation<Entry>): Validation {
  return validator === null || validator(body) ? VALID : { errors: validator.errors ?? [] };
}

/** The handlers of requests that reach no operation. */
function refusals<Entry>(router: Router): Handlers<RequestContext, Operation<Entry>, never> {
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

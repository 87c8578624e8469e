/**
 * Builds openapi-backend for one interface document. It calls, in this order: its router, `postRoutingHandler`, the
 * handlers of the security schemes, `postSecurityHandler`, its validator and the handler of the operation. Its router
 * and its validator are our generated tables: the stock ones rebuild their tables for each request. Decision 25.
 */
import { invalidBody } from '#adapters/common/validation.ts';
import { catalogue, Fault, type FaultCode } from '#base/fault.ts';
import type { Headers, Reply } from '#contract/reply.ts';
import { type Context, type Handler, type Handlers, OpenAPIBackend } from '#generated/openapi-backend/backend.js';
import { Compressor } from './compression.ts';
import { type DispatchContract, type DispatchEntry, type DispatchedOperation, Router } from './contract.ts';
import type { ReplyDrain } from './drain.ts';
import { UnreadBytes } from './event-stream.ts';
import { type FaultOptions, faultOf } from './faults.ts';
import { assertUnambiguous, HEALTH } from './protocol.ts';
import type { RequestContext } from './request-context.ts';
import { type ReplySettings, writeReply } from './write-reply.ts';

/** What openapi-backend calls a handler with. */
export type Matched<Entry> = Context<RequestContext, DispatchedOperation<Entry>>;
type Step<Entry> = Handler<RequestContext, DispatchedOperation<Entry>>;

/** The handlers of a document, and what they get as a call. */
export interface DocumentHandlers<Entry extends DispatchEntry, Call> {
  /** By operationId, each for the call of its operation. */
  readonly handlers: Readonly<Record<string, (call: never) => Reply | Promise<Reply>>>;
  readonly callOf: (matched: Matched<Entry>) => Call;
  /** By security scheme. False leaves the decision to the other schemes; what is thrown refuses the request. */
  readonly securityHandlers: Readonly<Record<string, Step<Entry>>>;
  readonly postRoutingHandler?: Step<Entry>;
  /** Reads the body. It is called before a request without a valid key is refused: `security` says so. */
  readonly postSecurityHandler: Step<Entry>;
}

/** Answers requests with `handleRequest`, which rejects with what a handler threw. */
type DocumentBackend<Entry> = OpenAPIBackend<RequestContext, DispatchedOperation<Entry>, Reply>;

/**
 * Builds it for the operations of `router`. Throws when an operation has no handler, and when a handler is of no
 * operation or scheme, with a sentence that names it.
 */
export function createBackend<Entry extends DispatchEntry, Call>(
  router: Router<Entry>,
  { handlers, callOf, securityHandlers, postRoutingHandler, postSecurityHandler }: DocumentHandlers<Entry, Call>,
): DocumentBackend<Entry> {
  const operations = [...router.operations.values()];
  for (const { operationId } of operations)
    if (!handlers[operationId]) throw new Error(`Operation ${operationId} has no handler.`);
  const schemes = operations.flatMap(({ security }) => security.flatMap(Object.keys));
  const definition = { components: { securitySchemes: Object.fromEntries(schemes.map((name) => [name, {}])) } };
  const validate = ({ request, operation }: Matched<Entry>) => operation.validator !== null && !request.bodyChecked;
  const backend: DocumentBackend<Entry> = new OpenAPIBackend({ definition, strict: true, validate });
  backend.definition = definition;
  backend.router = router;
  backend.validator = {
    coerceTypes: false,
    validateRequest: ({ body }, { validator }) => ({
      errors: validator?.(body) === false ? (validator.errors ?? []) : null,
    }),
  };
  backend.initialized = true;
  for (const [operationId, typed] of Object.entries(handlers)) {
    // The request was routed and validated by the document that the handler's type comes from.
    const handler = typed as (call: Call) => Reply | Promise<Reply>;
    backend.register({
      [operationId](matched) {
        const { request, operation } = matched;
        if (operation.readQuery) request.query = operation.readQuery(request.queryTexts);
        return handler(callOf(matched));
      },
    });
  }
  backend.register({ ...refusals(router), postSecurityHandler });
  if (postRoutingHandler) backend.register({ postRoutingHandler });
  for (const [scheme, check] of Object.entries(securityHandlers)) backend.registerSecurityHandler(scheme, check);
  return backend;
}

/** The handlers of requests that reach no operation. */
function refusals<Entry extends DispatchEntry>(
  router: Router<Entry>,
): Handlers<RequestContext, DispatchedOperation<Entry>, never> {
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

/**
 * The fault for an unknown path: the message of the catalogue, with a hint where there is one. Most callers who get it
 * have a base URL with a `/v1` too many or too few, or are looking around.
 */
export function unknownAddress(path: string, router: { methodsAt(path: string): readonly string[] }): Fault {
  const hint = hintFor(path, (other) => router.methodsAt(other).length > 0);
  const { message } = catalogue.not_found;
  return new Fault('not_found', {
    message: hint === null ? message : `${message} ${hint}`,
    // A caller that accepts HTML gets a page there.
    ...(path === '/' ? { headers: { vary: 'accept, accept-encoding' } } : {}),
  });
}

function hintFor(path: string, isKnown: (path: string) => boolean): string | null {
  if (path === '/')
    return '/docs is the documentation, /docs/reference the API reference, /openapi.json the OpenAPI document.';
  const meant = [`/v1${path}`, path.replace(/^\/v1(?=\/)/, '')].find(isKnown);
  return meant === undefined ? null : `Did you mean ${meant}?`;
}

/** What differs between documents. */
interface DocumentAnswers<Entry extends DispatchEntry, Call> extends DocumentHandlers<Entry, Call> {
  readonly contract: DispatchContract<Entry>;
  /** The reply to a request that the document does not describe; null for any other. */
  readonly apart: (call: RequestContext, router: Router<Entry>) => Reply | null;
  readonly faultReply: (fault: Fault, call: RequestContext) => Reply;
  /** Headers of every reply that does not set them itself. */
  readonly headers: Headers;
  /** How many bytes of an unread body may still arrive. */
  readonly discardBytesMax: (call: RequestContext) => number;
}

/** What all requests to a server share. */
export interface AnswerSettings extends FaultOptions {
  readonly limits: { readonly unreadBytes: number };
  readonly drain: Pick<ReplyDrain, 'draining' | 'refusing'>;
  /** A request was answered with this error. */
  readonly onRefusal?: ((code: FaultCode) => void) | undefined;
}

/** After this many seconds another process should listen at this address. */
export const DRAIN_RETRY_S = 5;

/** Answers one request; never rejects. */
export type Api = (call: RequestContext) => Promise<void>;

/** Builds the API of a document. Throws when its operations and its handlers are not the same. */
export function answering<Entry extends DispatchEntry, Call>(
  document: DocumentAnswers<Entry, Call>,
  { limits, drain, onRefusal, ...faults }: AnswerSettings,
): Api {
  const { contract, apart, faultReply, headers, discardBytesMax } = document;
  const router = new Router(contract);
  const backend = createBackend(router, document);
  const compressor = new Compressor();
  const unread = new UnreadBytes(() => limits.unreadBytes, faults.log);
  const settings = (call: RequestContext): ReplySettings => {
    const closeConnection = drain.draining;
    return { closeConnection, discardBytesMax: discardBytesMax(call), headers, compressor, unread };
  };
  return async (call) => {
    try {
      assertUnambiguous(call.request);
      // A health check says what is wrong.
      if (drain.refusing && call.path !== HEALTH) throw new Fault('unavailable', { retryAfterS: DRAIN_RETRY_S });
      const reply = apart(call, router) ?? (await backend.handleRequest(call));
      const written = writeReply(call, reply, settings(call));
      if (written) await written;
    } catch (thrown) {
      // The caller disconnected while it sent the body: nobody is there to read a reply, and nothing is wrong.
      if (call.gone) return;
      const fault = faultOf(thrown, call, faults);
      call.fault = fault.code;
      onRefusal?.(fault.code);
      if (call.response.headersSent) call.response.destroy();
      else await writeReply(call, faultReply(fault, call), settings(call));
    }
  };
}

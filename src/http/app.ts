/**
 * The express application and the API beside it. Express is used for client addresses behind proxies, for the pages and
 * for the files of the reference. Every other request goes straight to the API, which openapi-backend routes.
 */
import type { RequestListener } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import { IncomingMessage, ServerResponse, STATUS_CODES } from '#base/node-http.ts';
import type { Traces } from '#observe/traces/traces.ts';
import { type ApiOptions, createApi } from './api.ts';
import { docsRouter } from './docs.ts';
import { isBrowser, type Pages } from './pages.ts';
import { HEALTH, invalidHost, saysForwarded } from './protocol.ts';
import { RequestContext } from './request-context.ts';
import { logRequest } from './request-log.ts';
import { traceContextOf } from './trace-context.ts';

/** The routes of the settings and the console, which have errors and checks of their own. */
export interface ConsoleRoutes {
  /** Whether a request to this address, with its query, is theirs. */
  takes(url: string): boolean;
  /** Answers one request; never rejects. */
  answer(context: RequestContext): Promise<void>;
}

interface AppOptions extends ApiOptions {
  /** Null where they are not served. */
  readonly console: ConsoleRoutes | null;
  readonly ids: IdSource;
  /** How many proxies are in front of the gateway, or their addresses; 0 trusts none. */
  readonly trustProxy: number | readonly string[];
  /** Null or absent: no traces are kept. */
  readonly tracing?: Pick<Traces, 'begun'> | null;
  /** Null: no pages for browsers, and `/` is an unknown address. */
  readonly pages: Pages | null;
}

/** An application, and the classes from which its server makes requests and responses. */
export interface App {
  readonly listener: RequestListener;
  readonly messages: ReturnType<typeof messageClassesOf>;
}

/** Builds the application. Throws when an operation of the contract has no handler, or a handler is of no operation. */
export function createApp(options: AppOptions): App {
  const { ids, clock, drain, log, pages, contract, tracing = null, console: members } = options;
  const api = createApi(options);
  const newRequestId = () => ids.uuid();
  const warnOnce = untrustedProxyWarning(options);
  const answer = (request: Request, response: Response) => {
    drain.begin();
    warnOnce(request);
    const startedMs = clock.monotonicMs();
    const context = new RequestContext(request, response, newRequestId);
    const isMembers = members?.takes(request.url) ?? false;
    if (!isMembers) follow(context);
    context.onClosed(() => {
      drain.end();
      logRequest(context, log, clock.monotonicMs() - startedMs);
    });
    return members && isMembers ? members.answer(context) : api(context);
  };
  const follow = (context: RequestContext) => {
    // Load balancers ask it every second or so: a trace of that helps nobody.
    if (!tracing || context.path === HEALTH) return;
    const { request, response } = context;
    const traced = tracing.begun({
      method: request.method,
      parent: traceContextOf(context.headers),
      atMs: clock.nowMs(),
    });
    context.traced = traced;
    context.onClosed(() => {
      const route = contract.operations[context.operationId ?? '']?.path ?? null;
      const status = response.headersSent ? response.statusCode : null;
      const { fault, orderId, gone } = context;
      traced.ended({ route, status, fault, orderId, gone, atMs: clock.nowMs() });
    });
  };
  const isNobodys = addressesOfNobody(options);
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.set('query parser', false);
  app.set('trust proxy', options.trustProxy);
  app.use((_request, response, next) => {
    // A drain waits for pages, too, and closes their connections.
    drain.begin();
    response.once('close', () => drain.end());
    if (drain.draining) response.setHeader('connection', 'close');
    if (drain.refusing) response.status(503).type('text').send(STATUS_CODES[503]);
    else next();
  });
  app.use(docsRouter({ market: pages !== null }));
  if (pages)
    app.use((request, response, next) => {
      if (!pages.known(request, response) && !(isNobodys(request.url) && pages.nothing(request, response))) next();
    });
  // Requests that neither of them handles.
  app.use(answer);
  app.use(pageErrors(log));
  return {
    listener(request, response) {
      toOriginForm(request);
      // The API refuses every request whose host is not valid.
      const url = request.url ?? '';
      const mayBePage = PAGE.test(url) || (pages !== null && isBrowser(request) && isNobodys(url));
      if (mayBePage && invalidHost(request) === null) app(request, response);
      // Constructed by the classes below.
      else void answer(request as Request, response as Response);
    },
    messages: messageClassesOf(app),
  };
}

/** Whether nobody has an address. The API has every one that begins like one of its own. */
function addressesOfNobody({ contract, console: members }: AppOptions): (url: string) => boolean {
  const known = new Set(Object.values(contract.operations).map(({ path }) => firstPart(path)));
  return (url) => !known.has(firstPart(url)) && !members?.takes(url);
}

/** `v1` of `/v1/models?page=2`. */
function firstPart(url: string): string {
  return /^\/+([^/?#]*)/.exec(url)?.[1] ?? '';
}

/** Logs the first request that names a proxy while none is trusted: rates and sessions then take the proxy for the caller. */
function untrustedProxyWarning({
  trustProxy,
  log,
}: Pick<AppOptions, 'trustProxy' | 'log'>): (request: Request) => void {
  let done = typeof trustProxy === 'number' ? trustProxy > 0 : trustProxy.length > 0;
  return (request) => {
    if (done || !saysForwarded(request)) return;
    done = true;
    log.warn(
      { address: request.socket.remoteAddress },
      'A request came with X-Forwarded headers, but trust_proxy trusts no proxy: callers are known by the address of the proxy, and nobody can sign in through it. Set trust_proxy if the proxy is yours.',
    );
  };
}

/** Where a page, or a file of the documentation, may be. No other request needs the router of express. */
const PAGE = /^\/(?:$|[?#]|assets\/|(?:settings(?:\/billing)?|console)\/?(?:$|[?#])|[Dd][Oo][Cc][Ss](?![^/?#]))/;

/** Answers what failed in a page: the API answers its own errors. */
function pageErrors(log: Log) {
  return (error: unknown, request: Request, response: Response, next: NextFunction) => {
    const refused = refusedStatus(error);
    if (refused === null) log.error({ err: error, path: request.path }, 'A page could not be served.');
    if (response.headersSent) next(error);
    else if (refused !== null) response.status(refused).type('text').send(STATUS_CODES[refused]);
    else response.status(500).type('text').send('Something went wrong here.');
  };
}

/** The status of an error caused by the caller, such as 416 for a range outside the file; null for one of ours. */
function refusedStatus(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? status : null;
}

/**
 * Moves the host of an absolute target (`GET http://host/path`), as clients of proxies send it, to the Host header, in
 * place of what it said (RFC 9112, 3.2.2). Express would parse the host, and answer in HTML when it cannot.
 */
function toOriginForm(request: Parameters<RequestListener>[0]): void {
  const target = request.url ?? '/';
  if (target.startsWith('/')) return;
  const [all = '', host] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (host !== undefined) request.headers.host = host;
  const path = target.slice(all.length);
  request.url = path.startsWith('/') || path === '*' ? path : `/${path}`;
}

/**
 * The classes of the requests and responses of `app`. Express changes the prototype of each after it is constructed, and
 * an object whose prototype was changed is slow, also for Node's own code. Objects of these classes have it from the start.
 */
export function messageClassesOf(app: Express) {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** `Base`, except that its objects get `prototype`, which must inherit the prototype of `Base`. */
function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(
  Base: Class,
  prototype: object,
): Class {
  function Made(...args: unknown[]): object {
    return Reflect.construct(Base, args, Made);
  }
  Made.prototype = prototype;
  return Made as unknown as Class;
}

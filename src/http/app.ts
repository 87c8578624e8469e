/**
 * The express application, the pages and the API beside it. Express is used for client addresses behind proxies and for
 * the files of the reference; everything else has one handler, which needs no router before it, and routing and replies
 * are our own.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { IdSource } from '#base/id.ts';
import { STATUS_CODES } from '#base/node-http.ts';
import { type ApiOptions, createApi } from './api.ts';
import { docsRouter } from './docs.ts';
import { type MessageClasses, messageClassesOf } from './message-classes.ts';
import type { Pages } from './pages.ts';
import { RequestContext } from './request-context.ts';
import { logRequest } from './request-log.ts';
import { traceContextOf } from './trace-context.ts';
import type { Tracing } from './traced-request.ts';
import type { Traffic } from './traffic.ts';

/** The routes of the settings and the console, which have errors and checks of their own. */
export interface ConsoleRoutes {
  /** Whether a request to this address, with its query, is theirs. */
  takes(url: string): boolean;
  /** Answers one request; never rejects. */
  answer(context: RequestContext): Promise<void>;
}

/** What the application needs. */
export interface AppOptions extends ApiOptions {
  /** Null where they are not served. */
  readonly console: ConsoleRoutes | null;
  readonly ids: IdSource;
  /** How many proxies are in front of the gateway, or their addresses; 0 trusts none. */
  readonly trustProxy: number | readonly string[];
  /** Null or absent: no traces are kept. */
  readonly tracing?: Tracing | null;
  /** Null: no pages for browsers, and `/` is an unknown address. */
  readonly pages: Pages | null;
}

/** An application, and the classes of which its server makes requests and responses. */
export interface App {
  readonly listener: RequestListener;
  readonly messages: MessageClasses;
}

/** Builds the application. Throws when an operation of the contract has no handler, or a handler is of no operation. */
export function createApp(options: AppOptions): App {
  const { ids, clock, traffic, log, pages, contract, tracing = null, console: members } = options;
  const api = createApi(options);
  const newRequestId = () => ids.uuid();
  const answer = (request: Request, response: Response) => {
    traffic.begin();
    const startedMs = clock.nowMs();
    const context = new RequestContext(request, response, newRequestId);
    const isMembers = members?.takes(request.url) ?? false;
    if (!isMembers) follow(context, startedMs);
    context.onClosed(() => {
      traffic.end();
      logRequest(context, log, clock.nowMs() - startedMs);
    });
    return members && isMembers ? members.answer(context) : api(context);
  };
  const follow = (context: RequestContext, atMs: number) => {
    if (!tracing || context.path === HEALTH) return;
    const { request, response } = context;
    const traced = tracing.begun({ method: request.method, parent: traceContextOf(context.headers), atMs });
    context.traced = traced;
    context.onClosed(() => {
      const route = contract.operations[context.operationId ?? '']?.path ?? null;
      const status = response.headersSent ? response.statusCode : null;
      const { fault, orderId, gone } = context;
      traced.ended({ route, status, fault, orderId, gone, atMs: clock.nowMs() });
    });
  };
  const answerPage = (request: Request, response: ServerResponse): boolean => {
    try {
      return pages?.(request, response) ?? false;
    } catch (error) {
      log.error({ err: error, path: request.url }, 'A page could not be served.');
      response.writeHead(500, { 'content-type': 'text/plain' }).end('Something went wrong here.');
      return true;
    }
  };
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.set('query parser', false);
  app.set('trust proxy', options.trustProxy);
  app.use('/docs', docsRouter());
  // What the reference does not have.
  app.use(answer);
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    // Only errors of the reference arrive here: the API answers its own.
    const refused = refusedStatus(error);
    if (refused === null) log.error({ err: error, path: request.path }, 'A page could not be served.');
    if (response.headersSent) next(error);
    else if (refused !== null) response.status(refused).type('text').send(STATUS_CODES[refused]);
    else response.status(500).type('text').send('Something went wrong here.');
  });
  return {
    listener(request, response) {
      request.url = originForm(request.url);
      if (PAGE.test(request.url) || REFERENCE.test(request.url)) joinDrain(response, traffic);
      if (PAGE.test(request.url) && answerPage(request as Request, response)) return;
      if (REFERENCE.test(request.url)) app(request, response);
      // Constructed by the classes below.
      else void answer(request as Request, response as Response);
    },
    messages: messageClassesOf(app),
  };
}

/** For replies that the API does not write: a drain waits for them, and closes their connections. */
function joinDrain(response: ServerResponse, traffic: Traffic): void {
  traffic.begin();
  response.once('close', () => traffic.end());
  if (traffic.draining) response.setHeader('connection', 'close');
}

/** Load balancers ask it every second or so: nobody wants a trace of that. */
const HEALTH = '/healthz';

/** Where a page may be, so that no other request is asked for more. */
const PAGE = /^\/(?:$|[?#]|assets\/|(?:settings(?:\/billing)?|console)\/?(?:$|[?#]))/;
/** What express would route to `/docs`. */
const REFERENCE = /^\/docs(?![^/?#])/i;

/** The status of an error caused by the caller, such as 416 for a range outside the file; null for one of ours. */
function refusedStatus(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? status : null;
}

/**
 * Removes the host from an absolute target (`GET http://host/path`), as clients of proxies send it: express would
 * parse the host, and answer in HTML when it cannot.
 */
function originForm(target = '/'): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') || path === '*' ? path : `/${path}`;
}

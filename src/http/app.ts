/**
 * The express application: the API reference, and behind it one handler for everything else. Express gives the request
 * and response their comforts (addresses behind proxies, files for the reference); routing and replies are ours.
 */
import { type RequestListener, STATUS_CODES } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { IdSource } from '#base/id.ts';
import { type ApiParts, createApi } from './api.ts';
import { docsRouter } from './docs.ts';
import { Exchange } from './exchange.ts';
import { type MessageClasses, messageClassesOf } from './message-classes.ts';
import { logWhenDone } from './request-log.ts';

/** What the application is made of. */
export interface AppParts extends ApiParts {
  readonly ids: IdSource;
  /** How many proxies stand in front, or their addresses; 0 trusts none. */
  readonly trustProxy: number | readonly string[];
}

/** An application, and what its server makes of the messages that it is handed. */
export interface App {
  readonly listener: RequestListener;
  readonly messages: MessageClasses;
}

/** Builds the application. Rejects when an operation of the contract has no handler. */
export async function createApp(parts: AppParts): Promise<App> {
  const { ids, clock, traffic, log } = parts;
  const api = await createApi(parts);
  const newRequestId = () => ids.uuid();
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.set('query parser', false);
  app.set('trust proxy', parts.trustProxy);
  app.use('/docs', docsRouter());
  app.use((request: Request, response: Response) => {
    traffic.begin();
    const exchange = new Exchange(request, response, newRequestId);
    response.once('close', () => traffic.end());
    logWhenDone(exchange, log, clock);
    return api(exchange);
  });
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    // Only the reference can end here: the API answers its own errors.
    const refused = refusedStatus(error);
    if (refused === null) log.error({ err: error, path: request.path }, 'A page could not be served.');
    if (response.headersSent) next(error);
    else if (refused !== null) response.status(refused).type('text').send(STATUS_CODES[refused]);
    else response.status(500).type('text').send('Something went wrong here.');
  });
  return {
    listener(request, response) {
      request.url = originForm(request.url);
      app(request, response);
    },
    messages: messageClassesOf(app),
  };
}

/** The status of an error that the caller made, such as 416 for a part of a file that is not there; null for ours. */
function refusedStatus(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? status : null;
}

/**
 * A target that names the whole address, as clients of proxies send it, without its host: express would parse the host
 * and answer in HTML when it cannot.
 */
function originForm(target = '/'): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') || path === '*' ? path : `/${path}`;
}

/** The log of requests: a line for each, answered, refused or given up. */
import type { Log } from '#base/log.ts';
import type { RequestContext } from './request-context.ts';
import { traceIdOf } from './trace-context.ts';

/** Longer than any path that exists; the rest of a longer one is not logged. */
const PATH_CHARACTERS_MAX = 300;

/**
 * Logs the line of a request, `ms` after it came: its reply is complete, or the caller has disconnected. Successes at
 * debug: every order is in the database already, and a line costs more than routing a request. Refusals at info. Queries,
 * headers and bodies are never logged, except the ids that name the request for others.
 */
export function logRequest(context: RequestContext, log: Log, ms: number): void {
  const { request, response, gone, traceContext } = context;
  const line = {
    request_id: context.requestId,
    ...(traceContext ? { trace_id: traceIdOf(traceContext) } : {}),
    ...(context.orderId ? { order: context.orderId } : {}),
    method: request.method,
    path: context.path.slice(0, PATH_CHARACTERS_MAX),
    operation: context.operationId,
    account: context.principalOrNull?.account.id ?? null,
    status: response.headersSent ? response.statusCode : null,
    ms,
  };
  if (gone) log.info(line, 'The caller disconnected before the reply was complete.');
  else if (response.statusCode >= 400) log.info({ ...line, code: context.fault }, 'A request was refused.');
  else log.debug(line, 'A request was answered.');
}

/**
 * One line per request, when it is over. Ordinary ones at debug: every order is in the database already, and a line
 * costs more than the routing of a request. Refusals are at info. Neither query nor headers nor bodies are written.
 */
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Exchange } from './exchange.ts';

/** Longer than any address of ours; what is longer was made up, and is not written out again for it. */
const PATH_CHARACTERS_MAX = 300;

/** Writes the line when the reply is whole or its caller is gone. */
export function logWhenDone(exchange: Exchange, log: Log, clock: Clock): void {
  const startedMs = clock.nowMs();
  exchange.response.once('close', () => {
    const { request, response, gone } = exchange;
    const line = {
      request_id: exchange.requestId,
      method: request.method,
      path: exchange.path.slice(0, PATH_CHARACTERS_MAX),
      operation: exchange.operationId,
      account: exchange.principalOrNull?.account.id ?? null,
      status: response.headersSent ? response.statusCode : null,
      ms: clock.nowMs() - startedMs,
    };
    if (gone) log.info(line, 'The caller left before the reply was whole.');
    else if (response.statusCode >= 400) log.info(line, 'A request was refused.');
    else log.debug(line, 'A request was answered.');
  });
}

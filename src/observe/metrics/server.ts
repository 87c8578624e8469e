/**
 * The listener of /metrics, on a port of its own: what is on it is for the operator alone, revenue and balances
 * included. It answers during a drain, too.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '#base/log.ts';
import { createServer } from '#base/node-http.ts';
import { METRICS_TYPE } from './text.ts';

const SETTINGS = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 75_000 };
/** No more than any collector needs, so that connections cannot pile up. */
const CONNECTIONS_MAX = 64;

/** Answers GET /metrics, and nothing else. */
export class MetricsServer {
  readonly #server: Server;

  /** `read` returns the whole text. */
  constructor({ read, log }: { read: () => Promise<string>; log: Log }) {
    this.#server = createServer(SETTINGS, (request, response) => {
      answer(request, response, read).catch((error) => {
        log.error({ err: error }, 'The metrics could not be read.');
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** Starts listening; port 0 takes a free port. Rejects when the address cannot be used. */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /** Stops listening and closes every connection. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return closed;
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, read: () => Promise<string>): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path !== '/metrics') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('The metrics are at /metrics.\n');
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD', 'content-type': 'text/plain' }).end('The metrics are read by GET.\n');
  } else {
    const text = Buffer.from(await read());
    response.writeHead(200, { 'content-type': METRICS_TYPE, 'content-length': text.length });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}

/**
 * All metrics of a gateway as one text, and the listener of /metrics, on a port of its own: its content is for the
 * operator alone, revenue and balances included. It answers during a drain, too.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, waitAtMost } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { createServer } from '#base/node-http.ts';
import { isLoopback, namesLoopback } from '#base/peer-address.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { GatewayCounts } from './gateway-counts.ts';
import { type GaugeParts, gaugeReader, type SlowFacts } from './gauges.ts';
import { processReader } from './process.ts';
import { METRICS_TYPE, metricsText } from './series.ts';

/**
 * Makes the text: of what is counted, of gauges, and of `facts`, which reads what only the database knows and may reject.
 * Scrapes at the same time share one. Never rejects for what does not answer: it is missing then.
 */
export function metricsReader(options: {
  readonly counts: GatewayCounts;
  readonly gauges: GaugeParts;
  readonly facts: () => Promise<SlowFacts>;
  readonly clock: Clock;
}): () => Promise<string> {
  const { counts, gauges, facts, clock } = options;
  const readFacts = slowReader(facts, clock);
  const readProcess = processReader();
  let current: Promise<string> | null = null;
  const read = async () => {
    const gauge = gaugeReader(gauges, await readFacts());
    const text = await metricsText(function* (name) {
      yield* counts.lines(name);
      yield* gauge(name);
    });
    return `${text}${await readProcess()}`;
  };
  return () => {
    current ??= read().finally(() => {
      current = null;
    });
    return current;
  };
}

/** The longest that a scrape waits. The database may be silent; the other metrics report that. */
const PATIENCE_MS = 1_000;

/**
 * Reads it for scrapes: what was read in the last minute; null when the database does not answer. Never rejects.
 * `read` reads it now; it may reject.
 */
export function slowReader(read: () => Promise<SlowFacts>, clock: Clock): () => Promise<SlowFacts | null> {
  let known: { readonly facts: SlowFacts; readonly atMs: number } | null = null;
  let reading: Promise<void> | null = null;
  const fresh = () => (known !== null && clock.monotonicMs() - known.atMs < MINUTE_MS ? known.facts : null);
  const readAll = async () => {
    try {
      const facts = await read();
      known = { facts, atMs: clock.monotonicMs() };
    } catch {
      // The code that needs the database says so in the log; here these series are missing.
    }
  };
  return async () => {
    if (fresh()) return fresh();
    reading ??= readAll().finally(() => {
      reading = null;
    });
    await waitAtMost(clock, PATIENCE_MS, reading);
    return fresh();
  };
}

const SETTINGS = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 75_000 };
/** No more than any collector needs, so that connections cannot pile up. */
const CONNECTIONS_MAX = 64;

/** Answers GET /metrics, and nothing else. */
export class MetricsServer {
  readonly #server: Server;
  /**
   * Whether it listens for this machine alone. Then it answers only to its names: a web page whose own name leads here
   * could read revenue and balances in the browser of a person who opens it.
   */
  #isLocal = true;
  #isRefusing = false;

  /** `read` returns the whole text. */
  constructor({ read, log }: { read: () => Promise<string>; log: Log }) {
    this.#server = createServer(SETTINGS, (request, response) => {
      if (this.#isLocal && !namesLoopback(request.headers.host)) {
        const message = 'The metrics of this machine are read at localhost, 127.0.0.1 or [::1].\n';
        response.writeHead(421, { 'content-type': 'text/plain' }).end(message);
        return;
      }
      if (this.#isRefusing) {
        const message = 'The gateway has lost its database: its log says where that is.\n';
        response.writeHead(503, { 'content-type': 'text/plain' }).end(message);
        return;
      }
      answer(request, response, read).catch((error) => {
        log.error({ err: error }, 'The metrics could not be read.');
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** Starts listening; port 0 takes a free port. Rejects when the address cannot be used. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    await once(this.#server.listen(port, host), 'listening');
    const taken = this.#server.address() as AddressInfo;
    this.#isLocal = isLoopback(taken.address);
    return taken;
  }

  /** From now on it answers 503, which a collector notes as a gateway that is down: the gateway has lost its database. */
  refuse(): void {
    this.#isRefusing = true;
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

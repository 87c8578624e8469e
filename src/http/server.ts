/**
 * The listening socket, and how it goes away: a drain lets running replies finish, stops listening and closes what is
 * left. Replies may wait for days, so no timeout runs after a request was read; the ones before it bound slow senders.
 * Bytes that are no HTTP are answered by `unreadable.ts`, and their connection is closed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { App } from './app.ts';
import type { Traffic } from './traffic.ts';
import { refuseExpectation, refuseTunnel, refuseUnreadable } from './unreadable.ts';

/** What the server is made of. */
export interface ServerParts {
  /** The express application. */
  readonly app: Pick<App, 'listener'> & Partial<App>;
  /** The same that the application counts in. */
  readonly traffic: Traffic;
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
  readonly log: Log;
}

const SETTINGS = {
  headersTimeout: 30_000,
  /** Head and body. 8 MiB in five minutes is 28 kB a second. */
  requestTimeout: 300_000,
  /** Above the 60 s for which load balancers keep an idle connection: it is they who must close first. */
  keepAliveTimeout: 75_000,
  /** A request without a host is refused like any other, with a body. */
  requireHostHeader: false,
  /** Finds out about callers whose machine vanished while their order waits. */
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};

/** An HTTP server around the application. */
export class HttpServer {
  readonly #server: Server;
  readonly #parts: ServerParts;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { listener, messages } = parts.app;
    this.#server = createServer({ ...SETTINGS, ...messages }, listener);
    // Leave to send a body is given only when it is about to be read, after every check that does not need it.
    this.#server.on('checkContinue', listener);
    this.#server.on('checkExpectation', (_request, response) => refuseExpectation(response, parts));
    this.#server.on('connect', (_request, socket) => refuseTunnel(socket, parts));
    this.#answerUnreadable();
  }

  /** The replies that are due on a connection tell whether its bytes may still be answered. */
  #answerUnreadable(): void {
    const replies = new WeakMap<Duplex, readonly ServerResponse[]>();
    const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
      const running = replies.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
      replies.set(socket, [...running, response]);
    };
    this.#server.on('request', note);
    this.#server.on('checkContinue', note);
    this.#server.on('clientError', (error, socket) =>
      refuseUnreadable(error, socket, replies.get(socket) ?? [], this.#parts),
    );
  }

  /** Starts listening; port 0 takes a free one. Rejects when the address cannot be had. */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /**
   * Refuses new inference, and goes on listening while `work` or a reply runs, so that callers are told to come back and
   * `/healthz` says why. Then, or after `limitMs`, stops listening and closes what is left. May be called more than once.
   */
  async drain(limitMs: number, work: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { traffic, clock, log } = this.#parts;
    traffic.startDraining();
    const limit = clock.after(limitMs, () => {
      log.warn({ running: traffic.running }, 'Replies were cut off: they ran longer than a drain may take.');
      void this.#stop();
    });
    await work;
    await traffic.idle();
    limit.cancel();
    await this.#stop();
  }

  #stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return closed;
  }
}

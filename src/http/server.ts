/**
 * The HTTP server and its shutdown: a drain lets running replies finish, then stops listening and closes what is left.
 * Replies may take days, so no timeout runs once a request is read; the timeouts before that bound slow senders.
 * Bytes that are not HTTP are answered by `unreadable.ts`, and their connection is closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import { createServer } from '#base/node-http.ts';
import type { App } from './app.ts';
import { probeCaller } from './half-close.ts';
import type { Traffic } from './traffic.ts';
import { refuseExpectation, refuseTunnel, refuseUnreadable } from './unreadable.ts';

/** What the server needs. */
export interface ServerOptions {
  /** The express application. */
  readonly app: Pick<App, 'listener'> & Partial<App>;
  /** The one in which the application counts. */
  readonly traffic: Traffic;
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
  readonly log: Log;
}

const SETTINGS = {
  headersTimeout: 30_000,
  /** Headers and body. 8 MiB in five minutes is 28 kB per second. */
  requestTimeout: 300_000,
  /** Above the 60 s for which load balancers keep an idle connection: they must be the first to close it. */
  keepAliveTimeout: 75_000,
  /** Node would refuse a request without Host with an empty body; `protocol.ts` refuses it like any other. */
  requireHostHeader: false,
  /** TCP keepalive: detects callers whose machine vanished while their order waits. */
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};

/** An HTTP server around the application. */
export class HttpServer {
  readonly #server: Server;
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { listener, messages } = options.app;
    this.#server = Object.assign(createServer({ ...SETTINGS, ...messages }, listener), { httpAllowHalfOpen: true });
    // 100 Continue is sent only when the body is about to be read, after every check that does not need it.
    this.#server.on('checkContinue', listener);
    this.#server.on('checkExpectation', (_request, response) => refuseExpectation(response, options));
    this.#server.on('connect', (_request, socket) => refuseTunnel(socket, options));
    this.#watchConnections();
  }

  /**
   * An unreadable request may be answered only when no other reply is due on its connection. A caller who closes its
   * side may still wait for those that are.
   */
  #watchConnections(): void {
    const replies = new WeakMap<Duplex, readonly ServerResponse[]>();
    const dueOn = (socket: Duplex) => replies.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
    const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
      const due = replies.has(socket) ? dueOn(socket) : [];
      due.push(response);
      replies.set(socket, due);
    };
    this.#server.on('request', note);
    this.#server.on('checkContinue', note);
    this.#server.on('connection', (socket) => socket.on('end', () => dueOn(socket).forEach(probeCaller)));
    this.#server.on('clientError', (error, socket) =>
      refuseUnreadable(error, socket, replies.get(socket) ?? [], this.#options),
    );
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

  /**
   * Refuses new inference but listens while `work` or a reply runs: callers are asked to retry, `/healthz` says why.
   * Then, or after `limitMs`, stops listening and closes what is left. May be called more than once.
   */
  async drain(limitMs: number, work: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { traffic, clock, log } = this.#options;
    traffic.startDraining();
    const limit = clock.after(limitMs, () => {
      log.warn({ running: traffic.running }, 'Replies were cut off: they ran longer than the drain limit.');
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

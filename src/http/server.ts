/**
 * The HTTP server and its shutdown: a drain lets running replies finish, then stops listening and closes what is left.
 * Replies may take days, so no timeout runs once a request is read; the timeouts before that bound slow senders.
 * Bytes that are not HTTP are answered by `unreadable.ts`, and their connection is closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener, type Server as Listener } from 'node:net';
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

/** Where a server listens. */
export interface ListeningAt {
  readonly port: number;
  /** Whether http://localhost leads here: no other process has the port on the other loopback address. */
  readonly localhost: boolean;
}

/** The addresses of which a browser takes the first that answers when it is asked for localhost. */
const OTHER_LOOPBACK: Readonly<Record<string, string>> = { '127.0.0.1': '::1', '::1': '127.0.0.1' };

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
  /** Listens on the other loopback address, and hands its connections over. */
  #other: Listener | null = null;
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

  /**
   * Starts listening; port 0 takes a free port. On one of the loopback addresses it also takes the other, so that nobody
   * else is found at localhost. Rejects when the address cannot be used.
   */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<ListeningAt> {
    await listening(this.#server, { host, port });
    const taken = this.#server.address() as AddressInfo;
    const other = OTHER_LOOPBACK[taken.address];
    return { port: taken.port, localhost: other !== undefined && (await this.#alsoAt(other, taken.port)) };
  }

  /** False if another process listens there. A machine without this kind of address has no other localhost either. */
  async #alsoAt(host: string, port: number): Promise<boolean> {
    const { keepAlive, keepAliveInitialDelay } = SETTINGS;
    const settings = { allowHalfOpen: true, noDelay: true, keepAlive, keepAliveInitialDelay };
    const other = createListener(settings, (socket) => {
      // Whoever sends no HTTP is refused by the server that the socket names.
      this.#server.emit('connection', Object.assign(socket, { server: this.#server }));
    });
    try {
      await listening(other, { host, port });
      this.#other = other;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return true;
      this.#options.log.warn({ host, port }, 'Another process listens there: http://localhost may lead to that one.');
      return false;
    }
  }

  /** Tells load balancers that a drain comes: what is sent here until then is still taken. */
  leave(): void {
    this.#options.traffic.startLeaving();
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

  async #stop(): Promise<void> {
    const closed = [this.#server, this.#other].map(
      (server) =>
        new Promise<void>((resolve) => {
          if (server) server.close(() => resolve());
          else resolve();
        }),
    );
    this.#server.closeAllConnections();
    await Promise.all(closed);
  }
}

function listening(server: Listener, at: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

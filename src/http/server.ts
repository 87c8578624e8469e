/**
 * The HTTP server and its shutdown: a drain lets running replies finish, then stops listening and closes what is left.
 * Replies may take days, so no timeout runs once a request is read; the timeouts before that bound slow senders.
 * What never becomes a request (bytes that are not HTTP, headers too large or too slow, CONNECT, an unknown `Expect`) gets
 * the usual error body, where Node would answer with a bare status or not at all, and its connection is closed.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener, type Server as Listener } from 'node:net';
import type { Duplex } from 'node:stream';
import { openaiError } from '#adapters/common/envelope.ts';
import { type Clock, systemClock, type Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import { createServer, STATUS_CODES } from '#base/node-http.ts';
import type { App } from './app.ts';
import type { ReplyDrain } from './drain.ts';
import { isEventStream } from './event-stream.ts';

/** What the server needs. */
export interface ServerOptions {
  /** The express application. */
  readonly app: Pick<App, 'listener'> & Partial<App>;
  /** The counter that the application uses. */
  readonly drain: ReplyDrain;
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

/** A browser that opens localhost takes the first of these addresses that answers. */
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
   * side may still wait for replies that are due.
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
   * Starts listening; port 0 takes a free port. On one of the loopback addresses it also takes the other, so that
   * `localhost` leads to no other process. Rejects when the address cannot be used.
   */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<ListeningAt> {
    await once(this.#server.listen({ host, port }), 'listening');
    const taken = this.#server.address() as AddressInfo;
    const other = OTHER_LOOPBACK[taken.address];
    return { port: taken.port, localhost: other !== undefined && (await this.#alsoAt(other, taken.port)) };
  }

  /** False if another process listens there. A machine without this kind of address has no other localhost either. */
  async #alsoAt(host: string, port: number): Promise<boolean> {
    const { keepAlive, keepAliveInitialDelay } = SETTINGS;
    const settings = { allowHalfOpen: true, noDelay: true, keepAlive, keepAliveInitialDelay };
    const other = createListener(settings, (socket) => {
      // A connection that sends no HTTP is refused by the server that the socket names.
      this.#server.emit('connection', Object.assign(socket, { server: this.#server }));
    });
    try {
      await once(other.listen({ host, port }), 'listening');
      this.#other = other;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return true;
      this.#options.log.warn({ host, port }, 'Another process listens there: http://localhost may lead to that one.');
      return false;
    }
  }

  /** Announces a drain to load balancers: requests sent here until then are still taken. */
  leave(): void {
    this.#options.drain.startLeaving();
  }

  /** Refuses everything from now on, and closes each connection after its reply. */
  refuse(): void {
    this.#options.drain.startRefusing();
  }

  /**
   * Refuses new inference but listens while `work` or a reply runs: callers are asked to retry, `/healthz` says why.
   * Then, or after `limitMs`, stops listening and closes the remaining connections. May be called more than once.
   */
  async drain(limitMs: number, work: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { drain, clock, log } = this.#options;
    drain.startDraining();
    const limit = clock.after(limitMs, () => {
      log.warn({ running: drain.running }, 'Replies were cut off: they ran longer than the drain limit.');
      void this.#stop();
    });
    await work;
    await drain.idle();
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

// A caller who has only finished sending and one who has left both send the same FIN: only writing shows which.
// docs/decisions/0029-a-half-closed-caller-is-probed.md

/** A write fails once an earlier one was refused; few pairs of machines are further apart than this. */
const PROBE_MS = 250;
/** Each wait is twice as long as the one before, up to this. */
const PROBE_MS_MAX = 10_000;

/**
 * Writes to the caller of an incomplete `reply` until the reply is complete, or a write fails and closes the connection.
 * It uses the machine's clock even if a test moves another, because only a socket notices these writes.
 */
function probeCaller(reply: ServerResponse): void {
  let timer: Timer | null = null;
  const probe = (waitMs: number) => {
    if (reply.closed || reply.writableEnded || !write(reply)) return;
    timer = systemClock.after(waitMs, () => probe(Math.min(2 * waitMs, PROBE_MS_MAX)));
  };
  reply.once('close', () => timer?.cancel());
  probe(PROBE_MS);
}

/** Writes what no client takes for a part of the reply. False when nothing more needs to be written. */
function write(reply: ServerResponse): boolean {
  if (reply.headersSent) {
    // The body of any other reply is under way, so its own writes fail.
    if (!isEventStream(reply)) return false;
    reply.write(':\n\n');
  } else if (reply.req.httpVersionMinor === 0) {
    // This version has no interim responses: such a caller counts as gone.
    reply.destroy();
    return false;
  } else if (reply.socket) {
    reply.writeContinue();
  }
  // Otherwise an earlier reply is still due on this connection.
  return true;
}

/** How long a refused caller may take to close its side. */
const LINGER_MS = 5_000;

/**
 * Answers an error of the HTTP parser on the socket and ends it. While one of `replies` is due (its request is
 * complete or its headers are sent), the client would take the answer for that reply: the socket is destroyed.
 */
function refuseUnreadable(
  error: Error,
  socket: Duplex,
  replies: readonly ServerResponse[],
  options: Pick<ServerOptions, 'ids' | 'clock'>,
): void {
  // It was answered already and goes on sending.
  if (socket.writableEnded) return;
  const code = 'code' in error ? String(error.code) : '';
  if (!socket.writable || code === 'ECONNRESET' || replies.some(isDue)) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[code] ?? [400, 'This is not a valid HTTP request.'];
  endWith(socket, { status, headers: '', fault: new Fault('invalid_request', { message }) }, options);
}

/** Answers CONNECT: the gateway is not a proxy. */
function refuseTunnel(socket: Duplex, options: Pick<ServerOptions, 'ids' | 'clock'>): void {
  const fault = new Fault('method_not_allowed');
  endWith(socket, { status: fault.status, headers: 'allow: \r\n', fault }, options);
}

/** Answers a request whose `Expect` header asks for something other than 100-continue. */
function refuseExpectation(response: ServerResponse, { ids }: Pick<ServerOptions, 'ids' | 'clock'>): void {
  const fault = new Fault('invalid_request', { message: 'The only supported value of Expect is 100-continue.' });
  const headers = { connection: 'close', 'content-type': JSON_TYPE, 'x-request-id': ids.uuid() };
  response.writeHead(417, headers).end(JSON.stringify(openaiError(fault)));
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Status and message by the code of the parser; every other code is 400. */
const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of this request are over 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of this body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

function isDue(reply: ServerResponse): boolean {
  return !reply.writableFinished && (reply.headersSent || reply.req.complete);
}

/**
 * Sends the reply and closes; `headers` are more header lines, each with its CRLF. What still arrives is read and discarded, because closing with unread bytes can destroy
 * the reply before the caller reads it. A caller who does not close its side is cut off after LINGER_MS.
 */
function endWith(
  socket: Duplex,
  { status, headers, fault }: { readonly status: number; readonly headers: string; readonly fault: Fault },
  { ids, clock }: Pick<ServerOptions, 'ids' | 'clock'>,
): void {
  const cut = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => cut.cancel());
  socket.on('error', () => {
    // The caller has disconnected; nothing else was waited for.
  });
  socket.resume();
  const body = JSON.stringify(openaiError(fault));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `connection: close\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${ids.uuid()}\r\n${headers}\r\n${body}`,
  );
}

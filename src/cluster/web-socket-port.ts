/**
 * The port where other gateways reach this one. Strangers may reach it too, so that everything before the proof is
 * bounded: how many wait, for how long, how many bytes they send, and what they make this process log. An HTTP request
 * learns nothing about the gateway.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { createServer } from '#base/node-http.ts';
import { formatPeerAddress, isPrivateIp, type PeerSettings } from '#base/peer-address.ts';
import { RareLog } from '#base/rare-log.ts';
import { boundEarlyBytes } from './early-bytes.ts';
import { PEER_PATH } from './web-socket-dial.ts';
import { lineOptions, PeerLine } from './web-socket-line.ts';

/** Connections that have not proved themselves: how many, and for how long. The oldest makes room for a new one. */
const STRANGERS_MAX = 16;
const STRANGER_MS = 2_000;

/** A connection that wants to prove itself. */
export interface PeerCaller {
  readonly line: PeerLine;
  /** It knows the secret: it no longer counts as a stranger. */
  known(): void;
  /** It did not prove that it knows the secret. */
  strange(): void;
}

/** The port. */
export class WebSocketPort {
  readonly #settings: Omit<PeerSettings, 'secret'>;
  readonly #clock: Clock;
  readonly #strangeness: RareLog;
  readonly #server: Server;
  readonly #upgrades: WebSocketServer;
  readonly #strangers = new Map<Duplex, Timer>();
  readonly #lines = new Set<PeerLine>();
  #onCaller: ((caller: PeerCaller) => void) | null = null;

  constructor({ settings, clock, log }: { settings: Omit<PeerSettings, 'secret'>; clock: Clock; log: Log }) {
    this.#settings = settings;
    this.#clock = clock;
    this.#strangeness = new RareLog(clock, log);
    this.#upgrades = new WebSocketServer({ ...lineOptions, noServer: true, clientTracking: false });
    this.#server = createServer({ maxHeaderSize: 4_096 }, (_request, response) => {
      response.writeHead(426, { upgrade: 'websocket', connection: 'close' }).end();
    });
    this.#server.on('connection', (socket: Socket) => this.#arrived(socket));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens; resolves with the address for the others. Rejects with a sentence that names the setting. */
  listen(): Promise<string> {
    const { host, port, bind } = this.#settings;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause) => reject(this.#explained(cause)));
      this.#server.listen({ port: bind.port, ...(bind.host === null ? {} : { host: bind.host }) }, () => {
        resolve(formatPeerAddress({ host, port: port === 0 ? this.boundPort : port }));
      });
    });
  }

  /** The port that it listens on; 0 before it does. */
  get boundPort(): number {
    const bound = this.#server.address();
    return typeof bound === 'object' && bound ? bound.port : 0;
  }

  /** Whoever dials from now on is passed to `onCaller`; before, they are sent away. */
  admit(onCaller: (caller: PeerCaller) => void): void {
    this.#onCaller = onCaller;
  }

  /** Cuts every connection and stops listening. */
  close(): Promise<void> {
    if (!this.#server.listening) return Promise.resolve();
    for (const line of this.#lines) line.cut('this gateway ends');
    for (const [socket, timer] of this.#strangers) {
      timer.cancel();
      socket.destroy();
    }
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #arrived(socket: Socket): void {
    socket.on('error', () => {});
    if (!isPrivateIp(socket.remoteAddress ?? '')) {
      this.#strange(socket.remoteAddress);
      socket.destroy();
      return;
    }
    const [oldest] = this.#strangers.keys();
    if (this.#strangers.size >= STRANGERS_MAX && oldest) this.#turnAway(oldest, socket);
    const timer = this.#clock.after(STRANGER_MS, () => this.#turnAway(socket, socket));
    this.#strangers.set(socket, timer);
    socket.on('close', () => this.#noStranger(socket));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onCaller = this.#onCaller;
    if (request.url !== PEER_PATH || !onCaller) {
      const status = onCaller ? '404 Not Found' : '503 Service Unavailable';
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    this.#upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const release = boundEarlyBytes(request.socket, head.length);
      const line = new PeerLine(webSocket, this.#clock);
      this.#lines.add(line);
      webSocket.on('close', () => this.#lines.delete(line));
      onCaller({
        line,
        known: () => {
          release();
          this.#noStranger(socket);
        },
        strange: () => this.#strange(request.socket.remoteAddress),
      });
    });
  }

  #turnAway(socket: Duplex, { remoteAddress }: Socket): void {
    this.#strange(remoteAddress);
    this.#noStranger(socket);
    socket.destroy();
  }

  #noStranger(socket: Duplex): void {
    this.#strangers.get(socket)?.cancel();
    this.#strangers.delete(socket);
  }

  #strange(from: string | undefined): void {
    this.#strangeness.warn({ from }, 'Connections to SLUICE_PEER_ADDRESS did not prove that they are gateways.');
  }

  #explained(cause: Error): Error {
    const { host, bind } = this.#settings;
    const where = `port ${bind.port} of ${bind.host ?? 'all addresses'}`;
    const code = 'code' in cause ? cause.code : null;
    if (code === 'EADDRINUSE')
      return new Error(`SLUICE_PEER_ADDRESS: ${where} is in use; choose another port.`, { cause });
    if (code === 'EADDRNOTAVAIL')
      return new Error(
        `SLUICE_PEER_ADDRESS: ${bind.host} is no address of this machine; correct it, or set SLUICE_PEER_BIND=0.0.0.0 where ${host} is forwarded to here.`,
        { cause },
      );
    return new Error(`SLUICE_PEER_ADDRESS: ${where} cannot be listened on: ${cause.message}.`, { cause });
  }
}

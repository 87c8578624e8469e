/**
 * The port where other gateways reach this one. Strangers may reach it too, so that everything before TLS has shown that
 * they know the secret is bounded: how many wait, for how long, and what they make this process log.
 */
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { formatPeerAddress, type PeerSettings } from '#base/peer-address.ts';
import { MINUTE_MS } from '#base/time.ts';
import { isCallerWithOtherSecret, listenerTls } from './peer-tls.ts';
import { PEER_PATH } from './web-socket-dial.ts';
import { lineOptions, PeerLine } from './web-socket-line.ts';

/** Connections that may not know the secret: how many, and for how long. The oldest makes room for a new one. */
const STRANGERS_MAX = 16;
const STRANGER_MS = 2_000;

/** The port. */
export class WebSocketPort {
  readonly #settings: PeerSettings;
  readonly #clock: Clock;
  readonly #warnOfSecret: (fields: object) => void;
  /** Apart from the other, so that health checks, which connect and leave, do not hide a wrong secret. */
  readonly #warnOfHandshake: (fields: object) => void;
  readonly #server: Server;
  readonly #upgrades: WebSocketServer;
  /** Keyed by remote address and port, which are the same under TLS. */
  readonly #strangers = new Map<string, { readonly socket: Socket; readonly timer: Timer }>();
  readonly #lines = new Set<PeerLine>();
  #onCaller: ((line: PeerLine) => void) | null = null;

  constructor({ settings, clock, log }: { settings: PeerSettings; clock: Clock; log: Log }) {
    this.#settings = settings;
    this.#clock = clock;
    const warning = (sentence: string) => rareWarning(clock, log, sentence);
    this.#warnOfSecret = warning('Connections to SLUICE_PEER_ADDRESS did not know its secret.');
    this.#warnOfHandshake = warning('Connections to SLUICE_PEER_ADDRESS ended before their TLS handshake did.');
    this.#upgrades = new WebSocketServer({ ...lineOptions, noServer: true, clientTracking: false });
    this.#server = createServer({ ...listenerTls(settings.secret), maxHeaderSize: 4_096 }, (_request, response) => {
      response.writeHead(426, { upgrade: 'websocket', connection: 'close' }).end();
    });
    this.#server.on('connection', (socket: Socket) => {
      socket.on('error', () => {});
      const [oldest] = this.#strangers.values();
      if (this.#strangers.size >= STRANGERS_MAX && oldest) this.#turnAway(oldest.socket, 'too many at once');
      const timer = clock.after(STRANGER_MS, () => this.#turnAway(socket, 'it took too long'));
      const name = nameOf(socket);
      this.#strangers.set(name, { socket, timer });
      socket.on('close', () => this.#forget(name));
    });
    this.#server.on('secureConnection', (socket) => this.#forget(nameOf(socket)));
    this.#server.on('tlsClientError', (error, { remoteAddress: from }) => {
      if (isCallerWithOtherSecret(error)) this.#warnOfSecret({ from });
      else this.#warnOfHandshake({ from, cause: 'code' in error ? error.code : error.message });
    });
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

  /** The line of each dialer from now on is passed to `onCaller`; before, they are sent away. */
  admit(onCaller: (line: PeerLine) => void): void {
    this.#onCaller = onCaller;
  }

  /** Cuts every connection and stops listening. */
  close(): Promise<void> {
    if (!this.#server.listening) return Promise.resolve();
    for (const line of this.#lines) line.cut('this gateway ends');
    for (const { socket } of this.#strangers.values()) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onCaller = this.#onCaller;
    if (request.url !== PEER_PATH || !onCaller) {
      const status = onCaller ? '404 Not Found' : '503 Service Unavailable';
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    this.#upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const line = new PeerLine(webSocket, this.#clock);
      this.#lines.add(line);
      webSocket.on('close', () => this.#lines.delete(line));
      onCaller(line);
    });
  }

  #turnAway(socket: Socket, cause: string): void {
    this.#warnOfHandshake({ from: socket.remoteAddress, cause });
    this.#forget(nameOf(socket));
    socket.destroy();
  }

  #forget(name: string): void {
    this.#strangers.get(name)?.timer.cancel();
    this.#strangers.delete(name);
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

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Writes one warning at once, and later ones at most once a minute with their number in `times`. */
function rareWarning(clock: Clock, log: Log, sentence: string): (fields: object) => void {
  let times = 0;
  let writtenAtMs: number | null = null;
  return (fields) => {
    times++;
    const nowMs = clock.monotonicMs();
    if (writtenAtMs !== null && nowMs - writtenAtMs < MINUTE_MS) return;
    log.warn({ ...fields, times }, sentence);
    writtenAtMs = nowMs;
    times = 0;
  };
}

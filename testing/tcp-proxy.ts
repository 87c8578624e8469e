/**
 * A TCP proxy in front of a server, which a test can cut, silence and slow down, and through which it sees what passes.
 * Like any network below TCP it may delay what it carries, and loses and swaps nothing: what was silent and is mended
 * goes on where it was.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** Toward the server, or back from it. */
export type Direction = 'toward' | 'back';

/** Sees everything that one connection carries, and returns what is passed on. After `end()` the connection is closed. */
export type Watcher = (direction: Direction, bytes: Buffer, end: () => void) => Buffer;

/** A proxy; it leads nowhere before it has a target. */
export class TcpProxy {
  /** Where new connections lead. */
  target: { readonly host?: string; readonly port: number } = { port: 0 };
  readonly #server: Server;
  readonly #ways = new Set<Way>();
  readonly #delaysMs = { toward: 0, back: 0 };

  /** `watcherOf` is called for each connection. */
  constructor(watcherOf: () => Watcher = () => (_direction, bytes) => bytes) {
    this.#server = createServer((near) => {
      const { host = '127.0.0.1', port } = this.target;
      const far = connect({ host, port });
      const watch = watcherOf();
      const way = (direction: Direction, [from, into]: readonly [Socket, Socket]) =>
        new Way({ direction, from, into, watch, delayMs: () => this.#delaysMs[direction] });
      const both = [way('toward', [near, far]), way('back', [far, near])];
      for (const each of both) this.#ways.add(each);
      for (const socket of [near, far]) {
        socket.setNoDelay(true);
        socket.on('error', () => {});
        socket.on('close', () => {
          for (const each of both) this.#ways.delete(each);
          near.destroy();
          far.destroy();
        });
      }
    });
  }

  /** Listens, by default on a port of loopback that nobody else gets when the proxy is closed. Resolves with the port. */
  async listen({ host = '127.0.0.1', port }: { host?: string; port?: number } = {}): Promise<number> {
    const own = port ?? (await freePort());
    this.#server.listen(own, host);
    await once(this.#server, 'listening');
    return own;
  }

  /** Keeps what goes in these directions back for so long; Infinity until another call lowers it. */
  delay(ms: number, ...directions: readonly Direction[]): void {
    for (const direction of directions) this.#delaysMs[direction] = ms;
    for (const way of this.#ways) way.pump();
  }

  /** How many pieces it has and has not passed on. */
  get held(): number {
    return [...this.#ways].reduce((total, { held }) => total + held, 0);
  }

  /** Breaks every connection; new ones can be made. */
  cut(): void {
    for (const way of this.#ways) way.cut();
  }

  /** Breaks every connection and listens no more. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : null;
    this.#server.close();
    this.cut();
    await closed;
  }
}

interface WayOptions {
  readonly direction: Direction;
  readonly from: Socket;
  readonly into: Socket;
  readonly watch: Watcher;
  delayMs(): number;
}

/** One direction of one connection. */
class Way {
  readonly #options: WayOptions;
  readonly #pieces: { readonly bytes: Buffer; readonly cameAtMs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WayOptions) {
    this.#options = options;
    options.from.on('data', (bytes: Buffer) => {
      this.#pieces.push({ bytes, cameAtMs: performance.now() });
      this.pump();
    });
  }

  get held(): number {
    return this.#pieces.length;
  }

  /** Carries what is due, in order. */
  pump(): void {
    clearTimeout(this.#timer);
    const { direction, into, watch, delayMs } = this.#options;
    for (let [piece] = this.#pieces; piece; [piece] = this.#pieces) {
      const waitMs = piece.cameAtMs + delayMs() - performance.now();
      if (waitMs > 0) {
        if (Number.isFinite(waitMs)) this.#timer = setTimeout(() => this.pump(), waitMs);
        return;
      }
      this.#pieces.shift();
      let isOver = false;
      const passed = watch(direction, piece.bytes, () => {
        isOver = true;
      });
      into.write(passed, () => isOver && into.destroy());
    }
  }

  cut(): void {
    clearTimeout(this.#timer);
    this.#options.from.resetAndDestroy();
  }
}

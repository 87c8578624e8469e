/**
 * A TCP proxy in front of one gateway's peer port: the others reach it through this, and it can cut their connections,
 * refuse new ones, go silent without closing anything, or be slow. Like any network below TCP it may delay what it
 * carries, and loses and swaps nothing: what was silent and is mended goes on where it was.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What the link does. `silent`: connections stay open and nothing passes, as behind a switch that lost its power. */
export type LinkState = 'open' | 'silent' | 'slow';

const SLOW_MS = 120;

/** The link of one gateway. */
export interface PeerLink {
  state: LinkState;
  /** How many packets it has and has not passed on. */
  readonly held: number;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Listens on `at` and passes on to `to`, both of loopback. */
export async function peerLink(port: number, at: string, to: string, toPort = port): Promise<PeerLink> {
  const sockets = new Set<Socket>();
  const ways = new Set<Way>();
  let state: LinkState = 'open';
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect({ host: to, port: toPort });
    const both = [new Way(near, far, () => state), new Way(far, near, () => state)];
    for (const way of both) ways.add(way);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const way of both) ways.delete(way);
        near.destroy();
        far.destroy();
      });
    }
  });
  server.listen(port, at);
  await once(server, 'listening');
  return {
    get state() {
      return state;
    },
    set state(next) {
      state = next;
      for (const way of ways) way.pump();
    },
    get held() {
      return [...ways].reduce((total, way) => total + way.held, 0);
    },
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One direction of one connection. */
class Way {
  readonly #into: Socket;
  readonly #state: () => LinkState;
  readonly #packets: { readonly bytes: Buffer; readonly atMs: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(from: Socket, into: Socket, state: () => LinkState) {
    this.#into = into;
    this.#state = state;
    from.on('data', (bytes: Buffer) => {
      this.#packets.push({ bytes, atMs: Date.now() + (state() === 'slow' ? SLOW_MS : 0) });
      this.pump();
    });
  }

  get held(): number {
    return this.#packets.length;
  }

  /** Carries what is due, in order. */
  pump(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#state() !== 'silent') {
      const [packet] = this.#packets;
      if (!packet) return;
      const waitMs = packet.atMs - Date.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.pump(), waitMs);
        return;
      }
      this.#packets.shift();
      this.#into.write(packet.bytes);
    }
  }
}

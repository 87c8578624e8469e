/**
 * A TCP proxy on loopback that can be cut: it closes open connections and refuses new ones until restored. It can also
 * fall silent: connections are taken and nothing is passed on, as if the server's process were stopped.
 */
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '#testing/free-port.ts';

/** A running proxy. */
export interface Proxy {
  readonly port: number;
  /** Passes nothing on until `speak`, which delivers what was held. */
  silence(): void;
  speak(): void;
  cut(): Promise<void>;
  /** Listens again, on the same port. */
  restore(): Promise<void>;
}

/** Starts a proxy to `target` on a free port. */
export async function startProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const pairs = new Map<Socket, Socket>();
  let silent = false;
  // As servers and drivers do it: else each answer to a message waits 40 ms for the one before to be acknowledged.
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.set(from, to);
      if (!silent) from.pipe(to);
      // When one side ends in any way, the other must not stay open.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        pairs.delete(from);
        to.destroy();
      });
    }
  });
  // Nobody else gets it while the proxy is cut.
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen();
  return {
    port,
    silence() {
      silent = true;
      for (const [from, to] of pairs) from.unpipe(to);
    },
    speak() {
      silent = false;
      for (const [from, to] of pairs) from.pipe(to);
    },
    cut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of pairs.keys()) socket.destroy();
      return closed;
    },
    restore: listen,
  };
}

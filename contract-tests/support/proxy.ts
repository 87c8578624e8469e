/** A TCP proxy on loopback that can be cut: open connections are torn down and new ones refused until it is restored. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A running proxy. */
export interface Proxy {
  readonly port: number;
  cut(): Promise<void>;
  /** Listens again, on the same port. */
  restore(): Promise<void>;
}

/** Starts a proxy to `target` on a free port. */
export async function startProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      // However one side ends, the other must not stay open.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
    restore: () => listen(port),
  };
}

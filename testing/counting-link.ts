/** A TCP proxy that counts round trips: how often the client spoke after it had been answered. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy that runs. */
export interface CountingLink {
  /** On this port of loopback. */
  readonly port: number;
  /** Of all connections together, since the last call. */
  trips(): number;
  close(): Promise<void>;
}

/** Passes on to `host:port`. */
export async function countingLink({ host, port }: { host: string; port: number }): Promise<CountingLink> {
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((near) => {
    const far = connect({ host, port });
    let isAsking = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => {
      if (!isAsking) trips++;
      isAsking = true;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      isAsking = false;
      near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    trips() {
      const counted = trips;
      trips = 0;
      return counted;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

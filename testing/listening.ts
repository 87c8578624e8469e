/** Servers of tests on loopback. */
import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
  /** Breaks every connection, and resolves when the port is free again. */
  close(): Promise<void>;
}

/** Lets a server listen; by default on a free port. */
export async function listening(server: Server, wished = 0): Promise<Listening> {
  server.listen(wished, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      if (server instanceof HttpServer) server.closeAllConnections();
      await closed;
    },
  };
}

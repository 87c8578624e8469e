/**
 * A TCP proxy in front of one gateway's peer port: the others reach it through this, and it can cut their connections,
 * refuse new ones, go silent without closing anything, or be slow.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What the link does. `silent`: connections stay open and nothing passes, as behind a switch that lost its power. */
export type LinkState = 'open' | 'silent' | 'slow';

const SLOW_MS = 120;

/** The link of one gateway. */
export interface PeerLink {
  state: LinkState;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Listens on `at` and passes on to `to`, both of loopback. */
export async function peerLink(port: number, at: string, to: string): Promise<PeerLink> {
  const sockets = new Set<Socket>();
  const link = {
    state: 'open' as LinkState,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      link.cut();
      server.close();
      await once(server, 'close');
    },
  };
  const pass = (from: Socket, into: Socket) =>
    from.on('data', (bytes) => {
      if (link.state === 'open') into.write(bytes);
      else if (link.state === 'slow') setTimeout(() => into.write(bytes), SLOW_MS);
    });
  const server = createServer((near) => {
    const far = connect({ host: to, port });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    pass(near, far);
    pass(far, near);
  });
  server.listen(port, at);
  await once(server, 'listening');
  return link;
}

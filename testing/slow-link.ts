/**
 * A TCP proxy that makes a network slower: what a server sends arrives later. In a thread of its own, so that whoever is
 * measured on the other side neither waits for it nor delays it.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Settings {
  readonly host: string;
  readonly port: number;
  readonly addedMs: number;
}

/** Begins to listen on a port of loopback; a round trip to `host:port` through it takes at least `addedMs` more. */
export async function slowLink(settings: Settings): Promise<{ port: number; close(): Promise<unknown> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: settings, execArgv: [] });
  const [port] = await once(worker, 'message');
  return { port, close: () => worker.terminate() };
}

function serve({ host, port, addedMs }: Settings): void {
  const server = createServer((near) => {
    const far = connect({ host, port });
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), addedMs));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === 'object' ? address?.port : null);
  });
}

if (!isMainThread) serve(workerData);

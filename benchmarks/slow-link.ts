/**
 * A TCP proxy that makes a network slower: what a server sends arrives later. In a thread of its own, so that the program
 * measured on the other side neither waits for it nor delays it.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { TcpProxy } from '#testing/tcp-proxy.ts';

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

if (!isMainThread) {
  const { addedMs, ...target }: Settings = workerData;
  const proxy = new TcpProxy();
  proxy.target = target;
  proxy.delay(addedMs, 'back');
  parentPort?.postMessage(await proxy.listen());
}

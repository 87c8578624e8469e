/**
 * Reads history over HTTP, one answer at a time, from a process of its own: what parsing and garbage cost the reader is
 * not counted against the gateway. It is sent an order by its parent and answers with times.
 */
import { request } from 'undici';

/** Paths to be read one after the other. */
export interface ReadOrder {
  readonly origin: string;
  readonly paths: readonly string[];
}

/** How long each took from the request to the last byte, in milliseconds, and how much the last one was. */
export interface ReadResult {
  readonly timesMs: readonly number[];
  readonly bytes: number;
}

async function read({ origin, paths }: ReadOrder): Promise<ReadResult> {
  const timesMs: number[] = [];
  let bytes = 0;
  for (const path of paths) {
    const startMs = performance.now();
    const { statusCode, body } = await request(`${origin}${path}`);
    bytes = (await body.arrayBuffer()).byteLength;
    timesMs.push(performance.now() - startMs);
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  }
  return { timesMs, bytes };
}

if (import.meta.main) {
  process.on('message', (order: ReadOrder) => {
    read(order).then(
      (result) => process.send?.(result),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}

/**
 * Reads history over HTTP, one answer at a time, in its own process, so that parsing and garbage in the reader do not
 * count against the gateway. Its parent sends an order, and it answers with times.
 */
import { request } from 'undici';

/** Paths to read one after the other. */
export interface ReadOrder {
  readonly origin: string;
  readonly paths: readonly string[];
  /** The coding that it asks for. */
  readonly coding: string;
}

/** The milliseconds of each, from the request to the last byte, and the size of the last one. */
export interface ReadResult {
  readonly timesMs: readonly number[];
  readonly bytes: number;
}

async function read({ origin, paths, coding }: ReadOrder): Promise<ReadResult> {
  const timesMs: number[] = [];
  let bytes = 0;
  for (const path of paths) {
    const startMs = performance.now();
    const { statusCode, body } = await request(`${origin}${path}`, { headers: { 'accept-encoding': coding } });
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

/**
 * Loaded into the gateway by the soak (`--import`): every few seconds it runs a full collection and writes the remaining
 * heap to the file SLUICE_SOAK_MEMORY. Without the collection the figure would depend on the collector's timing.
 */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 4000;
const file = process.env.SLUICE_SOAK_MEMORY;

// The commands of the operator share the environment of the gateway.
if (isMainThread && file && process.argv.includes('serve')) {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(file, JSON.stringify({ heapBytes: heapUsed + external }));
  }, EVERY_MS).unref();
}

/**
 * Lives worlds in a thread of its own. A plant changes the text of a source of the gateway there, before it is loaded:
 * the fault exists only in that thread.
 */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { WorldKind } from './worlds.ts';

/** A fault that is put back: in `file`, of `src`, this text becomes that. */
export interface Plant {
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
}

/** Which worlds a thread lives, and what is planted; null for nothing. */
interface RaceTask {
  readonly kind: WorldKind;
  readonly seeds: readonly number[];
  readonly plant: Plant | null;
}

/** Lives worlds in a new thread; what was found first, null for nothing. */
export function liveInThread(task: RaceTask): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: task });
    thread.once('message', resolve).once('error', reject);
  });
}

async function run({ kind, seeds, plant }: RaceTask): Promise<string | null> {
  if (plant) registerHooks({ load: (url, context, next) => planted(plant, url, next(url, context)) });
  const { Finding, liveAll } = await import('./worlds.ts');
  try {
    await liveAll(kind, seeds);
    return null;
  } catch (error) {
    if (error instanceof Finding) return error.message;
    throw error;
  }
}

function planted<Loaded extends { source?: unknown }>(plant: Plant, url: string, loaded: Loaded): Loaded {
  const { file, text, becomes } = plant;
  if (!url.endsWith(`/src/${file}`)) return loaded;
  const source = String(loaded.source);
  assert.ok(source.includes(text), `${file} has the text that is replaced`);
  return { ...loaded, source: source.replace(text, () => becomes) };
}

if (!isMainThread && parentPort) parentPort.postMessage(await run(workerData));

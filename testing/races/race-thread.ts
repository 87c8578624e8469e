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

/** Which worlds a thread lives, and what is planted. */
export interface RaceTask {
  readonly kind: WorldKind;
  readonly from: number;
  readonly to: number;
  readonly plant?: Plant;
}

/** What was found first, null for nothing; and what happened in the worlds without a finding. */
export interface RaceResult {
  readonly finding: string | null;
  readonly seen: readonly string[];
}

/** Lives the worlds in a new thread. Rejects when it fails in any other way than by a finding. */
export function liveInThread(task: RaceTask): Promise<RaceResult> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: task });
    thread.once('message', resolve).once('error', reject);
  });
}

if (!isMainThread && parentPort) parentPort.postMessage(await run(workerData as RaceTask));

async function run({ kind, from, to, plant }: RaceTask): Promise<RaceResult> {
  if (plant) registerHooks({ load: (url, context, next) => planted(plant, url, next(url, context)) });
  const { Finding, liveAll } = await import('./worlds.ts');
  const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  try {
    return { finding: null, seen: [...(await liveAll(kind, seeds))] };
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    return { finding: error.message, seen: [] };
  }
}

function planted<Loaded extends { source?: unknown }>(
  { file, text, becomes }: Plant,
  url: string,
  loaded: Loaded,
): Loaded {
  if (!url.endsWith(`/src/${file}`)) return loaded;
  const source = String(loaded.source);
  assert.ok(source.includes(text), `${file} has the text that is replaced`);
  return { ...loaded, source: source.replace(text, () => becomes) };
}

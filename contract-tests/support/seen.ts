/**
 * The record of a run: one JSON line for each promise that an answer kept and for each answer that broke one, with the
 * test that was running. Every process of a run appends to it, tests and gateways alike; ../coverage.ts judges it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A test, by its file from the root of the project and its whole title; the title may be empty. */
export interface TestPlace {
  readonly file: string;
  readonly title: string;
}

/** One line of the record. */
export type Sighting = TestPlace & ({ readonly kept: string } | { readonly problem: string });

/** The variable by which a test tells the processes that it starts which file it is. */
export const TEST_FILE = 'SLUICE_TEST_FILE';

/** Where a run keeps its record, unless SLUICE_CONTRACT_SEEN says otherwise. The runner removes it before a run. */
const seenFile =
  process.env.SLUICE_CONTRACT_SEEN ?? fileURLToPath(new URL('../../coverage/contract-seen.txt', import.meta.url));

const recorded = new Set<string>();

/** Notes lines that this process has not noted yet. */
export function record(sightings: readonly Sighting[]): void {
  const lines = sightings.map((sighting) => `${JSON.stringify(sighting)}\n`).filter((line) => !recorded.has(line));
  if (lines.length === 0) return;
  if (recorded.size === 0) mkdirSync(dirname(seenFile), { recursive: true });
  for (const line of lines) recorded.add(line);
  appendFileSync(seenFile, lines.join(''));
}

/** Every line of a run; none when nothing was recorded. */
export function readSightings(file = seenFile): Sighting[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/**
 * The record of a run: one JSON line for each promise that an answer kept and for each answer that broke one, with the
 * running test. Every process of a run appends to it, tests and gateways; ../coverage.ts checks it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A test, by its file relative to the root of the project and its whole title; the title may be empty. */
export interface TestPlace {
  readonly file: string;
  readonly title: string;
}

/** One line of the record. */
export type RecordLine = TestPlace & ({ readonly kept: string } | { readonly problem: string });

/** The environment variable that names the test file to the processes that it starts. */
export const TEST_FILE = 'SLUICE_TEST_FILE';

/** The file of the record, unless SLUICE_CONTRACT_SEEN names another. The runner removes it before a run. */
const seenFile =
  process.env.SLUICE_CONTRACT_SEEN ?? fileURLToPath(new URL('../../coverage/contract-seen.txt', import.meta.url));

const recorded = new Set<string>();

/** Appends the lines that this process has not appended yet. */
export function record(entries: readonly RecordLine[]): void {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).filter((line) => !recorded.has(line));
  if (lines.length === 0) return;
  if (recorded.size === 0) mkdirSync(dirname(seenFile), { recursive: true });
  for (const line of lines) recorded.add(line);
  appendFileSync(seenFile, lines.join(''));
}

/** Every line of a run; empty when nothing was recorded. */
export function readRecord(file = seenFile): RecordLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

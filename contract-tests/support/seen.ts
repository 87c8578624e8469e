/**
 * The record of answers seen: one line `operationId status` each, appended by every test process of a run and judged at
 * its end by coverage.ts.
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a run keeps its record, unless SLUICE_CONTRACT_SEEN says otherwise. The runner removes it before a run. */
export const seenFile =
  process.env.SLUICE_CONTRACT_SEEN ?? fileURLToPath(new URL('../../coverage/contract-seen.txt', import.meta.url));

const recorded = new Set<string>();

/** Notes that an operation gave an answer with this status. */
export function recordSeen(operationId: string, status: number): void {
  const line = `${operationId} ${status}\n`;
  if (recorded.has(line)) return;
  if (recorded.size === 0) mkdirSync(dirname(seenFile), { recursive: true });
  recorded.add(line);
  appendFileSync(seenFile, line);
}

/** Every `operationId status` of the run, once each. Throws when nothing was recorded. */
export function readSeen(file = seenFile): Set<string> {
  return new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean));
}

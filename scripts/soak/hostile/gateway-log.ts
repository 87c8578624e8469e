/** What the log of one life of the gateway must not hold: secrets, lines that nobody wrote, faults of the gateway. */

import { PROMPT_MARK } from '../../harness/requests.ts';
import type { Pause } from './pauses.ts';

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly err?: { readonly message?: string; readonly code?: string };
}

const ERROR_LEVEL = 50;
/** Callers are answered up to ten seconds after the database went silent, and writes are tried again. */
const AFTERMATH_MS = 15_000;
/** Errors that a database which does not answer explains. */
const DURING_PAUSES = [
  /could not be (written|recorded|deleted|read|submitted|released|stored)/,
  /trying (again|later)/,
  /^A request failed: the database does not answer/,
];

/** Sentences about the log of a life; empty when there is nothing unusual. `secrets` are the keys in use. */
export function oddLines(
  log: string,
  { pauses, secrets }: { pauses: readonly Pause[]; secrets: readonly string[] },
): string[] {
  const findings = [PROMPT_MARK, ...secrets]
    .filter((secret) => log.includes(secret))
    .map((secret) => `the log holds ${secret === PROMPT_MARK ? 'a prompt' : 'a key'}`);
  // The last line may have been cut by the kill.
  const lines = log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '');
  return [...findings, ...lines.flatMap((text) => oddLine(text, pauses))];
}

function oddLine(text: string, pauses: readonly Pause[]): string[] {
  let line: Line;
  try {
    line = JSON.parse(text);
  } catch {
    return [`the gateway printed: ${text.slice(0, 500)}`];
  }
  if (line.level < ERROR_LEVEL) return [];
  const isExplained = DURING_PAUSES.some((sentence) => sentence.test(line.msg)) && isDuring(line.time, pauses);
  return isExplained ? [] : [`the gateway logged: ${text.slice(0, 1000)}`];
}

function isDuring(time: number, pauses: readonly Pause[]): boolean {
  return pauses.some(
    ({ beganAtMs, endedAtMs }) => time >= beganAtMs && time <= (endedAtMs ?? Number.POSITIVE_INFINITY) + AFTERMATH_MS,
  );
}

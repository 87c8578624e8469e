/**
 * Validates an input file, to its end, before any of its lines runs: a batch runs whole or not at all. No line is kept
 * in memory; of each custom id a hash is, to find duplicates. Spec 4.8, 8.
 */
import { createHash } from 'node:crypto';
import { type InputLine, inputLines } from './input-lines.ts';
import { BadLine, customIdOf, LINE_BYTES_MAX } from './line.ts';

/** How many errors are reported; a file with more of them has one error, many times. */
const ERRORS_MAX = 20;

/** How many lines the file has; or why it cannot be run, a sentence for each error. */
export type Checked = { readonly total: number } | { readonly errors: readonly string[] };

/** Checks the lines of `chunks` for a batch that goes to `endpoint`. Rejects when `chunks` cannot be read. */
export async function checkInput(
  chunks: AsyncIterable<Uint8Array>,
  { endpoint, linesMax }: { readonly endpoint: string; readonly linesMax: number },
): Promise<Checked> {
  const errors: string[] = [];
  const seen = new Map<string, number>();
  let total = 0;
  for await (const line of inputLines(chunks, LINE_BYTES_MAX)) {
    total++;
    // Beyond the limit lines are only counted, because the error states the count.
    if (total > linesMax || errors.length === ERRORS_MAX) continue;
    const complaint = lineError(line, endpoint, seen);
    if (complaint) errors.push(complaint);
  }
  if (total === 0) return { errors: ['The file has no lines.'] };
  if (total > linesMax) return { errors: [`The file has ${total} lines; a batch takes up to ${linesMax}.`] };
  return errors.length > 0 ? { errors } : { total };
}

/** What is wrong with a line; null when nothing is. */
function lineError(line: InputLine, endpoint: string, seen: Map<string, number>): string | null {
  try {
    const customId = customIdOf(line, endpoint);
    // As JSON, because UTF-8 cannot encode half of a surrogate pair.
    const hash = createHash('sha256').update(JSON.stringify(customId)).digest('base64');
    const first = seen.get(hash);
    if (first !== undefined) return `Line ${line.number} has the custom_id of line ${first}.`;
    seen.set(hash, line.number);
    return null;
  } catch (error) {
    if (error instanceof BadLine) return error.message;
    throw error;
  }
}

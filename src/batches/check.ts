/**
 * Reads an input file to its end before anything of it runs: a batch runs whole or not at all. Every line is looked at
 * and none is kept; of the custom ids a hash is, to find one that comes twice. Spec 4.8, 8.
 */
import { createHash } from 'node:crypto';
import { type InputLine, inputLines } from './input-lines.ts';
import { BadLine, LINE_BYTES_MAX, readLine } from './line.ts';

/** Complaints that are told at most; a file with more of them has one fault, many times. */
const ERRORS_MAX = 20;

/** How many lines the file has; or why it cannot be run, a sentence for each fault. */
export type Checked = { readonly total: number } | { readonly errors: readonly string[] };

/** Checks the lines of `chunks` for a batch that goes to `endpoint`. Rejects when they cannot be read. */
export async function checkInput(
  chunks: AsyncIterable<Uint8Array>,
  { endpoint, linesMax }: { readonly endpoint: string; readonly linesMax: number },
): Promise<Checked> {
  const errors: string[] = [];
  const seen = new Map<string, number>();
  let total = 0;
  for await (const line of inputLines(chunks, LINE_BYTES_MAX)) {
    total++;
    // Past the limit lines are only counted: the count is what the error has to tell.
    if (total > linesMax || errors.length === ERRORS_MAX) continue;
    const complaint = complaintOf(line, endpoint, seen);
    if (complaint) errors.push(complaint);
  }
  if (total === 0) return { errors: ['The file has no lines.'] };
  if (total > linesMax) return { errors: [`The file has ${total} lines; a batch takes up to ${linesMax}.`] };
  return errors.length > 0 ? { errors } : { total };
}

/** What is wrong with a line; null when nothing is. */
function complaintOf(line: InputLine, endpoint: string, seen: Map<string, number>): string | null {
  try {
    const { customId } = readLine(line, endpoint);
    // As JSON, because UTF-8 has no word for half of a surrogate pair.
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

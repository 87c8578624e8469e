/**
 * Validates an input file, to its end, before any of its lines runs: a batch runs whole or not at all. No line is kept
 * in memory; of each custom id a hash is, to find duplicates. Spec 4.8, 8.
 */
import { createHash } from 'node:crypto';
import type { OrderKind } from '#orders/order.ts';
import { ENDPOINTS } from './batch.ts';
import { type InputLine, inputLines } from './input-lines.ts';
import { BadLine, customIdOf, isLarge, LINE_BYTES_MAX } from './line.ts';
import type { LargeLines } from './line-request.ts';

/** How many errors are reported; a file with more of them has one error, many times. */
const ERRORS_MAX = 20;

/** How many lines the file has; or why it cannot be run, a sentence for each error. */
export type Checked = { readonly total: number } | { readonly errors: readonly string[] };

interface CheckOptions {
  /** The endpoint that its lines must name. */
  readonly kind: OrderKind;
  readonly linesMax: number;
  /** Absent: all lines are read in this thread. */
  readonly largeLines?: Pick<LargeLines, 'customIdOf'> | undefined;
}

/** Checks the lines of `chunks`. Rejects when `chunks` cannot be read. */
export async function checkInput(
  chunks: AsyncIterable<Uint8Array>,
  { kind, linesMax, largeLines }: CheckOptions,
): Promise<Checked> {
  const idOf = (line: InputLine) =>
    largeLines && isLarge(line) ? largeLines.customIdOf(line, kind) : customIdOf(line, ENDPOINTS[kind]);
  const errors: string[] = [];
  const seen = new Map<string, number>();
  let total = 0;
  for await (const line of inputLines(chunks, LINE_BYTES_MAX)) {
    total++;
    // Beyond the limit lines are only counted, because the error states the count.
    if (total > linesMax || errors.length === ERRORS_MAX) continue;
    const complaint = await lineError(line, idOf, seen);
    if (complaint) errors.push(complaint);
  }
  if (total === 0) return { errors: ['The file has no lines.'] };
  if (total > linesMax) return { errors: [`The file has ${total} lines; a batch takes up to ${linesMax}.`] };
  return errors.length > 0 ? { errors } : { total };
}

/** What is wrong with a line; null when nothing is. */
async function lineError(
  line: InputLine,
  idOf: (line: InputLine) => string | Promise<string>,
  seen: Map<string, number>,
): Promise<string | null> {
  try {
    const customId = await idOf(line);
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

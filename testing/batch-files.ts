/** Batches and their files as a caller reads them, and what is wrong with those of a batch that has ended. */

/** The fields of a batch that these runs read. */
export interface BatchAnswer {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly errors: { readonly data: readonly { readonly message: string }[] } | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly x_market: { readonly active: number; readonly pending_result: number };
}

/** A line of an output or an error file. */
export interface BatchEntry {
  readonly custom_id: string;
  readonly response: { readonly body: { readonly usage: { readonly x_market: Charge } } } | null;
  readonly error: { readonly code: string } | null;
}

interface Charge {
  readonly order_id: string;
  readonly charged_usd: number;
}

const ACTIVE = new Set(['validating', 'in_progress', 'cancelling']);

/** Whether the batch still has work to do. */
export function isActive({ status }: BatchAnswer): boolean {
  return ACTIVE.has(status);
}

/** A batch that has ended, its two files, and the lines that were sent. */
export interface EndedBatch {
  readonly batch: BatchAnswer;
  readonly output: readonly BatchEntry[];
  readonly errors: readonly BatchEntry[];
  readonly customIds: readonly string[];
}

/** What is wrong with the files: each line must be in one of them, once, and the counts must be theirs. */
export function lineFaults({ batch, output, errors, customIds }: EndedBatch): string[] {
  const faults: string[] = [];
  const { total, completed, failed } = batch.request_counts;
  if (total !== customIds.length) faults.push(`the batch counts ${total} lines instead of ${customIds.length}`);
  if (output.length !== completed || errors.length !== failed)
    faults.push(
      `the files have ${output.length} and ${errors.length} lines, the counts say ${completed} and ${failed}`,
    );
  const found = new Map<string, number>();
  for (const { custom_id } of [...output, ...errors]) found.set(custom_id, (found.get(custom_id) ?? 0) + 1);
  const missing = customIds.filter((id) => !found.has(id));
  const doubled = [...found].filter(([, times]) => times > 1);
  if (missing.length > 0) faults.push(`${missing.length} lines are missing, such as ${missing[0]}`);
  if (doubled.length > 0) faults.push(`${doubled.length} lines occur more than once, such as ${doubled[0]?.[0]}`);
  if (found.size > customIds.length) faults.push('there are lines that nobody sent');
  return faults;
}

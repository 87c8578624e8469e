/** Units of batches and their lines; lines that are orders change with their orders. */
import type { PlainOutcome } from '#base/journal.ts';
import type {
  BatchCheckedUnit,
  BatchCreatedUnit,
  BatchEndedUnit,
  BatchMovedUnit,
  LineFailedUnit,
  LinesPlacedUnit,
} from '#batches/units.ts';
import { customIdText } from '../batches/custom-id.ts';
import { batchParams, INSERT_BATCH } from '../batches/record.ts';
import { int, intOrNull, type Row, text, textOrNull } from '../database/values.ts';
import type { Context } from './context.ts';
import { addFile } from './files.ts';
import { first, run, type Steps } from './steps.ts';

/** Lines per statement. Always the same number, because statements are cached by their text. */
const LINES_AT_ONCE = 64;
const MARKS = Array.from({ length: LINES_AT_ONCE }, () => '?').join(', ');

/** Inserts a new batch, once. */
export function* batchCreated({ batch }: BatchCreatedUnit): Steps<PlainOutcome> {
  if (!(yield* readBatch(batch.id))) yield run(INSERT_BATCH, ...batchParams(batch));
  return { result: 'changed' };
}

/** Records how many lines the input has. */
export function* batchChecked({ batchId, total }: BatchCheckedUnit): Steps<PlainOutcome> {
  return plain(yield run('UPDATE batches SET total = ? WHERE id = ? AND ended_at_ms IS NULL', total, batchId));
}

/** Every line is recorded, or no more are to come. A repeated unit is recognised by its time. */
export function* batchMoved({ batchId, to, atMs }: BatchMovedUnit): Steps<PlainOutcome> {
  const [column, from] = MOVES[to];
  const { changes } = yield run(
    `UPDATE batches SET status = ?, ${column} = ? WHERE id = ? AND status IN (${from})`,
    to,
    atMs,
    batchId,
  );
  if (changes === 1) return { result: 'changed' };
  const row = yield* readBatch(batchId);
  return { result: row && intOrNull(row[column]) === atMs ? 'changed' : 'stale' };
}

const MOVES = {
  in_progress: ['in_progress_at_ms', "'validating'"],
  cancelling: ['cancelling_at_ms', "'validating', 'in_progress'"],
} as const;

/** A line that failed without becoming an order. */
export function* lineFailed(unit: LineFailedUnit, { batchCounts }: Context): Steps<PlainOutcome> {
  const { batchId, line } = unit;
  const known = yield* first('SELECT error FROM batch_lines WHERE batch_id = ? AND line = ?', batchId, line);
  if (known) return { result: textOrNull(known.error) === unit.error ? 'changed' : 'stale' };
  yield run(
    `INSERT INTO batch_lines (batch_id, line, custom_id, status, error, error_message) VALUES (?, ?, ?, ?, ?, ?)`,
    batchId,
    line,
    customIdText(unit.customId),
    unit.status,
    unit.error,
    unit.errorMessage,
  );
  batchCounts.failed(batchId, unit.status);
  return { result: 'changed' };
}

/** Updates which file each line is in and how large the files are, atomically. */
export function* linesPlaced(unit: LinesPlacedUnit): Steps<PlainOutcome> {
  const { batchId, inOutput, inErrors, lost, from, to } = unit;
  const { changes } = yield run(
    `UPDATE batches SET placed = placed + ?, completed = completed - ?, failed = failed + ?,
       output_bytes = ?, error_bytes = ?
     WHERE id = ? AND output_bytes = ? AND error_bytes = ?`,
    inOutput.length + inErrors.length,
    lost,
    lost,
    to.outputBytes,
    to.errorBytes,
    batchId,
    from.outputBytes,
    from.errorBytes,
  );
  if (changes === 0) return { result: (yield* hasSizes(batchId, to)) ? 'changed' : 'stale' };
  yield* place(batchId, inOutput, 'output');
  yield* place(batchId, inErrors, 'errors');
  return { result: 'changed' };
}

function* place(batchId: string, lines: readonly number[], placed: 'output' | 'errors'): Steps<void> {
  for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
    // The last line is repeated to fill up the statement.
    const some = Array.from({ length: LINES_AT_ONCE }, (_, at) => lines[Math.min(start + at, lines.length - 1)] ?? 0);
    const where = `WHERE batch_id = ? AND line IN (${MARKS})`;
    yield run(`UPDATE batch_lines SET placed = ? ${where}`, placed, batchId, ...some);
  }
}

function* hasSizes(batchId: string, { outputBytes, errorBytes }: LinesPlacedUnit['to']): Steps<boolean> {
  const row = yield* readBatch(batchId);
  return row !== null && int(row.output_bytes) === outputBytes && int(row.error_bytes) === errorBytes;
}

/** The end, with the files that nobody could see before. */
export function* batchEnded(unit: BatchEndedUnit, { balances }: Context): Steps<PlainOutcome> {
  const { batchId, accountId, status, atMs, total, errors } = unit;
  const { changes } = yield run(
    `UPDATE batches SET status = ?, ended_at_ms = ?, total = ?, errors = ? WHERE id = ? AND ended_at_ms IS NULL`,
    status,
    atMs,
    total,
    errors && JSON.stringify(errors),
    batchId,
  );
  if (changes === 0) {
    const row = yield* readBatch(batchId);
    return { result: row && text(row.status) === status && intOrNull(row.ended_at_ms) === atMs ? 'changed' : 'stale' };
  }
  for (const file of unit.files) yield* addFile(balances, { accountId, createdAtMs: atMs, ...file });
  return { result: 'changed' };
}

function* readBatch(batchId: string): Steps<Row | null> {
  return yield* first('SELECT * FROM batches WHERE id = ?', batchId);
}

function plain({ changes }: { readonly changes: number }): PlainOutcome {
  return { result: changes === 1 ? 'changed' : 'stale' };
}

/** Units of batches and their lines; lines that are orders change with their orders. */
import type { PlainOutcome } from '#base/journal.ts';
import type {
  BatchCheckedUnit,
  BatchCreatedUnit,
  BatchEndedUnit,
  BatchFileSizes,
  BatchMovedUnit,
  LineFailedUnit,
  LinesPlacedUnit,
} from '#batches/units.ts';
import { int, intOrNull, type Row, textOrNull } from '../database/values.ts';
import { newBatchRow } from '../records/batch.ts';
import { customId } from '../records/order.ts';
import type { Context, UnitKind } from './context.ts';
import { addFile } from './files.ts';
import { shape } from './operations.ts';
import { tellBatch } from './webhooks.ts';

/** Lines per statement. Always the same number, because statements are cached by their text. */
const LINES_AT_ONCE = 64;
const MARKS = Array.from({ length: LINES_AT_ONCE }, () => '?').join(', ');
const PLACE = shape({
  act: 'plain',
  sql: `UPDATE batch_lines SET placed = ? WHERE batch_id = ? AND line IN (${MARKS})`,
});

/** Inserts a new batch, once. */
export const batchCreated: UnitKind<BatchCreatedUnit, PlainOutcome> = {
  want({ batch }, { picture }) {
    picture.batches.want(batch.id);
  },

  apply({ batch }, { picture: { batches } }) {
    if (!batches.find(batch.id)) batches.add(newBatchRow(batch));
    return { result: 'changed' };
  },
};

/** Records how many lines the input has. */
export const batchChecked: UnitKind<BatchCheckedUnit, PlainOutcome> = {
  want: wantBatch,

  apply({ batchId, total }, { picture: { batches } }) {
    if (!isActive(batches.find(batchId))) return { result: 'stale' };
    batches.change({ total }, batchId);
    return { result: 'changed' };
  },
};

/** Every line is recorded, or no more are to come. A repeated unit is recognised by its time. */
export const batchMoved: UnitKind<BatchMovedUnit, PlainOutcome> = {
  want: wantBatch,

  apply({ batchId, to, atMs }, { picture: { batches } }) {
    const [column, from] = MOVES[to];
    const row = batches.find(batchId);
    if (row && from.some((status) => status === row.status)) {
      batches.change({ status: to, [column]: atMs }, batchId);
      return { result: 'changed' };
    }
    return { result: row && intOrNull(row[column]) === atMs ? 'changed' : 'stale' };
  },
};

const MOVES = {
  in_progress: ['in_progress_at_ms', ['validating']],
  cancelling: ['cancelling_at_ms', ['validating', 'in_progress']],
} as const;

/** A line that failed without becoming an order. */
export const lineFailed: UnitKind<LineFailedUnit, PlainOutcome> = {
  want({ batchId, line }, { picture }) {
    picture.lines.want(batchId, line);
  },

  apply(unit, { picture: { lines, batchCounts } }) {
    const { batchId, line, status, error } = unit;
    const known = lines.find(batchId, line);
    if (known) return { result: textOrNull(known.error) === error ? 'changed' : 'stale' };
    const row = { batch_id: batchId, line, custom_id: customId.bind(unit.customId) };
    lines.add({ ...row, status, error, error_message: unit.errorMessage });
    batchCounts.failed(batchId, status);
    return { result: 'changed' };
  },
};

/** Updates which file each line is in and how large the files are, atomically. */
export const linesPlaced: UnitKind<LinesPlacedUnit, PlainOutcome> = {
  want: wantBatch,

  apply(unit, context) {
    const { batchId, inOutput, inErrors, lost, from, to } = unit;
    const { batches, batchCounts } = context.picture;
    const row = batches.find(batchId);
    if (!hasSizes(row, from)) return { result: hasSizes(row, to) ? 'changed' : 'stale' };
    batches.change({ output_bytes: to.outputBytes, error_bytes: to.errorBytes }, batchId);
    batchCounts.placed(batchId, inOutput.length + inErrors.length, lost);
    place(context, batchId, inOutput, 'output');
    place(context, batchId, inErrors, 'errors');
    return { result: 'changed' };
  },
};

function place({ picture }: Context, batchId: string, lines: readonly number[], placed: 'output' | 'errors'): void {
  for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
    // The last line is repeated to fill up the statement.
    const some = Array.from({ length: LINES_AT_ONCE }, (_, at) => lines[Math.min(start + at, lines.length - 1)] ?? 0);
    picture.writeLast(PLACE, [placed, batchId, ...some]);
  }
}

function hasSizes(row: Row | null, { outputBytes, errorBytes }: BatchFileSizes): boolean {
  return row !== null && int(row.output_bytes) === outputBytes && int(row.error_bytes) === errorBytes;
}

/** The end, with the files that nobody could see before. */
export const batchEnded: UnitKind<BatchEndedUnit, PlainOutcome> = {
  want(unit, context) {
    wantBatch(unit, context);
    for (const { id } of unit.files) context.picture.files.want(id);
  },

  apply(unit, { picture }) {
    const { batchId, accountId, keyId, status, atMs, total, errors } = unit;
    const row = picture.batches.find(batchId);
    if (!isActive(row)) {
      return { result: row?.status === status && intOrNull(row.ended_at_ms) === atMs ? 'changed' : 'stale' };
    }
    picture.batches.change({ status, ended_at_ms: atMs, total, errors: errors && JSON.stringify(errors) }, batchId);
    tellBatch(picture, accountId, { id: batchId, status, endedAtMs: atMs, total });
    for (const file of unit.files) addFile(picture, { accountId, keyId, createdAtMs: atMs, ...file });
    return { result: 'changed' };
  },
};

function wantBatch({ batchId }: { readonly batchId: string }, { picture }: Context): void {
  picture.batches.want(batchId);
}

function isActive(row: Row | null): boolean {
  return row !== null && intOrNull(row.ended_at_ms) === null;
}

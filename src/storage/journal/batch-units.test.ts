/** Every unit of a file and of a batch: applied, repeated, refused, and beside others, on every database. */

import { idSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import { newFileId } from '#batches/file.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, orderRow, startMs } from '#testing/order-fixtures.ts';
import {
  type BatchKind,
  type CasesOfKind,
  describeUnits,
  type MakeCase,
  nobody,
  type Unit,
  type UnitBench,
} from '#testing/unit-suite.ts';

type Batch = Awaited<ReturnType<UnitBench['batch']>>;
type FileAdded = Extract<Unit, { kind: 'file-added' }>;

const ids = idSource(new ManualClock(startMs));
const stale = { outcome: { result: 'stale' } } as const;
const changed = { outcome: { result: 'changed' } } as const;
const nothing = { outputBytes: 0, errorBytes: 0 } as const;

function added(accountId: string, change: Partial<FileAdded> = {}): FileAdded {
  const times = { createdAtMs: startMs, expiresAtMs: startMs + DAY_MS };
  const file = { id: newFileId(ids), purpose: 'batch' as const, filename: 'in.jsonl', bytes: 10, ...times };
  return { kind: 'file-added', accountId, keyId: null, ...file, ...change };
}

const removed = ({ accountId, id }: Pick<FileAdded, 'accountId' | 'id'>) =>
  ({ kind: 'file-removed', accountId, id }) as const;
const emptied = ({ accountId, id }: Pick<FileAdded, 'accountId' | 'id'>) =>
  ({ kind: 'file-emptied', accountId, id }) as const;

async function file(bench: UnitBench): Promise<FileAdded> {
  const unit = added(await bench.account());
  await bench.write(unit);
  return unit;
}

/** A file that a batch reads, and the batch. */
async function input(bench: UnitBench): Promise<{ unit: FileAdded; batch: Batch }> {
  const unit = await file(bench);
  const batch = await bench.batch({ accountId: unit.accountId, inputFileId: unit.id });
  return { unit, batch };
}

function moved({ id: batchId }: Pick<Batch, 'id'>, to: 'in_progress' | 'cancelling', atMs = startMs + 1): Unit {
  return { kind: 'batch-moved', batchId, to, atMs };
}

function lineFailed(
  { id: batchId }: Pick<Batch, 'id'>,
  line = 1,
  code: 'error' | 'canceled' | 'expired' = 'error',
): Unit {
  const why = { error: `it_was_${code}`, errorMessage: 'No.' };
  return { kind: 'line-failed', batchId, line, customId: `line ${line}`, status: code, ...why };
}

/** The end of a batch of one line, which failed and stands in the error file. */
function ended(batch: Batch, status: 'completed' | 'expired' | 'cancelled' = 'completed', atMs = startMs + 9): Unit {
  const { id: batchId, accountId, keyId, errorFileId: id } = batch;
  const files = [
    { id, purpose: 'batch_errors', filename: 'errors.jsonl', bytes: 7, expiresAtMs: startMs + DAY_MS },
  ] as const;
  return { kind: 'batch-ended', batchId, accountId, keyId, status, atMs, total: 1, errors: null, files };
}

function failedToRun({ id: batchId, accountId, keyId }: Batch): Unit {
  const errors = ['The file has no lines.'];
  const end = { status: 'failed', atMs: startMs + 9, total: 0, errors, files: [] } as const;
  return { kind: 'batch-ended', batchId, accountId, keyId, ...end };
}

function placed({ id: batchId }: Pick<Batch, 'id'>, lines: readonly number[] = [1], errorBytes = 7): Unit {
  const unit = { kind: 'lines-placed', batchId, inOutput: [], inErrors: lines, lost: 0 } as const;
  return { ...unit, from: nothing, to: { outputBytes: 0, errorBytes } };
}

/** A batch with one line, which failed. */
async function withFailedLine(bench: UnitBench): Promise<Batch> {
  const batch = await bench.batch();
  await bench.write(lineFailed(batch));
  return batch;
}

/** The same, with the line in its file. */
async function withPlacedLine(bench: UnitBench): Promise<Batch> {
  const batch = await withFailedLine(bench);
  await bench.write(placed(batch));
  return batch;
}

async function endedBatch(bench: UnitBench): Promise<Batch> {
  const batch = await withPlacedLine(bench);
  await bench.write(ended(batch));
  return batch;
}

/** `make` gives what the unit is of, and `unitOf` the unit. */
function on<Of>(
  make: (bench: UnitBench) => Promise<Of>,
  unitOf: (of: Of) => Unit,
  result: 'changed' | 'stale',
): MakeCase {
  return async (bench) => ({ unit: unitOf(await make(bench)), result: { outcome: { result } } });
}

const unknownBatch = async (bench: UnitBench): Promise<Batch> => ({ ...(await bench.batch()), id: 'batch_none' });

const cases: Readonly<Record<BatchKind, CasesOfKind>> = {
  'file-added': {
    applied: {
      'it is entered and counted': on(
        (bench) => bench.account(),
        (accountId) => added(accountId),
        'changed',
      ),
      'it is larger than four billion bytes': on(
        (bench) => bench.account(),
        (accountId) => added(accountId, { bytes: 2 ** 40 }),
        'changed',
      ),
    },
    refused: {
      'it is there, with another size': on(file, (unit) => ({ ...unit, bytes: 11 }), 'changed'),
      'its account is not there': async () => ({ unit: added('nobody'), result: nobody }),
    },
  },

  'file-removed': {
    applied: {
      'it goes, and does not count any more': on(file, removed, 'changed'),
      'its content went before, and is not taken off twice': async (bench) => {
        const unit = await file(bench);
        await bench.write(emptied(unit));
        return { unit: removed(unit), result: changed };
      },
      'it was the input of a batch that has ended': async (bench) => {
        const { unit, batch } = await input(bench);
        await bench.write(failedToRun(batch));
        return { unit: removed(unit), result: changed };
      },
    },
    refused: {
      // On a second try it looks as if the first had removed it.
      'it is unknown': async (bench) => ({
        unit: removed(added(await bench.account())),
        result: stale,
        repeated: changed,
      }),
      'it is of another account': async (bench) => ({
        unit: removed({ ...(await file(bench)), accountId: await bench.account() }),
        result: stale,
        repeated: changed,
      }),
      'it is the input of an active batch': on(input, ({ unit }) => removed(unit), 'stale'),
      'it is the input of a batch that is being canceled': async (bench) => {
        const { unit, batch } = await input(bench);
        await bench.write(moved(batch, 'cancelling'));
        return { unit: removed(unit), result: stale };
      },
    },
  },

  'file-emptied': {
    applied: { 'its content does not count any more': on(file, emptied, 'changed') },
    refused: {
      'it is unknown': async (bench) => ({ unit: emptied(added(await bench.account())), result: stale }),
      'it is of another account': async (bench) => ({
        unit: emptied({ ...(await file(bench)), accountId: await bench.account() }),
        result: stale,
      }),
      'it was removed': async (bench) => {
        const unit = await file(bench);
        await bench.write(removed(unit));
        return { unit: emptied(unit), result: stale };
      },
      'it is the input of an active batch': on(input, ({ unit }) => emptied(unit), 'stale'),
      'it is the input of a batch in progress': async (bench) => {
        const { unit, batch } = await input(bench);
        await bench.write(moved(batch, 'in_progress'));
        return { unit: emptied(unit), result: stale };
      },
    },
  },

  'batch-created': {
    applied: {
      'it is entered': on(
        (bench) => bench.batch(),
        (batch) => ({ kind: 'batch-created', batch: { ...batch, id: `${batch.id}b` } }),
        'changed',
      ),
    },
    refused: {
      'it is there, with other terms': on(
        (bench) => bench.batch(),
        (batch) => ({ kind: 'batch-created', batch: { ...batch, limit: 1, retentionDays: 0 } }),
        'changed',
      ),
    },
  },

  'batch-checked': {
    applied: { 'its lines are counted': on((bench) => bench.batch(), checked, 'changed') },
    refused: {
      'it has ended': on(endedBatch, checked, 'stale'),
      'it is unknown': on(unknownBatch, checked, 'stale'),
    },
  },

  'batch-moved': {
    applied: {
      'it is in progress': on(
        (bench) => bench.batch(),
        (batch) => moved(batch, 'in_progress'),
        'changed',
      ),
      'it is canceled while it is checked': on(
        (bench) => bench.batch(),
        (batch) => moved(batch, 'cancelling'),
        'changed',
      ),
      'it is canceled while it is in progress': async (bench) => {
        const batch = await bench.batch();
        await bench.write(moved(batch, 'in_progress'));
        return { unit: moved(batch, 'cancelling', startMs + 2), result: changed };
      },
    },
    refused: {
      'it is in progress since another time': async (bench) => {
        const batch = await bench.batch();
        await bench.write(moved(batch, 'in_progress'));
        return { unit: moved(batch, 'in_progress', startMs + 2), result: stale };
      },
      'it was canceled before it was in progress': async (bench) => {
        const batch = await bench.batch();
        await bench.write(moved(batch, 'cancelling'));
        return { unit: moved(batch, 'in_progress'), result: stale };
      },
      'it was canceled at another time': async (bench) => {
        const batch = await bench.batch();
        await bench.write(moved(batch, 'cancelling'));
        return { unit: moved(batch, 'cancelling', startMs + 2), result: stale };
      },
      'it has ended before it was canceled': on(endedBatch, (batch) => moved(batch, 'cancelling'), 'stale'),
      'it is unknown': on(unknownBatch, (batch) => moved(batch, 'cancelling'), 'stale'),
    },
  },

  'batch-ended': {
    applied: {
      'its file is entered and counted': on(withPlacedLine, (batch) => ended(batch), 'changed'),
      'it was canceled': async (bench) => {
        const batch = await withPlacedLine(bench);
        await bench.write(moved(batch, 'cancelling'));
        return { unit: ended(batch, 'cancelled'), result: changed };
      },
      'it could not be run': on((bench) => bench.batch(), failedToRun, 'changed'),
    },
    refused: {
      'it has ended another way': on(endedBatch, (batch) => ended(batch, 'expired'), 'stale'),
      'it has ended at another time': on(endedBatch, (batch) => ended(batch, 'completed', startMs + 10), 'stale'),
      'it is unknown': on(unknownBatch, (batch) => ended(batch), 'stale'),
    },
  },

  'line-failed': {
    applied: {
      'it failed': on(
        (bench) => bench.batch(),
        (batch) => lineFailed(batch),
        'changed',
      ),
      'it was canceled': on(
        (bench) => bench.batch(),
        (batch) => lineFailed(batch, 2, 'canceled'),
        'changed',
      ),
      'it expired': on(
        (bench) => bench.batch(),
        (batch) => lineFailed(batch, 3, 'expired'),
        'changed',
      ),
    },
    refused: {
      'it failed for another reason': on(withFailedLine, (batch) => lineFailed(batch, 1, 'expired'), 'stale'),
      'it is an order': async (bench) => {
        const batch = await bench.batch();
        const { id: batchId, accountId } = batch;
        const order = orderRow({ accountId, batchId, customId: 'line', outlives: true });
        await bench.write(acceptUnit(order, { line: 1 }));
        return { unit: lineFailed(batch), result: stale };
      },
    },
  },

  'lines-placed': {
    applied: {
      'a line stands in its file': on(withFailedLine, (batch) => placed(batch), 'changed'),
      'so many that they take more than one statement': async (bench) => {
        const batch = await bench.batch();
        const lines = Array.from({ length: 65 }, (_, at) => at + 1);
        await bench.write(...lines.map((line) => lineFailed(batch, line)));
        return { unit: placed(batch, lines), result: changed };
      },
    },
    refused: {
      'its file has another size': on(withPlacedLine, (batch) => placed(batch, [1], 8), 'stale'),
      'its batch is unknown': on(unknownBatch, (batch) => placed(batch), 'stale'),
    },
  },
};

function checked({ id: batchId }: Pick<Batch, 'id'>): Unit {
  return { kind: 'batch-checked', batchId, total: 4 };
}

describeUnits('units of files and batches', cases);

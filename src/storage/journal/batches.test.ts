/** Units of batches and their lines, on every database. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import { newBatchId } from '#batches/batch.ts';
import { newFileId } from '#batches/file.ts';
import type { BatchEndedUnit, LineFailedUnit, LinesPlacedUnit, NewBatch } from '#batches/units.ts';
import type { OrderRow } from '#orders/order.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createBatchStore } from '../batches/store.ts';
import { int } from '../database/values.ts';
import { createAdoptionStore } from '../orders/adoption.ts';
import { createOrderStore } from '../orders/store.ts';
import type { Journal } from './journal.ts';
import type { JournalOutcome, JournalUnit } from './units.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`batches in the journal on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let accountId: string;
    let batch: NewBatch;

    beforeEach(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      accountId = await fundedAccount(opened.db, clock, 100n);
      batch = newBatch();
      await twice({ kind: 'batch-created', batch });
    });
    afterEach(() => opened.drop());

    const store = () => createBatchStore(opened.db);
    function newBatch(change: Partial<NewBatch> = {}): NewBatch {
      return {
        id: newBatchId(ids),
        accountId,
        keyId: null,
        bootEpoch: 7,
        kind: 'chat',
        inputFileId: newFileId(ids),
        outputFileId: newFileId(ids),
        errorFileId: newFileId(ids),
        limit: null,
        priceLimits: { tide: 1_000_000_000_000_000_000 },
        keyModels: ['tide'],
        keyBudgeted: true,
        strict: true,
        tags: ['nightly'],
        tariffIds: { tide: 'market:1:1:1' },
        retentionDays: 30,
        logPayloads: true,
        metadata: { key: '漢字\u0000\ud800' },
        createdAtMs: startMs,
        expiresAtMs: startMs + 86_400_000,
        deadlineMs: startMs + 86_300_000,
        ...change,
      };
    }
    const now = async (id = batch.id) => {
      const row = await store().find(wholeAccount(accountId), id);
      assert.ok(row);
      return row;
    };
    /** Writes a unit twice, as after a commit whose reply was lost: both outcomes must be equal. */
    async function twice<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcome<Unit>> {
      const outcome = await journal.write(unit);
      assert.deepEqual(await journal.write(unit), outcome);
      return outcome;
    }
    const lineOrder = (change: Partial<OrderRow> = {}) =>
      orderRow({ accountId, batchId: batch.id, customId: 'line', outlives: true, ...change });
    const failed = (line: number, change: Partial<LineFailedUnit> = {}): LineFailedUnit => ({
      kind: 'line-failed',
      batchId: batch.id,
      line,
      customId: `line ${line}`,
      status: 'error',
      error: 'invalid_request',
      errorMessage: 'No.',
      ...change,
    });

    test('a batch is read as it was created', async () => {
      const { status, counts, sizes, errors, inProgressAtMs, cancellingAtMs, endedAtMs, outputGone, ...made } =
        await now();
      assert.deepEqual(made, batch);
      assert.deepEqual(
        [status, errors, inProgressAtMs, cancellingAtMs, endedAtMs],
        ['validating', null, null, null, null],
      );
      assert.deepEqual(counts, { total: null, active: 0, completed: 0, failed: 0, expired: 0, canceled: 0, placed: 0 });
      assert.deepEqual([sizes, outputGone], [{ outputBytes: 0, errorBytes: 0 }, false]);
    });

    test('a line is one order, however often it is written', async () => {
      const order = lineOrder();
      assert.deepEqual(await twice(acceptUnit(order, { line: 1 })), { result: 'queued' });
      assert.deepEqual(await journal.write(acceptUnit(lineOrder(), { line: 1 })), { result: 'line-refused' });
      const refused = lineOrder();
      const admission = admissionOf(60n);
      assert.deepEqual(await journal.write(acceptUnit(refused, { line: 1, admission })), { result: 'line-refused' });
      assert.equal(await createOrderStore(opened.db).find(wholeAccount(accountId), refused.id), null);
      assert.equal((await now()).counts.active, 1);
      assert.equal(int((await opened.db.knex('accounts').where({ id: accountId }).first('held')).held), 0);
    });

    test('a batch that is canceled, in progress or ended takes no more lines', async () => {
      const refused = async (line: number) =>
        assert.equal((await journal.write(acceptUnit(lineOrder(), { line }))).result, 'line-refused');
      await twice({ kind: 'batch-moved', batchId: batch.id, to: 'in_progress', atMs: startMs + 1 });
      await refused(1);
      await twice({ kind: 'batch-moved', batchId: batch.id, to: 'cancelling', atMs: startMs + 2 });
      await refused(2);
      await twice(ended('cancelled'));
      await refused(3);
    });

    test('the counts change with the orders, however these end', async () => {
      const admission = admissionOf(10n);
      const orders = Array.from({ length: 5 }, () => lineOrder());
      const [done, fails, canceled, expired, unfunded] = orders as [OrderRow, OrderRow, OrderRow, OrderRow, OrderRow];
      for (const [index, order] of [done, fails].entries())
        await twice(acceptUnit(order, { line: index + 1, admission }));
      await journal.write(acceptUnit(canceled, { line: 3 }));
      await journal.write(acceptUnit(expired, { line: 4 }));
      assert.equal((await now()).counts.active, 4);
      await twice(settleUnit(done, 5n));
      const { id: orderId } = fails;
      const why = { error: 'backend_error', errorMessage: 'It failed.', finishedAtMs: startMs + 9 };
      await twice({ kind: 'fail', orderId, accountId, attempt: 1, ...why });
      await twice({ kind: 'close', orderId: canceled.id, accountId, status: 'canceled', ...why });
      await twice({ kind: 'close', orderId: expired.id, accountId, status: 'expired', ...why });
      const outcome = await journal.write(acceptUnit(unfunded, { line: 5, admission: admissionOf(1000n) }));
      assert.equal(outcome.result, 'unfunded');
      await twice(failed(6));
      await twice(failed(7, { status: 'canceled', error: 'canceled' }));
      const { total, placed, ...counts } = (await now()).counts;
      assert.deepEqual(counts, { active: 0, completed: 1, failed: 6, expired: 1, canceled: 2 });
    });

    test('a line that failed is recorded once, and cannot become an order afterwards', async () => {
      await twice(failed(1));
      assert.equal((await journal.write(failed(1, { error: 'expired', status: 'expired' }))).result, 'stale');
      assert.equal((await journal.write(acceptUnit(lineOrder(), { line: 1 }))).result, 'line-refused');
      assert.equal((await now()).counts.failed, 1);
    });

    test('lines are placed with the sizes of the files, once, and never from another size', async () => {
      for (let line = 1; line <= 150; line++) await journal.write(failed(line));
      const lines = Array.from({ length: 150 }, (_, index) => index + 1);
      const unit = placed({ inErrors: lines, to: { outputBytes: 0, errorBytes: 700 } });
      assert.equal((await twice(unit)).result, 'changed');
      const { counts, sizes } = await now();
      assert.deepEqual([counts.placed, sizes], [150, { outputBytes: 0, errorBytes: 700 }]);
      assert.ok((await store().recordedLines(batch.id)).every((each) => each.placed));
      const other = placed({ inErrors: [1], to: { outputBytes: 0, errorBytes: 9 } });
      assert.equal((await journal.write(other)).result, 'stale');
      assert.equal((await now()).counts.placed, 150);
    });

    test('a batch ends once, and its files are added and counted then', async () => {
      const file = { id: batch.outputFileId, purpose: 'batch_output', filename: 'out.jsonl', bytes: 9 } as const;
      const unit = { ...ended('completed'), files: [{ ...file, expiresAtMs: startMs + 1000 }] };
      assert.equal((await twice(unit)).result, 'changed');
      assert.equal((await journal.write(ended('expired', startMs + 77))).result, 'stale');
      const { status, endedAtMs, counts } = await now();
      assert.deepEqual([status, endedAtMs, counts.total], ['completed', startMs + 50, 0]);
      const row = await opened.db.knex('files').where({ account_id: accountId, id: batch.outputFileId }).first();
      assert.deepEqual([row.purpose, int(row.bytes), int(row.expires_at_ms)], ['batch_output', 9, startMs + 1000]);
      assert.equal(int((await opened.db.knex('accounts').where({ id: accountId }).first()).stored_bytes), 9);
      assert.equal((await journal.write({ kind: 'batch-checked', batchId: batch.id, total: 4 })).result, 'stale');
    });

    test('the reasons why a file could not be run are stored', async () => {
      await twice({ ...ended('failed'), errors: ['Line 1 is not valid JSON.'] });
      assert.deepEqual((await now()).errors, ['Line 1 is not valid JSON.']);
    });

    test('active batches, their inputs and their outputs are known until they end', async () => {
      const other = newBatch();
      await twice({ kind: 'batch-created', batch: other });
      const asked = [batch.inputFileId, batch.outputFileId, batch.errorFileId, other.inputFileId, 'file-none'];
      await twice(ended('completed'));
      assert.deepEqual(
        (await createAdoptionStore(opened.db).activeBatches(other.bootEpoch)).batches.map(({ id }) => id),
        [other.id],
      );
      assert.deepEqual([...(await store().inputsAmong(asked))], [other.inputFileId]);
      assert.deepEqual([...(await store().outputsAmong([...asked, other.errorFileId]))], [other.errorFileId]);
    });

    test('only lines that have ended are returned as ended', async () => {
      const waiting = lineOrder();
      await journal.write(acceptUnit(waiting, { line: 1 }));
      const done = lineOrder();
      await journal.write(acceptUnit(done, { line: 2, admission: admissionOf(10n) }));
      await journal.write(settleUnit(done, 5n));
      await journal.write(failed(3));
      const lines = await store().endedLines(batch.id, [1, 2, 3, 4]);
      assert.deepEqual(
        lines.map(({ line, customId, order, failure }) => [line, customId, order?.id ?? null, failure?.code ?? null]),
        [
          [2, 'line', done.id, null],
          [3, 'line 3', null, 'invalid_request'],
        ],
      );
    });

    function ended(status: BatchEndedUnit['status'], atMs = startMs + 50): BatchEndedUnit {
      const end = { status, atMs, total: 0, errors: null, files: [] };
      return { kind: 'batch-ended', batchId: batch.id, accountId, keyId: null, ...end };
    }
    function placed(change: Partial<LinesPlacedUnit>): LinesPlacedUnit {
      const nothing = { outputBytes: 0, errorBytes: 0 };
      const unit = { kind: 'lines-placed', batchId: batch.id, inOutput: [], inErrors: [], lost: 0 } as const;
      return { ...unit, from: nothing, to: nothing, ...change };
    }
  });
}

/** That a gateway takes over every order of one that died, whatever fails on the way. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { type Log, silentLog } from '#base/log.ts';
import type { BatchRow } from '#batches/batch.ts';
import type { OrderRow } from '#orders/order.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { type BatchBench, chatLine, useBatchBench } from '#testing/batch-bench.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { MemoryContents } from '#testing/memory-contents.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { takesOver } from './cluster.ts';
import { PickUp } from './pick-up.ts';

const [DEAD, SELF] = [1, 2];
/** More than a page. */
const MANY = 501;

for (const tested of testedDatabases) {
  describe(`a gateway that takes over on ${tested.name}`, { skip: tested.skip }, () => {
    let clock: ManualClock;
    let opened: OpenedJournal;
    let accountId: string;
    let pickUp: PickUp;
    let takeOver: (from: number) => Promise<boolean>;
    /** What is in memory, in the order in which it came. */
    let orders: string[];
    let batches: string[];
    /** Fails, or takes its time. */
    let readKeptInputs: () => Promise<ReadonlySet<string>>;
    let refused: string[];
    let unsold: string[];
    /** What was passed on, and whether another gateway owns its market. */
    let passed: string[];
    let owned: boolean;
    let sentences: string[];
    const note = (fields: object, sentence: string) => void sentences.push(`${sentence} ${JSON.stringify(fields)}`);
    const log: Log = { debug: note, info: note, warn: note, error: note };

    beforeEach(async () => {
      clock = new ManualClock(startMs);
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 15n);
      [orders, batches, refused, sentences] = [[], [], [], []];
      [unsold, passed, owned] = [[], [], false];
      readKeptInputs = async () => new Set();
      const { db, journal } = opened;
      pickUp = new PickUp({
        ...{ self: SELF, clock, log, journal, store: createAdoptionStore(db) },
        orders: {
          has: (id) => orders.includes(id),
          recover(rows: readonly OrderRow[]) {
            for (const { id } of rows) {
              if (refused.includes(id)) throw new Error('planted');
              assert.ok(!orders.includes(id), 'it is in memory already');
              orders.push(id);
            }
          },
        },
        batches: {
          has: (id) => batches.includes(id),
          cancelReason: () => null,
          async resume(rows: readonly BatchRow[]) {
            batches.push(...rows.map(({ id }) => id));
            return [];
          },
        },
        readKeptInputs: () => readKeptInputs(),
      });
      takeOver = takesOver({
        ...{ outside: { clock, ids: idSource(clock) }, pickUp, cluster: { joined: { gateway: SELF } } },
        sells: (model) => !unsold.includes(model),
        async passOn(from, models) {
          passed.push(`${from} ${models}`);
          return owned;
        },
        storage: { db, journal, contents: new MemoryContents() as never },
      });
    });
    afterEach(async () => {
      await pickUp.close();
      await opened.drop();
    });

    async function left(count: number, change: Partial<OrderRow> = {}): Promise<string[]> {
      const made = Array.from({ length: count }, () =>
        orderRow({ accountId, outlives: true, detached: true, ...change }),
      );
      await Promise.all(made.map((order) => opened.journal.write(acceptUnit(order, { body: '{}' }))));
      return made.map(({ id }) => id);
    }

    const liveRows = async () => opened.db.knex('orders').whereIn('status', ['queued', 'executing']).orderBy('id');
    /** Lets the pick-ups under way end, and those that wait for the clock. */
    const later = async (ms = 1_000) => {
      await clock.advance(ms);
      await pickUp.look();
    };

    test('orders of a model that is not sold here wait for a gateway that sells it, until they expire', async () => {
      unsold = ['reef'];
      const [own] = await left(1);
      const [other] = await left(1, { model: 'reef', expiresAtMs: startMs + 60_000 });
      assert.equal(await takeOver(DEAD), false);
      await later();
      assert.deepEqual(
        [orders, passed, (await liveRows()).map(({ boot_epoch }) => Number(boot_epoch))],
        [[own], ['1 reef'], [SELF, DEAD]],
      );
      owned = true;
      assert.equal(await takeOver(DEAD), true);
      await clock.advance(60_000);
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual([orders, passed.length], [[own, other], 2]);
    });

    test('inputs that cannot be listed at first strand no order', async () => {
      const ids = await left(3);
      let failures = 3;
      readKeptInputs = async () => {
        if (failures-- > 0) throw new Error('planted');
        return new Set();
      };
      for (let times = 0; times < 2; times++) assert.equal(await takeOver(DEAD), true);
      await assert.rejects(pickUp.look(), /planted/);
      await clock.advance(3_000);
      await later();
      assert.deepEqual(orders, ids);
      assert.equal(sentences.filter((sentence) => sentence.includes('could not be read')).length, 1);
    });

    test('a slow listing of inputs holds up no other adoption, and no order comes twice', async () => {
      const ids = await left(2);
      const { promise, resolve } = Promise.withResolvers<ReadonlySet<string>>();
      readKeptInputs = () => promise;
      assert.equal(await takeOver(DEAD), true);
      const more = await left(2, { bootEpoch: 3 });
      assert.equal(await takeOver(3), true);
      assert.deepEqual(orders, []);
      resolve(new Set());
      await later();
      assert.deepEqual(orders, [...ids, ...more].sort());
    });

    test('what was made its own before a failure half way is picked up although the rest cannot be read', async () => {
      const ids = await left(MANY);
      let reads = 0;
      opened.db.knex.on('query', ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
        if (sql.includes('order by') && bindings.includes(DEAD) && ++reads === 2) throw new Error('planted');
      });
      await assert.rejects(takeOver(DEAD), /planted/);
      await later();
      assert.deepEqual(orders, ids.slice(0, 500));
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual(orders, ids);
    });

    test('an order whose row cannot be read is set apart, named once and tried again', async () => {
      const ids = await left(3);
      const [broken] = ids as [string];
      await opened.db.knex('orders').where({ id: broken }).update({ result_state: 'none of these' });
      for (let times = 0; times < 2; times++) assert.equal(await takeOver(DEAD), false);
      await later();
      assert.deepEqual(orders, ids.slice(1));
      assert.equal(sentences.filter((sentence) => sentence.includes(broken)).length, 1);
      await opened.db.knex('orders').where({ id: broken }).update({ result_state: 'none' });
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual(orders, [...ids.slice(1), broken]);
    });

    test('an order that the journal refuses is set apart, and the others of its page are not', async () => {
      const ids = await left(3);
      const [refusedId] = ids as [string];
      const { write } = opened.journal;
      const journal = opened.journal as { write: typeof write };
      let isPlanted = true;
      journal.write = (unit, ...rest) =>
        isPlanted && unit.kind === 'adopt' && unit.orders.includes(refusedId)
          ? Promise.reject(new Error('planted'))
          : write.call(opened.journal, unit, ...rest);
      assert.equal(await takeOver(DEAD), false);
      await later();
      assert.deepEqual(orders, ids.slice(1));
      isPlanted = false;
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual(orders, [...ids.slice(1), refusedId]);
    });

    test('an order that cannot come into memory holds up no other, and is tried again by itself', async () => {
      const ids = await left(3);
      refused = ids.slice(1, 2);
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual(orders, [ids[0], ids[2]]);
      refused = [];
      await later(30_000);
      assert.deepEqual(orders, [ids[0], ids[2], ids[1]]);
      assert.equal(sentences.filter((sentence) => sentence.includes(String(ids[1]))).length, 1);
    });

    test('an order that runs and whose caller is gone ends, one that outlives its caller is queued again', async () => {
      const [gone, stays] = [orderRow({ accountId }), orderRow({ accountId, outlives: true })];
      for (const order of [gone, stays])
        await opened.journal.write(
          acceptUnit(order, { admission: admissionOf(60n), body: order.outlives ? '{}' : null }),
        );
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual(orders, [stays.id]);
      assert.deepEqual(
        (await liveRows()).map(({ id, status, boot_epoch }) => [id, status, Number(boot_epoch)]),
        [[stays.id, 'queued', SELF]],
      );
    });

    test('an order of its own that is not in memory, such as after a failed write, is picked up as well', async () => {
      const [waits] = await left(1, { bootEpoch: SELF });
      const ran = orderRow({ accountId, bootEpoch: SELF, outlives: true });
      await opened.journal.write(acceptUnit(ran, { admission: admissionOf(60n), body: '{}' }));
      await pickUp.look();
      assert.deepEqual(orders, [waits]);
      await later(30_000);
      assert.deepEqual(orders, [waits, ran.id]);
    });

    test('a batch whose row cannot be read is set apart, named once and tried again', async () => {
      const [broken, whole] = [batchRow({ accountId, bootEpoch: DEAD }), batchRow({ accountId, bootEpoch: DEAD })];
      for (const batch of [broken, whole]) await opened.journal.write({ kind: 'batch-created', batch });
      const kindIs = (kind: string) => opened.db.knex('batches').where({ id: broken.id }).update({ kind });
      await kindIs('none of these');
      assert.equal(await takeOver(DEAD), false);
      await later();
      assert.deepEqual(batches, [whole.id]);
      await opened.db.knex('batches').where({ id: broken.id }).update({ boot_epoch: SELF });
      const ids = await left(1, { bootEpoch: SELF });
      for (let times = 0; times < 2; times++) await pickUp.look();
      assert.deepEqual([orders, batches], [ids, [whole.id]]);
      assert.equal(sentences.filter((sentence) => sentence.includes(broken.id)).length, 1);
      await kindIs(broken.kind);
      await later(30_000);
      assert.deepEqual(batches, [whole.id, broken.id]);
    });

    test('a batch whose files are broken holds up no other', async () => {
      const [broken, whole] = [0, 1].map((at) => ({
        ...batchRow({ accountId, bootEpoch: DEAD }),
        sizes: { outputBytes: at === 0 ? 5 : 0, errorBytes: 0 },
      })) as [BatchRow, BatchRow];
      for (const batch of [broken, whole]) await opened.journal.write({ kind: 'batch-created', batch });
      await opened.db.knex('batches').where({ id: broken.id }).update({ output_bytes: 5 });
      assert.equal(await takeOver(DEAD), false);
      await later();
      assert.deepEqual(batches, [whole.id]);
      await opened.db.knex('batches').where({ id: broken.id }).update({ output_bytes: 0 });
      assert.equal(await takeOver(DEAD), true);
      await later();
      assert.deepEqual(batches, [whole.id, broken.id]);
    });
  });

  describe(`a gateway that picks up its own on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: BatchBench;
    useBatchBench(tested, (opened) => {
      bench = opened;
    });

    function pickUp(): Promise<void> {
      const { bootEpoch: self, clock, journal, db, orderService: orders, batches } = bench;
      const own = { self, clock, log: silentLog, journal, store: createAdoptionStore(db), orders, batches };
      return new PickUp({ ...own, readKeptInputs: async () => new Set() }).look();
    }

    test('a line that cannot be read while its batch is canceled ends as canceled once it can, and never rests', async () => {
      const id = await bench.run([chatLine('lost'), chatLine('waits')]);
      const [lost] = await bench.orders(id);
      const stateIs = (result_state: string) =>
        bench.db.knex('orders').where({ id: lost?.id }).update({ result_state });
      await stateIs('none of these');
      await bench.restart();
      await bench.batches.cancel(bench.accountId, id);
      await bench.rest();
      await stateIs('promised');
      await pickUp();
      await bench.clock.advance(2_000);
      await bench.rest();
      assert.deepEqual(await bench.errorCodes(id), { lost: 'canceled', waits: 'canceled' });
      assert.deepEqual([(await bench.batch(id)).status, (await bench.batch(id)).counts.canceled], ['cancelled', 2]);
    });
  });
}

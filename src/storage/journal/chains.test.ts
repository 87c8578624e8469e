/**
 * Units that are written without waiting for each other, and so may share a transaction. When the reply to its commit
 * is lost, each is applied again to what the later ones left, and must have the same outcome, on every database.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '#storage/audit/index.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { admit, close, queued, RICH, reprice, requeue, requeued, running } from '#testing/order-units.ts';
import { type Unit, UnitBench } from '#testing/unit-suite.ts';

const repricedTo = (orderId: string, restedSeq: number): Unit => ({ kind: 'reprice', orderId, bid: 1e9, restedSeq });
/** An admission at the place that the order has had since it was repriced. */
function admitAt(order: Parameters<typeof admit>[0], restedSeq: number): Unit {
  const unit = admit(order);
  return unit.kind === 'admit' ? { ...unit, admission: { ...unit.admission, restedSeq } } : unit;
}

const chains: Readonly<Record<string, (bench: UnitBench) => Promise<{ units: Unit[]; results: string[] }>>> = {
  'a new price, and the admission at it': async (bench) => {
    const order = await queued(bench);
    return { units: [repricedTo(order.id, 9), admitAt(order, 9)], results: ['changed', 'executing'] };
  },
  'two new prices, and the admission at the second': async (bench) => {
    const order = await queued(bench);
    const units = [repricedTo(order.id, 8), repricedTo(order.id, 9), admitAt(order, 9)];
    return { units, results: ['changed', 'changed', 'executing'] };
  },
  'a new price, and the end of the wait': async (bench) => {
    const order = await queued(bench);
    return { units: [repricedTo(order.id, 9), close(order, 'expired')], results: ['changed', 'changed'] };
  },
  'the end of the wait, and a new price': async (bench) => {
    const order = await queued(bench);
    return { units: [close(order), reprice(order.id)], results: ['changed', 'stale'] };
  },
  'a return to the book, and the next admission': async (bench) => {
    const order = await running(bench);
    return { units: [requeue(order), admit(order, { attempt: 2 })], results: ['released', 'executing'] };
  },
  'a return to the book, and an admission that nobody can pay': async (bench) => {
    const order = await running(bench);
    const units = [requeue(order), admit(order, { attempt: 2, hold: RICH + 1n })];
    return { units, results: ['released', 'unfunded'] };
  },
  'a return to the book, and a cancel': async (bench) => {
    const order = await running(bench);
    return { units: [requeue(order), close(order)], results: ['released', 'changed'] };
  },
  'a return to the book after its time': async (bench) => {
    const order = await running(bench);
    return { units: [requeue(order), close(order, 'expired')], results: ['released', 'changed'] };
  },
  'a late return of an attempt before, and the next admission': async (bench) => {
    const order = await requeued(bench);
    return { units: [admit(order, { attempt: 2 }), requeue(order, 3)], results: ['executing', 'stale'] };
  },
  'a batch that is in progress, and its cancel': async (bench) => {
    const { id: batchId } = await bench.batch();
    const moved = { kind: 'batch-moved', batchId } as const;
    const units: Unit[] = [
      { ...moved, to: 'in_progress', atMs: startMs + 1 },
      { ...moved, to: 'cancelling', atMs: startMs + 2 },
    ];
    return { units, results: ['changed', 'changed'] };
  },
};

for (const tested of testedDatabases) {
  describe(`units that follow one another on ${tested.name}`, { skip: tested.skip }, () => {
    let bench: UnitBench;
    before(async () => {
      bench = new UnitBench(await openTested(tested));
      await bench.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    after(() => bench?.close());

    for (const [name, make] of Object.entries(chains)) {
      test(`${name}: in one transaction whose answer is lost`, async () => {
        const { units, results } = await make(bench);
        assert.deepEqual(await resultsOf(units, false), results);
        const once = await bench.snapshot();
        assert.deepEqual(await resultsOf(units, true), results);
        assert.deepEqual(await bench.snapshot(), once);
      });
    }

    async function resultsOf(units: readonly Unit[], again: boolean): Promise<string[]> {
      const applied = await bench.apply(units, again);
      return applied.map((each) => ('outcome' in each ? each.outcome.result : each.error));
    }

    test('the audit finds nothing', async () => {
      assert.deepEqual((await audit(bench.db, null, { nowMs: startMs })).findings, []);
    });
  });
}

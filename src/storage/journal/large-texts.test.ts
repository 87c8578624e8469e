/** The largest texts that a request can leave in a row, on every database. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { UnitBench } from '#testing/unit-suite.ts';

const BODY_BYTES = 8 * 1024 * 1024;
/** Each unit is two bytes of a body, and would be four in a statement. */
const HOSTILE = String.raw`\"`;
const LINE = `é😀'\0\n\u001a?$&`;

for (const tested of testedDatabases) {
  describe(`large texts on ${tested.name}`, { skip: tested.skip }, () => {
    for (const [name, body] of [
      ['of backslashes and quotes', HOSTILE.repeat(BODY_BYTES / HOSTILE.length)],
      ['of everything else', LINE.repeat(200_000)],
    ] as const)
      test(`a logged request ${name} is stored as it came, beside others`, async () => {
        const opened = await openTested(tested);
        const bench = new UnitBench(opened);
        try {
          const accountId = await bench.account(1000n);
          const logged = orderRow({ accountId });
          const other = orderRow({ accountId });
          const units = [
            acceptUnit(logged, { admission: admissionOf(1n), requestLog: { body, expiresAtMs: startMs + 1 } }),
            acceptUnit(other, { admission: admissionOf(1n) }),
          ];
          const results = await bench.apply(units);
          assert.deepEqual(
            results.map((result) => 'outcome' in result && 'result' in result.outcome && result.outcome.result),
            ['executing', 'executing'],
          );
          const rows = await opened.db.knex('request_logs').select('body').where({ order_id: logged.id });
          assert.ok(rows[0]?.body === body);
        } finally {
          await bench.close();
        }
      });

    test('a unit that is longer than the server takes is rejected, and those beside it commit', {
      skip: tested.name === 'SQLite' && 'there a text may have a gigabyte',
    }, async () => {
      const opened = await openTested(tested);
      const bench = new UnitBench(opened);
      try {
        const accountId = await bench.account(1000n);
        // In base64 it is longer than 16 MiB.
        const body = '漢'.repeat(5 * 1024 * 1024);
        const orders = [0, 1, 2].map(() => orderRow({ accountId }));
        const units = orders.map((order, at) =>
          acceptUnit(order, { requestLog: at === 1 ? { body, expiresAtMs: startMs + 1 } : null }),
        );
        const [, rejected, ...results] = await bench.apply(units);
        assert.deepEqual(results, [{ outcome: { result: 'queued' } }]);
        assert.ok(rejected && 'error' in rejected);
        assert.match(rejected.error, /max_allowed_packet/);
        const stored: string[] = await opened.db.knex('orders').pluck('id');
        assert.deepEqual(stored.sort(), [orders[0]?.id, orders[2]?.id].sort());
        assert.deepEqual(await bench.apply(units.slice(0, 1), true), [{ outcome: { result: 'queued' } }]);
      } finally {
        await bench.close();
      }
    });

    test('a unit with a number that is none is rejected, and those beside it commit', {
      skip: tested.name === 'SQLite' && 'there the driver stores it as null',
    }, async () => {
      const opened = await openTested(tested);
      const bench = new UnitBench(opened);
      try {
        const accountId = await bench.account(1000n);
        const order = orderRow({ accountId });
        const end = {
          status: 'canceled',
          error: 'order_canceled',
          errorMessage: '',
          finishedAtMs: Number.NaN,
        } as const;
        const results = await bench.apply([acceptUnit(order), { kind: 'close', orderId: order.id, accountId, ...end }]);
        assert.deepEqual(results[0], { outcome: { result: 'queued' } });
        assert.deepEqual(results[1], { error: 'The column finished_at_ms cannot hold NaN.' });
      } finally {
        await bench.close();
      }
    });
  });
}

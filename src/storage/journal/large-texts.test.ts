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
  });
}

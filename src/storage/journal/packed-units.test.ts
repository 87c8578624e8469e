import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AcceptUnit } from '#orders/units.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import type { UnitResult } from './apply-units.ts';
import { packApplied, packUnit, unpackApplied, unpackUnit } from './packed-units.ts';
import type { JournalUnit } from './units.ts';

/** Every field has a value of its own, so that no two can change places. */
function distinct<Fields extends object>(fields: Fields): Fields {
  let next = 1;
  const other = (value: unknown): unknown => {
    next++;
    if (typeof value === 'bigint') return BigInt(next);
    if (typeof value === 'object' && value !== null) return distinct(value);
    return typeof value === 'string' ? `${value} ${next}` : next;
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, other(value)])) as Fields;
}

const order = distinct({ ...orderRow({ accountId: 'acct', createdAtMs: 1 }), quoteSeq: 1 });
const admission = distinct(admissionOf(1n));
const accept = acceptUnit(order, { admission });

const units: Readonly<Record<string, JournalUnit>> = {
  'an order that runs at once': accept,
  'an order that is queued': acceptUnit(order),
  'an order at the market of another gateway': { ...accept, admission: { ...admission, epoch: 7, model: 'tide' } },
  'an order with everything': {
    ...accept,
    idempotency: distinct({
      ...{ accountId: 'a', endpoint: 'e', key: 'k', orderId: 'o', fingerprint: 'f' },
      ...{ createdAtMs: 0, expiresAtMs: 0 },
    }),
    line: 0,
    body: '',
    requestLog: { body: 'b', expiresAtMs: 5 },
  } satisfies AcceptUnit,
  'a settlement': settleUnit(order, 5n, {
    ...{ tokens: { uncached: 11, cached: 12, output: 13 }, charge: 14n, maxCharge: 19n, atBid: 15n, estimated: true },
    firstOutputAtMs: 20,
    ...{ resultBytes: 16, resultText: 'seventeen', resultExpiresAtMs: 18 },
    running: distinct({
      createdAtMs: 0,
      kind: 'chat',
      market: true,
      outlives: true,
      batchId: 'b',
      tags: ['c'],
      hold: 0n,
    }),
  }),
  'any other': {
    kind: 'fail',
    orderId: 'o',
    accountId: 'a',
    attempt: 1,
    finishedAtMs: 2,
    error: 'e',
    errorMessage: 'm',
  },
};

for (const [name, unit] of Object.entries(units)) {
  test(`${name} arrives as it was sent`, () => {
    assert.deepEqual(unpackUnit(structuredClone(packUnit(unit))), unit);
  });
}

test('every outcome arrives as it was sent, and so does a failure', () => {
  const funds = { balance: 5n, held: 3n };
  const results: UnitResult[] = [
    { outcome: { result: 'executing', funds } },
    { outcome: { result: 'settled', charged: 1n, writtenOff: 2n, funds } },
    { outcome: { result: 'parked', funds } },
    { outcome: { result: 'queued' } },
    { error: 'it can never be applied' },
  ];
  const applied = { results, failure: 'the disk is full' };
  assert.deepEqual(unpackApplied(structuredClone(packApplied(applied))), applied);
});

/**
 * Units in one transaction against the same units in a transaction each: the outcomes are the same, and so is every row
 * of every table. Few orders and few keys, so that most units find what one just before them did.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '#base/time.ts';
import type { OrderRow } from '#orders/order.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { keyOf } from '#testing/order-units.ts';
import { type Unit, UnitBench } from '#testing/unit-suite.ts';

const HOLD = 1000n;
const ORDERS = 4;

/** What happens to order `which`; `attempt` says what the unit believes. */
const happenings = fc.array(
  fc.record({
    act: fc.constantFrom('admit', 'settle', 'keep', 'fail', 'requeue', 'close', 'reprice', 'remove', 'stored'),
    which: fc.integer({ min: 0, max: ORDERS - 1 }),
    attempt: fc.integer({ min: 1, max: 3 }),
    charge: fc.bigInt({ min: 0n, max: 2000n }),
  }),
  { minLength: 1, maxLength: 16 },
);
/** How each order begins: at once or queued, with one of two keys or none, for one of two accounts. */
const beginnings = fc.array(
  fc.record({
    runs: fc.boolean(),
    outlives: fc.boolean(),
    key: fc.constantFrom(null, 'k', 'l'),
    expired: fc.boolean(),
    account: fc.integer({ min: 0, max: 1 }),
    /** Before which happening it is accepted; 0 in a transaction before them all. */
    at: fc.integer({ min: 0, max: 4 }),
  }),
  { minLength: ORDERS, maxLength: ORDERS },
);

type Happening = typeof happenings extends fc.Arbitrary<(infer One)[]> ? One : never;
type Beginning = typeof beginnings extends fc.Arbitrary<(infer One)[]> ? One : never;

const beginning = { runs: false, outlives: false, key: null, expired: false, account: 0, at: 0 };
/** A settlement expects an order that is accepted after it, in the same transaction, beside a requeue that is stale. */
const settledBeforeAccepted: [Beginning[], Happening[]] = [
  [{ ...beginning, at: 4 }, beginning, beginning, beginning],
  [
    { act: 'settle', which: 0, attempt: 2, charge: 0n },
    { act: 'admit', which: 3, attempt: 2, charge: 0n },
    { act: 'requeue', which: 3, attempt: 1, charge: 0n },
    { act: 'reprice', which: 1, attempt: 1, charge: 0n },
  ],
];

for (const tested of testedDatabases) {
  describe(`units together on ${tested.name}`, { skip: tested.skip }, () => {
    test('leave what they leave one by one, with the same outcomes', async () => {
      const [together, alone] = [new UnitBench(await openTested(tested)), new UnitBench(await openTested(tested))];
      try {
        await fc.assert(
          fc.asyncProperty(beginnings, happenings, async (begin, happen) => {
            const accounts = [await together.account(2500n), await together.account(10n ** 12n)];
            await copyAccounts(together, alone);
            const { before, units } = story(accounts, begin, happen);
            for (const bench of [together, alone]) for (const unit of before) await bench.apply([unit]);
            const results = await together.apply(units);
            const expected = [];
            for (const unit of units) expected.push(...(await alone.apply([unit])));
            assert.deepEqual(results, expected);
            assert.deepEqual(await together.snapshot(), await alone.snapshot());
          }),
          { seed: 1, numRuns: tested.name === 'SQLite' ? 25 : 12, examples: [settledBeforeAccepted] },
        );
      } finally {
        await together.close();
        await alone.close();
      }
    });
  });
}

/** The accounts with their entries and transfers, with the same ids. */
async function copyAccounts(from: UnitBench, to: UnitBench): Promise<void> {
  for (const table of ['accounts', 'entries', 'transfers']) {
    const known = new Set((await to.db.knex(table)).map((row) => JSON.stringify([row.id, row.unique_key])));
    for (const row of await from.db.knex(table)) {
      const values = Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
      );
      if (!known.has(JSON.stringify([row.id, row.unique_key]))) await to.db.knex(table).insert(values);
    }
  }
}

/** The units of a story: those of the beginning that come first, and the others in their order. */
function story(accounts: readonly string[], begin: readonly Beginning[], happen: readonly Happening[]) {
  const orders = begin.map(({ outlives, account }) =>
    orderRow({ accountId: accounts[account] ?? '', outlives, resultState: outlives ? 'promised' : 'none' }),
  );
  const acceptOf = (one: Beginning, at: number): Unit => {
    const order = orders[at] as OrderRow;
    const expiry = { expiresAtMs: one.expired ? startMs : startMs + DAY_MS };
    return acceptUnit(order, {
      admission: one.runs ? admissionOf(HOLD) : null,
      idempotency: one.key === null ? null : keyOf(order, { key: one.key, ...expiry }),
      body: one.outlives ? '{"a":"\\"\'?;"}' : null,
      requestLog: { body: `log ' \\ ; -- of ${at}`, expiresAtMs: startMs + DAY_MS },
    });
  };
  const acceptedAt = (place: number): Unit[] =>
    begin.flatMap((one, at) => (one.at === place ? [acceptOf(one, at)] : []));
  const units = happen.flatMap((one, at) => [...acceptedAt(at + 1), unitOf(one, orders[one.which] as OrderRow, at)]);
  return { before: acceptedAt(0), units: units };
}

function unitOf({ act, attempt, charge }: Happening, order: OrderRow, at: number): Unit {
  const name = { orderId: order.id, accountId: order.accountId };
  const finishedAtMs = startMs + 10 + at;
  const why = { error: 'backend_error', errorMessage: "It's \\ failed.", finishedAtMs };
  switch (act) {
    case 'admit':
      return { kind: 'admit', ...name, admission: admissionOf(HOLD, { attempt }) };
    case 'settle':
      return settleUnit(order, charge, { attempt, finishedAtMs, hold: HOLD });
    case 'keep': {
      const kept = { resultText: '{"answer":"ok"}', resultBytes: 15, resultExpiresAtMs: startMs + 3 * DAY_MS };
      return settleUnit(order, 0n, { attempt, finishedAtMs, hold: HOLD, ...kept });
    }
    case 'fail':
      return { kind: 'fail', ...name, attempt, ...why };
    case 'requeue':
      return { kind: 'requeue', ...name, attempt, expiresAtMs: order.expiresAtMs + at, failures: 1 };
    case 'close':
      return { kind: 'close', ...name, status: 'canceled', ...why };
    case 'reprice':
      return { kind: 'reprice', orderId: order.id, bid: 1e9 + at, restedSeq: 5 + at };
    case 'remove':
      return { kind: 'result-removed', ...name };
    case 'stored':
      return { kind: 'result-stored', ...name, bytes: 7 };
  }
}

import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import {
  admit,
  busyAccount,
  CHARGE,
  changed,
  close,
  done,
  fail,
  failed,
  funded,
  gone,
  HOLD,
  kept,
  keptBody,
  keptUnit,
  keyOf,
  lineOf,
  order,
  parked,
  queued,
  RICH,
  refusedLine,
  released,
  reprice,
  requeue,
  requeued,
  running,
  runs,
  settled,
  stale,
  UNKNOWN,
  unfunded,
} from '#testing/order-units.ts';
import {
  type Case,
  type CasesOfKind,
  describeUnits,
  nobody,
  type OrderUnitKind,
  type UnitBench,
} from '#testing/unit-suite.ts';

const cases: Readonly<Record<OrderUnitKind, CasesOfKind>> = {
  accept: {
    applied: {
      'it waits': async (bench) => ({
        unit: acceptUnit(await order(bench)),
        result: { outcome: { result: 'queued' } },
      }),
      'it runs, with all that is kept of it': async (bench) => ({
        unit: keptUnit(await order(bench, { outlives: true })),
        result: runs(),
      }),
      'it is parked, with all that is kept of it': async (bench) => ({
        unit: keptUnit(await order(bench, { accountId: await busyAccount(bench), outlives: true })),
        result: parked,
      }),
      'it cannot be paid for, and takes no key': async (bench) => ({
        unit: keptUnit(await order(bench, { accountId: await bench.account(0n), outlives: true })),
        result: unfunded,
      }),
      'it takes a key though it ends with its caller': async (bench) => {
        const made = await order(bench);
        return { unit: acceptUnit(made, { admission: admissionOf(HOLD), idempotency: keyOf(made) }), result: runs() };
      },
      'it takes a key whose time is over': async (bench) => {
        const accountId = await bench.account();
        const [first, next] = [orderRow({ accountId, outlives: true }), orderRow({ accountId, outlives: true })];
        await bench.write(acceptUnit(first, { idempotency: keyOf(first, { expiresAtMs: startMs }) }));
        return { unit: keptUnit(next), result: runs() };
      },
      'it is a line': async (bench) => ({
        unit: acceptUnit(await lineOf(bench), { line: 1 }),
        result: { outcome: { result: 'queued' } },
      }),
      'it is a line that cannot be paid for': async (bench) => ({
        unit: acceptUnit(await lineOf(bench), { line: 1, admission: admissionOf(RICH + 1n) }),
        result: { outcome: { result: 'unfunded', funds: funded } },
      }),
      'it is of the house, which holds nothing': async (bench) => ({
        unit: acceptUnit(orderRow({ accountId: await bench.house(), house: true }), { admission: admissionOf(HOLD) }),
        result: { outcome: { result: 'executing', funds: { balance: 0n, held: 0n } } },
      }),
    },
    refused: {
      'its key is taken': async (bench) => {
        const accountId = await bench.account();
        const [first, next] = [orderRow({ accountId, outlives: true }), orderRow({ accountId, outlives: true })];
        await bench.write(acceptUnit(first, { idempotency: keyOf(first) }));
        return { unit: keptUnit(next), result: { outcome: { result: 'key-taken', existing: keyOf(first) } } };
      },
      'its line is an order': async (bench) => {
        const first = await lineOf(bench);
        await bench.write(acceptUnit(first, { line: 1 }));
        const next = { ...first, id: orderRow({ accountId: '' }).id };
        return { unit: acceptUnit(next, { line: 1, admission: admissionOf(HOLD) }), result: refusedLine };
      },
      'its batch takes no more lines': async (bench) => {
        const line = await lineOf(bench);
        const batchId = line.batchId ?? '';
        await bench.write({ kind: 'batch-moved', batchId, to: 'cancelling', atMs: startMs });
        return { unit: acceptUnit(line, { line: 1, admission: admissionOf(HOLD) }), result: refusedLine };
      },
      'its batch is not there': async (bench) => ({
        unit: acceptUnit(await order(bench, { batchId: 'batch_none', outlives: true }), { line: 1 }),
        result: refusedLine,
      }),
      'its account is not there': async (bench) => ({
        unit: acceptUnit(await order(bench, { accountId: 'nobody' }), { admission: admissionOf(0n) }),
        result: nobody,
      }),
    },
  },

  admit: {
    applied: {
      'it runs': async (bench) => ({ unit: admit(await queued(bench)), result: runs() }),
      'it runs again': async (bench) => ({ unit: admit(await requeued(bench), { attempt: 2 }), result: runs() }),
      'it holds the last of the balance': async (bench) => ({
        unit: admit(await queued(bench, { accountId: await bench.account(HOLD) })),
        result: runs(HOLD, HOLD),
      }),
      'it cannot be paid for, and gives its key back': async (bench) => {
        const made = await order(bench, { accountId: await bench.account(0n), outlives: true });
        await bench.write(acceptUnit(made, { idempotency: keyOf(made), body: '{"prompt":"é"}' }));
        return { unit: admit(made), result: unfunded };
      },
      'it cannot be paid for, and gives the key back that it had though it ends with its caller': async (bench) => {
        const made = await order(bench, { accountId: await bench.account(0n) });
        await bench.write(acceptUnit(made, { idempotency: keyOf(made) }));
        return { unit: admit(made), result: unfunded };
      },
      'it is a line that cannot be paid for': async (bench) => {
        const line = await lineOf(bench);
        await bench.write(acceptUnit(line, { line: 1 }));
        const result = { outcome: { result: 'unfunded', funds: funded } } as const;
        return { unit: admit(line, { hold: RICH + 1n }), result };
      },
      'it is of the house, which holds nothing': async (bench) => ({
        unit: admit(await queued(bench, { accountId: await bench.house(), house: true })),
        result: { outcome: { result: 'executing', funds: { balance: 0n, held: 0n } } },
      }),
    },
    refused: {
      'it has to wait for the holds of its account': async (bench) => ({
        unit: admit(await queued(bench, { accountId: await busyAccount(bench) })),
        result: parked,
      }),
      'it runs already': async (bench) => ({ unit: admit(await running(bench), { attempt: 2 }), result: gone }),
      'it has run as that attempt before': async (bench) => ({ unit: admit(await requeued(bench)), result: gone }),
      'it was closed': async (bench) => {
        const made = await queued(bench);
        await bench.write(close(made));
        return { unit: admit(made), result: gone };
      },
      'it is done': async (bench) => ({ unit: admit(await done(bench)), result: gone }),
      'it failed as that attempt': async (bench) => ({ unit: admit(await failed(bench)), result: gone }),
      'it is unknown': async (bench) => ({
        unit: admit({ id: UNKNOWN, accountId: await bench.account() }),
        result: gone,
      }),
      'its account is not there': async () => ({ unit: admit({ id: UNKNOWN, accountId: 'nobody' }), result: nobody }),
    },
  },

  settle: {
    applied: {
      'it is charged': async (bench) => ({ unit: settleUnit(await running(bench), CHARGE), result: settled }),
      'it is charged with a body in a row, and drops what was kept': async (bench) => {
        const made = await order(bench, { outlives: true, resultState: 'promised' });
        await bench.write(keptUnit(made));
        return { unit: settleUnit(made, CHARGE, { ...keptBody, hold: HOLD }), result: settled };
      },
      'it is charged with a body in a file': async (bench) => ({
        unit: settleUnit(await running(bench, { resultState: 'promised' }), CHARGE, { ...kept, resultBytes: 70_000 }),
        result: settled,
      }),
      'it is charged what is there': async (bench) => {
        const accountId = await bench.account(CHARGE - 1n);
        const made = orderRow({ accountId, resultState: 'promised' });
        await bench.write(acceptUnit(made, { admission: admissionOf(1n) }));
        const funds = { balance: 0n, held: 0n };
        const result = { outcome: { result: 'settled', charged: CHARGE - 1n, writtenOff: 1n, funds } } as const;
        return { unit: settleUnit(made, CHARGE, keptBody), result };
      },
      'it is not charged to the holds of others': async (bench) => {
        const accountId = await bench.account(HOLD + 1n);
        await running(bench, { accountId });
        const made = orderRow({ accountId });
        await bench.write(acceptUnit(made, { admission: admissionOf(1n) }));
        const funds = { balance: HOLD, held: HOLD };
        const result = { outcome: { result: 'settled', charged: 1n, writtenOff: CHARGE - 1n, funds } } as const;
        return { unit: settleUnit(made, CHARGE), result };
      },
      'it is a line': async (bench) => {
        const line = await lineOf(bench);
        await bench.write(acceptUnit(line, { line: 1, admission: admissionOf(HOLD) }));
        return { unit: settleUnit(line, CHARGE), result: settled };
      },
      'it is of the house, which pays in what it owes': async (bench) => {
        const made = await running(bench, { accountId: await bench.house(), house: true });
        const funds = { balance: 0n, held: 0n };
        return {
          unit: settleUnit(made, CHARGE, { hold: 0n }),
          result: { outcome: { result: 'settled', charged: CHARGE, writtenOff: 0n, funds } },
        };
      },
    },
    refused: {
      'it was settled with other figures': async (bench) => ({
        unit: settleUnit(await done(bench), CHARGE + 7n, { finishedAtMs: startMs + 9, hold: 1n, ...keptBody }),
        result: settled,
      }),
      'it runs as another attempt': async (bench) => ({
        unit: settleUnit(await running(bench), CHARGE, { attempt: 2 }),
        result: stale,
      }),
      'it waits again': async (bench) => ({ unit: settleUnit(await requeued(bench), CHARGE), result: stale }),
      'it failed': async (bench) => ({ unit: settleUnit(await failed(bench), CHARGE), result: stale }),
      'it never ran': async (bench) => ({
        unit: settleUnit(await queued(bench), CHARGE, { attempt: 0, hold: 0n }),
        result: stale,
      }),
      'it holds something else': async (bench) => {
        const made = await running(bench);
        const error = `order ${made.id} does not hold ${HOLD - 1n}`;
        return { unit: settleUnit(made, CHARGE, { hold: HOLD - 1n }), result: { error } };
      },
      'it is unknown': async (bench) => ({ unit: settleUnit(await order(bench), CHARGE), result: stale }),
      'its account is not there': async (bench) => ({
        unit: settleUnit(await order(bench, { accountId: 'nobody' }), CHARGE),
        result: nobody,
      }),
    },
  },

  fail: {
    applied: {
      'its hold is released': async (bench) => ({ unit: fail(await running(bench)), result: released }),
      'its key and what was kept of it go': async (bench) => {
        const made = await order(bench, { outlives: true, resultState: 'promised' });
        await bench.write(keptUnit(made));
        return { unit: fail(made), result: released };
      },
      'it is a line': async (bench) => {
        const line = await lineOf(bench);
        await bench.write(acceptUnit(line, { line: 1, admission: admissionOf(HOLD) }));
        return { unit: fail(line), result: released };
      },
    },
    refused: releaseRefused(fail),
  },

  requeue: {
    applied: {
      'its hold is released': async (bench) => ({ unit: requeue(await running(bench)), result: released }),
      'its key and what was kept of it stay': async (bench) => {
        const made = await order(bench, { outlives: true, resultState: 'promised' });
        await bench.write(keptUnit(made));
        return { unit: requeue(made), result: released };
      },
    },
    refused: {
      ...releaseRefused(requeue),
      'it failed': async (bench) => ({ unit: requeue(await failed(bench)), result: stale }),
    },
  },

  close: {
    applied: {
      'it is canceled': async (bench) => ({ unit: close(await queued(bench)), result: changed }),
      'it expires after it was repriced': async (bench) => {
        const made = await queued(bench);
        await bench.write(reprice(made.id));
        return { unit: close(made, 'expired'), result: changed };
      },
      'it ends in error after it ran, and gives its key back': async (bench) => {
        const made = await order(bench, { outlives: true });
        await bench.write(keptUnit(made), requeue(made));
        return { unit: close(made, 'error'), result: changed };
      },
      'it is a line': async (bench) => {
        const line = await lineOf(bench);
        await bench.write(acceptUnit(line, { line: 1 }));
        return { unit: close(line), result: changed };
      },
    },
    refused: {
      'it runs': async (bench) => ({ unit: close(await running(bench)), result: stale }),
      'it is done': async (bench) => ({ unit: close(await done(bench)), result: stale }),
      'it ended another way': async (bench) => {
        const made = await queued(bench);
        await bench.write(close(made, 'expired'));
        return { unit: close(made, 'canceled'), result: stale };
      },
      'it ended the same way at another time': async (bench) => {
        const made = await queued(bench);
        await bench.write(close(made));
        return { unit: close(made, 'canceled', startMs + 4), result: stale };
      },
      'it is unknown': async (bench) => ({
        unit: close({ id: UNKNOWN, accountId: await bench.account() }),
        result: stale,
      }),
    },
  },

  adopt: {
    applied: {
      'an order that waits, more of them than a statement has room for': async (bench) => {
        const orders = [(await queued(bench)).id, ...Array.from({ length: 64 }, (_, at) => `unknown ${at}`)];
        return { unit: { kind: 'adopt', from: 1, to: 9, orders, batches: [] }, result: changed };
      },
      'a batch': async (bench) => {
        const batches = [movedBatch((await bench.batch()).id)];
        return { unit: { kind: 'adopt', from: 1, to: 9, orders: [], batches }, result: changed };
      },
    },
    refused: {
      'they are of another gateway': async (bench) => {
        const [orders, batches] = [[(await queued(bench)).id], [movedBatch((await bench.batch()).id)]];
        return { unit: { kind: 'adopt', from: 2, to: 9, orders, batches }, result: changed };
      },
    },
  },

  reprice: {
    applied: {
      'it waits': async (bench) => ({ unit: reprice((await queued(bench)).id), result: changed }),
      'it waits again': async (bench) => ({ unit: reprice((await requeued(bench)).id), result: changed }),
    },
    refused: {
      'it runs': async (bench) => ({ unit: reprice((await running(bench)).id), result: stale }),
      'it is done': async (bench) => ({ unit: reprice((await done(bench)).id), result: stale }),
      'it is unknown': async () => ({ unit: reprice(UNKNOWN), result: stale }),
    },
  },
};

const movedBatch = (id: string) => ({ id, outputFileId: 'file-output', errorFileId: 'file-errors' });

/** What neither a failure nor a return to the book may follow. */
function releaseRefused(unitOf: typeof fail): CasesOfKind['refused'] {
  const on =
    (made: (bench: UnitBench) => ReturnType<typeof order>, attempt = 1) =>
    async (bench: UnitBench): Promise<Case> => ({
      unit: unitOf(await made(bench), attempt),
      result: stale,
    });
  return {
    'it runs as another attempt': on(running, 2),
    'it never ran': on(queued, 1),
    'it is done': on(done),
    'it is unknown': on(order),
    'its account is not there': async () => ({ unit: unitOf({ id: UNKNOWN, accountId: 'nobody' }), result: nobody }),
  };
}

describeUnits('units of orders', cases);

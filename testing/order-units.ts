/** Units of orders, and the orders, accounts and outcomes that the tests of all kinds of unit share. */
import { DAY_MS } from '#base/time.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { OrderRow } from '#orders/order.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from './order-fixtures.ts';
import type { Unit, UnitBench } from './unit-suite.ts';

type Order = ReturnType<typeof orderRow>;
type Change = Partial<Order>;

export const CHARGE = chargeOf(marketTariff, 500_000_000, { uncached: 10, cached: 90, output: 5 });
export const HOLD = 2n * CHARGE;
export const RICH = 10n ** 15n;
export const UNKNOWN = '00000000-0000-7000-8000-000000000000';
export const funded = { balance: RICH, held: 0n };
export const stale = { outcome: { result: 'stale' } } as const;
export const changed = { outcome: { result: 'changed' } } as const;
export const gone = { outcome: { result: 'gone' } } as const;
export const released = { outcome: { result: 'released', funds: funded } } as const;
export const settled = {
  outcome: { result: 'settled', charged: CHARGE, writtenOff: 0n, funds: after(CHARGE) },
} as const;
const why = { error: 'backend_error', errorMessage: 'It failed.', finishedAtMs: startMs + 3 } as const;
export const kept = { resultExpiresAtMs: startMs + DAY_MS } as const;
export const keptBody = { ...kept, resultBytes: 2, resultBody: '{}' } as const;

export function after(charged: bigint) {
  return { balance: RICH - charged, held: 0n };
}

export async function order(bench: UnitBench, change: Change = {}): Promise<Order> {
  return orderRow({ accountId: change.accountId ?? (await bench.account()), ...change });
}

export async function queued(bench: UnitBench, change: Change = {}): Promise<Order> {
  const made = await order(bench, change);
  await bench.write(acceptUnit(made));
  return made;
}

export async function running(bench: UnitBench, change: Change = {}): Promise<Order> {
  const made = await order(bench, change);
  await bench.write(acceptUnit(made, { admission: admissionOf(HOLD) }));
  return made;
}

export async function done(bench: UnitBench, change: Change = {}, settlement: Parameters<typeof settleUnit>[2] = {}) {
  const made = await running(bench, change);
  await bench.write(settleUnit(made, CHARGE, settlement));
  return made;
}

export async function requeued(bench: UnitBench, change: Change = {}): Promise<Order> {
  const made = await running(bench, change);
  await bench.write(requeue(made));
  return made;
}

export async function failed(bench: UnitBench, change: Change = {}): Promise<Order> {
  const made = await running(bench, change);
  await bench.write(fail(made));
  return made;
}

/** The order of a line. */
export async function lineOf(bench: UnitBench, change: Change = {}): Promise<Order> {
  const { id: batchId, accountId } = await bench.batch();
  return orderRow({ accountId, batchId, customId: 'line', outlives: true, ...change });
}

/** An account without free balance, because another of its orders runs. */
export async function busyAccount(bench: UnitBench): Promise<string> {
  const accountId = await bench.account(HOLD);
  await running(bench, { accountId });
  return accountId;
}

export function keyOf({ id: orderId, accountId }: Order, change: { key?: string; expiresAtMs?: number } = {}) {
  const row = { accountId, endpoint: 'chat', key: 'k', orderId, fingerprint: 'f', createdAtMs: startMs };
  return { ...row, expiresAtMs: startMs + DAY_MS, ...change };
}

/** Accepts the order with everything that can be stored besides its row. */
export function keptUnit(made: Order, { admission = admissionOf(HOLD) } = {}): Unit {
  const body = '{"prompt":"é"}';
  const requestLog = { body, expiresAtMs: startMs + DAY_MS };
  return acceptUnit(made, { admission, idempotency: keyOf(made), body, requestLog });
}

export function admit(made: Pick<Order, 'id' | 'accountId'>, { hold = HOLD, attempt = 1 } = {}): Unit {
  return { kind: 'admit', orderId: made.id, accountId: made.accountId, admission: admissionOf(hold, { attempt }) };
}

export function fail({ id: orderId, accountId }: Pick<Order, 'id' | 'accountId'>, attempt = 1): Unit {
  return { kind: 'fail', orderId, accountId, attempt, ...why };
}

export function requeue({ id: orderId, accountId }: Pick<Order, 'id' | 'accountId'>, attempt = 1): Unit {
  return { kind: 'requeue', orderId, accountId, attempt, expiresAtMs: startMs + 700_000, failures: 1 };
}

export function close(
  { id: orderId, accountId }: Pick<OrderRow, 'id' | 'accountId'>,
  status: 'canceled' | 'expired' | 'error' = 'canceled',
  finishedAtMs = startMs + 3,
): Unit {
  return {
    kind: 'close',
    orderId,
    accountId,
    status,
    error: `order_${status}`,
    errorMessage: 'It ended.',
    finishedAtMs,
  };
}

export function reprice(orderId: string): Unit {
  return { kind: 'reprice', orderId, bid: 5, restedSeq: 9 };
}

export function resultStored({ id: orderId, accountId }: Order, bytes = 9): Unit {
  return { kind: 'result-stored', orderId, accountId, bytes };
}

export function resultRemoved({ id: orderId, accountId }: Order): Unit {
  return { kind: 'result-removed', orderId, accountId };
}

export const runs = (held = HOLD, balance = RICH) =>
  ({ outcome: { result: 'executing', funds: { balance, held } } }) as const;
export const parked = { outcome: { result: 'parked', funds: { balance: HOLD, held: HOLD } } } as const;
export const unfunded = { outcome: { result: 'unfunded', funds: { balance: 0n, held: 0n } } } as const;
export const refusedLine = { outcome: { result: 'line-refused' } } as const;

/** Plausible orders and units for tests of storage: a test sets only the fields that it is about. */

import { idSource } from '#base/id.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { NEW_ORDER, type OrderRow } from '#orders/order.ts';
import type { AcceptUnit, Admission, SettleUnit } from '#orders/units.ts';
import { ManualClock } from './manual-clock.ts';

/** The time at which every fixture starts. */
export const startMs = Date.UTC(2026, 0, 1);

/** cached 0.1, uncached 1, output 4: one uncached token at level 1 USD costs 1/0.27 millionths of a dollar. */
export const marketTariff = tariffOf('market', { cached: '0.1', uncached: '1', output: '4' });

const ids = idSource(new ManualClock(startMs));

/** A queued market order, bid 1 USD. */
export function orderRow(change: Partial<OrderRow> & Pick<OrderRow, 'accountId'>): OrderRow {
  return {
    ...NEW_ORDER,
    id: ids.uuid(),
    keyId: null,
    kind: 'chat',
    model: 'tide-70b',
    bid: 1_000_000_000,
    limit: 1_000_000_000,
    priceLock: false,
    quoteAtSubmission: null,
    quoteSeq: null,
    maxCharge: 9_000_000_000_000n,
    tariffId: marketTariff.id,
    createdAtMs: startMs,
    expiresAtMs: startMs + 600_000,
    budgetFromMs: null,
    deadlineMs: null,
    detached: false,
    outlives: false,
    house: false,
    batchId: null,
    customId: null,
    promptBound: 100,
    promptEstimate: 60,
    outputCap: 1000,
    resultState: 'none',
    retentionDays: 0,
    bootEpoch: 1,
    requestId: 'request-1',
    tags: ['search', 'team:blue'],
    ...change,
  };
}

/** A first admission at a level of 0.5 USD, level row 1. */
export function admissionOf(hold: bigint, change: Partial<Admission> = {}): Admission {
  return {
    attempt: 1,
    atMs: startMs + 1,
    pod: 'sim-1',
    price: 500_000_000,
    levelSeq: 1,
    restedSeq: 1,
    hold,
    ...change,
  };
}

/** The holds of orders that ran at once: the order service knows them when it settles. */
const holds = new Map<string, bigint>();

export function acceptUnit(order: OrderRow, change: Partial<AcceptUnit> = {}): AcceptUnit {
  if (change.admission && !order.house) holds.set(order.id, change.admission.hold);
  return {
    kind: 'accept',
    order,
    admission: null,
    idempotency: null,
    line: null,
    lineWarning: null,
    body: null,
    requestLog: null,
    ...change,
  };
}

/** Settles the first attempt for `charge`. `hold` is required when the order waited before it ran. */
export function settleUnit(
  order: OrderRow,
  charge: bigint,
  { hold = holds.get(order.id) ?? 0n, ...change }: Partial<SettleUnit> & { hold?: bigint } = {},
): SettleUnit {
  const { createdAtMs, kind, outlives, batchId, tags } = order;
  return {
    kind: 'settle',
    orderId: order.id,
    accountId: order.accountId,
    keyId: order.keyId,
    budgeted: order.budgetFromMs != null,
    attempt: 1,
    running: { createdAtMs, kind, market: order.limit !== null, outlives, batchId, tags: tags ?? null, hold },
    finishedAtMs: startMs + 2,
    model: order.model,
    pricing: 'market',
    price: 500_000_000,
    tokens: { uncached: 10, cached: 90, output: 5 },
    charge,
    atBid: charge,
    estimated: false,
    resultBytes: null,
    resultText: null,
    resultExpiresAtMs: null,
    ...change,
  };
}

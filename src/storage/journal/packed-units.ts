/**
 * What crosses to the journal's thread and back, without the names of fields: a structured clone writes each name of each
 * object, and the other side looks each of them up. The two units of every order and their usual outcomes cross as
 * arrays; all else is rare, and crosses as it is. Only this file knows the places in the arrays.
 */
import type { OrderRow } from '#orders/order.ts';
import type { AcceptUnit, Admission, SettleUnit } from '#orders/units.ts';
import type { Applied, UnitResult } from './apply-units.ts';
import type { JournalUnit } from './units.ts';

type PackedAccept = ReturnType<typeof packAccept>;
type PackedSettle = ReturnType<typeof packSettle>;
/** A unit as it crosses. */
export type PackedUnit = PackedAccept | PackedSettle | readonly ['other', JournalUnit];

type PackedResult =
  | readonly ['executing', bigint, bigint]
  | readonly ['settled', bigint, bigint, bigint, bigint]
  | readonly ['other', UnitResult];
/** What comes back, as it crosses. */
export type PackedApplied = readonly [results: readonly PackedResult[], failure: string | null];

/** A unit, to be sent. */
export function packUnit(unit: JournalUnit): PackedUnit {
  if (unit.kind === 'accept') return packAccept(unit);
  return unit.kind === 'settle' ? packSettle(unit) : ['other', unit];
}

/** The unit that was sent. */
export function unpackUnit(packed: PackedUnit): JournalUnit {
  if (packed[0] === 'accept') return unpackAccept(packed);
  return packed[0] === 'settle' ? unpackSettle(packed) : packed[1];
}

/** What became of units, to be sent. */
export function packApplied({ results, failure }: Applied): PackedApplied {
  return [results.map(packResult), failure];
}

/** What was sent of what became of units. */
export function unpackApplied([results, failure]: PackedApplied): Applied {
  return { results: results.map(unpackResult), failure };
}

function packAccept({ order, admission, idempotency, line, body, requestLog }: AcceptUnit) {
  const rest = { idempotency, line, body, requestLog };
  const isPlain = idempotency === null && line === null && body === null && requestLog === null;
  return ['accept', packOrder(order), admission && packAdmission(admission), isPlain ? null : rest] as const;
}

function unpackAccept([kind, order, admission, rest]: PackedAccept): AcceptUnit {
  const { idempotency = null, line = null, body = null, requestLog = null } = rest ?? {};
  const unpacked = { order: unpackOrder(order), admission: admission && unpackAdmission(admission) };
  return { kind, ...unpacked, idempotency, line, body, requestLog };
}

function packAdmission({ attempt, atMs, pod, price, levelSeq, restedSeq, hold, epoch, model, budgetKey }: Admission) {
  return [attempt, atMs, pod, price, levelSeq, restedSeq, hold, epoch, model, budgetKey] as const;
}

function unpackAdmission(packed: ReturnType<typeof packAdmission>): Admission {
  const [attempt, atMs, pod, price, levelSeq, restedSeq, hold, epoch, model, budgetKey] = packed;
  const own = { attempt, atMs, pod, price, levelSeq, restedSeq, hold };
  const admission = budgetKey === undefined ? own : { ...own, budgetKey };
  return epoch === undefined || model === undefined ? admission : { ...admission, epoch, model };
}

function packOrder(order: OrderRow) {
  return [
    order.id,
    order.accountId,
    order.keyId,
    order.kind,
    order.model,
    order.status,
    order.bid,
    order.limit,
    order.priceLock,
    order.quoteAtSubmission,
    order.quoteSeq ?? null,
    order.tariffId,
    order.createdAtMs,
    order.admittedAtMs,
    order.finishedAtMs,
    order.expiresAtMs,
    order.price,
    order.levelSeq,
    order.firstPrice,
    order.attempt,
    order.failures,
    order.hold,
    order.restedSeq,
    order.pod,
    order.error,
    order.errorMessage,
    order.detached,
    order.outlives,
    order.house,
    order.batchId,
    order.customId,
    order.promptBound,
    order.promptEstimate,
    order.outputCap,
    order.resultState,
    order.resultExpiresAtMs,
    order.retentionDays,
    order.bootEpoch,
    order.budgetFromMs ?? null,
    order.maxCharge ?? null,
    order.deadlineMs ?? null,
  ] as const;
}

function unpackOrder(packed: ReturnType<typeof packOrder>): OrderRow {
  return {
    id: packed[0],
    accountId: packed[1],
    keyId: packed[2],
    kind: packed[3],
    model: packed[4],
    status: packed[5],
    bid: packed[6],
    limit: packed[7],
    priceLock: packed[8],
    quoteAtSubmission: packed[9],
    quoteSeq: packed[10],
    tariffId: packed[11],
    createdAtMs: packed[12],
    admittedAtMs: packed[13],
    finishedAtMs: packed[14],
    expiresAtMs: packed[15],
    price: packed[16],
    levelSeq: packed[17],
    firstPrice: packed[18],
    attempt: packed[19],
    failures: packed[20],
    hold: packed[21],
    restedSeq: packed[22],
    pod: packed[23],
    error: packed[24],
    errorMessage: packed[25],
    detached: packed[26],
    outlives: packed[27],
    house: packed[28],
    batchId: packed[29],
    customId: packed[30],
    promptBound: packed[31],
    promptEstimate: packed[32],
    outputCap: packed[33],
    resultState: packed[34],
    resultExpiresAtMs: packed[35],
    retentionDays: packed[36],
    bootEpoch: packed[37],
    budgetFromMs: packed[38],
    maxCharge: packed[39],
    deadlineMs: packed[40],
  };
}

function packSettle(unit: SettleUnit) {
  const { running, tokens } = unit;
  return [
    'settle',
    unit.orderId,
    unit.accountId,
    unit.attempt,
    running.createdAtMs,
    running.kind,
    running.market,
    running.outlives,
    running.batchId,
    running.hold,
    unit.finishedAtMs,
    unit.model,
    unit.pricing,
    unit.price,
    tokens.uncached,
    tokens.cached,
    tokens.output,
    unit.charge,
    unit.atBid,
    unit.estimated,
    unit.resultBytes,
    unit.resultText,
    unit.resultExpiresAtMs,
    unit.keyId,
    unit.budgeted,
    unit.maxCharge ?? null,
  ] as const;
}

function unpackSettle(packed: PackedSettle): SettleUnit {
  return {
    kind: 'settle',
    orderId: packed[1],
    accountId: packed[2],
    attempt: packed[3],
    running: {
      createdAtMs: packed[4],
      kind: packed[5],
      market: packed[6],
      outlives: packed[7],
      batchId: packed[8],
      hold: packed[9],
    },
    finishedAtMs: packed[10],
    model: packed[11],
    pricing: packed[12],
    price: packed[13],
    tokens: { uncached: packed[14], cached: packed[15], output: packed[16] },
    charge: packed[17],
    atBid: packed[18],
    estimated: packed[19],
    resultBytes: packed[20],
    resultText: packed[21],
    resultExpiresAtMs: packed[22],
    keyId: packed[23],
    budgeted: packed[24],
    maxCharge: packed[25],
  };
}

function packResult(result: UnitResult): PackedResult {
  if ('outcome' in result) {
    const { outcome } = result;
    if (outcome.result === 'executing') return ['executing', outcome.funds.balance, outcome.funds.held];
    if (outcome.result === 'settled')
      return ['settled', outcome.charged, outcome.writtenOff, outcome.funds.balance, outcome.funds.held];
  }
  return ['other', result];
}

function unpackResult(packed: PackedResult): UnitResult {
  switch (packed[0]) {
    case 'executing':
      return { outcome: { result: 'executing', funds: { balance: packed[1], held: packed[2] } } };
    case 'settled': {
      const [result, charged, writtenOff, balance, held] = packed;
      return { outcome: { result, charged, writtenOff, funds: { balance, held } } };
    }
    case 'other':
      return packed[1];
  }
}

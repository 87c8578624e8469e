/**
 * What crosses to the journal's thread and back, without the names of fields: a structured clone writes each name of each
 * object, and the other side looks each of them up. The two units of every order and their usual outcomes cross as
 * arrays; all else is rare, and crosses as it is.
 */
import type { Tokens } from '#ledger/tariff.ts';
import { type OrderRow, orderKinds } from '#orders/order.ts';
import type { AcceptUnit, Admission, RunningOrder, SettleUnit } from '#orders/units.ts';
import { codec, optional, type Packed } from '../database/codec.ts';
import { flag, int, intOrNull, money, oneOf, orNull, text, textOrNull } from '../database/values.ts';
import { packOrder, tagList, unpackOrder } from '../records/order.ts';
import type { Applied, UnitResult } from './apply-units.ts';
import type { JournalUnit } from './units.ts';

type PackedAccept = readonly [
  'accept',
  Packed<OrderRow>,
  Packed<Admission> | null,
  Pick<AcceptUnit, 'idempotency' | 'line' | 'lineWarning' | 'body' | 'requestLog'> | null,
];
/** A unit as it crosses. */
export type PackedUnit = PackedAccept | Packed<SettleUnit> | readonly ['other', JournalUnit];

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
  if (isSettle(packed)) return unpackSettle(packed);
  return packed[0] === 'accept' ? unpackAccept(packed) : packed[1];
}

function isSettle(packed: PackedUnit): packed is Packed<SettleUnit> {
  return packed[0] === 'settle';
}

/** The outcome of units, to be sent. */
export function packApplied({ results, failure }: Applied): PackedApplied {
  return [results.map(packResult), failure];
}

/** The outcome of units, as it was sent. */
export function unpackApplied([results, failure]: PackedApplied): Applied {
  return { results: results.map(unpackResult), failure };
}

/** What an order is admitted with. */
const { pack: packAdmission, unpack: unpackAdmission } = codec<Admission>({
  attempt: int,
  atMs: int,
  pod: text,
  price: int,
  levelSeq: int,
  restedSeq: int,
  hold: money,
  budgetKey: optional(text),
  epoch: optional(int),
  model: optional(text),
});

/** A settlement. Its kind comes first: it says what was packed. */
const { pack: packSettle, unpack: unpackSettle } = codec<SettleUnit>({
  kind: oneOf(['settle']),
  orderId: text,
  accountId: text,
  keyId: textOrNull,
  budgeted: flag,
  attempt: int,
  running: codec<RunningOrder>({
    createdAtMs: int,
    kind: oneOf(orderKinds),
    market: flag,
    outlives: flag,
    batchId: textOrNull,
    tags: orNull(tagList),
    hold: money,
  }),
  finishedAtMs: int,
  model: text,
  pricing: oneOf(['market', 'fixed']),
  price: int,
  tokens: codec<Tokens>({ uncached: int, cached: int, output: int }),
  charge: money,
  maxCharge: orNull(money),
  atBid: money,
  estimated: flag,
  firstOutputAtMs: intOrNull,
  resultBytes: intOrNull,
  resultText: textOrNull,
  resultExpiresAtMs: intOrNull,
});

function packAccept({ order, admission, idempotency, line, lineWarning, body, requestLog }: AcceptUnit): PackedAccept {
  const rest = { idempotency, line, lineWarning, body, requestLog };
  const isPlain = idempotency === null && line === null && body === null && requestLog === null;
  return ['accept', packOrder(order), admission && packAdmission(admission), isPlain ? null : rest];
}

function unpackAccept([kind, order, admission, rest]: PackedAccept): AcceptUnit {
  const { idempotency = null, line = null, lineWarning = null, body = null, requestLog = null } = rest ?? {};
  const unpacked = { order: unpackOrder(order), admission: admission && unpackAdmission(admission) };
  return { kind, ...unpacked, idempotency, line, lineWarning, body, requestLog };
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

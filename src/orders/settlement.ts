/** Settlement of a run: the tokens that are charged, the answer with its receipt, and the unit that is written. */
import { DAY_MS } from '#base/time.ts';
import { chargeOf } from '#ledger/tariff.ts';
import { tokensToCharge } from '#ledger/usage.ts';
import { cadenceOf } from '#results/event-log.ts';
import { type Answer, type EncodedResult, encodeResult, fitsRow } from '#results/result.ts';
import type { LiveOrder } from './live-order.ts';
import { chargeBoundOf, within } from './max-charge.ts';
import type { AttemptCounts } from './ports.ts';
import type { SettleUnit } from './units.ts';

/** A run to be settled. */
export interface Settlement {
  readonly answer: Answer;
  /** Whether the token counts are the gateway's estimate. */
  readonly estimated: boolean;
  /** The result to keep; null for nothing. */
  readonly result: EncodedResult | null;
}

/** The settlement of what `order` has produced so far. */
export function settlementOf(order: LiveOrder, counts: AttemptCounts, finishedAtMs: number): Settlement {
  const { row, output, orderId, tariff, price, bid } = order;
  const cap = order.outputCap;
  const { tokens, estimated } = tokensToCharge({
    reported: counts.usage,
    outputChunks: counts.outputChunks ?? null,
    outputDeltas: output.outputDeltas,
    outputBytes: () => output.outputBytes(),
    promptEstimate: row.promptEstimate,
    promptBound: row.promptBound,
    estimatedCachedShare: order.listing.estimatedCachedShare,
    outputCap: cap,
    contextLength: order.listing.contextLength,
  });
  const due = chargeOf(tariff, price, tokens);
  const generation = output.generation();
  const { finishReason } = generation;
  const bound = chargeBoundOf(row, { cap, due, outputTokens: tokens.output, finishReason, estimated });
  const receipt = { orderId, tariff, price, bid, charged: within(due, row), tokens, bound, estimated };
  const reasoningTokens = counts.usage?.reasoningTokens ?? null;
  const answer = { generation, receipt, reasoningTokens, finishedAtMs };
  return { answer, estimated, result: order.resultStored ? resultOf(order, answer) : null };
}

/** The unit that writes it, with a small result; a larger one that came first is in the result store. */
export function settleUnitOf(order: LiveOrder, { answer, estimated, result }: Settlement): SettleUnit {
  const { orderId, attempt, createdAtMs, kind, hold } = order;
  const { accountId, keyId, model, retentionDays, limit, outlives, batchId, maxCharge = null, tags = null } = order.row;
  const { tokens, tariff, price } = answer.receipt;
  const along = result !== null && fitsRow(result);
  return {
    kind: 'settle',
    orderId,
    accountId,
    keyId,
    budgeted: order.budgeted,
    attempt,
    running: { createdAtMs, kind, market: limit !== null, outlives, batchId, tags, hold },
    finishedAtMs: answer.finishedAtMs,
    model,
    pricing: tariff.type,
    price,
    tokens,
    charge: maxCharge === null ? answer.receipt.charged : chargeOf(tariff, price, tokens),
    maxCharge,
    // The ceiling may have risen since it came: it saved nothing less than nothing.
    atBid: within(chargeOf(tariff, Math.min(order.bid, Math.max(order.listing.ceiling, price)), tokens), order.row),
    estimated,
    firstOutputAtMs: order.firstOutputAtMs === 0 ? null : order.firstOutputAtMs,
    resultBytes: along || order.resultFirst ? (result?.bytes ?? null) : null,
    resultText: along ? result.text : null,
    resultExpiresAtMs: order.resultStored ? answer.finishedAtMs + retentionDays * DAY_MS : null,
  };
}

function resultOf({ orderId, attempt, kind, listing, createdAtMs, stream }: LiveOrder, answer: Answer): EncodedResult {
  const record = stream && { cadence: cadenceOf(stream.entries), echo: stream.echoJson, restarted: stream.restarted };
  return encodeResult({ orderId, kind, model: listing.id, createdAtMs, answer, stream: record }, attempt);
}

/** What a run of an order comes to: the tokens that are charged, the answer with its receipt, and what is written. */
import { tokensToCharge } from '#ledger/settlement.ts';
import { chargeOf } from '#ledger/tariff.ts';
import type { ReportedUsage } from './generation.ts';
import type { SettleUnit } from './journal-port.ts';
import type { LiveOrder } from './live-order.ts';
import type { Answer } from './order-port.ts';
import { encodeResult, fitsRow, type ResultBody } from './results.ts';

const DAY_MS = 86_400_000;

/** A run that is to be settled. */
export interface Settlement {
  readonly answer: Answer;
  /** Whether the token counts are the gateway's estimate. */
  readonly estimated: boolean;
  /** The answer as it is kept; null when none is. */
  readonly body: ResultBody | null;
}

/** The settlement of what `order` produced until now. `reported` is null where the pod sent no usage. */
export function settlementOf(order: LiveOrder, reported: ReportedUsage | null, finishedAtMs: number): Settlement {
  const { row, output, orderId, tariff, levelAtExecution, bid } = order;
  const { tokens, estimated } = tokensToCharge({
    reported,
    outputDeltas: output.outputDeltas,
    outputBytes: () => output.outputBytes(),
    promptEstimate: row.promptEstimate,
    promptBound: row.promptBound,
    outputCap: row.outputCap,
    contextLength: order.listing.contextLength,
  });
  const charged = chargeOf(tariff, levelAtExecution, tokens);
  const receipt = { orderId, tariff, levelAtExecution, bid, charged, tokens };
  const reasoningTokens = reported?.reasoningTokens ?? null;
  const answer = { generation: output.generation(), receipt, reasoningTokens, finishedAtMs };
  return { answer, estimated, body: order.resultStored ? bodyOf(order, answer) : null };
}

/** The same with what was debited in the end. */
export function withWriteOff(order: LiveOrder, { answer, estimated, body }: Settlement, charged: bigint): Settlement {
  const paid = { ...answer, receipt: { ...answer.receipt, charged } };
  return { answer: paid, estimated, body: body && bodyOf(order, paid) };
}

/** The unit that writes it. A body that fits goes along; a larger one that had to come first is in the result store. */
export function settleUnitOf(order: LiveOrder, { answer, estimated, body }: Settlement): SettleUnit {
  const { orderId, attempt, createdAtMs, kind, hold } = order;
  const { accountId, model, retentionDays, priceLimit, outlives, batchId } = order.row;
  const { tokens, charged: charge, tariff, levelAtExecution } = answer.receipt;
  const along = body !== null && fitsRow(body);
  return {
    kind: 'settle',
    orderId,
    accountId,
    attempt,
    running: { createdAtMs, kind, market: priceLimit !== null, outlives, batchId, hold },
    finishedAtMs: answer.finishedAtMs,
    model,
    pricing: tariff.type,
    levelAtExecution,
    tokens,
    charge,
    atBid: chargeOf(tariff, Math.min(order.bid, order.listing.ceiling), tokens),
    estimated,
    resultBytes: along || order.bodyFirst ? (body?.bytes ?? null) : null,
    resultBody: along ? body.text : null,
    resultExpiresAtMs: order.resultStored ? answer.finishedAtMs + retentionDays * DAY_MS : null,
  };
}

function bodyOf({ orderId, kind, listing, createdAtMs }: LiveOrder, answer: Answer): ResultBody {
  return encodeResult({ orderId, kind, model: listing.id, createdAtMs, answer });
}

/** An order on the wire as the operator sees it: of any account, with its stored life and money. */

import { Fault } from '#base/fault.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { type Reach, reaches } from '#base/reach.ts';
import { iso, isoOrNull } from '#base/time.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import { wirePrices, wireReceipt } from '#ledger/receipt.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import { isTerminal, type OrderRow } from '#orders/order.ts';
import type { FindOrder, FoundOrder, LoggedRequest, OrderSettlement } from '#orders/ports.ts';
import { noOrder, noSuchOrder, orderIdOf } from './order-object.ts';

/** The reply for the order with the id in a path. Throws Fault not_found for malformed and unknown ids. */
export async function operatorOrder(
  params: { readonly id: string },
  findOrder: FindOrder,
): Promise<JsonReply<JsonOf<'showOrder'>, 200>> {
  const found = await findOrder(orderIdOf({ params }));
  if (!found) throw noOrder();
  const { order, settlement } = found;
  return {
    status: 200,
    json: {
      object: 'order',
      id: order.id,
      account_id: order.accountId,
      key_id: order.keyId,
      batch_id: order.batchId,
      custom_id: order.customId,
      request_id: order.requestId ?? null,
      tags: order.tags ?? undefined,
      kind: order.kind,
      model: order.model,
      status: order.status,
      house: order.house,
      bid: priceToUsd(order.bid),
      price_limit: order.limit === null ? null : priceToUsd(order.limit),
      price_lock: order.priceLock,
      quote_at_submission: order.quoteAtSubmission === null ? null : priceToUsd(order.quoteAtSubmission),
      prompt_tokens_max: order.promptBound,
      output_tokens_max: order.outputCap,
      expires_at: iso(order.expiresAtMs),
      goes_on_without_caller: order.outlives,
      hold_usd: nanoToUsd(order.hold),
      pod: order.pod,
      attempts: order.attempt,
      failures: order.failures,
      error: order.error,
      error_message: order.errorMessage,
      result: order.resultState,
      result_expires_at: isoOrNull(order.resultExpiresAtMs),
      timeline: timelineOf(order, settlement),
      settlement: settlement && settlementObject(settlement),
      receipt: settlement && receiptOf(order, settlement),
    },
  };
}

/** By time; what happened in the same millisecond stays in the order of a life. */
export function timelineOf({ status, ...order }: OrderRow, settlement: OrderSettlement | null) {
  const steps = [
    { atMs: order.createdAtMs, what: 'submitted' },
    { atMs: order.admittedAtMs, what: 'admitted' },
    { atMs: settlement?.firstOutputAtMs ?? null, what: 'first token' },
    { atMs: settlement?.atMs ?? null, what: 'settled' },
    { atMs: isTerminal(status) ? order.finishedAtMs : null, what: status },
  ];
  return steps
    .flatMap(({ atMs, what }) => (atMs === null ? [] : [{ atMs, what }]))
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, what }) => ({ at: iso(atMs), what }));
}

/** What was charged. */
export function settlementObject(settlement: OrderSettlement) {
  return {
    prompt_tokens: settlement.promptTokens,
    cached_tokens: settlement.cachedTokens,
    output_tokens: settlement.outputTokens,
    charged_usd: nanoToUsd(settlement.charged),
    refunded_usd: nanoToUsd(settlement.refunded),
    written_off_usd: nanoToUsd(settlement.writtenOff),
    at_bid_usd: nanoToUsd(settlement.atBid),
    estimated: settlement.estimated,
  };
}

function receiptOf({ id, tariffId, bid }: OrderRow, settlement: OrderSettlement) {
  const { price, charged, promptTokens, cachedTokens, outputTokens, estimated } = settlement;
  const tokens = { uncached: promptTokens - cachedTokens, cached: cachedTokens, output: outputTokens };
  const receipt = { orderId: id, tariff: tariffFromId(tariffId), price, bid, charged, tokens, estimated };
  // The type of the answer names also what may be absent.
  const { usage_estimated, usd_per_million, ...always } = wireReceipt(receipt);
  return { ...always, usage_estimated, usd_per_million };
}

/** The order with the id in a path. Throws Fault not_found for malformed and unknown ids, and those out of reach. */
export async function orderWithin(
  params: { readonly id: string },
  reach: Reach,
  findOrder: FindOrder,
): Promise<FoundOrder> {
  const found = await findOrder(orderIdOf({ params }));
  if (!found || !reaches(reach, found.order)) throw noSuchOrder();
  return found;
}

/** What members see beside the order itself: more than a key is shown, and nothing of the operator's. Weights and prices are those of the tariff that it was submitted under. */
export function orderDetails(order: OrderRow, settlement: OrderSettlement | null) {
  const tariff = tariffFromId(order.tariffId);
  return {
    price_limit: order.limit === null ? null : priceToUsd(order.limit),
    attempts: order.attempt,
    error_message: order.errorMessage,
    hold_usd: nanoToUsd(order.hold),
    tariff: { pricing: tariff.type, ...wirePrices(tariff) },
    timeline: timelineOf(order, settlement),
    settlement: settlement && settlementObject(settlement),
  };
}

/** A kept request on the wire. Throws Fault not_found where there is none. */
export function requestObject(found: LoggedRequest | null) {
  if (!found) throw new Fault('not_found', { message: 'No request of an order with this id is kept.' });
  const { orderId: order_id, accountId: account_id, expiresAtMs, body } = found;
  return { object: 'order_request', order_id, account_id, expires_at: iso(expiresAtMs), body: { ...body } };
}

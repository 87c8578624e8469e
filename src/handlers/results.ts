/**
 * What an order answered, collected later. Every state of an order has its answer here: only a finished order whose
 * answer is not kept is gone. Spec 4.6; docs/lifecycle.md.
 */
import type { Downloads } from '#access/downloads.ts';
import type { WireShape } from '#adapters/wire-shape.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import { isTerminal, type OrderKind, type OrderRow } from '#orders/order.ts';
import type { Answer, StoredResult } from '#orders/order-port.ts';
import type { OrderStore, ResultStore } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import { decodeResult } from '#orders/results.ts';
import type { SecuredHandler } from './call.ts';
import { noSuchOrder, orderIdOf } from './order-id.ts';

/** The shapes by the kind of order that they render. */
export type Shapes = Readonly<Record<OrderKind, Pick<WireShape<never>, 'renderAnswer'>>>;

/** What the results' handlers need. */
export interface ResultsDependencies {
  readonly store: Pick<OrderStore, 'find'>;
  readonly results: Pick<ResultStore, 'get' | 'delete'>;
  readonly journal: Pick<JournalPort, 'write'>;
  readonly downloads: Pick<Downloads, 'take'>;
  readonly shapes: Shapes;
  readonly clock: Clock;
  readonly log: Log;
  /** The boot of this process: what an earlier one did not store will never be stored. */
  readonly bootEpoch: number;
  /** Whether the batch still runs; a line of it keeps its result. */
  readonly isBatchRunning: (batchId: string) => boolean;
}

/** getOrderResult and deleteOrderResult. */
export function resultsHandlers(parts: ResultsDependencies): {
  readonly getOrderResult: SecuredHandler;
  readonly deleteOrderResult: SecuredHandler;
} {
  const { store, results, journal, bootEpoch, isBatchRunning } = parts;
  return {
    async getOrderResult(call) {
      const order = await store.find(call.principal.account.id, orderIdOf(call));
      if (!order) throw noSuchOrder();
      if (order.status !== 'done') return { status: 200, json: resultObject(order, null) };
      if (isBeingStored(order, bootEpoch)) {
        return { status: 200, headers: { 'retry-after': '1' }, json: resultObject(order, null) };
      }
      const answer = await collect(order, parts);
      return { status: 200, json: resultObject(order, bodyOf(order, answer, parts.shapes)) };
    },

    async deleteOrderResult(call) {
      const order = await store.find(call.principal.account.id, orderIdOf(call));
      if (!order) throw noSuchOrder();
      const { id: orderId, accountId } = order;
      if (order.batchId !== null && isBatchRunning(order.batchId)) {
        throw new Fault('batch_in_progress', { orderId });
      }
      if (isStillToCome(order, bootEpoch)) throw new Fault('result_write_pending', { orderId });
      if (order.status === 'done' && order.resultState !== 'none') {
        await journal.write({ kind: 'result-removed', orderId, accountId });
        await results.delete(orderId);
      }
      return { status: 200, json: { id: orderId, object: 'order.result', deleted: true } };
    },
  };
}

/** The answer as it is kept, counted as a download. Throws result_unavailable when it is kept no more. */
async function collect(order: OrderRow, parts: ResultsDependencies): Promise<Answer> {
  const { results, downloads, clock, log } = parts;
  const expired = order.resultExpiresAtMs !== null && order.resultExpiresAtMs <= clock.nowMs();
  const body = order.resultState === 'stored' && !expired ? await results.get(order.id) : null;
  const kept = body && decodeOrLog(order.id, body, log);
  if (!body || !kept) throw new Fault('result_unavailable', { orderId: order.id });
  await downloads.take(order.accountId, Buffer.byteLength(body));
  return kept.answer;
}

/** A power cut can leave a body in pieces where nobody was promised it; such a one is as good as lost. */
function decodeOrLog(orderId: string, body: string, log: Log): StoredResult | null {
  try {
    return decodeResult(body);
  } catch (error) {
    log.error({ order: orderId, err: error }, 'A stored result cannot be read.');
    return null;
  }
}

/** Done, with its body on the way: this process still has it in hand. */
function isBeingStored(order: OrderRow, bootEpoch: number): boolean {
  return order.status === 'done' && order.resultState === 'promised' && order.bootEpoch === bootEpoch;
}

/** Whether a result may still appear, so that deleting it now would be a lie. */
function isStillToCome(order: OrderRow, bootEpoch: number): boolean {
  if (isTerminal(order.status)) return isBeingStored(order, bootEpoch);
  return order.resultState === 'promised';
}

/** The answer in the shape of its endpoint; what echoes the request takes its default. */
function bodyOf(order: OrderRow, answer: Answer, shapes: Shapes): JsonObject {
  const { id: orderId, model, createdAtMs, promptEstimate } = order;
  return shapes[order.kind].renderAnswer({ orderId, model, createdAtMs, promptEstimate }, answer, null);
}

function resultObject(order: OrderRow, body: JsonObject | null) {
  const { status, resultState, resultExpiresAtMs } = order;
  const isKept = status === 'done' && (resultState === 'stored' || resultState === 'promised');
  const hasFailed = isTerminal(status) && status !== 'done';
  return {
    id: order.id,
    object: 'order.result',
    kind: order.kind,
    status,
    created_at: new Date(order.createdAtMs).toISOString(),
    expires_at: new Date(order.expiresAtMs).toISOString(),
    result_expires_at: isKept && resultExpiresAtMs !== null ? new Date(resultExpiresAtMs).toISOString() : null,
    body,
    error: hasFailed ? { code: order.error ?? 'internal_error', message: order.errorMessage ?? '' } : null,
  };
}

/**
 * The result of an order, collected later. Every state of an order has its own reply: only a finished order whose
 * result is not stored is 410. Spec 4.6; docs/understand/lifecycle.md.
 */
import type { Downloads } from '#access/downloads.ts';
import type { WireShape } from '#adapters/common/wire-shape.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { inTime, type JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { isTerminal, type OrderKind, type OrderRow } from '#orders/order.ts';
import type { OrderStore } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import type { ResultStore, ResultUnits, StoredResult } from '#results/ports.ts';
import { decodeResult, type Result } from '#results/result.ts';
import { noSuchOrder, orderIdOf } from './order-object.ts';

/** The wire shapes by the kind of order that they render. */
type Shapes = Readonly<Record<OrderKind, Pick<WireShape<never>, 'renderAnswer'>>>;

/** What the handlers of results need. */
export interface ResultsOptions {
  readonly store: Pick<OrderStore, 'find'>;
  readonly results: Pick<ResultStore, 'get' | 'delete'>;
  readonly journal: Pick<JournalPort<ResultUnits>, 'write'>;
  readonly downloads: Pick<Downloads, 'begin'>;
  readonly shapes: Shapes;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Whether the gateway with this boot epoch serves: a result that an earlier one did not store will never be stored.
   */
  readonly isServing: (bootEpoch: number) => boolean | Promise<boolean>;
  /** Whether the batch still runs: the results of its lines cannot be deleted. */
  readonly isBatchRunning: (batchId: string) => boolean | Promise<boolean>;
}

/** getOrderResult and deleteOrderResult. */
export function resultsHandlers(options: ResultsOptions) {
  const { store, results, journal, isServing, isBatchRunning } = options;
  return handlersOf({
    async getOrderResult(call) {
      const order = await store.find(call.principal.reach, orderIdOf(call));
      if (!order) throw noSuchOrder();
      if (order.status !== 'done') return { status: 200, json: resultObject(order, null) };
      if (await isBeingStored(order, isServing)) {
        return { status: 200, headers: { 'retry-after': '1' }, json: resultObject(order, null) };
      }
      const { text, result } = await storedResult(order, options);
      await options.downloads.begin(call, order.accountId, Buffer.byteLength(text));
      const { id: orderId, model, createdAtMs, promptEstimate } = order;
      const facts = { orderId, model, createdAtMs, promptEstimate };
      // Fields that echo the request have their defaults.
      const body = options.shapes[order.kind].renderAnswer(facts, result.answer, null);
      return { status: 200, json: resultObject(order, body) };
    },

    async deleteOrderResult(call) {
      const order = await store.find(call.principal.reach, orderIdOf(call));
      if (!order) throw noSuchOrder();
      const { id: orderId, accountId } = order;
      if (order.batchId !== null && (await isBatchRunning(order.batchId))) {
        throw new Fault('batch_in_progress', { orderId });
      }
      if (await isStillToCome(order, isServing)) throw stillToCome(order);
      if (order.status === 'done' && order.resultState !== 'none') {
        await inTime(async (overdue) => {
          await journal.write({ kind: 'result-removed', orderId, accountId }, overdue);
          await results.delete(orderId);
        });
      }
      return { status: 200, json: { id: orderId, object: 'order.result', deleted: true } };
    },
  });
}

/** The stored result of an order that is done, and its text. Throws result_unavailable when it is no longer stored. */
export async function storedResult(
  order: OrderRow,
  { results, clock, log }: Pick<ResultsOptions, 'clock' | 'log'> & { readonly results: Pick<ResultStore, 'get'> },
): Promise<{ readonly text: string; readonly result: Result }> {
  const expired = order.resultExpiresAtMs !== null && order.resultExpiresAtMs <= clock.nowMs();
  const stored = order.resultState === 'stored' && !expired ? await results.get(order.id) : null;
  const result = stored && decodeOrLog(order.id, stored, log);
  if (!stored || !result) throw new Fault('result_unavailable', { orderId: order.id });
  return { text: stored.text, result };
}

/** After a power cut, a blob that was not yet promised may be damaged; it counts as lost. */
function decodeOrLog(orderId: string, stored: StoredResult, log: Log): Result | null {
  try {
    return decodeResult(stored);
  } catch (error) {
    log.error({ order: orderId, err: error }, 'A stored result cannot be read.');
    return null;
  }
}

/** Done, but its gateway has not stored the result yet. */
export async function isBeingStored(order: OrderRow, isServing: ResultsOptions['isServing']): Promise<boolean> {
  return order.status === 'done' && order.resultState === 'promised' && isServing(order.bootEpoch);
}

/** Whether a result may still be stored, so that "deleted" would be untrue. */
async function isStillToCome(order: OrderRow, isServing: ResultsOptions['isServing']): Promise<boolean> {
  if (isTerminal(order.status)) return isBeingStored(order, isServing);
  return order.resultState === 'promised';
}

/** An order may wait for days, so its caller learns what to do besides waiting. */
function stillToCome({ id: orderId, status }: OrderRow): Fault {
  if (isTerminal(status)) return new Fault('result_write_pending', { orderId });
  const fix =
    status === 'queued'
      ? 'Cancel it with POST /v1/orders/{id}/cancel, or wait until it has ended.'
      : 'Delete its result when it has ended.';
  return new Fault('result_write_pending', { orderId, message: `The order has not ended: it is ${status}. ${fix}` });
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
    created_at: iso(order.createdAtMs),
    expires_at: iso(order.expiresAtMs),
    result_expires_at: isKept && resultExpiresAtMs !== null ? iso(resultExpiresAtMs) : null,
    body,
    error: hasFailed ? { code: order.error ?? 'internal_error', message: order.errorMessage ?? '' } : null,
  };
}

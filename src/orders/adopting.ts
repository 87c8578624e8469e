/**
 * Makes the live orders of a gateway that died those of this one: what a restart does with its own, by ordinary units of
 * the journal, while other gateways go on. Callers that were connected to it are gone: their orders end, uncharged. Those
 * that outlive their callers are queued again. Every step can be repeated. A start that is alone does the same by other
 * means: `storage/orders/recovery.ts` says why. docs/understand/lifecycle.md.
 */
import type { Clock } from '#base/clock.ts';
import { catalogue, Fault } from '#base/fault.ts';
import type { JournalPort } from '#base/journal.ts';
import type { OrderRow } from './order.ts';
import type { SetApart } from './ports.ts';
import type { OrderUnits } from './units.ts';

const REASON = { error: 'gateway_restarted', errorMessage: catalogue.gateway_restarted.message } as const;

interface AdoptingOptions {
  readonly clock: Clock;
  readonly journal: Pick<JournalPort<OrderUnits>, 'write'>;
  /** The boot epochs of the dead gateway and of this one. The same for orders that this gateway has lost sight of. */
  readonly from: number;
  readonly to: number;
}

/**
 * Ends or requeues a page of live orders, and makes the requeued ones this gateway's. Returns those that stay as they
 * are. Rejects with a Fault `unavailable` when the journal takes nothing now: some may have changed.
 */
export async function adoptOrders(
  page: readonly OrderRow[],
  { clock, journal, from, to }: AdoptingOptions,
): Promise<SetApart[]> {
  const nowMs = clock.nowMs();
  const apart: SetApart[] = [];
  /** The orders for which `step` succeeds. */
  const trying = async (orders: readonly OrderRow[], step: (order: OrderRow) => Promise<unknown>) => {
    const settled = await Promise.allSettled(orders.map(step));
    return orders.filter((order, at) => {
      const outcome = settled[at];
      if (outcome?.status !== 'rejected') return true;
      if (outcome.reason instanceof Fault && outcome.reason.code === 'unavailable') throw outcome.reason;
      apart.push({ id: order.id, error: outcome.reason });
      return false;
    });
  };
  const settled = await trying(page, async (order) => {
    if (!order.outlives) return journal.write(endOf(order, nowMs));
    return order.status === 'executing' ? journal.write(requeueOf(order, nowMs)) : null;
  });
  const queued = settled.filter(({ outlives }) => outlives);
  const adopt = (orders: readonly OrderRow[]) =>
    journal.write({ kind: 'adopt', from, to, orders: orders.map(({ id }) => id), batches: [] });
  if (from === to || queued.length === 0) return apart;
  try {
    await adopt(queued);
  } catch {
    // One of the rows is at fault.
    await trying(queued, (order) => adopt([order]));
  }
  return apart;
}

function endOf({ id: orderId, accountId, status, attempt }: OrderRow, finishedAtMs: number) {
  if (status === 'queued')
    return { kind: 'close', orderId, accountId, status: 'canceled', finishedAtMs, ...REASON } as const;
  return { kind: 'fail', orderId, accountId, attempt, finishedAtMs, ...REASON } as const;
}

/** The time spent executing is added to its wait; a line waits until its batch expires. */
function requeueOf(order: OrderRow, nowMs: number) {
  const { id: orderId, accountId, attempt, batchId, admittedAtMs, failures } = order;
  const ranMs = batchId === null ? Math.max(0, nowMs - (admittedAtMs ?? nowMs)) : 0;
  return { kind: 'requeue', orderId, accountId, attempt, expiresAtMs: order.expiresAtMs + ranMs, failures } as const;
}

/**
 * Takes over the orders of a gateway that died: what a restart does with its own, by ordinary units of the journal, while
 * other gateways go on. Callers that were connected to it are gone: their orders end, uncharged. Those that outlive
 * their callers are queued again, and belong to this gateway. Every step can be repeated. A start that is alone does the
 * same by other means: `storage/orders/recovery.ts` says why. docs/lifecycle.md.
 */
import type { Clock } from '#base/clock.ts';
import { catalogue } from '#base/fault.ts';
import type { JournalPort } from '#base/journal.ts';
import type { OrderRow } from './order.ts';
import type { OrderUnits } from './units.ts';

const REASON = { error: 'gateway_restarted', errorMessage: catalogue.gateway_restarted.message } as const;

interface AdoptingOptions {
  readonly clock: Clock;
  readonly journal: Pick<JournalPort<OrderUnits>, 'write'>;
  /** The boot epochs of the dead gateway and of this one. */
  readonly from: number;
  readonly to: number;
}

/** What became of a page of orders. */
interface AdoptedPage {
  /** This gateway's now, all queued. */
  readonly adopted: readonly OrderRow[];
  /** Why others could not be written: they still are the dead gateway's. */
  readonly failures: readonly unknown[];
}

/** Ends or requeues a page of live orders. Rejects when none can be made this gateway's. */
export async function adoptOrders(
  page: readonly OrderRow[],
  { clock, journal, from, to }: AdoptingOptions,
): Promise<AdoptedPage> {
  const nowMs = clock.nowMs();
  const steps = page.map(async (order) => {
    if (!order.outlives) {
      await journal.write(endOf(order, nowMs));
      return null;
    }
    const queued = queuedAgain(order, nowMs, to);
    if (order.status === 'executing') await journal.write(requeueOf(queued));
    return queued;
  });
  const adopted: OrderRow[] = [];
  const failures: unknown[] = [];
  for (const step of await Promise.allSettled(steps)) {
    if (step.status === 'rejected') failures.push(step.reason);
    else if (step.value) adopted.push(step.value);
  }
  const orders = adopted.map(({ id }) => id);
  if (orders.length > 0) await journal.write({ kind: 'adopt', from, to, orders, batches: [] });
  return { adopted, failures };
}

function endOf({ id: orderId, accountId, status, attempt }: OrderRow, finishedAtMs: number) {
  if (status === 'queued')
    return { kind: 'close', orderId, accountId, status: 'canceled', finishedAtMs, ...REASON } as const;
  return { kind: 'fail', orderId, accountId, attempt, finishedAtMs, ...REASON } as const;
}

function requeueOf({ id: orderId, accountId, attempt, expiresAtMs, failures }: OrderRow) {
  return { kind: 'requeue', orderId, accountId, attempt, expiresAtMs, failures } as const;
}

/** The time spent executing is added to its wait; a line waits until its batch expires. */
function queuedAgain(order: OrderRow, nowMs: number, bootEpoch: number): OrderRow {
  if (order.status === 'queued') return { ...order, bootEpoch };
  const ranMs = order.batchId === null ? Math.max(0, nowMs - (order.admittedAtMs ?? nowMs)) : 0;
  const never = { admittedAtMs: null, price: null, levelSeq: null, pod: null, hold: 0n };
  return { ...order, ...never, status: 'queued', expiresAtMs: order.expiresAtMs + ranMs, bootEpoch };
}

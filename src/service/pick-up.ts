/**
 * Picks up orders and batches: those of this gateway's boot epoch that live and that it does not have in memory. It is
 * the only way in which rows of other processes come into memory, at a start, after an adoption and after a failure of
 * either: what is missed once is found the next time, because nothing but the rows and the memory is compared.
 */
import { type Clock, pause, type Timer } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Batches } from '#batches/batches.ts';
import { adoptOrders } from '#orders/adopting.ts';
import type { OrderService } from '#orders/order-service.ts';
import type { SetApart } from '#orders/ports.ts';
import type { OrderUnits } from '#orders/units.ts';
import type { AdoptionStore } from '#storage/orders/adoption.ts';

/** How long after a failure to read it is tried again, and how long after an order was set apart. */
const RETRY_MS = 1_000;
const SET_APART_MS = 30_000;

/** What it picks up, and where to. */
export interface PickUpOptions {
  /** The boot epoch of this gateway. */
  readonly self: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Pick<JournalPort<OrderUnits>, 'write'>;
  readonly store: Pick<AdoptionStore, 'liveOrders' | 'activeBatches'>;
  readonly orders: Pick<OrderService, 'has' | 'recover'>;
  readonly batches: Pick<Batches, 'has' | 'cancelReason' | 'resume'>;
  /** The orders whose inputs are kept in files now, also by other gateways. */
  readonly readKeptInputs: () => Promise<ReadonlySet<string>>;
}

/** Brings what this gateway should have into its memory. */
export class PickUp {
  readonly #options: PickUpOptions;
  /** Orders and batches that were named in the log. */
  readonly #named = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  /** Whether `untilDone` was called since the last look began. */
  #isDue = false;
  #repeating: Promise<void> | null = null;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: PickUpOptions) {
    this.#options = options;
  }

  /**
   * Picks up everything. Rejects when rows or inputs cannot be read; what was picked up before stays. An order or a batch
   * that alone cannot be picked up is set apart and tried again later.
   */
  look(): Promise<void> {
    const turn = this.#last.then(() => this.#look());
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Does the same, and repeats it until it succeeds. Resolves then, or once it is closed. */
  untilDone(): Promise<void> {
    this.#isDue = true;
    this.#repeating ??= this.#repeat().finally(() => {
      this.#repeating = null;
    });
    return this.#repeating;
  }

  /** Names orders or batches that cannot be taken over, each once; the caller tries them again. */
  setApart(some: readonly SetApart[]): void {
    for (const { id, error } of some) {
      if (this.#named.has(id)) continue;
      this.#named.add(id);
      this.#options.log.error({ id, err: error }, 'An order or batch cannot be taken over; it is tried again later.');
    }
  }

  /** Picks up nothing more. Resolves when the look under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#last;
  }

  async #repeat(): Promise<void> {
    for (let isFailing = false; this.#isDue && !this.#closed; ) {
      this.#isDue = false;
      try {
        await this.look();
        isFailing = false;
      } catch (error) {
        const { log, clock } = this.#options;
        if (!isFailing) log.error({ err: error }, 'Orders of an earlier gateway could not be read; trying again.');
        isFailing = true;
        this.#isDue = true;
        await pause(clock, RETRY_MS);
      }
    }
  }

  async #look(): Promise<void> {
    const { self, clock, journal, store, orders, batches, readKeptInputs } = this.#options;
    const apart: SetApart[] = [];
    let isOver = true;
    let kept: ReadonlySet<string> | null = null;
    for await (const page of store.liveOrders(self, (id) => orders.has(id))) {
      if (this.#closed) return;
      apart.push(...page.unreadable);
      const waiting = page.orders.filter(({ status, outlives }) => status === 'queued' && outlives);
      const lost = page.orders.filter((order) => !waiting.includes(order));
      apart.push(...(await adoptOrders(lost, { clock, journal, from: self, to: self })));
      if (lost.length > 0) isOver = false;
      kept ??= await readKeptInputs();
      for (const order of waiting) {
        try {
          orders.recover([order], kept, (batchId) => batches.cancelReason(batchId));
        } catch (error) {
          apart.push({ id: order.id, error });
        }
      }
    }
    const active = await store.activeBatches(self, (id) => batches.has(id));
    apart.push(...active.unreadable);
    if (!this.#closed) apart.push(...(await batches.resume(active.batches)));
    this.setApart(apart);
    if (apart.length > 0 || !isOver) this.#later();
  }

  #later(): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    this.#timer = this.#options.clock.after(SET_APART_MS, () => void this.untilDone());
  }
}

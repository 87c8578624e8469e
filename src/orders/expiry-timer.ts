/**
 * How long an order may wait, and the timer of all that wait; `closings.ts` ends (expires) those that fall due. One
 * heap and one timer serve every order: a timer each would be millions, and machine timers reach 24 days where an order
 * may wait 30.
 */
import { ORDER_TIMEOUT_S } from '#base/bounds.ts';
import type { Clock, Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { type HeapItem, IndexedHeap, OUTSIDE } from '#base/indexed-heap.ts';
import type { Customer, InferenceRequest, WishedDeadline } from './request.ts';
import type { OrderPrice } from './terms.ts';

/** Bounds of `max_wait`, in seconds. Spec 8. */
export interface WaitBounds {
  readonly minS: number;
  readonly maxS: number;
  readonly lockWindowS: number;
}

/** How long the order may stay in the book: a lock for its window, others for max_wait within the bounds. */
export function waitMsOf(price: OrderPrice, request: InferenceRequest, customer: Customer, bounds: WaitBounds): number {
  if (price.priceLock) return bounds.lockWindowS * 1000;
  const wantedS = request.extensions.maxWaitS ?? customer.orderTimeoutS;
  return Math.min(bounds.maxS, Math.max(bounds.minS, wantedS)) * 1000;
}

/** When a request with a deadline must have started; null without one. Throws as `startByMs`. */
export function deadlineMsOf({ extensions }: InferenceRequest, bounds: WaitBounds, nowMs: number): number | null {
  return extensions.deadline ? startByMs(extensions.deadline, bounds, nowMs) : null;
}

/**
 * The time that a deadline means, within the bounds of a wait. Throws invalid_request for one that is past or more than 30
 * days ahead.
 */
export function startByMs(deadline: WishedDeadline, bounds: Pick<WaitBounds, 'minS' | 'maxS'>, nowMs: number): number {
  const leftMs = 'inS' in deadline ? deadline.inS * 1000 : deadline.atMs - nowMs;
  if (leftMs <= 0 || leftMs > ORDER_TIMEOUT_S.max * 1000)
    throw new Fault('invalid_request', {
      param: 'deadline',
      message: `deadline must lie ahead, by at most ${ORDER_TIMEOUT_S.max} seconds. Nothing was charged.`,
    });
  return nowMs + Math.min(bounds.maxS * 1000, Math.max(bounds.minS * 1000, leftMs));
}

interface Deadline<Item> extends HeapItem {
  readonly dueMs: number;
  readonly item: Item;
}

/** The clock of the machine may be set: an item falls due at most this long after its date, whatever a timer measured. */
const TIMER_MS_MAX = 60_000;

/** Calls `onDue` once for each item that falls due, earliest first. */
export class ExpiryTimer<Item> {
  readonly #heap = new IndexedHeap<Deadline<Item>>((one, other) => one.dueMs < other.dueMs);
  readonly #byItem = new Map<Item, Deadline<Item>>();
  readonly #clock: Clock;
  readonly #onDue: (item: Item) => void;
  #timer: Timer | null = null;
  #timerDueMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Sets or moves the item's due time. */
  set(item: Item, dueMs: number): void {
    this.delete(item);
    const deadline = { dueMs, item, at: OUTSIDE };
    this.#byItem.set(item, deadline);
    this.#heap.add(deadline);
    this.#arm();
  }

  /** Removes the item; no effect when it is not there. */
  delete(item: Item): void {
    const deadline = this.#byItem.get(item);
    if (!deadline) return;
    this.#byItem.delete(item);
    this.#heap.delete(deadline);
  }

  /** Stops the timer; nothing falls due any more. */
  close(): void {
    this.#timer?.cancel();
    this.#byItem.clear();
    this.#heap.clear();
  }

  #fire(): void {
    this.#timer = null;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.nowMs();
    for (let { first } = this.#heap; first && first.dueMs <= nowMs; { first } = this.#heap) {
      this.delete(first.item);
      this.#onDue(first.item);
    }
    this.#arm();
  }

  #arm(): void {
    const { first } = this.#heap;
    if (!first || first.dueMs >= this.#timerDueMs) return;
    this.#timer?.cancel();
    const delayMs = Math.min(TIMER_MS_MAX, Math.max(0, first.dueMs - this.#clock.nowMs()));
    this.#timerDueMs = first.dueMs;
    this.#timer = this.#clock.after(delayMs, () => this.#fire());
  }
}

/**
 * A floor whose market is a running gateway: what simulated traders plan happens in real time, and their orders are
 * requests. Orders that may be canceled are detached, so that their ids are known at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '#base/random.ts';
import { Agenda } from '#simulations/agenda.ts';
import type { TraderOrder } from '#simulations/floor.ts';
import type { Venue } from '#simulations/venue.ts';
import { receiptIn } from '../harness/answers.ts';
import type { KnownReceipt } from '../harness/ledger.ts';
import type { Caller } from './caller.ts';
import { bodyOf } from './live-order.ts';

/** How often what is due is done. Nothing waits longer, unless this process is busy. */
const STEP_MS = 4;
/** How an order may end for its caller: done or accepted, waited too long, or missed its window. */
const EXPECTED = ['200', '202', '408 order_expired', '429 capacity_unavailable'];

interface LiveOrder {
  readonly wish: TraderOrder;
  /** Null until the gateway has named it. */
  id: string | null;
  /** Its owner does not want it any more. */
  isCanceled: boolean;
}

/** How a floor is played. */
interface LiveFloorOptions {
  readonly keys: ReadonlyMap<string, string>;
  readonly seed: number;
  readonly startMs: number;
  /** Whether those who are measured cancel orders too. */
  readonly allDetached: boolean;
}

/** One market of a running gateway, and those who trade there. */
export class LiveFloor implements Venue {
  readonly agenda: Agenda;
  readonly random: Random;
  /** What was wished of each order that the gateway has named, by its id. */
  readonly wishes = new Map<string, TraderOrder>();
  readonly receipts: KnownReceipt[] = [];
  readonly #caller: Caller;
  readonly #options: LiveFloorOptions;
  /** Those that may still be waiting. */
  readonly #orders = new Map<string, LiveOrder>();
  #sent = 0;

  constructor(caller: Caller, options: LiveFloorOptions) {
    this.#caller = caller;
    this.#options = options;
    this.random = seededRandom(options.seed);
    this.agenda = new Agenda(options.startMs);
  }

  get nowMs(): number {
    return this.agenda.nowMs;
  }

  send(wish: TraderOrder): string {
    const name = `${++this.#sent}`;
    const order = { wish, id: null, isCanceled: false };
    this.#orders.set(name, order);
    void this.#send(name, order);
    return name;
  }

  isWaiting(name: string): boolean {
    return this.#orders.has(name);
  }

  cancel(name: string): void {
    const order = this.#orders.get(name);
    if (!order) return;
    order.isCanceled = true;
    if (order.id !== null) void this.#cancel(name, order);
  }

  /** Lets the traders trade until a moment of this machine's clock. */
  async run(untilMs: number): Promise<void> {
    for (let nowMs = Date.now(); nowMs < untilMs; nowMs = Date.now()) {
      if (nowMs > this.nowMs) this.agenda.runUntil(nowMs);
      await sleep(STEP_MS);
    }
    this.agenda.runUntil(untilMs);
  }

  async #send(name: string, order: LiveOrder): Promise<void> {
    const { wish } = order;
    const detached = this.#options.allDetached || wish.unmeasured === true;
    const post = bodyOf(wish, name, detached);
    const answer = await this.#caller.call('/v1/chat/completions', { ...this.#as(wish), post, expected: EXPECTED });
    order.id = answer?.orderId ?? null;
    if (order.id !== null) this.wishes.set(order.id, wish);
    const receipt = receiptIn(answer?.body);
    if (receipt) this.receipts.push(receipt);
    if (answer?.status !== 202) this.#orders.delete(name);
    else if (order.isCanceled) await this.#cancel(name, order);
  }

  async #cancel(name: string, { id, wish }: LiveOrder): Promise<void> {
    this.#orders.delete(name);
    const expected = ['200', '409 order_not_cancelable'];
    await this.#caller.call(`/v1/orders/${id}/cancel`, { ...this.#as(wish), post: {}, expected });
  }

  #as({ account }: { readonly account: string }): { key: string } {
    const key = this.#options.keys.get(account);
    if (key === undefined) throw new Error(`${account} has no key`);
    return { key };
  }
}

/**
 * A floor whose market is a running gateway: what simulated traders plan happens in real time, and their orders are
 * requests. Orders of attackers are detached, so that their ids are known and they can be repriced at once.
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
const NANO = 1e9;
/** How an order may end for its caller: done or accepted, waited too long, or missed its window. */
const EXPECTED = ['200', '202', '408 order_expired', '429 capacity_unavailable'];

interface LiveOrder {
  readonly wish: TraderOrder;
  /** Null until the gateway has named it. */
  id: string | null;
  isWaiting: boolean;
  limit: number;
  /** The limit that the gateway knows. */
  toldLimit: number;
}

interface RepricedOrder {
  readonly id: string;
  readonly changed: boolean;
  readonly code: string | null;
}

/** One market of a running gateway, and those who trade there. */
export class LiveFloor implements Venue {
  readonly agenda: Agenda;
  readonly random: Random;
  /** What was wished of each order that the gateway has named, by its id. */
  readonly wishes = new Map<string, TraderOrder>();
  readonly receipts: KnownReceipt[] = [];
  readonly #caller: Caller;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #orders = new Map<string, LiveOrder>();
  /** Orders to be repriced, by account, and the accounts that wait for the answer to a repricing. */
  readonly #changed = new Map<string, Set<LiveOrder>>();
  readonly #repricing = new Set<string>();
  #sent = 0;

  constructor(caller: Caller, options: { keys: ReadonlyMap<string, string>; seed: number; startMs: number }) {
    this.#caller = caller;
    this.#keys = options.keys;
    this.random = seededRandom(options.seed);
    this.agenda = new Agenda(options.startMs);
  }

  get nowMs(): number {
    return this.agenda.nowMs;
  }

  send(wish: TraderOrder): string {
    const name = `${++this.#sent}`;
    const order = { wish, id: null, isWaiting: true, limit: wish.limit, toldLimit: wish.limit };
    this.#orders.set(name, order);
    void this.#send(name, order);
    return name;
  }

  isWaiting(name: string): boolean {
    return this.#orders.get(name)?.isWaiting === true;
  }

  reprice(name: string, limit: number): void {
    const order = this.#orders.get(name);
    if (!order?.isWaiting) return;
    order.limit = limit;
    const { account } = order.wish;
    const changed = this.#changed.get(account) ?? new Set();
    this.#changed.set(account, changed.add(order));
  }

  /** Lets the traders trade until a moment of this machine's clock. */
  async run(untilMs: number): Promise<void> {
    for (let nowMs = Date.now(); nowMs < untilMs; nowMs = Date.now()) {
      if (nowMs > this.nowMs) this.agenda.runUntil(nowMs);
      for (const account of this.#changed.keys()) void this.#repriceOf(account);
      await sleep(STEP_MS);
    }
    this.agenda.runUntil(untilMs);
  }

  async #send(name: string, order: LiveOrder): Promise<void> {
    const { wish } = order;
    const post = bodyOf(wish, name);
    const answer = await this.#caller.call('/v1/chat/completions', { ...this.#as(wish), post, expected: EXPECTED });
    order.id = answer?.orderId ?? null;
    if (order.id !== null) this.wishes.set(order.id, wish);
    const receipt = receiptIn(answer?.body);
    if (receipt) this.receipts.push(receipt);
    if (answer?.status === 202) return;
    order.isWaiting = false;
    this.#orders.delete(name);
  }

  /** Sends the new prices of an account's orders. The next change waits for the answer, so that none overtakes another. */
  async #repriceOf(account: string): Promise<void> {
    const changed = this.#changed.get(account);
    if (!changed || this.#repricing.has(account)) return;
    const orders = [...changed].filter(({ id }) => id !== null);
    for (const order of orders) changed.delete(order);
    const byLimit = Map.groupBy(
      orders.filter(({ isWaiting, limit, toldLimit }) => isWaiting && limit !== toldLimit),
      ({ limit }) => limit,
    );
    if (byLimit.size === 0) return;
    this.#repricing.add(account);
    for (const [limit, group] of byLimit) await this.#tell(account, limit, group);
    this.#repricing.delete(account);
  }

  async #tell(account: string, limit: number, orders: readonly LiveOrder[]): Promise<void> {
    const post = { ids: orders.map(({ id }) => id), price_limit: limit / NANO };
    const answer = await this.#caller.call('/v1/orders/price', { ...this.#as({ account }), post });
    const outcomes = new Map<string, RepricedOrder>(answer?.body.data.map((each: RepricedOrder) => [each.id, each]));
    for (const order of orders) {
      const outcome = outcomes.get(order.id ?? '');
      if (outcome?.changed) order.toldLimit = limit;
      if (outcome?.code === 'not_queued') order.isWaiting = false;
    }
  }

  #as({ account }: { readonly account: string }): { key: string } {
    const key = this.#keys.get(account);
    if (key === undefined) throw new Error(`${account} has no key`);
    return { key };
  }
}

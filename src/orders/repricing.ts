/**
 * Repricing queued orders. The order service decides which orders may move, the exchange moves them behind those that
 * rest at the new price, and the journal commits the change before the caller is answered. A newcomer's trap: an answer
 * that does not come in time is not a refusal. The change stays under way and is applied when the market gets to it.
 */

import { Fault } from '#base/fault.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Reach } from '#base/reach.ts';
import type { OrderEvent } from '#market/ports.ts';
import type { LiveOrder } from './live-order.ts';
import { coversStart } from './max-charge.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { RepriceCode, RepricedOrder } from './order-port.ts';
import { holdOf, priceNow } from './terms.ts';
import type { RepriceUnit } from './units.ts';

/** How long the caller waits for the market and the commit: as long as for other commits, unless that is configured. */
export const CONFIRMATION_MS = 5_000;

/** The exchange's answers to a `reprice`. */
type RepriceEvent = Extract<OrderEvent, { type: 'repriced' | 'moved' | 'not-resting' }>;

interface RepricingOptions extends OrderServiceParts {
  /** The live order with this id, if it is within reach; null otherwise. */
  readonly find: (reach: Reach, orderId: string) => LiveOrder | null;
}

type Respond = (refusal: RepriceCode | null) => void;

/** A new limit that the exchange was asked for. */
interface Asked {
  readonly orderId: string;
  readonly limit: PriceNano;
  readonly respond: Respond;
}

/** A bid that the market has set, and the limit where that is another. */
type Bid = Pick<RepriceUnit, 'bid' | 'limit' | 'restedSeq'>;

/** Sends new prices to the exchange, and writes its answers to the journal. */
export class Repricing {
  readonly #options: RepricingOptions;
  /** What waits for the exchange's answers, first asked first. */
  readonly #asked = new Set<Asked>();

  constructor(options: RepricingOptions) {
    this.#options = options;
  }

  /**
   * Moves orders to `limit`. Resolves in the order of the ids once every change has committed. Throws
   * Fault unavailable when the market does not confirm in time.
   */
  async reprice(reach: Reach, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]> {
    const balance = await this.#options.funds.freshBalance(reach.accountId);
    const asked: Asked[] = [];
    const answers = orderIds.map(async (orderId) => {
      const order = this.#options.find(reach, orderId);
      if (!order) return { orderId, refusal: 'not_queued' as const };
      const refusal = this.#refusalOf(order, limit, balance);
      return { orderId, refusal: refusal ?? (await this.#move(order, limit, asked)) };
    });
    return this.#inTime(Promise.all(answers)).finally(() => {
      for (const each of asked) this.#asked.delete(each);
    });
  }

  /** Handles the exchange's answer about an order, or a move that the market made; `order` is undefined for one that has ended. */
  answered(order: LiveOrder | undefined, event: RepriceEvent): void {
    if (event.type === 'moved') {
      // No command asked for this move.
      if (order?.phase === 'queued' && order.limit !== null)
        this.#write(order, { ...event, bid: Math.min(event.bid, order.limit), limit: order.limit }, () => {});
      return;
    }
    const respond = this.#respondTo(event);
    if (event.type === 'not-resting') respond(stillQueued(order) ? 'unavailable' : 'not_queued');
    else if (order?.phase !== 'queued') respond('not_queued');
    else this.#write(order, event, respond);
  }

  /** Why an order cannot rest at `limit`; null when it can. The balance is checked as for a new order. Spec 4.6. */
  #refusalOf(order: LiveOrder, limit: PriceNano, balance: NanoUsd): RepriceCode | null {
    if (order.phase === 'admitting') return 'unavailable';
    if (order.phase !== 'queued') return 'not_queued';
    if (order.listing.type === 'fixed') return 'fixed_price_model';
    if (order.row.priceLock) return 'price_locked';
    if (!coversStart(order.tariff, limit, order.row)) return 'max_charge_too_low';
    const price = priceNow({ bid: limit }, this.#options.market.current(order.listing.id)?.level);
    const worst = holdOf(order.tariff, price, order.row);
    return worst === 0n || worst <= balance ? null : 'too_large';
  }

  #move(order: LiveOrder, limit: PriceNano, asked: Asked[]): Promise<RepriceCode | null> {
    const { orderId, listing } = order;
    return new Promise((respond) => {
      if (order.heldBack) {
        // No market has it. When it returns, it gets a place behind the others at this price.
        const bid = order.row.deadlineMs == null ? { bid: limit } : { bid: Math.min(order.bid, limit), limit };
        this.#write(order, { ...bid, restedSeq: null }, respond);
        return;
      }
      const one = { orderId, limit, respond };
      asked.push(one);
      this.#asked.add(one);
      this.#options.sendCommand({ type: 'reprice', model: listing.id, order: orderId, bid: limit });
    });
  }

  /**
   * Removes and returns the caller that this answer is for. Answers may be lost, so an answer with a price goes to the
   * first caller that asked for that price. A refusal names no price, so it goes to the first caller of the order.
   */
  #respondTo(event: Exclude<RepriceEvent, { type: 'moved' }>): Respond {
    const limit = event.type === 'repriced' ? (event.limit ?? event.bid) : null;
    for (const asked of this.#asked) {
      if (asked.orderId !== event.order || (limit !== null && asked.limit !== limit)) continue;
      this.#asked.delete(asked);
      return asked.respond;
    }
    return () => {};
  }

  /** The bid counts from this event on: the next one may admit the order at it. Commits keep this order. */
  #write(order: LiveOrder, { bid, limit, restedSeq }: Bid, respond: Respond): void {
    const { orderId } = order;
    order.bid = bid;
    order.limit = limit ?? bid;
    order.restedSeq = restedSeq;
    const own = limit === undefined ? {} : { limit };
    this.#options.journal.write({ kind: 'reprice', orderId, bid, ...own, restedSeq }).then(
      ({ result }) => respond(result === 'changed' ? null : 'not_queued'),
      (error) => {
        this.#options.log.error({ order: orderId, err: error }, 'A new price could not be written.');
        respond('unavailable');
      },
    );
  }

  #inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.after(CONFIRMATION_MS, () => reject(unconfirmed()));
      answer.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

/** An order that is being admitted may still be refused its hold and be queued again. */
function stillQueued(order: LiveOrder | undefined): boolean {
  return order?.phase === 'queued' || order?.phase === 'admitting';
}

function unconfirmed(): Fault {
  return new Fault('unavailable', {
    retryAfterS: Math.ceil(CONFIRMATION_MS / 1000),
    message:
      'The market did not confirm in time. The new price stays pending and is applied later: read the orders back, or send it again.',
  });
}

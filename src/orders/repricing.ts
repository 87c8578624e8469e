/**
 * Repricing queued orders. The desk says which orders may move, the exchange moves them behind those that rest at the
 * new price, and the journal makes it durable before anybody is told. A newcomer's trap: an answer that does not come in
 * time is not a refusal. The change stays on its way and is applied when the market gets to it.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Command, ExchangeEvent } from '#market/ports.ts';
import type { FundsBook } from './funds.ts';
import type { JournalPort } from './journal-port.ts';
import type { LiveOrder } from './live-order.ts';
import type { RepriceCode, RepricedOrder } from './order-port.ts';
import { holdOf } from './terms.ts';

/** How long the caller waits for the market and the commit. */
export const CONFIRMATION_MS = 2_000;

/** What the exchange says to a `reprice`. */
export type RepriceEvent = Extract<ExchangeEvent, { type: 'repriced' | 'not-resting' }>;

/** What repricing needs of the desk. */
export interface RepricingParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort;
  readonly funds: FundsBook;
  readonly tellExchange: (command: Command) => void;
  /** The living order with this id, when it is the account's; null otherwise. */
  readonly find: (accountId: string, orderId: string) => LiveOrder | null;
}

type Tell = (refusal: RepriceCode | null) => void;

/** Takes new prices to the exchange, and its answers to the journal. */
export class Repricing {
  readonly #parts: RepricingParts;
  /** Who waits for the exchange's answers about an order, in the order of asking. */
  readonly #asked = new Map<string, Tell[]>();

  constructor(parts: RepricingParts) {
    this.#parts = parts;
  }

  /**
   * Moves the account's orders to `limit`. Resolves in the order of the ids when every change has committed. Throws
   * Fault unavailable when the market does not confirm in time.
   */
  async reprice(accountId: string, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]> {
    const balance = await this.#parts.funds.freshBalance(accountId);
    const answers = orderIds.map(async (orderId) => {
      const order = this.#parts.find(accountId, orderId);
      if (!order) return { orderId, refusal: 'not_queued' as const };
      return { orderId, refusal: refusalOf(order, limit, balance) ?? (await this.#move(order, limit)) };
    });
    return this.#inTime(Promise.all(answers));
  }

  /** Takes the exchange's answer about an order; undefined for one that has ended. */
  answered(order: LiveOrder | undefined, event: RepriceEvent): void {
    const tell = this.#nextAsker(event.order);
    if (event.type === 'not-resting') tell(stillQueued(order) ? 'unavailable' : 'not_queued');
    else if (order?.phase !== 'queued') tell('not_queued');
    else this.#write(order, event, tell);
  }

  #move(order: LiveOrder, bid: PriceNano): Promise<RepriceCode | null> {
    return new Promise((resolve) => {
      const waiting = this.#asked.get(order.orderId);
      if (waiting) waiting.push(resolve);
      else this.#asked.set(order.orderId, [resolve]);
      this.#parts.tellExchange({ type: 'reprice', model: order.listing.id, order: order.orderId, bid });
    });
  }

  #nextAsker(orderId: string): Tell {
    const waiting = this.#asked.get(orderId);
    const tell = waiting?.shift();
    if (waiting?.length === 0) this.#asked.delete(orderId);
    return tell ?? (() => {});
  }

  /** The bid counts from this event on, because an admission at it may be the very next; the commit comes in order. */
  #write(order: LiveOrder, { bid, restedSeq }: Extract<RepriceEvent, { type: 'repriced' }>, tell: Tell): void {
    const { orderId } = order;
    order.bid = bid;
    order.restedSeq = restedSeq;
    this.#parts.journal.write({ kind: 'reprice', orderId, bid, restedSeq }).then(
      ({ result }) => tell(result === 'changed' ? null : 'not_queued'),
      (error) => {
        this.#parts.log.error({ order: orderId, err: error }, 'A new price could not be written.');
        tell('unavailable');
      },
    );
  }

  #inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = this.#parts.clock.after(CONFIRMATION_MS, () => reject(unconfirmed()));
      answer.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

/** Why an order cannot rest at `limit`; null when it can. Spec 4.6. */
function refusalOf(order: LiveOrder, limit: PriceNano, balance: NanoUsd): RepriceCode | null {
  if (order.phase === 'admitting') return 'unavailable';
  if (order.phase !== 'queued') return 'not_queued';
  if (order.listing.type === 'fixed') return 'fixed_price_model';
  if (order.row.priceLock) return 'price_locked';
  const { promptBound, outputCap } = order.row;
  return holdOf(order.tariff, limit, promptBound, outputCap) > balance ? 'too_large' : null;
}

/** An order that is being admitted may yet be refused the money and wait again. */
function stillQueued(order: LiveOrder | undefined): boolean {
  return order?.phase === 'queued' || order?.phase === 'admitting';
}

function unconfirmed(): Fault {
  return new Fault('unavailable', {
    retryAfterS: Math.ceil(CONFIRMATION_MS / 1000),
    message:
      'The market did not confirm in time. The new price stays pending and is applied later: read the orders back instead of sending it again.',
  });
}

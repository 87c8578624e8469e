/** An exchange for tests, with its events and short forms of the commands. */
import { Exchange } from '#market/exchange/exchange.ts';
import type { Listing } from '#market/listing.ts';
import type { Admit, Command, ExchangeEvent, LevelMoved, LevelRow, Release, Rest, Withdraw } from '#market/ports.ts';
import { marketListing, someQuotes } from './listings.ts';

/** The time at which the exchange begins. */
export const START_MS = 1_000_000;
/** A price in USD as the exchange knows it. */
export const usd = (price: number) => price * 1e9;

/** An exchange, its events, and short forms of the commands. Time moves by hand. */
export class ExchangeBench {
  /** All events except quotes, which have their own tests. */
  readonly events: ExchangeEvent[] = [];
  readonly all: ExchangeEvent[] = [];
  readonly exchange: Exchange;
  readonly model: string;
  nowMs = START_MS;

  constructor(listing: Listing = marketListing(), recovered: readonly LevelRow[] = []) {
    this.model = listing.id;
    this.exchange = new Exchange({
      listings: [listing],
      levelTimeConstantMs: 20_000,
      recovered,
      ...someQuotes(),
      emit: (event) => {
        this.all.push(event);
        if (event.type !== 'quote') this.events.push(event);
      },
      nowMs: this.nowMs,
    });
  }

  say(command: Command): ExchangeEvent[] {
    const before = this.events.length;
    this.exchange.handle(command, this.nowMs);
    return this.events.slice(before);
  }

  slots(slots: number, pod = 'pod-1', healthy = true): ExchangeEvent[] {
    return this.say({ type: 'capacity', model: this.model, pod, slots, healthy });
  }

  rest(order: string, price: number, changes: Partial<Rest> = {}): ExchangeEvent[] {
    return this.say({
      type: 'rest',
      model: this.model,
      order,
      account: `account of ${order}`,
      bid: usd(price),
      lockLimit: null,
      restedSeq: null,
      attempt: 1,
      avoidPod: null,
      house: false,
      ...changes,
    });
  }

  release(order: string, changes: Partial<Release> = {}): ExchangeEvent[] {
    const pod = this.admits.findLast((event) => event.order === order)?.pod ?? 'pod-1';
    return this.say({
      type: 'release',
      model: this.model,
      order,
      attempt: 1,
      pod,
      reason: 'finished',
      ...changes,
    });
  }

  withdraw(order: string, more: Pick<Withdraw, 'waitsForMoney'> = {}): ExchangeEvent[] {
    return this.say({ type: 'withdraw', model: this.model, order, expired: false, ...more });
  }

  reprice(order: string, price: number): ExchangeEvent[] {
    return this.say({ type: 'reprice', model: this.model, order, bid: usd(price) });
  }

  /** Lets `seconds` pass, ticking once a second. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1000;
      this.exchange.tick(this.nowMs);
    }
  }

  positions(...orders: string[]): (number | null)[] {
    return this.exchange.positions(this.model, orders);
  }

  get admits(): Admit[] {
    return this.events.filter((event) => event.type === 'admit');
  }

  get levels(): LevelMoved[] {
    return this.events.filter((event) => event.type === 'level');
  }

  get running(): string {
    return this.admits.map((event) => event.order).join(' ');
  }
}

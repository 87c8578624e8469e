import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from './exchange/exchange.ts';
import type { Listing } from './listing.ts';
import type { ExchangeEvent, LevelRow, Rest } from './ports.ts';

const START_MS = 1_000_000;
const usd = (price: number) => price * 1e9;

/** An exchange with one market, and its events. Its quote continues from the recovered level. */
class ReserveBench {
  readonly all: ExchangeEvent[] = [];
  readonly #exchange: Exchange;
  readonly #model: string;
  #nowMs = START_MS;

  constructor(changes: Partial<Listing>, recovered: readonly LevelRow[] = []) {
    const listing = marketListing(changes);
    this.#model = listing.id;
    const emit = (event: ExchangeEvent) => void this.all.push(event);
    const recoveredQuotes = recovered.map(({ model, level }) => {
      return { model, quoteSeq: 1, price: level, state: null, lockMinutes: [] };
    });
    const quotes = { ...someQuotes(), recoveredQuotes };
    const options = { listings: [listing], levelTimeConstantMs: 20_000, recovered, ...quotes, emit };
    this.#exchange = new Exchange({ ...options, nowMs: START_MS });
  }

  slots(slots: number): void {
    this.#exchange.handle({ type: 'capacity', model: this.#model, pod: 'pod', slots, healthy: true }, this.#nowMs);
  }

  /** The types of the events that follow. */
  rest(order: string, price: number, changes: Partial<Rest> = {}): string[] {
    const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    const rest = { ...first, model: this.#model, order, account: `account of ${order}`, bid: usd(price), ...changes };
    return this.#typesAfter(() => this.#exchange.handle({ type: 'rest', ...rest }, this.#nowMs));
  }

  reprice(order: string, price: number): string[] {
    const command = { type: 'reprice', model: this.#model, order, bid: usd(price) } as const;
    return this.#typesAfter(() => this.#exchange.handle(command, this.#nowMs));
  }

  release(order: string): void {
    const given = { model: this.#model, order, attempt: 1, pod: 'pod', reason: 'finished' } as const;
    this.#exchange.handle({ type: 'release', ...given }, this.#nowMs);
  }

  position(order: string): number | null {
    return this.#exchange.positions(this.#model, [order])[0] ?? null;
  }

  /** Lets so many windows of ten seconds pass. */
  pass(windows: number): void {
    for (let second = 1; second <= 10 * windows; second++) {
      this.#nowMs += 1000;
      this.#exchange.tick(this.#nowMs);
      if (second % 10 === 0) this.#exchange.latchQuotes(this.#nowMs);
    }
  }

  get admitted(): string[] {
    return this.all.flatMap((event) => (event.type === 'admit' ? event.order : []));
  }

  get running(): string {
    return this.admitted.join(' ');
  }

  get levels(): number[] {
    return this.all.flatMap((event) => (event.type === 'level' ? event.level : []));
  }

  get quotes(): number[] {
    return this.all.flatMap((event) => (event.type === 'quote' ? event.price : []));
  }

  #typesAfter(act: () => void): string[] {
    const before = this.all.length;
    act();
    return this.all.slice(before).map((event) => event.type);
  }
}

test('an order below the reserve rests beside a free slot, and has a position', () => {
  const bench = new ReserveBench({ reserve: usd(5) });
  bench.slots(2);
  assert.deepEqual(bench.rest('ann', 4.999999999), ['rested']);
  assert.equal(bench.position('ann'), 1);
  bench.rest('ben', 5);
  bench.slots(9);
  bench.release('ben');
  assert.equal(bench.running, 'ben');
});

test('an order that is repriced to the reserve runs at once, after the answer', () => {
  const bench = new ReserveBench({ reserve: usd(5) });
  bench.slots(1);
  bench.rest('ann', 1);
  assert.deepEqual(bench.reprice('ann', 4), ['repriced']);
  assert.deepEqual(bench.reprice('ann', 5), ['repriced', 'admit']);
});

test('an order that is repriced below the reserve does not run when a slot becomes free', () => {
  const bench = new ReserveBench({ reserve: usd(5) });
  bench.slots(1);
  for (const order of ['ann', 'ben', 'cid']) bench.rest(order, 6);
  bench.reprice('ben', 4);
  bench.release('ann');
  bench.release('cid');
  assert.equal(bench.running, 'ann cid');
});

test('an account at its share runs rather than an order below the reserve', () => {
  const bench = new ReserveBench({ reserve: usd(5), accountShareMax: 0.25 });
  for (const order of ['w1', 'w2', 'w3']) bench.rest(order, 9, { account: 'whale' });
  bench.rest('ann', 4);
  bench.slots(4);
  assert.equal(bench.running, 'w1 w2 w3');
});

test('level and quote are never below the reserve, neither of a market nor of a preview', () => {
  for (const preview of [false, true]) {
    const row = { model: 'tide-70b', level: usd(2), levelSeq: 1, atMs: 5 };
    const bench = new ReserveBench({ floor: usd(1), reserve: usd(5), ceiling: usd(6), preview }, [row]);
    bench.slots(1);
    if (!preview) for (const order of ['ann', 'ben', 'cid']) bench.rest(order, 4);
    bench.pass(30);
    const prices = [...bench.levels, ...bench.quotes];
    assert.ok(prices.length > 10 && Math.min(...prices) >= usd(5), String(Math.min(...prices)));
  }
});

test('orders below the reserve change neither level nor quote', () => {
  const [without, beside] = [0, 40].map((below) => {
    const bench = new ReserveBench({ reserve: usd(5) });
    bench.slots(2);
    for (const bid of [9, 8, 7, 6]) bench.rest(`above ${bid}`, bid);
    for (let order = 0; order < below; order++) bench.rest(`below ${order}`, 4 + order / 100);
    // The level rises with what starts and pays, so those above take turns.
    for (let window = 0; window < 60; window++) {
      bench.pass(1);
      bench.release(bench.admitted.at(-1) ?? '');
      bench.rest(`above ${10 + window}`, 9, { account: `account ${window % 4}` });
    }
    return [bench.levels.at(-1), bench.quotes.at(-1)];
  });
  assert.deepEqual(without, beside);
  assert.ok(without?.[0] !== undefined && without[0] > usd(5), `${without}`);
});

test('after a restart with another reserve, what rested runs by the new one', () => {
  const runs = (reserve: number) => {
    const row = { model: 'tide-70b', level: usd(2), levelSeq: 1, atMs: 5 };
    const bench = new ReserveBench({ reserve: usd(reserve) }, [row]);
    bench.rest('ann', 3, { restedSeq: 1 });
    bench.rest('ben', 6, { restedSeq: 2 });
    bench.slots(2);
    return [bench.running, bench.levels[0], bench.quotes[0]];
  };
  assert.deepEqual(runs(5), ['ben', usd(5), usd(5)]);
  assert.deepEqual(runs(1), ['ben ann', usd(2), usd(2)]);
});

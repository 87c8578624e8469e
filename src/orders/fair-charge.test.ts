/**
 * Nobody pays above its bid, and everybody pays the lower of the level at dispatch and the bid: an order service trades
 * on a real exchange whose level moves, and the test keeps its own record of bids and of the level at each dispatch.
 * What a charge must be is computed from the specification here, not by the code under test. Spec 1.4, 1.5.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { wholeAccount } from '#base/reach.ts';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import type { ExchangePort } from '#market/ports.ts';
import { someQuotes } from '#testing/listings.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import type { Ticket } from './order-port.ts';
import type { SettleUnit } from './units.ts';

const ORDERS = 400;

/** Records the messages between order service and exchange. */
class Recorder {
  readonly #bids = new Map<string, number>();
  /** The lower of level and bid at each dispatch, by order and attempt. */
  readonly #due = new Map<string, number>();
  readonly levels = new Set<number>();

  /** The same exchange, recorded. */
  watch(exchange: ExchangePort): ExchangePort {
    return {
      positions: (model, orders) => exchange.positions(model, orders),
      send: (command) => {
        if (command.type === 'rest') this.#bids.set(command.order, command.bid);
        exchange.send(command);
      },
      listen: (tell) =>
        exchange.listen((event) => {
          if (event.type === 'repriced') this.#bids.set(event.order, event.bid);
          if (event.type === 'admit') this.#chosen(event);
          tell(event);
        }),
    };
  }

  /** What this attempt may cost at most, per 1M tokens at the reference mix. */
  dueFor(order: string, attempt: number): number {
    return this.#due.get(`${order} ${attempt}`) ?? Number.NaN;
  }

  bidOf(order: string): number {
    return this.#bids.get(order) ?? Number.NaN;
  }

  #chosen({ order, attempt, level }: { order: string; attempt: number; level: number }): void {
    this.levels.add(level);
    this.#due.set(`${order} ${attempt}`, Math.min(level, this.bidOf(order)));
  }
}

async function trade(seed: number): Promise<{ bench: OrderServiceBench; recorder: Recorder; settled: SettleUnit[] }> {
  const random = seededRandom(seed);
  const recorder = new Recorder();
  const bench = new OrderServiceBench({
    exchange(clock) {
      const options = { listings: [benchListing()], levelTimeConstantMs: 5000, recovered: [], ...someQuotes(seed) };
      const exchange = new LocalExchange({ ...options, clock });
      exchange.send({ type: 'capacity', model: 'tide', pod: 'pod-1', slots: 3, healthy: true });
      return recorder.watch(exchange);
    },
  });
  bench.setBalance(10n ** 15n);
  const tickets: Ticket[] = [];
  for (let made = 0; made < ORDERS; made++) {
    const wishes = { limit: Math.ceil(random.next() * 4e9), priceLock: random.next() < 0.2 };
    const submission = await bench.orderService.submit(bench.customer, testRequest(wishes));
    assert.ok(submission.type === 'order');
    submission.ticket.watch({ events: () => {}, ended: () => {} });
    tickets.push(submission.ticket);
    const any = tickets[Math.floor(random.next() * tickets.length)];
    const repriced =
      random.next() < 0.3 &&
      any &&
      bench.orderService.reprice(wholeAccount('acct'), [any.orderId], Math.ceil(random.next() * 4e9));
    await bench.clock.advance(Math.floor(random.next() * 900));
    await repriced;
    playPods(bench, random);
  }
  while (bench.orderService.counts().queued + bench.orderService.counts().inflight > 0) {
    await bench.clock.advance(1000);
    playPods(bench, random);
  }
  const settled = bench.journal.units.filter((unit) => unit.kind === 'settle');
  return { bench, recorder, settled };
}

/** Running attempts go on, finish with odd counts, or fail and are tried again. */
function playPods({ pods }: OrderServiceBench, random: Random): void {
  for (const attempt of pods.attempts) {
    if (attempt.ended || random.next() < 0.9) continue;
    if (random.next() < 0.1) attempt.end({ kind: 'failed', reason: 'planted' });
    else {
      const promptTokens = Math.ceil(random.next() * 100);
      const cachedTokens = Math.floor(random.next() * promptTokens);
      attempt.say('yes').finish({ promptTokens, cachedTokens, outputTokens: Math.ceil(random.next() * 50) });
    }
  }
}

/**
 * `price` × (0.1 × cached + uncached + 4 × output) ÷ (0.9 × 0.1 + 0.1 × 1 + 0.02 × 4) ÷ 1M, half to even: the ratio of
 * the listing over its own weight at the reference mix.
 */
function due(price: number, { cached, uncached, output }: SettleUnit['tokens']): bigint {
  const numerator = BigInt(price) * BigInt(cached + 10 * uncached + 40 * output) * 10n;
  const denominator = 27n * 1_000_000n;
  const whole = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  return twice > denominator || (twice === denominator && whole % 2n === 1n) ? whole + 1n : whole;
}

for (const seed of [1, 2, 3]) {
  test(`everybody pays the lower of level and bid, never more than its bid (seed ${seed})`, async () => {
    const { bench, recorder, settled } = await trade(seed);
    assert.ok(settled.length > ORDERS / 4 && recorder.levels.size > 20, `${settled.length}, ${recorder.levels.size}`);
    let [atLevel, atBid, again] = [0, 0, 0];
    for (const { orderId, attempt, charge, price: charged, tokens } of settled) {
      // An order that is tried again never pays more than at its first dispatch.
      const first = bench.pods.attempts.find(({ request }) => request.orderId === orderId)?.request.attempt ?? 0;
      const price = Math.min(recorder.dueFor(orderId, first), recorder.dueFor(orderId, attempt));
      assert.equal(charged, price);
      assert.equal(charge, due(price, tokens), orderId);
      const bid = recorder.bidOf(orderId);
      assert.ok(charge <= due(bid, tokens), `${orderId} paid ${charge} at a bid of ${bid}`);
      if (price < bid) atLevel++;
      else atBid++;
      if (attempt > 1) again++;
    }
    assert.ok(atLevel > 20 && atBid > 20 && again > 5, `${atLevel} at the level, ${atBid} at the bid, ${again} again`);
  });
}

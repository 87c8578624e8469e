import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { Exchange } from '#market/exchange/exchange.ts';
import type { Admit, ExchangeEvent } from '#market/ports.ts';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { whatIf } from './played-market.ts';

const MINUTE_MS = 60_000;
const LEVEL = { levelTimeConstantMs: 20_000 };
const { quotes } = someQuotes();
const terms = marketListing({ floor: 1e7 });

/** A market that trades by itself: bids around a dollar, from thirty accounts, run times with a mean. */
class LivingMarket {
  readonly events: ExchangeEvent[] = [];
  readonly exchange: Exchange;
  readonly #random = seededRandom(7);
  readonly #running: Admit[] = [];
  readonly #runMs: number;
  nowMs = 1_000_000;
  #sent = 0;

  constructor({ slots, runMs }: { readonly slots: number; readonly runMs: number }) {
    this.#runMs = runMs;
    this.exchange = new Exchange({
      ...{ ...LEVEL, ...someQuotes(), listings: [terms, fixedListing()], recovered: [], nowMs: this.nowMs },
      emit: (event) => {
        this.events.push(event);
        if (event.type === 'admit') this.#running.push(event);
      },
    });
    this.slots(slots);
  }

  get level(): number {
    return this.events.reduce((level, event) => (event.type === 'level' ? event.level : level), 0);
  }

  slots(slots: number): void {
    this.exchange.handle({ type: 'capacity', model: terms.id, pod: 'p', slots, healthy: true }, this.nowMs);
  }

  /** Trades for so long; `load` is the demand as a multiple of this many slots. */
  trades(ms: number, { load, slots }: { readonly load: number; readonly slots: number }): void {
    const endMs = this.nowMs + ms;
    const arrivesPerMs = (load * slots) / this.#runMs;
    for (let tickMs = this.nowMs + 1000; this.nowMs < endMs; ) {
      const perMs = arrivesPerMs + this.#running.length / this.#runMs;
      const nextMs = this.nowMs - Math.log(1 - this.#random.next()) / perMs;
      this.nowMs = Math.min(nextMs, tickMs);
      if (nextMs >= tickMs) {
        this.exchange.tick(this.nowMs);
        tickMs += 1000;
      } else if (this.#random.next() * perMs < arrivesPerMs) this.rest(0.5 + this.#random.next());
      else this.#ends();
    }
  }

  rest(usd: number): void {
    const order = `o${++this.#sent}`;
    const account = `a${Math.floor(this.#random.next() * 30)}`;
    const bid = Math.round(usd * 1e9);
    const place = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    this.exchange.handle({ type: 'rest', model: terms.id, order, account, bid, ...place }, this.nowMs);
  }

  asked(slots: number) {
    const situation = this.exchange.find(terms.id)?.situation(this.nowMs) ?? null;
    assert.ok(situation);
    return whatIf({ terms, ...LEVEL, quotes, situation, slots });
  }

  #ends(): void {
    const at = Math.floor(this.#random.next() * this.#running.length);
    const [ended] = this.#running.splice(at, 1);
    if (!ended) return;
    const { order, attempt, pod } = ended;
    const release = { type: 'release', model: terms.id, order, attempt, pod, reason: 'finished' } as const;
    this.exchange.handle(release, this.nowMs);
  }
}

const last = (levels: readonly number[]) => levels.at(-1) ?? 0;

describe('a market with other slots', () => {
  const market = new LivingMarket({ slots: 20, runMs: 8_000 });
  market.trades(15 * MINUTE_MS, { load: 1.3, slots: 20 });

  test('has a lower level with more slots, and a higher one with fewer', () => {
    const [fewer, same, more] = [10, 20, 40].map((slots) => market.asked(slots));
    assert.ok(fewer && same && more);
    assert.deepEqual(same.changed, same.asItIs);
    assert.deepEqual(more.asItIs, same.asItIs);
    assert.ok(last(more.changed.levels) < 0.5 * last(same.asItIs.levels), 'forty slots serve everybody');
    assert.ok(last(fewer.changed.levels) > 1.2 * last(same.asItIs.levels));
    assert.ok(more.changed.waiting < same.asItIs.waiting && same.asItIs.waiting < fewer.changed.waiting);
  });

  test('is assumed to go on as it did lately', () => {
    const answer = market.asked(20);
    assert.ok(answer);
    const perMinute = (1.3 * 20 * MINUTE_MS) / 8_000;
    assert.ok(Math.abs(answer.arrivalsPerMinute / perMinute - 1) < 0.25, `${answer.arrivalsPerMinute} a minute`);
    assert.ok(Math.abs(answer.runMs / 8_000 - 1) < 0.25, `${answer.runMs} ms`);
    assert.equal(answer.asItIs.levels.length, 30);
  });

  test('is played the same for the same question, and from any copy of it', () => {
    const situation = market.exchange.find(terms.id)?.situation(market.nowMs) ?? null;
    assert.ok(situation);
    const question = { terms, ...LEVEL, quotes, situation, slots: 25 };
    assert.deepEqual(whatIf(structuredClone(question)), whatIf(question));
  });

  test('does what was foretold, when the slots really come', () => {
    const foretold = market.asked(26);
    assert.ok(foretold);
    market.slots(26);
    market.trades(30 * foretold.everyMs, { load: 1.3, slots: 20 });
    const [really, expected] = [market.level, last(foretold.changed.levels)];
    assert.ok(Math.abs(Math.log(really / expected)) < Math.log(1.3), `${really} against ${expected}`);
  });
});

test('a market with room for everybody stays at its floor, whatever the slots', () => {
  const market = new LivingMarket({ slots: 20, runMs: 8_000 });
  market.trades(5 * MINUTE_MS, { load: 0.3, slots: 20 });
  const answer = market.asked(40);
  assert.deepEqual([last(answer?.asItIs.levels ?? []), last(answer?.changed.levels ?? [])], [1e7, 1e7]);
});

test('with no slots at all nothing runs and the level stands still', () => {
  const market = new LivingMarket({ slots: 20, runMs: 8_000 });
  market.trades(5 * MINUTE_MS, { load: 1.3, slots: 20 });
  const levels = market.asked(0)?.changed.levels ?? [];
  assert.deepEqual(new Set(levels), new Set([market.level]));
});

test('nothing is foretold of a market in which too few orders ended', () => {
  const market = new LivingMarket({ slots: 20, runMs: 8_000 });
  assert.equal(market.asked(40), null);
  market.rest(2);
  assert.equal(market.asked(40), null);
});

test('a busy market is played for less time, so that the work is bounded', () => {
  const market = new LivingMarket({ slots: 400, runMs: 1_000 });
  market.trades(MINUTE_MS, { load: 1.2, slots: 400 });
  const answer = market.asked(500);
  assert.ok(answer);
  assert.ok(answer.everyMs * 30 < MINUTE_MS, `${answer.everyMs * 30} ms`);
  assert.ok((answer.everyMs * 30 * answer.arrivalsPerMinute) / MINUTE_MS <= 10_000);
});

test('looking at a market changes nothing, not by a bit', () => {
  const [watched, alone] = [1, 2].map(() => new LivingMarket({ slots: 20, runMs: 8_000 }));
  assert.ok(watched && alone);
  for (let minute = 0; minute < 4; minute++) {
    for (const market of [watched, alone]) market.trades(MINUTE_MS, { load: 1.3, slots: 20 });
    watched.asked(25);
  }
  assert.deepEqual(watched.events, alone.events);
});

test('a fixed-price model has no level to foretell', () => {
  const market = new LivingMarket({ slots: 1, runMs: 1_000 });
  assert.equal(market.exchange.find('ebb-8b')?.situation(market.nowMs) ?? null, null);
  assert.equal(market.exchange.find('nothing')?.situation(market.nowMs) ?? null, null);
});

/** A market whose floor, ceiling, reserve or share changes while orders wait, and a preview that opens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { RecordedExchange } from './exchange/recording.ts';
import { RecordReplay } from './exchange/replay.ts';
import type { MarketTerms } from './listing.ts';
import type { ExchangeEvent } from './ports.ts';

const NOW_MS = 1_000_000;
const TERMS: MarketTerms = {
  ...{ id: 'tide', type: 'market', floor: 2e9, ceiling: 100e9, reserve: 0, preview: false, accountShareMax: null },
};

/** A market with one pod, at `at` milliseconds after the start. */
class Bench {
  readonly events: ExchangeEvent[] = [];
  readonly #lines: string[] = [];
  readonly exchange: RecordedExchange;
  readonly #terms: MarketTerms;
  at = 0;

  constructor(own: Partial<MarketTerms> = {}, slots = 1, level = 50e9) {
    this.#terms = { ...TERMS, ...own };
    const options = {
      listings: [this.#terms],
      levelTimeConstantMs: 20_000,
      recovered: [{ model: 'tide', levelSeq: 7, level, atMs: 1 }],
      recoveredQuotes: [],
      quotes: { intervalMs: 10_000, targetStartRate: 0.95, executeWindowMs: 10_000 },
      random: seededRandom(1),
      emit: (event: ExchangeEvent) => this.events.push(event),
      nowMs: NOW_MS,
    };
    this.exchange = new RecordedExchange(options, (line) => this.#lines.push(line));
    this.slots(slots);
  }

  slots(slots: number): void {
    this.exchange.handle({ type: 'capacity', model: 'tide', pod: 'pod', slots, healthy: true }, NOW_MS + this.at);
  }

  comes(order: string, bid: number, account = order): void {
    const rest = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    this.exchange.handle({ type: 'rest', model: 'tide', order, account, bid, ...rest }, NOW_MS + this.at);
  }

  ends(order: string): void {
    const release = { order, attempt: 1, pod: 'pod', reason: 'finished' } as const;
    this.exchange.handle({ type: 'release', model: 'tide', ...release }, NOW_MS + this.at);
  }

  /** Other terms; returns the events that follow from them at once. */
  renew(own: Partial<MarketTerms>): ExchangeEvent[] {
    const before = this.events.length;
    const listing = { ...this.#terms, ...own };
    this.exchange.handle({ type: 'terms', model: 'tide', listing }, NOW_MS + this.at);
    return this.events.slice(before);
  }

  passes(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.at += 1000;
      this.exchange.tick(NOW_MS + this.at);
      this.exchange.latchQuotes(NOW_MS + this.at);
    }
  }

  get admitted(): string[] {
    return this.events.flatMap((event) => (event.type === 'admit' ? [event.order] : []));
  }

  get level(): number {
    return this.events.findLast((event) => event.type === 'level')?.level ?? -1;
  }

  get quote(): number {
    return this.events.findLast((event) => event.type === 'quote')?.price ?? -1;
  }

  position(order: string): number | null {
    return this.exchange.positions('tide', [order])[0] ?? null;
  }

  /** Whether the record gives the same again. */
  replays(): void {
    const replay = new RecordReplay();
    for (const line of this.#lines) replay.take(line);
    assert.equal(replay.end().difference, null);
  }
}

test('a ceiling below the level takes the level down at once and the quote at its next window; bids above wait on in their order', () => {
  const bench = new Bench();
  bench.comes('runs', 90e9);
  for (const [order, bid] of [
    ['high', 80e9],
    ['higher', 95e9],
    ['low', 10e9],
  ] as const)
    bench.comes(order, bid);
  bench.passes(9);
  assert.ok(bench.level > 30e9 && bench.quote === 50e9);
  const [moved, ...more] = bench.renew({ ceiling: 20e9 });
  assert.partialDeepStrictEqual(moved, { type: 'level', level: 20e9 });
  assert.deepEqual(more, [], 'no order gets an event, and the quote stands');
  assert.deepEqual(
    ['higher', 'high', 'low'].map((order) => bench.position(order)),
    [1, 2, 3],
  );
  bench.passes(30);
  assert.ok(bench.level <= 20e9 && bench.quote <= 20e9, `${bench.level} ${bench.quote}`);
  bench.ends('runs');
  assert.partialDeepStrictEqual(bench.events.at(-1), { type: 'admit', order: 'higher', level: bench.level });
  bench.replays();
});

test('with a higher ceiling the level goes on to what is bid, also by orders that came before', () => {
  const bench = new Bench({ ceiling: 20e9 });
  bench.comes('runs', 400e9);
  for (const account of ['a', 'b', 'c']) bench.comes(account, 300e9);
  bench.passes(30);
  assert.ok(bench.level > 19.9e9 && bench.level <= 20e9, `${bench.level}`);
  assert.deepEqual(bench.renew({ ceiling: 1000e9 }), [], 'nothing moves at once');
  // The level goes where orders that start and pay are, while more are sent than the slot serves.
  for (let turn = 0; turn < 60; turn++) {
    bench.passes(3);
    bench.ends(bench.admitted.at(-1) ?? '');
    for (const account of 'abc') bench.comes(`${account} ${turn}`, 300e9, account);
  }
  assert.ok(bench.level > 200e9 && bench.level <= 400e9, `${bench.level}`);
  assert.ok(bench.quote > 20e9);
  bench.replays();
});

test('a floor above the level lifts it at once; it is no reserve, so an order below it runs when a slot is free', () => {
  const bench = new Bench({}, 1, 2e9);
  bench.comes('runs', 90e9);
  bench.comes('below', 3e9);
  bench.passes(1);
  assert.partialDeepStrictEqual(bench.renew({ floor: 30e9 })[0], { type: 'level', level: 30e9 });
  assert.equal(bench.position('below'), 1);
  bench.ends('runs');
  assert.deepEqual(bench.admitted, ['runs', 'below']);
  bench.passes(30);
  assert.ok(bench.level >= 30e9 && bench.quote >= 30e9);
  const falls = bench.renew({ floor: 2e9 });
  assert.deepEqual(falls, []);
  bench.ends('below');
  bench.passes(120);
  assert.ok(bench.level < 30e9);
  bench.replays();
});

test('below a new reserve an order waits beside a free slot, and runs when the reserve falls', () => {
  const bench = new Bench({}, 1, 2e9);
  bench.comes('runs', 90e9);
  bench.comes('waits', 3e9);
  bench.renew({ reserve: 5e9 });
  bench.ends('runs');
  assert.deepEqual([bench.admitted, bench.position('waits')], [['runs'], 1]);
  assert.partialDeepStrictEqual(bench.renew({ reserve: 3e9 }).at(-1), { type: 'admit', order: 'waits' });
  bench.replays();
});

test('another share of one account counts from the next free slot on', () => {
  const bench = new Bench({}, 2);
  for (const order of ['a1', 'a2', 'a3']) bench.comes(order, 90e9, 'a');
  bench.comes('b1', 10e9, 'b');
  bench.renew({ accountShareMax: 0.5 });
  bench.ends('a1');
  assert.deepEqual(bench.admitted, ['a1', 'a2', 'b1'], 'the account holds half of the slots, and another waits');
  bench.renew({});
  bench.ends('a2');
  assert.equal(bench.admitted.at(-1), 'a3');
  bench.replays();
});

test('a preview that opens goes on from its level and its numbers, and sells the slots that were reported before', () => {
  const bench = new Bench({ preview: true }, 1, 20e9);
  bench.passes(15);
  const { level, quote } = bench;
  const last = bench.events.at(-1)?.seq ?? 0;
  const seqs = bench.events.flatMap((event) => (event.type === 'level' ? [event.levelSeq] : []));
  const quoteSeq = bench.events.findLast((event) => event.type === 'quote')?.quoteSeq ?? 0;
  const opened = bench.renew({ preview: false });
  assert.partialDeepStrictEqual(opened, [
    { type: 'level', level, levelSeq: (seqs.at(-1) ?? 0) + 1, degraded: true, seq: last + 1 },
    { type: 'quote', price: quote, quoteSeq: quoteSeq + 1, seq: last + 2 },
    { type: 'level', level, degraded: false, seq: last + 3 },
  ]);
  bench.comes('first', 90e9);
  assert.deepEqual(bench.admitted, ['first']);
  const again = bench.renew({ preview: true });
  assert.deepEqual([again, bench.exchange.find('tide')?.book.executing], [[], 1], 'a market is no preview again');
  bench.replays();
});

test('a preview with other bounds stays one, within them', () => {
  const bench = new Bench({ preview: true });
  bench.renew({ preview: true, ceiling: 3e9 });
  assert.equal(bench.level, 3e9);
  bench.passes(60);
  assert.ok(bench.level <= 3e9 && bench.quote <= 3e9);
  bench.replays();
  assert.throws(() => bench.comes('early', 90e9), /there is no market for tide/);
});

test('terms of a model that is not there change nothing', () => {
  const bench = new Bench();
  const before = bench.events.length;
  bench.exchange.handle({ type: 'terms', model: 'reef', listing: { ...TERMS, id: 'reef' } }, NOW_MS);
  assert.equal(bench.events.length, before);
});

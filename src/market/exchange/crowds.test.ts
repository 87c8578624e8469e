/** What a crowd of one account does to a market whose orders run for longer than anybody waits for the level. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { ExchangeEvent } from '../ports.ts';
import { Exchange } from './exchange.ts';

const USD = 1e9;
const SLOTS = 64;
const model = marketListing().id;

/** What a crowd does besides. Bids of `reprice` are those of the crowd, by their number. */
interface Trick {
  /** When it bids other prices, in milliseconds after the crowd came. */
  readonly atMs: number;
  readonly play: (reprice: (order: number, bid: number, atMs: number) => void) => void;
}

/** The level and the quote twelve seconds after a crowd bid so, on full slots: of one account, or of all that hold them. */
function after(
  crowd: readonly number[],
  trick: Trick | null = null,
  ofHolders = false,
): { readonly level: number; readonly quote: number } {
  const shown = { level: 0, quote: 0 };
  const emit = (event: ExchangeEvent) => {
    if (event.type === 'level') shown.level = event.level;
    if (event.type === 'quote') shown.quote = event.price;
  };
  const recovered = [{ model, level: USD, levelSeq: 1, atMs: 0 }];
  const common = { listings: [marketListing()], levelTimeConstantMs: 20_000, recovered, ...someQuotes(), emit };
  const exchange = new Exchange({ ...common, nowMs: 0 });
  const rest = (order: string, account: string, bid: number, nowMs: number) => {
    const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    exchange.handle({ type: 'rest', model, order, account, bid, ...first }, nowMs);
  };
  exchange.handle({ type: 'capacity', model, pod: 'pod', slots: SLOTS, healthy: true }, 0);
  for (let at = 0; at < 3 * SLOTS; at++) rest(`honest ${at}`, `account ${at % 50}`, 0.2 * USD + at * 1e6, at * 1000);
  const fromMs = 300_000;
  for (let nowMs = 1000; nowMs <= fromMs + 12_000; nowMs += 1000) {
    exchange.tick(nowMs);
    if (nowMs === fromMs)
      for (const [at, bid] of crowd.entries()) {
        const account = ofHolders ? `account ${at % 50}` : 'crowd';
        rest(`crowd ${at}`, account, bid, nowMs + at);
      }
    if (nowMs - fromMs !== trick?.atMs) continue;
    trick.play((order, bid, atMs) =>
      exchange.handle({ type: 'reprice', model, order: `crowd ${order}`, bid }, nowMs + atMs),
    );
  }
  return shown;
}

test('a crowd whose bids rise one above the other moves level and quote no more than one bid', () => {
  const rising = Array.from({ length: 300 }, (_, at) => 5 * USD + at * 1e6);
  const one = after(rising.slice(-1));
  const crowd = after(rising);
  const falling = after(rising.toReversed());
  // One bid moves nothing as long as its account has held no slot. Those of accounts that hold all slots do.
  const ofHolders = after(rising, null, true);
  assert.ok(ofHolders.level > one.level * 1.05, `level ${ofHolders.level} instead of ${one.level}`);
  for (const { level, quote } of [crowd, falling]) {
    assert.ok(level <= one.level * 1.01, `level ${level} instead of ${one.level}`);
    assert.ok(quote <= one.quote * 1.01, `quote ${quote} instead of ${one.quote}`);
  }
});

test('a crowd whose bids are lowered one after the other, the best first, moves level and quote no more than none', () => {
  const falling = Array.from({ length: 300 }, (_, at) => 5 * USD - at * 1e6);
  const none = after([]);
  const lowered = after(falling, {
    atMs: 6000,
    play: (reprice) => {
      for (const at of falling.keys()) reprice(at, 1e6, at);
    },
  });
  assert.ok(lowered.level <= none.level * 1.01, `level ${lowered.level} instead of ${none.level}`);
  assert.ok(lowered.quote <= none.quote * 1.01, `quote ${lowered.quote} instead of ${none.quote}`);
});

test('two bids of one account that take turns arrive once', () => {
  const pair = [5 * USD, 4.9 * USD];
  const still = after(pair);
  const turns = after(pair, {
    atMs: 6000,
    play: (reprice) => {
      for (let at = 0; at < 900; at += 2) {
        reprice(0, 4.8 * USD - at * 1000, at);
        reprice(1, 4.8 * USD - at * 1000 - 1, at + 1);
      }
    },
  });
  assert.ok(turns.level <= still.level * 1.01, `level ${turns.level} instead of ${still.level}`);
  assert.ok(turns.quote <= still.quote * 1.01, `quote ${turns.quote} instead of ${still.quote}`);
});

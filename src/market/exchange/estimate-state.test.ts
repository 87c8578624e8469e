/** What a market learned of its estimates is in its stored state: a restart continues with it, and a replay learns the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { Admit, ExchangeEvent, QuoteLatched, RecoveredQuote } from '../ports.ts';
import { RecordedExchange } from './recording.ts';
import { RecordReplay } from './replay.ts';

const USD = 1e9;
const START_MS = Date.UTC(2026, 0, 1);
const model = marketListing().id;

/** A market of four slots; `play` trades for so many seconds, with more orders than it can run. */
function opened(recoveredQuotes: readonly RecoveredQuote[] = [], nowMs = START_MS) {
  const lines: string[] = [];
  const running: Admit[] = [];
  const quotes: QuoteLatched[] = [];
  const emit = (event: ExchangeEvent) => {
    if (event.type === 'admit') running.push(event);
    if (event.type === 'quote') quotes.push(event);
  };
  const options = { listings: [marketListing()], levelTimeConstantMs: 10_000, recovered: [], ...someQuotes(), emit };
  const exchange = new RecordedExchange({ ...options, recoveredQuotes, nowMs }, (line) => void lines.push(line));
  exchange.handle({ type: 'capacity', model, pod: 'pod', slots: 4, healthy: true }, nowMs);
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  const play = (seconds: number) => {
    const random = seededRandom(7);
    for (let second = 1; second <= seconds; second++) {
      const atMs = nowMs + second * 1000;
      const bid = Math.ceil((0.5 + random.next()) * USD);
      exchange.handle({ type: 'rest', model, order: `${second}`, account: `${second % 9}`, bid, ...first }, atMs);
      const done = second % 2 === 0 ? running.shift() : undefined;
      if (done) exchange.handle({ ...done, type: 'release', reason: 'finished' }, atMs);
      const left = `${second - 120}`;
      exchange.handle({ type: 'withdraw', model, order: left, expired: true }, atMs);
      if (second % 10 === 0) exchange.latchQuotes(atMs);
      exchange.tick(atMs);
    }
  };
  const learned = () => {
    const { corrections, reliability } = exchange.find(model)?.odds(nowMs) ?? assert.fail('there is no market');
    return { corrections, reliability };
  };
  return { play, learned, quotes, lines };
}

const estimatesIn = (quote?: QuoteLatched) => JSON.parse(quote?.state ?? '{}').estimates;

test('a restart continues with the corrections and figures of the last stored state', () => {
  const { play, learned, quotes } = opened();
  play(1200);
  const { quoteSeq, price, state } = quotes.at(-1) ?? assert.fail('no quote was latched');
  const now = learned();
  assert.ok(now.reliability.every(({ orders }) => orders > 100));
  const recovered = { model, quoteSeq, price, state, lockMinutes: [] };
  const { learned: learnedAfter, quotes: quotesAfter } = opened([recovered], START_MS + 1200_000);
  assert.deepEqual(estimatesIn(quotesAfter.at(-1)), estimatesIn(quotes.at(-1)));
  // Nothing is forgotten but the outcomes since the state was stored.
  for (const [at, { orders }] of learnedAfter().reliability.entries())
    assert.ok(Math.abs(orders - (now.reliability[at]?.orders ?? Number.NaN)) <= 2);
  assert.ok(JSON.stringify(estimatesIn(quotes.at(-1))).length < 4096);
});

test('a market whose stored state is from an earlier version has learned nothing', () => {
  const { play, quotes } = opened();
  play(20);
  const { quoteSeq, price, state } = quotes.at(-1) ?? assert.fail('no quote was latched');
  const { estimates: _, ...earlier } = JSON.parse(state ?? '{}');
  const recovered = { model, quoteSeq, price, state: JSON.stringify(earlier), lockMinutes: [] };
  assert.deepEqual(opened([recovered]).learned(), opened().learned());
});

test('a replay learns the same, to the last stored state', () => {
  const { play, lines, quotes } = opened();
  play(600);
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  const { difference, brokenLine } = replay.end();
  assert.deepEqual([difference, brokenLine], [null, null]);
  assert.match(quotes.at(-1)?.state ?? '', /"estimates":\{"outcomes":\[\[\[[\d.]+/);
});

/** How large the stored state of a quote can become: it is written with every window. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { ExchangeEvent } from '../ports.ts';
import { Exchange } from './exchange.ts';

/** The steps of arrival rates are 3 % wide, from 1 to the highest price limit, 10^18. */
const STEPS = 1404;
const ACCOUNTS = 2 * STEPS;
/** Of these so many are stored of each rate. */
const STORED_STEPS = 600;
const BYTES_MAX = 64 * 1024;

/** What two days at high prices, and a day of estimates, leave. */
const learned = {
  past: { last: Math.floor(Date.UTC(2026, 0, 1) / 900_000), lows: Array.from({ length: 192 }, () => 1e15 - 1) },
  estimates: {
    outcomes: [1, 2, 3].map(() => Array.from({ length: 16 }, () => [2000 / 7, -20_000 / 7, 1000 / 7])),
    scores: [1, 2, 3].map(() => {
      return { tenths: Array.from({ length: 10 }, () => [17_280 / 7, 17_280 / 9, 17_280 / 11]), squares: 17_280 / 7 };
    }),
  },
};

test('the stored state is bounded, however many accounts trade and at however many prices', () => {
  const events: ExchangeEvent[] = [];
  const emit = (event: ExchangeEvent) => void events.push(event);
  const model = marketListing().id;
  const startMs = Date.UTC(2026, 0, 1);
  const nothing = { atMs: startMs, bins: [] };
  const state = {
    ...{ calibration: { correction: 0, resolvedMean: 0 }, arrivals: [nothing, nothing] },
    ...{
      turnover: { heldMs: 0, ended: 0, claimed: 0 },
      runs: { atMs: startMs, unknown: [], accounts: [] },
      ...learned,
    },
  };
  const recoveredQuotes = [{ model, quoteSeq: 1, price: 0, state: JSON.stringify(state), lockMinutes: [] }];
  const options = { listings: [marketListing()], levelTimeConstantMs: 10_000, recovered: [], ...someQuotes(), emit };
  const exchange = new Exchange({ ...options, recoveredQuotes, nowMs: startMs });
  const capacity = (slots: number, nowMs: number) =>
    exchange.handle({ type: 'capacity', model, pod: 'pod', slots, healthy: true }, nowMs);
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  // None may run at once: they start from the queue.
  capacity(1, startMs);
  for (let at = 0; at < ACCOUNTS; at++) {
    const account = `0190a3f2-7c1e-7abc-8def-${String(at).padStart(12, '0')}`;
    const bid = Math.min(1e18, Math.ceil(1.03 ** (at / 2 + 0.3)));
    exchange.handle({ type: 'rest', model, order: `${at}`, account, bid, ...first }, startMs + at);
  }
  capacity(ACCOUNTS, startMs + 4000);
  exchange.tick(startMs + 5000);
  exchange.tick(startMs + 7000);
  for (const event of events.filter(({ type }) => type === 'admit')) {
    if (event.type !== 'admit') continue;
    const { order, attempt, pod } = event;
    const release = { type: 'release', model, order, attempt, pod, reason: 'finished' } as const;
    exchange.handle(release, startMs + 8000 + (Number(order) % 1000));
  }
  exchange.tick(startMs + 10_000);
  const stored = events.findLast((event) => event.type === 'quote')?.state ?? '';
  const { runs, arrivals, paid, past } = JSON.parse(stored);
  assert.equal(runs.accounts.length, 300);
  assert.equal(past.lows.length, 192);
  for (const { bins } of [...arrivals, ...paid]) assert.equal(bins.length, STORED_STEPS);
  assert.ok(stored.length <= BYTES_MAX, `${stored.length} bytes`);
  assert.ok(stored.length > 0.75 * BYTES_MAX, `${stored.length} bytes`);
});

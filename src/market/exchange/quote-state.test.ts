/** How large the stored state of a quote can become: it is written with every window. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { ExchangeEvent } from '../ports.ts';
import { Exchange } from './exchange.ts';

/** The steps of arrival rates are 3 % wide, from 1 to the highest price limit, 10^18. */
const STEPS = 1404;
const ACCOUNTS = 2 * STEPS;
const BYTES_MAX = 64 * 1024;

test('the stored state is bounded, however many accounts trade and at however many prices', () => {
  const events: ExchangeEvent[] = [];
  const emit = (event: ExchangeEvent) => void events.push(event);
  const options = { listings: [marketListing()], levelTimeConstantMs: 10_000, recovered: [], ...someQuotes(), emit };
  const startMs = Date.UTC(2026, 0, 1);
  const exchange = new Exchange({ ...options, nowMs: startMs });
  const model = marketListing().id;
  exchange.handle({ type: 'capacity', model, pod: 'pod', slots: ACCOUNTS, healthy: true }, startMs);
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  for (let at = 0; at < ACCOUNTS; at++) {
    const account = `0190a3f2-7c1e-7abc-8def-${String(at).padStart(12, '0')}`;
    const bid = Math.min(1e18, Math.ceil(1.03 ** (at / 2 + 0.3)));
    exchange.handle({ type: 'rest', model, order: `${at}`, account, bid, ...first }, startMs + at);
  }
  for (const event of events.filter(({ type }) => type === 'admit')) {
    if (event.type !== 'admit') continue;
    const { order, attempt, pod } = event;
    const release = { type: 'release', model, order, attempt, pod, reason: 'finished' } as const;
    exchange.handle(release, startMs + 4000 + (Number(order) % 1000));
  }
  exchange.tick(startMs + 10_000);
  const state = events.findLast((event) => event.type === 'quote')?.state ?? '';
  const { runs, arrivals } = JSON.parse(state);
  assert.equal(runs.accounts.length, 300);
  for (const { bins } of arrivals) assert.ok(bins.length > 0.9 * STEPS, `${bins.length} steps`);
  assert.ok(state.length <= BYTES_MAX, `${state.length} bytes`);
});

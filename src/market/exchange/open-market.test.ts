/** A market that opens while the exchange runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import type { ExchangeEvent } from '../ports.ts';
import { RecordedExchange } from './recording.ts';
import { RecordReplay } from './replay.ts';

const NOW_MS = 1_000_000;
const terms = { type: 'market', floor: 2, ceiling: 100, reserve: 0, preview: false, accountShareMax: null } as const;
const rest = {
  type: 'rest',
  order: 'order-1',
  account: 'account',
  bid: 50,
  lockLimit: null,
  restedSeq: null,
  attempt: 1,
  avoidPod: null,
  house: false,
} as const;
const capacity = { type: 'capacity', pod: 'pod-1', slots: 1, healthy: true } as const;

function start() {
  const events: ExchangeEvent[] = [];
  const lines: string[] = [];
  const options = {
    listings: [{ ...terms, id: 'tide' }],
    levelTimeConstantMs: 20_000,
    recovered: [],
    recoveredQuotes: [],
    quotes: { intervalMs: 10_000, targetStartRate: 0.95, executeWindowMs: 10_000 },
    random: seededRandom(1),
    emit: (event: ExchangeEvent) => events.push(event),
    nowMs: NOW_MS,
  };
  return { exchange: new RecordedExchange(options, (line) => lines.push(line)), events, lines };
}

const opening = (own: object = {}) => ({
  ...({
    type: 'open',
    model: 'reef',
    listing: { ...terms, id: 'reef' },
    recovered: null,
    recoveredQuote: null,
  } as const),
  ...own,
});

test('trades like one that was there from the start, and goes on from its stored level', () => {
  const { exchange, events } = start();
  assert.throws(() => exchange.handle({ ...rest, model: 'reef' }, NOW_MS), /there is no market for reef/);
  events.length = 0;
  exchange.handle(opening({ recovered: { model: 'reef', levelSeq: 7, level: 20, atMs: 1 } }), NOW_MS + 5);
  assert.deepEqual(
    events.map((event) => [event.type, event.model, 'levelSeq' in event && event.levelSeq]),
    [
      ['level', 'reef', 8],
      ['quote', 'reef', false],
    ],
  );
  exchange.handle({ ...capacity, model: 'reef' }, NOW_MS + 6);
  exchange.handle({ ...rest, model: 'reef' }, NOW_MS + 7);
  assert.partialDeepStrictEqual(events.at(-1), { type: 'admit', model: 'reef', pod: 'pod-1', level: 20 });
  const count = events.length;
  exchange.handle(opening(), NOW_MS + 8);
  assert.equal(events.length, count, 'one that is there stays as it is');
});

test('is replayed from the record, also as a preview', () => {
  const { exchange, lines } = start();
  exchange.handle(opening(), NOW_MS + 5);
  exchange.handle(opening({ model: 'brook', listing: { ...terms, id: 'brook', preview: true } }), NOW_MS + 6);
  exchange.handle({ ...capacity, model: 'reef' }, NOW_MS + 7);
  exchange.handle({ ...rest, model: 'reef' }, NOW_MS + 8);
  for (let second = 1; second < 30; second++) {
    exchange.tick(NOW_MS + second * 1_000);
    exchange.latchQuotes(NOW_MS + second * 1_000);
  }
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  const { difference, events } = replay.end();
  assert.equal(difference, null);
  assert.equal(events.admit, 1);
  assert.ok((events.quote ?? 0) > 6);
});

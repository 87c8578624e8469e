/**
 * A month of trading in twenty markets on a manual clock: exchange, quotes, charts, streams and the answers read from
 * them, without network and database. Prints the memory in use at the end of each day, after garbage collection. It
 * must not grow.
 */

import type { JournalPort } from '#base/journal.ts';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { marketFrames } from '#handlers/market.ts';
import { marketHistoryHandlers } from '#handlers/market-history.ts';
import { MarketFeed } from '#market/data/feed.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { Exchange } from '#market/exchange/exchange.ts';
import { type Listing, Listings } from '#market/listing.ts';
import type { ExchangeEvent } from '#market/ports.ts';
import { LevelRecorder } from '#observe/level-recorder.ts';
import type { LevelPast, LevelUnits } from '#observe/ports.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { testCall } from '#testing/calls.ts';
import { marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { Traders } from './month/traders.ts';

const quick = process.argv.includes('--quick');
const DAYS = quick ? 3 : 32;
const MARKETS = quick ? 3 : 20;
const DAY_S = 86_400;
/** How far the clock moves at a time, in seconds; the exchange gets a tick for every second. */
const STEP_S = 15;
const QUOTE_INTERVAL_MS = 60_000;

const listings: Listing[] = Array.from({ length: MARKETS }, (_, index) => marketListing({ id: `m${index}` }));
const models = listings.map(({ id }) => id);
const clock = new ManualClock();
const nothingBefore: LevelPast = {
  async *blocks() {},
  async *changes() {},
  unfinished: async () => null,
  runs: async () => [],
};
const journal = { write: async () => {}, stalled: false } as unknown as JournalPort<LevelUnits>;
const recorder = new LevelRecorder({ models, past: nothingBefore, journal, clock, log: silentLog, bootEpoch: 1 });
const board = new LevelBoard(listings, [], clock.nowMs());
const known = new Listings(listings, 'm0');
const feed = new MarketFeed({ clock, models, market: board, write: marketFrames(known) });
const handlers = marketHistoryHandlers({ listings: known, market: board, charts: recorder, clock });
const tradersByModel = new Map(models.map((model, index) => [model, new Traders(model, seededRandom(index))]));
let frames = 0;
let events = 0;
const exchange = new Exchange({
  listings,
  levelTimeConstantMs: 20_000,
  recovered: [],
  quotes: { intervalMs: QUOTE_INTERVAL_MS, targetStartRate: 0.95, executeWindowMs: 10_000 },
  recoveredQuotes: [],
  random: seededRandom(99),
  emit: hear,
  nowMs: clock.nowMs(),
});
for (const model of models) {
  exchange.handle({ type: 'capacity', model, pod: 'pod', slots: 8, healthy: true }, clock.nowMs());
}
// One market has listeners; the streams of the others cost nothing.
for (const channel of [feed.level('m0'), feed.quote('m0')]) {
  channel.follow({ frame: () => void frames++, ended: () => {} });
}

console.log(`${MARKETS} markets, ${DAYS} days, levels that move every second; one of them has listeners\n`);
const rows: string[][] = [];
for (let day = 1; day <= DAYS; day++) {
  const beginMs = performance.now();
  for (let second = 0; second < DAY_S; second += STEP_S) {
    for (let more = 1; more <= STEP_S; more++) trade(clock.nowMs() + more * 1000);
    await clock.advance(STEP_S * 1000);
  }
  for (const model of models) await readAll(model);
  const row = memoryOf(day, performance.now() - beginMs);
  rows.push(row);
  // Takes minutes, so it reports progress.
  console.error(row.join('  '));
}
const names = ['day', 'orders', 'events', 'frames', 'live orders', 'heap MiB', 'array buffers MiB', 'seconds'];
console.log(markdownTable(names, rows));
process.exit();

function trade(nowMs: number): void {
  for (const traders of tradersByModel.values()) {
    for (const command of traders.act(nowMs, board.quote(traders.model)?.price ?? 0)) exchange.handle(command, nowMs);
  }
  exchange.tick(nowMs);
  if (nowMs % QUOTE_INTERVAL_MS === 0) exchange.latchQuotes(nowMs);
}

function hear(event: ExchangeEvent): void {
  events++;
  if (event.type === 'level') {
    board.apply(event);
    recorder.take(event);
    feed.levelMoved(event.model);
  } else if (event.type === 'quote') {
    board.applyQuote(event);
    feed.quoteLatched(event.model);
  } else if (event.type === 'admit') tradersByModel.get(event.model)?.started(event);
}

async function readAll(model: string): Promise<void> {
  for (const range of ['1h', '24h', '7d', '30d']) {
    await handlers.getMarketHistory(testCall('getMarketHistory', { query: { model, range } }));
    await handlers.getMarketCandles(testCall('getMarketCandles', { query: { model, range } }));
  }
}

function memoryOf(day: number, tookMs: number): string[] {
  // Twice, because the second run releases the array buffers that the first one freed.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const sum = (count: (traders: Traders) => number) =>
    [...tradersByModel.values()].reduce((all, traders) => all + count(traders), 0);
  const counts = [day, sum((traders) => traders.sent), events, frames, sum((traders) => traders.live)].map(String);
  return [
    ...counts,
    ...[heapUsed, arrayBuffers].map((bytes) => (bytes / 2 ** 20).toFixed(1)),
    (tookMs / 1000).toFixed(0),
  ];
}

/**
 * 30 days of minutes and two days of single changes for twenty markets: what a chart costs to read from the database
 * once, and what each answer costs from then on, the JSON included. Design: at most 30 ms for 30 days.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { marketHistoryHandlers } from '#handlers/market-history.ts';
import { type Listing, Listings } from '#market/listing.ts';
import { LevelRecorder } from '#observe/level-recorder.ts';
import { openDatabase } from '#storage/database.ts';
import { createLevelPast, openRun } from '#storage/level-past.ts';
import { migrate } from '#storage/migrate.ts';
import { testCall } from '#testing/calls.ts';
import { marketListing } from '#testing/listings.ts';
import { markdownTable, median } from './table.ts';

const quick = process.argv.includes('--quick');
const MARKETS = quick ? 3 : 20;
const MINUTES = 30 * 24 * 60;
const CHANGES = 48 * 3600;
const ROUNDS = 20;

const listings: Listing[] = Array.from({ length: MARKETS }, (_, index) => marketListing({ id: `m${index}` }));
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const db = openDatabase(`sqlite:${join(folder, 'history.sqlite')}`);
await migrate(db);
const nowMs = systemClock.nowMs();
await fill();
await openRun(db, 2, nowMs);

const recorder = new LevelRecorder({
  models: listings.map(({ id }) => id),
  past: createLevelPast(db),
  journal: { write: () => Promise.reject(new Error('nothing is written here')), stalled: false },
  clock: systemClock,
  log: silentLog,
  bootEpoch: 2,
});
const handlers = marketHistoryHandlers({
  listings: new Listings(listings, 'm0'),
  market: {
    current: (model) => ({
      model,
      level: 1e9,
      levelSeq: 1,
      mode: 'clearing',
      degraded: false,
      updatedAtMs: 0,
      preview: false,
    }),
    quote: () => null,
  },
  charts: recorder,
  clock: systemClock,
});

const before = process.memoryUsage();
const loads: number[] = [];
for (const { id } of listings) loads.push(await timed(() => recorder.chart(id)));
const after = process.memoryUsage();
const rows = [['first reading of a market', ms(median(loads)), ms(Math.max(...loads)), '']];
for (const [name, handler, query] of [
  ['history 1h', handlers.getMarketHistory, { range: '1h' }],
  ['history 24h', handlers.getMarketHistory, { range: '24h' }],
  ['history 7d', handlers.getMarketHistory, { range: '7d' }],
  ['history 30d', handlers.getMarketHistory, { range: '30d' }],
  ['candles 24h of 60 s', handlers.getMarketCandles, { range: '24h' }],
  ['candles 30d of 3600 s', handlers.getMarketCandles, { range: '30d', bucket: '3600' }],
  ['candles 30d of 60 s', handlers.getMarketCandles, { range: '30d' }],
] as const) {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const model = `m${round % MARKETS}`;
    times.push(
      await timed(async () => {
        const reply = await handler(testCall({ query: { ...query, model } }));
        bytes = 'json' in reply ? JSON.stringify(reply.json).length : 'raw' in reply ? reply.raw.length : 0;
      }),
    );
  }
  rows.push([name, ms(median(times)), ms(Math.max(...times)), `${Math.round(bytes / 1024)} KiB`]);
}
console.log(markdownTable([`${MARKETS} markets`, 'median ms', 'worst ms', 'answer'], rows));
const held = after.rss + after.arrayBuffers * 0 - before.rss;
console.log(`\nMemory for all charts: ${Math.round(held / 2 ** 20)} MiB resident more after reading them.`);
await recorder.close().catch(() => {});
await db.close();
rmSync(folder, { recursive: true });
process.exit();

async function fill(): Promise<void> {
  const random = seededRandom(1);
  await db.knex('gateway_runs').insert({ boot: 1, from_ms: nowMs - MINUTES * 60_000, until_ms: nowMs - 1000 });
  const lastMinute = Math.floor(nowMs / 60_000);
  for (const { id: model } of listings) {
    await db.knex.transaction(async (trx) => {
      const put = async (table: string, count: number, row: (index: number) => object) => {
        for (let index = 0; index < count; index += 500) {
          const rows = Array.from({ length: Math.min(500, count - index) }, (_, more) => row(index + more));
          await trx(table).insert(rows);
        }
      };
      const level = () => Math.round(1e9 * (1 + random.next()));
      await put('level_minutes', MINUTES, (index) => ({
        ...{ model, minute_ms: (lastMinute - MINUTES + index) * 60_000, boot: 1, covered_ms: 60_000 },
        ...{ open: level(), high: 2e9, low: 1e9, close: level(), mean: level() },
      }));
      await put('levels', CHANGES, (index) => ({
        ...{ model, level_seq: index + 1, level: level(), at_ms: nowMs - (CHANGES - index) * 1000 },
      }));
    });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function ms(value: number): string {
  return value.toFixed(1);
}

/**
 * A month of one-minute data, finer data of the last day and hour, and two days of single changes in a database, as an
 * earlier gateway left them. Runs in its own process, so that its memory is not counted: `node past.ts DATABASE_URL
 * NOW_MS MODEL…`.
 */

import { seededRandom } from '#base/random.ts';
import { DAY_MS } from '#base/time.ts';
import { LevelChart } from '#market/data/level-chart.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';

const SEEN_MS = 30 * DAY_MS;
const CHANGES = 48 * 3600;
/** Before the single changes begin, the level moves once per narrowest slot that is kept. */
const STEP_MS = 15_000;

/** Ends at `nowMs`; the gateway that recorded it ended a second earlier. */
async function writePast(db: Database, models: readonly string[], nowMs: number): Promise<void> {
  const random = seededRandom(1);
  const level = () => Math.round(1e9 * (1 + random.next()));
  const untilMs = nowMs - 1000;
  await db.knex('counters').insert({ name: 'boot', value: 1 });
  await db.knex('gateway_runs').insert({ boot: 1, from_ms: nowMs - SEEN_MS, until_ms: untilMs, in_blocks: 1 });
  for (const model of models) {
    const chart = new LevelChart();
    const sinceMs = nowMs - CHANGES * 1000;
    for (let atMs = nowMs - SEEN_MS; atMs < sinceMs; atMs += STEP_MS) {
      chart.add(level(), atMs, Math.min(atMs + STEP_MS, sinceMs));
    }
    const changes = Array.from({ length: CHANGES }, (_, index) => ({
      ...{ model, level_seq: index + 1, level: level(), at_ms: sinceMs + index * 1000 },
    }));
    for (const change of changes) chart.add(change.level, change.at_ms, Math.min(change.at_ms + 1000, untilMs));
    const blocks = Array.from(chart.blocks(model, nowMs - SEEN_MS, untilMs), (block) => ({
      ...{ model, width_ms: block.widthMs, from_ms: block.fromMs, boot: 1, slots: Buffer.from(block.candles) },
    }));
    await db.knex.transaction(async (trx) => {
      await trx.batchInsert('levels', changes, 500);
      await trx.batchInsert('level_blocks', blocks, 50);
      await trx('markets').insert(changes.at(-1) ?? {});
    });
  }
}

const [url = '', nowMs, ...models] = process.argv.slice(2);
const db = openDatabase(url);
await migrate(db);
await writePast(db, models, Number(nowMs));
await db.close();

/**
 * A month of one-minute data and two days of single changes in a database, as an earlier gateway left them. Written by a
 * process of its own, whose memory is not counted: `node past.ts DATABASE_URL NOW_MS MODEL…`.
 */
import { seededRandom } from '#base/random.ts';
import { type Database, openDatabase } from '#storage/database.ts';
import { migrate } from '#storage/migrate.ts';

const MINUTE_MS = 60_000;
const MINUTES = 30 * 24 * 60;
const CHANGES = 48 * 3600;

/** Until `nowMs`; the gateway that saw it ended a second before. */
async function writePast(db: Database, models: readonly string[], nowMs: number): Promise<void> {
  const random = seededRandom(1);
  const level = () => Math.round(1e9 * (1 + random.next()));
  const lastMinute = Math.floor(nowMs / MINUTE_MS);
  await db.knex('counters').insert({ name: 'boot', value: 1 });
  await db.knex('gateway_runs').insert({ boot: 1, from_ms: nowMs - MINUTES * MINUTE_MS, until_ms: nowMs - 1000 });
  for (const model of models) {
    await db.knex.transaction(async (trx) => {
      const put = async (table: string, count: number, row: (index: number) => object) => {
        for (let index = 0; index < count; index += 500) {
          const rows = Array.from({ length: Math.min(500, count - index) }, (_, more) => row(index + more));
          await trx(table).insert(rows);
        }
      };
      await put('level_minutes', MINUTES, (index) => ({
        ...{ model, minute_ms: (lastMinute - MINUTES + index) * MINUTE_MS, boot: 1, covered_ms: MINUTE_MS },
        ...{ open: level(), high: 2e9, low: 1e9, close: level(), mean: level() },
      }));
      await put('levels', CHANGES, (index) => ({
        ...{ model, level_seq: index + 1, level: level(), at_ms: nowMs - (CHANGES - index) * 1000 },
      }));
      await trx('markets').insert({ model, level_seq: CHANGES, level: level(), at_ms: nowMs - 1000 });
    });
  }
}

const [url = '', nowMs, ...models] = process.argv.slice(2);
const db = openDatabase(url);
await migrate(db);
await writePast(db, models, Number(nowMs));
await db.close();

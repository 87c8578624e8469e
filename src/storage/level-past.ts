/** The levels that earlier processes recorded, and when those processes were up. Rows are written by the journal. */
import type { GatewayRun, LevelMinute, LevelPast, LevelRow, UnfinishedRun } from '#market/ports.ts';
import type { Database } from './database.ts';
import { writing } from './transaction.ts';
import { int, type Row } from './values.ts';

const PAGE = 2000;

/** Opens the run of this boot. Before it nothing of this boot is recorded by the minute. */
export async function openRun(db: Database, boot: number, nowMs: number): Promise<void> {
  await writing(db, (trx) => trx('gateway_runs').insert({ boot, from_ms: nowMs, until_ms: nowMs }));
}

/** The past of every market over `db`. */
export function createLevelPast(db: Database): LevelPast {
  return {
    minutes: (model, sinceMs, boot) => minutesOf(db, model, sinceMs, boot),
    changes: (model, sinceMs, beforeMs) => changesOf(db, model, sinceMs, beforeMs),
    unfinished: (boot) => unfinishedRun(db, boot),
    async runs(sinceMs, beforeMs) {
      const rows: Row[] = await db
        .knex('gateway_runs')
        .where('until_ms', '>', sinceMs)
        .where('from_ms', '<', beforeMs)
        .orderBy('boot');
      return rows.map(runFrom);
    },
  };
}

/** Pages by whole minutes, so that the parts of one minute never fall on two pages. */
async function* minutesOf(
  { knex }: Database,
  model: string,
  sinceMs: number,
  boot: number,
): AsyncGenerator<LevelMinute[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows: Row[] = await knex('level_minutes')
      .select('minute_ms', 'open', 'high', 'low', 'close', 'mean', 'covered_ms')
      .where({ model })
      .where('minute_ms', '>=', sinceMs)
      .where('minute_ms', '<', before)
      .where('boot', '<', boot)
      .orderBy([
        { column: 'minute_ms', order: 'desc' },
        { column: 'boot', order: 'desc' },
      ])
      .limit(PAGE);
    const last = rows.at(-1);
    if (!last) return;
    const whole = rows.length < PAGE ? rows : rows.filter((row) => int(row.minute_ms) > int(last.minute_ms));
    yield whole.map((row) => minuteFrom(model, row));
    if (rows.length < PAGE) return;
    before = int(last.minute_ms) + 1;
  }
}

async function* changesOf(
  { knex }: Database,
  model: string,
  sinceMs: number,
  beforeMs: number,
): AsyncGenerator<LevelRow[]> {
  const inForce: Row | undefined = await knex('levels')
    .where({ model })
    .where('at_ms', '<=', sinceMs)
    .orderBy([
      { column: 'at_ms', order: 'desc' },
      { column: 'level_seq', order: 'desc' },
    ])
    .first('level_seq');
  for (let after = inForce ? int(inForce.level_seq) - 1 : 0; ; ) {
    const rows: Row[] = await knex('levels')
      .select('level_seq', 'level', 'at_ms')
      .where({ model })
      .where('level_seq', '>', after)
      .where('at_ms', '<', beforeMs)
      .orderBy('level_seq')
      .limit(PAGE);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => levelFrom(model, row));
    after = int(last.level_seq);
  }
}

async function unfinishedRun({ knex }: Database, boot: number): Promise<UnfinishedRun | null> {
  const row: Row | undefined = await knex('gateway_runs').where('boot', '<', boot).orderBy('boot', 'desc').first();
  if (!row) return null;
  const run = runFrom(row);
  const signs: (Row | undefined)[] = [
    await knex('markets').max({ at_ms: 'at_ms' }).first(),
    await knex('quotes')
      .join('quote_states', (join) =>
        join.on('quotes.model', 'quote_states.model').andOn('quotes.quote_seq', 'quote_states.quote_seq'),
      )
      .max({ at_ms: 'quotes.at_ms' })
      .first(),
  ];
  const lastSignMs = Math.max(...signs.map((sign) => int(sign?.at_ms ?? 0)));
  return lastSignMs > run.untilMs ? { ...run, lastSignMs } : null;
}

function runFrom(row: Row): GatewayRun {
  return { boot: int(row.boot), fromMs: int(row.from_ms), untilMs: int(row.until_ms) };
}

function levelFrom(model: string, row: Row): LevelRow {
  return { model, levelSeq: int(row.level_seq), level: int(row.level), atMs: int(row.at_ms) };
}

function minuteFrom(model: string, row: Row): LevelMinute {
  return {
    model,
    minuteMs: int(row.minute_ms),
    open: int(row.open),
    high: int(row.high),
    low: int(row.low),
    close: int(row.close),
    mean: int(row.mean),
    coveredMs: int(row.covered_ms),
  };
}

/**
 * Retention of price history: deletes single changes of level and quotes after two days, blocks of levels when no chart
 * has slots of their width any more, lock outcomes after a day. Each step holds the database only for a moment. The
 * newest change and quote of every market stay, and those in force at the limit: an order that ran at one may still be
 * shown. docs/decisions/0012.
 */
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import { int, type Row } from '../database/values.ts';

const CHANGES_KEPT_MS = 2 * DAY_MS;
/** By the width of their candles: at least one block longer than `keptCandles` of a chart. */
const BLOCKS_KEPT_MS = { 1000: 3 * HOUR_MS, 15000: DAY_MS + 2 * HOUR_MS, 60000: 31 * DAY_MS + HOUR_MS } as const;
const LOCKS_KEPT_MS = DAY_MS + HOUR_MS;
const STEP_ROWS = 1000;

/** Rows of a market in an order: their table, the column that orders them, and how far one step goes in it. */
interface Ordered {
  readonly table: 'levels' | 'quotes' | 'level_blocks' | 'lock_minutes';
  readonly number: 'level_seq' | 'quote_seq' | 'from_ms' | 'minute_ms';
  readonly step: number;
  /** Restricts the rows; all of the market's when absent. */
  readonly only?: { readonly width_ms: number };
}

/** Deletes expired rows and returns how many. */
export async function sweepMarket(db: Database, nowMs: number): Promise<number> {
  let swept = 0;
  const models: string[] = await db.knex('markets').pluck('model');
  for (const model of models) {
    for (const ordered of [
      { table: 'levels', number: 'level_seq', step: STEP_ROWS },
      { table: 'quotes', number: 'quote_seq', step: STEP_ROWS },
    ] as const) {
      swept += await sweepBelow(db, model, ordered, await edge(db, model, ordered, nowMs - CHANGES_KEPT_MS));
    }
    for (const [width, keptMs] of Object.entries(BLOCKS_KEPT_MS)) {
      const only = { width_ms: Number(width) };
      const step = STEP_ROWS * 60 * only.width_ms;
      swept += await sweepBelow(db, model, { table: 'level_blocks', number: 'from_ms', step, only }, nowMs - keptMs);
    }
    const locks = { table: 'lock_minutes', number: 'minute_ms', step: STEP_ROWS * 60_000 } as const;
    swept += await sweepBelow(db, model, locks, nowMs - LOCKS_KEPT_MS);
  }
  return swept + (await sweepFreeLeases(db));
}

/** A gateway that sells a model takes its free lease within two beats: what is free for longer is not sold any more. */
async function sweepFreeLeases(db: Database): Promise<number> {
  return writing(db, (knex) => knex('leases').where('name', 'like', 'market:%').whereNull('holder').delete());
}

/** The number of the row in force at `atMs`; 0 when the oldest row is younger. */
async function edge({ knex }: Database, model: string, { table, number }: Ordered, atMs: number): Promise<number> {
  const oldest: Row | undefined = await knex(table).where({ model }).orderBy(number).first(number, 'at_ms');
  if (!oldest || int(oldest.at_ms) >= atMs) return 0;
  const row: Row | undefined = await knex(table).where({ model }).where('at_ms', '<', atMs).max({ number }).first();
  return int(row?.number ?? 0);
}

async function sweepBelow(db: Database, model: string, ordered: Ordered, below: number): Promise<number> {
  const { table, number, step, only } = ordered;
  const where = { model, ...only };
  for (let swept = 0; ; ) {
    const deleted = await writing(db, async (trx) => {
      const first: Row | undefined = await trx(table).where(where).min({ number }).first();
      const from = first?.number;
      if (from === null || from === undefined || int(from) >= below) return 0;
      return trx(table)
        .where(where)
        .where(number, '<', Math.min(below, int(from) + step))
        .delete();
    });
    if (deleted === 0) return swept;
    swept += deleted;
  }
}

/**
 * What of the markets' history is old enough to go: single changes of level and quotes after two days, minutes after a
 * month, lock outcomes after a day. In steps that each hold the database for a moment only. The newest row of every
 * market stays, and the one in force at the edge: an order that ran at it may still be shown. Design: history.
 */
import type { Database } from './database.ts';
import { writing } from './transaction.ts';
import { int, type Row } from './values.ts';

const DAY_MS = 86_400_000;
const CHANGES_KEPT_MS = 2 * DAY_MS;
const MINUTES_KEPT_MS = 31 * DAY_MS;
const LOCKS_KEPT_MS = DAY_MS + 3_600_000;
const BATCH = 1000;

/** Numbered rows with a time: which table, and what numbers its rows. */
interface Numbered {
  readonly table: 'levels' | 'quotes' | 'level_minutes' | 'lock_minutes';
  readonly number: 'level_seq' | 'quote_seq' | 'minute_ms';
}

/** Deletes what is past its time, and tells how many rows that were. */
export async function sweepMarket(db: Database, nowMs: number): Promise<number> {
  let swept = 0;
  const models: string[] = await db.knex('markets').pluck('model');
  for (const model of models) {
    for (const numbered of [
      { table: 'levels', number: 'level_seq' },
      { table: 'quotes', number: 'quote_seq' },
    ] as const) {
      swept += await sweepBelow(db, model, numbered, await edge(db, model, numbered, nowMs - CHANGES_KEPT_MS));
    }
    const byMinute = { number: 'minute_ms' } as const;
    swept += await sweepBelow(db, model, { table: 'level_minutes', ...byMinute }, nowMs - MINUTES_KEPT_MS);
    swept += await sweepBelow(db, model, { table: 'lock_minutes', ...byMinute }, nowMs - LOCKS_KEPT_MS);
  }
  return swept;
}

/** The number of the row in force at `atMs`; 0 when the oldest is younger. */
async function edge({ knex }: Database, model: string, { table, number }: Numbered, atMs: number): Promise<number> {
  const oldest: Row | undefined = await knex(table).where({ model }).orderBy(number).first(number, 'at_ms');
  if (!oldest || int(oldest.at_ms) >= atMs) return 0;
  const row: Row | undefined = await knex(table).where({ model }).where('at_ms', '<', atMs).max({ number }).first();
  return int(row?.number ?? 0);
}

async function sweepBelow(db: Database, model: string, { table, number }: Numbered, below: number): Promise<number> {
  for (let swept = 0; ; ) {
    const deleted = await writing(db, async (trx) => {
      const first: Row | undefined = await trx(table).where({ model }).min({ number }).first();
      const from = first?.number;
      if (from === null || from === undefined || int(from) >= below) return 0;
      const step = number === 'minute_ms' ? BATCH * 60_000 : BATCH;
      return trx(table)
        .where({ model })
        .where(number, '<', Math.min(below, int(from) + step))
        .delete();
    });
    if (deleted === 0) return swept;
    swept += deleted;
  }
}

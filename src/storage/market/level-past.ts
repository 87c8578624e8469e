/** Reads the levels that earlier processes recorded, and when those processes ran. The journal writes the rows. */

import type { LevelRow } from '#market/ports.ts';
import type { GatewayRun, LevelPast, StoredBlock, UnfinishedRun, WantedBlocks } from '#observe/ports.ts';
import { codec } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { newest } from '../database/keyset.ts';
import { writing } from '../database/transaction.ts';
import { bytes, flag, int, type Row } from '../database/values.ts';
import { levelFrom } from './quotes.ts';

const CHANGES_A_PAGE = 2000;
/** Half a megabyte: an embedded database reads it in a millisecond or two. */
const BLOCKS_A_PAGE = 200;

/**
 * Opens the run of this boot, which saw its first level after `fromMs`. Must precede every block of this boot, and
 * follow the repair of the run before, which is the newest until then.
 */
export async function openRun(
  db: Database,
  boot: number,
  fromMs: number,
  version: string | null = null,
): Promise<void> {
  const run = { boot, from_ms: fromMs, until_ms: fromMs, in_blocks: 1, version };
  await writing(db, (trx) => trx('gateway_runs').insert(run));
}

/** The recorded levels of every market over `db`. */
export function createLevelPast(db: Database): LevelPast {
  return {
    blocks: (model, wanted) => blocksOf(db, model, wanted),
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

async function* blocksOf(
  { knex }: Database,
  model: string,
  { widthMs, fromMs, beforeBoot }: WantedBlocks,
): AsyncGenerator<StoredBlock[]> {
  for (let last: StoredBlock | null = null; ; ) {
    const beforeMs: number = last?.fromMs ?? Number.MAX_SAFE_INTEGER;
    const older = last?.boot ?? 0;
    const blocks = knex('level_blocks')
      .select('from_ms', 'boot', 'slots')
      .where({ model, width_ms: widthMs })
      .where('from_ms', '>=', fromMs)
      .where('from_ms', '<=', beforeMs)
      .where('boot', '<', beforeBoot)
      .where((rest) => rest.where('from_ms', '<', beforeMs).orWhere('boot', '<', older));
    const rows: Row[] = await newest(blocks, ['from_ms', 'boot']).limit(BLOCKS_A_PAGE);
    const page = rows.map((row) => blockFrom(model, widthMs, row));
    yield page;
    last = page.at(-1) ?? null;
    if (!last || page.length < BLOCKS_A_PAGE) return;
  }
}

async function* changesOf(
  { knex }: Database,
  model: string,
  sinceMs: number,
  beforeMs: number,
): AsyncGenerator<LevelRow[]> {
  const until = knex('levels').where({ model }).where('at_ms', '<=', sinceMs);
  const inForce: Row | undefined = await newest(until, ['at_ms', 'level_seq']).first('level_seq');
  for (let after = inForce ? int(inForce.level_seq) - 1 : 0; ; ) {
    const rows: Row[] = await knex('levels')
      .select('level_seq', 'level', 'at_ms')
      .where({ model })
      .where('level_seq', '>', after)
      .where('at_ms', '<', beforeMs)
      .orderBy('level_seq')
      .limit(CHANGES_A_PAGE);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => levelFrom({ ...row, model }));
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

const { from: runFrom } = codec<GatewayRun>({ boot: int, fromMs: int, untilMs: int, inBlocks: flag });

function blockFrom(model: string, widthMs: number, row: Row): StoredBlock {
  return { model, widthMs, fromMs: int(row.from_ms), boot: int(row.boot), candles: bytes(row.slots) };
}

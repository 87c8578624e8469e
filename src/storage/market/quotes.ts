/** Reads the newest level and quote of each market and the outcomes of its locks, at a start; the journal writes the rows. */
import type { Log } from '#base/log.ts';
import { isOfEarlierRule, type LevelRow, type LockMinute, type RecoveredQuote } from '#market/ports.ts';
import { codec } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { int, type Row, text, textOrNull } from '../database/values.ts';

/**
 * The newest quote of each model, with its lock outcomes since `sinceMs`: a restart continues from them. Spec 2.8. A state
 * that cannot be read is left out and logged: that market goes on from its price alone, and stops no other.
 */
export async function latestQuotes({ knex }: Database, sinceMs: number, log: Log): Promise<RecoveredQuote[]> {
  const counted: Row[] = await knex('lock_minutes').where('minute_ms', '>=', sinceMs).orderBy('minute_ms');
  const minutes = Map.groupBy(counted, (row) => text(row.model));
  const rows: Row[] = await knex('quote_states').orderBy('model');
  return rows.map((row) => ({
    model: text(row.model),
    quoteSeq: int(row.quote_seq),
    price: int(row.price),
    state: readableState(row, log),
    lockMinutes: (minutes.get(text(row.model)) ?? []).map(lockMinuteFrom),
  }));
}

const EARLIER_RULE =
  'The stored state of a market is from before its price followed what is asked for: it continues from its last level, and gets to know its accounts again.';

function readableState({ model, state }: Row, log: Log): string | null {
  try {
    const stored = textOrNull(state);
    if (isOfEarlierRule({ state: stored })) log.info({ model: text(model) }, EARLIER_RULE);
    return stored;
  } catch (error) {
    const sentence = 'The stored state of a quote cannot be read: the market continues from its last price.';
    log.error({ model: text(model), err: error }, sentence);
    return null;
  }
}

const { from: lockMinuteFrom } = codec<LockMinute>({
  minuteMs: int,
  started: int,
  missed: int,
  scarceStarted: int,
  scarceMissed: int,
});

/** The levels. */
export const { from: levelFrom } = codec<LevelRow>({ model: text, levelSeq: int, level: int, atMs: int });

/** The newest level row of each model, from which a restart continues; models that never traded are absent. Spec 2.8. */
export async function latestLevels({ knex }: Database): Promise<LevelRow[]> {
  const rows: Row[] = await knex('markets').orderBy('model');
  return rows.map(levelFrom);
}

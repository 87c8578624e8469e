/** Reads the newest published level of each market, at a start. Spec 2.8. */
import type { LevelStore } from '#market/ports.ts';
import type { Database } from '../database/database.ts';
import { int, type Row, text } from '../database/values.ts';

/** The level store over `db`; the journal writes the rows. */
export function createLevelStore({ knex }: Database): LevelStore {
  return {
    async latest() {
      const rows: Row[] = await knex('markets').orderBy('model');
      return rows.map((row) => ({
        model: text(row.model),
        levelSeq: int(row.level_seq),
        level: int(row.level),
        atMs: int(row.at_ms),
      }));
    },
  };
}

/** Reads the newest published level of each market, at a start. Spec 2.8. */
import type { LevelRow, LevelStore } from '#market/ports.ts';
import { codec } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { int, type Row, text } from '../database/values.ts';

const { from: levelFrom } = codec<LevelRow>({ model: text, levelSeq: int, level: int, atMs: int });

/** The level store over `db`; the journal writes the rows. */
export function createLevelStore({ knex }: Database): LevelStore {
  return {
    async latest() {
      const rows: Row[] = await knex('markets').orderBy('model');
      return rows.map(levelFrom);
    },
  };
}

/**
 * Levels in blocks of sixty slots, of every width that a chart has. They replace `level_minutes`: a start reads a month
 * of a market from some nine hundred rows instead of 43,200 minutes and 90,000 single changes.
 *
 * - `level_blocks`: `slots` as in `market/level-block.ts`, keyed by boot as the minutes were.
 * - `gateway_runs.in_blocks`: 1 for runs that record blocks. What earlier ones saw of the last day is still read from
 * single changes.
 */
import type { Migration } from './migration.ts';

const HOUR_MS = 3_600_000;

export const levelBlocks: Migration = {
  id: '0015_level_blocks',
  statements(dialect) {
    const prices = ['open', 'high', 'low', 'close', 'mean'].map((price) => ({ integer: price, bytes: 8 }));
    const packed = dialect.packed([
      { integer: `CAST(minute_ms % ${HOUR_MS} / 60000 AS SIGNED)`, bytes: 2 },
      { integer: 'CASE WHEN covered_ms > 60000 THEN 60000 ELSE covered_ms END', bytes: 2 },
      ...prices,
    ]);
    return [
      `CREATE TABLE IF NOT EXISTS level_blocks (
        model VARCHAR(255) NOT NULL,
        width_ms INT NOT NULL,
        from_ms BIGINT NOT NULL,
        boot BIGINT NOT NULL,
        slots BLOB NOT NULL,
        PRIMARY KEY (model, width_ms, from_ms, boot)
      ) ${dialect.wideTable}`,
      'ALTER TABLE gateway_runs ADD COLUMN in_blocks SMALLINT NOT NULL DEFAULT 0',
      ...packed.before,
      `REPLACE INTO level_blocks (model, width_ms, from_ms, boot, slots)
       SELECT model, 60000, minute_ms - minute_ms % ${HOUR_MS}, boot, ${packed.blob}
       FROM level_minutes GROUP BY 1, 2, 3, 4`,
      'DROP TABLE level_minutes',
    ];
  },
};

/** Of the locks in `lock_minutes`, those whose quote was above the lowest level. Earlier minutes have none. */
import type { Migration } from './migration.ts';

export const scarceLocks: Migration = {
  id: '0019_scarce_locks',
  statements: () => [
    'ALTER TABLE lock_minutes ADD COLUMN scarce_started BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE lock_minutes ADD COLUMN scarce_missed BIGINT NOT NULL DEFAULT 0',
  ],
};

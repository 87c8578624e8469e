/**
 * The table of migrations had the collation of its database, which on MySQL is another one than on MariaDB. Now it has the
 * one of every other table.
 */
import type { Migration } from './migration.ts';

/** Changes nothing on SQLite. */
export const migrationsCollation: Migration = {
  id: '0066_migrations_collation',
  statements: ({ name }) =>
    name === 'sqlite' ? [] : ['ALTER TABLE migrations CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'],
};

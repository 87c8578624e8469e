/** The type of every migration: one step from the tables of an older version to those of a newer one. */
import type { Dialect } from '../dialects/dialect.ts';

/** One migration. On MySQL one that was cut off is run again, so every statement must be repeatable. */
export interface Migration {
  readonly id: string;
  /** Ids of earlier migrations that this one stands for. They are recorded with it. */
  readonly replaces?: readonly string[];
  /** `applied` are the ids that the database has. Throws DatabaseRefused for a database that is too old. */
  statements(dialect: Dialect, applied: ReadonlySet<string>): readonly string[];
}

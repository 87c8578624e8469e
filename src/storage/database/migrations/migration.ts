/** The type of every migration: one step from the tables of an older version to those of a newer one. */
import type { Dialect } from '../dialects/dialect.ts';

/** One migration. On MySQL one that was cut off is run again, so every statement must be repeatable. */
export interface Migration {
  readonly id: string;
  statements(dialect: Dialect): readonly string[];
}

/** Rows that somebody damaged must not hold up the others: lists leave them out, and the audit names them. */
import type { SetApart } from '#orders/ports.ts';
import { type Row, text } from '../database/values.ts';

/** What `from` reads in rows that have an id, in their order, and those that it cannot read: they hold up no others. */
export function readable<Of>(rows: readonly Row[], from: (row: Row) => Of): { read: Of[]; unreadable: SetApart[] } {
  const read: Of[] = [];
  const unreadable: SetApart[] = [];
  for (const row of rows) {
    try {
      read.push(from(row));
    } catch (error) {
      unreadable.push({ id: text(row.id), error });
    }
  }
  return { read, unreadable };
}

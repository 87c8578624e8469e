/** Pages of lists that are read on by a cursor: their readers find one row more than a page has. */
import { decodeCursor, encodeCursor } from '#base/cursor.ts';

/** A page, and whether there is another, with the cursor for it. */
export interface CursorPage<Row> {
  readonly page: readonly Row[];
  readonly more: { readonly has_more: boolean; readonly next_cursor: string | null };
}

/** The first `limit` of the rows that were found. `keyOf` has the sort key of a row; `scope` is that of `encodeCursor`. */
export function cursorPage<Row>(
  found: readonly Row[],
  { limit, scope }: { readonly limit: number; readonly scope: string },
  keyOf: (row: Row) => readonly (string | number)[],
): CursorPage<Row> {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { page, more: { has_more: last !== undefined, next_cursor: last ? encodeCursor(scope, keyOf(last)) : null } };
}

/** The id of the row that a page follows; null for the first page. Throws invalid_cursor. */
export function idBefore(scope: string, cursor: string | null): string | null {
  return cursor === null ? null : String(decodeCursor(scope, cursor)[0]);
}

/** The time and the id of that row, for lists by time. */
export function timeBefore(scope: string, cursor: string | null): { createdAtMs: number; id: string } | null {
  if (cursor === null) return null;
  const [createdAtMs, id] = decodeCursor(scope, cursor);
  return { createdAtMs: Number(createdAtMs), id: String(id) };
}

/** The sort key of a list by time. */
export function timeKey({ createdAtMs, id }: { readonly createdAtMs: number; readonly id: string }): [number, string] {
  return [createdAtMs, id];
}

/** The answer with a page of a list that is read on by the last id. */
export function listById<Item extends { readonly id: string }>(data: readonly Item[], limit: number) {
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { object: 'list', data, first_id, last_id, has_more: data.length === limit };
}

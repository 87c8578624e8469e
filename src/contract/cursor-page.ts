/**
 * Pages of lists that are read on by a cursor: their readers find one row more than a page has. A cursor holds the sort
 * key of the last row of a page and a digest of the list, account and filters, so that a cursor of another list is
 * refused.
 */
import { createHash } from 'node:crypto';
import { Fault } from '#base/fault.ts';

/** The first `limit` of the rows that were found. `keyOf` has the sort key of a row; `scope` is that of `encodeCursor`. */
export function cursorPage<Row>(
  found: readonly Row[],
  { limit, scope }: { readonly limit: number; readonly scope: string },
  keyOf: (row: Row) => readonly (string | number)[],
) {
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

/** A cursor for the page after `key`, bound to `scope` (list name, account and filters; never shown to callers). */
export function encodeCursor(scope: string, key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([digest(scope), ...key])).toString('base64url');
}

/** The key in `cursor`. Throws `invalid_cursor` unless `encodeCursor` made it for this scope. */
export function decodeCursor(scope: string, cursor: string): (string | number)[] {
  try {
    const [mark, ...key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (mark === digest(scope) && key.every((part) => typeof part === 'string' || typeof part === 'number')) {
      return key as (string | number)[];
    }
  } catch {
    // Not base64url or not JSON: refused below like any other invalid cursor.
  }
  throw new Fault('invalid_cursor', { param: 'cursor' });
}

function digest(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 12);
}

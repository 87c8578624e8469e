/** Reads by a key that an index has in order: a page or a slice costs the same wherever it begins. */
import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { int, type Row, text } from './values.ts';

/** The place of a row among those that are in the order of their time, and of their id within it. */
export interface RowKey {
  readonly createdAtMs: number;
  readonly id: string;
}

/** The key of a row of orders, or of files. */
export function keyOf(row: Row): RowKey {
  return { createdAtMs: int(row.created_at_ms), id: text(row.id) };
}

/** The columns of such a key. */
export type KeyColumns = readonly [time: string, id: string];

/** All rows of a query in the order of `column`, at most `size` at once; the last page may be empty. */
export async function* inPages(rows: () => Knex.QueryBuilder, size: number, column = 'id'): AsyncGenerator<Row[]> {
  for (let after = ''; ; ) {
    const page: Row[] = await rows().where(column, '>', after).orderBy(column).limit(size);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < size) return;
    after = text(last[column]);
  }
}

/** The newest first. */
export function newest(query: Knex.QueryBuilder, [time, id]: KeyColumns): Knex.QueryBuilder {
  return query.orderBy([
    { column: time, order: 'desc' },
    { column: id, order: 'desc' },
  ]);
}

/** The newest first, after the row with this key; all rows when it is null. */
export function newestAfter(query: Knex.QueryBuilder, after: RowKey | null, columns: KeyColumns): Knex.QueryBuilder {
  return newest(after ? before(query, after, columns) : query, columns);
}

/** The oldest first, after the row with this key; all rows when it is null. */
export function oldestAfter(query: Knex.QueryBuilder, after: RowKey | null, columns: KeyColumns): Knex.QueryBuilder {
  const [time, id] = columns;
  if (after) notBefore(query, after, columns).whereNot(id, after.id);
  return query.orderBy([time, id]);
}

/** The rows of a page, which `among` selects, in the same order, from all that `entries` has of one index. */
interface Selected {
  readonly entries: () => Knex.QueryBuilder;
  readonly among: () => Knex.QueryBuilder;
}

/**
 * The keys of the newest `limit` rows after `after`. However few of many entries are selected, a statement looks at no more
 * than `size` of them: SQLite never yields the thread.
 */
export async function newestAmong(
  { entries, among }: Selected,
  columns: KeyColumns,
  { after, limit, size }: { readonly after: RowKey | null; readonly limit: number; readonly size: number },
): Promise<RowKey[]> {
  const [time, id] = columns;
  const key = { created_at_ms: time, id };
  const found: RowKey[] = [];
  for (let start = after; ; await setImmediate()) {
    const end: Row | undefined = await newestAfter(entries(), start, columns)
      .offset(size - 1)
      .first(key);
    const slice = newestAfter(among(), start, columns).limit(limit - found.length);
    const rows: Row[] = await (end ? notBefore(slice, keyOf(end), columns) : slice).select(key);
    found.push(...rows.map(keyOf));
    if (!end || found.length === limit) return found;
    start = keyOf(end);
  }
}

/** Compares rows as `newest` has them. */
export function newestFirst(one: RowKey, other: RowKey): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.id < other.id ? 1 : -1;
}

/** Only rows before this one. The first condition is for the index: neither database finds a range in the second. */
export function before(
  query: Knex.QueryBuilder,
  { createdAtMs, id }: RowKey,
  [time, name]: KeyColumns,
): Knex.QueryBuilder {
  return query
    .where(time, '<=', createdAtMs)
    .where((either) => either.where(time, '<', createdAtMs).orWhere(name, '<', id));
}

function notBefore(query: Knex.QueryBuilder, { createdAtMs, id }: RowKey, [time, name]: KeyColumns): Knex.QueryBuilder {
  return query
    .where(time, '>=', createdAtMs)
    .where((either) => either.where(time, '>', createdAtMs).orWhere(name, '>=', id));
}

/**
 * Cuts `rows` into slices of at most `size`, and gives for each the function that narrows a query to it. SQLite never
 * yields the thread, so others get their turn between two slices.
 */
export async function* slices(
  rows: () => Knex.QueryBuilder,
  columns: KeyColumns,
  size: number,
): AsyncGenerator<(query: Knex.QueryBuilder) => Knex.QueryBuilder> {
  const from = (query: Knex.QueryBuilder, key: RowKey | null) => (key ? notBefore(query, key, columns) : query);
  for (let start: RowKey | null = null; ; await setImmediate()) {
    const begin = start;
    const query = from(rows(), begin);
    const [time, id] = columns;
    const row: Row | undefined = await query
      .orderBy([...columns])
      .offset(size)
      .first({ time, id });
    const next = row ? { createdAtMs: int(row.time), id: text(row.id) } : null;
    yield (whole) => from(next ? before(whole, next, columns) : whole, begin);
    if (!next) return;
    start = next;
  }
}

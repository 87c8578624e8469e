/** What is stored of an account, as lines of an export, read a page at a time. Secrets and their hashes are not in it. */

import type { Knex } from 'knex';
import { wholeAccount } from '#base/reach.ts';
import { iso } from '#base/time.ts';
import type { AccountHandler } from '#contract/call.ts';
import type { QueryOf } from '#contract/operation.ts';
import { inPages, type RowKey } from '#storage/database/keyset.ts';
import { type Row, text } from '#storage/database/values.ts';
import type { AccessStore } from '../keys/key-lookup.ts';
import type { AccountBooks } from '../ledger/books.ts';
import type { BookedEntry } from '../ledger/entry-rows.ts';
import { entryObject } from '../ledger/handlers.ts';

const PAGE_ROWS = 500;

/** The exported tables: the name of their lines, and their columns. A column that ends in `_at_ms` becomes a time. */
const TABLES = {
  members: ['member', ['id', 'email', 'role', 'created_at_ms']],
  api_keys: ['key', ['id', 'name', 'hint', 'created_at_ms', 'expires_at_ms', 'revoked_at_ms']],
  files: ['file', ['id', 'purpose', 'filename', 'bytes', 'created_at_ms', 'expires_at_ms', 'content_gone']],
  batches: ['batch', ['id', 'status', 'input_file_id', 'output_file_id', 'error_file_id', 'created_at_ms']],
  payments: ['payment', ['id', 'provider', 'automatic', 'status', 'amount', 'created_at_ms', 'paid_at_ms']],
  audit_log: ['change', ['id', 'at_ms', 'who', 'what', 'subject', 'before_json', 'after_json']],
} as const;

const ACCOUNT = ['id', 'name', 'status', 'balance', 'held', 'owed', 'retention_days', 'log_payloads', 'created_at_ms'];

const EVERY_ORDER: QueryOf<'listOrders'> = {
  status: null,
  model: null,
  kind: null,
  batch: null,
  id: null,
  tag: null,
  from: null,
  to: null,
  cursor: null,
  include: new Set(['usage', 'pricing'] as const),
  limit: PAGE_ROWS,
};

/** Where the lines come from. */
interface ExportSources {
  readonly knex: Knex;
  readonly books: AccountBooks;
  readonly access: Pick<AccessStore, 'account'>;
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler<'listOrders'>;
}

/** Everything that is stored of an account, some lines at a time. */
export async function* exportLines(accountId: string, sources: ExportSources): AsyncGenerator<readonly object[]> {
  const { knex } = sources;
  const row: Row | undefined = await knex('accounts').where({ id: accountId }).first(ACCOUNT);
  if (row) yield [lineOf('account', row)];
  for (const [table, [name, columns]] of Object.entries(TABLES))
    for await (const rows of inPages(() => knex(table).where({ account_id: accountId }).select(columns), PAGE_ROWS))
      if (rows.length > 0) yield rows.map((one) => lineOf(name, one));
  yield* entriesOf(accountId, sources);
  yield* ordersOf(accountId, sources);
}

async function* entriesOf(accountId: string, { books }: ExportSources): AsyncGenerator<readonly object[]> {
  for (let after: RowKey | null = null; ; ) {
    const page: BookedEntry[] = await books.entries(accountId, { only: null, limit: PAGE_ROWS, after });
    if (page.length > 0) yield page.map(entryObject);
    after = page.at(-1) ?? null;
    if (page.length < PAGE_ROWS) return;
  }
}

async function* ordersOf(accountId: string, { access, listOrders }: ExportSources): AsyncGenerator<readonly object[]> {
  const account = await access.account(accountId);
  if (!account) return;
  let cursor: string | null = null;
  for (let more = true; more; ) {
    const query: QueryOf<'listOrders'> = { ...EVERY_ORDER, cursor };
    const { data, next_cursor } = (await listOrders({ principal: { account, reach: wholeAccount(accountId) }, query }))
      .json;
    if (data.length > 0) yield data.map((order) => ({ object: 'order', ...order }));
    more = next_cursor !== null;
    cursor = next_cursor;
  }
}

/** Money stays in whole nano-dollars, as text, so that no program rounds it. */
function lineOf(name: string, row: Row): object {
  const fields = Object.entries(row).map(([column, value]) => {
    if (column.endsWith('at_ms')) return [column.replace(/_ms$/, ''), value === null ? null : iso(Number(value))];
    if (column.endsWith('_json'))
      return [column.replace(/_json$/, ''), value === null ? null : JSON.parse(text(value))];
    if (NANO.has(column)) return [`${column}_nano_usd`, text(value)];
    return [column, typeof value === 'bigint' ? Number(value) : value];
  });
  return { object: name, ...Object.fromEntries(fields) };
}

const NANO = new Set(['balance', 'held', 'owed', 'amount']);

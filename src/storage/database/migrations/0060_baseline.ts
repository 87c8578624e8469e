/**
 * All tables. The baseline replaces forty migrations that were never in a release. A new database gets all tables at once,
 * a database with all forty migrations is complete, and one with some of them is completed (`older-tables.ts`). The
 * baseline never changes: add a migration to change a table. docs/decisions/0062.
 */
import { batchTables } from './baseline/batches.ts';
import { ledgerTables } from './baseline/ledger.ts';
import { marketTables } from './baseline/market.ts';
import { memberTables } from './baseline/members.ts';
import { operationTables } from './baseline/operation.ts';
import { orderTables } from './baseline/orders.ts';
import { paymentTables } from './baseline/payments.ts';
import { webhookTables } from './baseline/webhooks.ts';
import type { Migration } from './migration.ts';
import { completeTables, replaced } from './older-tables.ts';

/** Creates the tables of a new database, or completes those of an older one. */
export const baseline: Migration = {
  id: '0060_baseline',
  replaces: replaced,
  statements(dialect, applied) {
    if (replaced.every((id) => applied.has(id))) return [];
    const tables = [
      ledgerTables,
      orderTables,
      batchTables,
      marketTables,
      memberTables,
      paymentTables,
      webhookTables,
      operationTables,
    ].flatMap((group) => group(dialect));
    return applied.size === 0 ? tables : completeTables(tables, dialect, applied);
  },
};

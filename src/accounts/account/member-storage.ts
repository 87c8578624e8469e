/** What is stored for an account, as its members see and change it. What is deleted goes the way of the retention cleanup. */
import type { Knex } from 'knex';
import { Fault } from '#base/fault.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { Retained } from '#results/ports.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { bit, flag, int, type Row } from '#storage/database/values.ts';
import { lockAccount, noAccount } from '#storage/records/account.ts';
import { changeLogger } from '../change-log.ts';
import type { ClearedStorage, MemberStorage, StorageSettings } from './account-ports.ts';

/** How many results, files and logged requests one call deletes. */
export const CLEARED_AT_ONCE = 1_000;

/** What it is built from. */
export interface MemberStorageOptions extends OperatorOptions {
  readonly results: Pick<Retained, 'oldest' | 'remove'>;
  readonly files: Pick<Retained, 'oldest' | 'remove'>;
}

/** The store. */
export function createMemberStorage(options: MemberStorageOptions): MemberStorage {
  const { db, results, files } = options;
  const changes = changeLogger(options);
  return {
    of: (accountId) => settingsOf(db.knex, accountId),

    change({ member, accountId }, { retentionDays, logPayloads }) {
      return writing(db, async (trx) => {
        await lockAccount(trx, accountId);
        const before = await settingsOf(trx, accountId);
        const wanted = {
          retention_days: retentionDays ?? before.retentionDays,
          log_payloads: bit(logPayloads ?? before.logPayloads),
        };
        await trx('accounts').where({ id: accountId }).update(wanted);
        const after = await settingsOf(trx, accountId);
        const change = { before: shown(before), after: shown(after) };
        await changes.log(trx, member, { what: 'storage.change', subject: accountId, ...change });
        return after;
      });
    },

    async clear({ member, accountId }) {
      await assertNoBatch(db.knex, accountId);
      const cleared = {
        results: await removeOldest(results, accountId),
        files: await removeOldest(files, accountId),
        requests: 0,
      };
      return writing(db, async (trx) => {
        await lockAccount(trx, accountId);
        const requests = await removeLogs(trx, accountId);
        const after = { ...cleared, requests };
        const counts = Object.values(after);
        if (counts.some((count) => count > 0))
          await changes.log(trx, member, { what: 'storage.clear', subject: accountId, before: null, after });
        return { ...after, more: counts.includes(CLEARED_AT_ONCE) } satisfies ClearedStorage;
      });
    },
  };
}

async function settingsOf(knex: Knex, accountId: string): Promise<StorageSettings> {
  const row: Row | undefined = await knex('accounts')
    .where({ id: accountId })
    .first('retention_days', 'log_payloads', 'stored_bytes');
  if (!row) throw noAccount(accountId);
  const [retentionDays, storedBytes] = [int(row.retention_days), int(row.stored_bytes)];
  return { retentionDays, logPayloads: flag(row.log_payloads), storedBytes };
}

function shown({ retentionDays, logPayloads }: StorageSettings): object {
  return { retention_days: retentionDays, log_payloads: logPayloads };
}

/** The lines of a batch that runs need their input, and what they made is not in its output yet. */
async function assertNoBatch(knex: Knex, accountId: string): Promise<void> {
  // By status: few batches are active, while an account may have had any number.
  const running: string[] = await knex('batches')
    .whereIn('status', [...ACTIVE_STATUSES])
    .pluck('account_id');
  if (!running.includes(accountId)) return;
  const message = 'A batch of this account runs. Cancel it or wait for its end.';
  throw new Fault('batch_in_progress', { message });
}

async function removeOldest(kind: MemberStorageOptions['results'], accountId: string): Promise<number> {
  const items = await kind.oldest(accountId, CLEARED_AT_ONCE);
  await Promise.all(items.map((item) => kind.remove(item)));
  return items.length;
}

async function removeLogs(trx: Knex.Transaction, accountId: string): Promise<number> {
  const orderIds: string[] = await trx('request_logs')
    .where({ account_id: accountId })
    .limit(CLEARED_AT_ONCE)
    .pluck('order_id');
  if (orderIds.length > 0) await trx('request_logs').whereIn('order_id', orderIds).delete();
  return orderIds.length;
}

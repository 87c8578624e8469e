/** What is stored for an account, as its members see and change it. The retention cleanup carries out deletions. */
import type { Knex } from 'knex';
import type { AccountActor } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { Retained } from '#results/ports.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { flag, int } from '#storage/database/values.ts';
import { accountColumns, accountRow, lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';

/** How many results, files and logged requests one call deletes. */
const CLEARED_AT_ONCE = 1_000;

const settings = described({
  /** 0 to 30. */
  retentionDays: int,
  logPayloads: flag,
  /** Results and files together. */
  storedBytes: int,
});

/** What an account keeps. */
export type StorageSettings = ObjectOf<typeof settings>;

type Deletable = Pick<Retained, 'oldest' | 'remove'>;

/** What is stored for an account, for its members. */
export class MemberStorage extends LoggedStore {
  readonly #retained: { readonly results: Deletable; readonly files: Deletable };

  constructor(parts: OperatorOptions, retained: { readonly results: Deletable; readonly files: Deletable }) {
    super(parts);
    this.#retained = retained;
  }

  of(accountId: string): Promise<StorageSettings> {
    return settingsOf(this.parts.db.knex, accountId);
  }

  /** Absent fields stay. Results that are already stored keep their expiry. */
  change(by: AccountActor, wanted: Partial<Omit<StorageSettings, 'storedBytes'>>): Promise<StorageSettings> {
    const { accountId } = by;
    return writing(this.parts.db, async (trx) => {
      await lockAccount(trx, accountId);
      const before = await settingsOf(trx, accountId);
      const after = { ...before, ...wanted };
      const { storedBytes: _, ...kept } = after;
      await trx('accounts').where({ id: accountId }).update(accountColumns(kept));
      const change = { before: shown(before), after: shown(after) };
      await this.changes.log(trx, by, { what: 'storage.change', subject: accountId, ...change });
      return after;
    });
  }

  /**
   * Deletes a bounded number of results, contents of files and logged requests, and says how many, and whether there may be
   * more. Throws Fault batch_in_progress.
   */
  async clear(by: AccountActor) {
    const { accountId } = by;
    await assertNoBatch(this.parts.db.knex, accountId);
    const results = await removeOldest(this.#retained.results, accountId);
    const files = await removeOldest(this.#retained.files, accountId);
    return writing(this.parts.db, async (trx) => {
      await lockAccount(trx, accountId);
      const after = { results, files, requests: await removeLogs(trx, accountId) };
      const counts = Object.values(after);
      if (counts.some((count) => count > 0))
        await this.changes.log(trx, by, { what: 'storage.clear', subject: accountId, before: null, after });
      return { ...after, more: counts.includes(CLEARED_AT_ONCE) };
    });
  }
}

async function settingsOf(knex: Knex, accountId: string): Promise<StorageSettings> {
  return settings.from(await accountRow(knex, accountId, ...settings.columns));
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

async function removeOldest(kind: Deletable, accountId: string): Promise<number> {
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

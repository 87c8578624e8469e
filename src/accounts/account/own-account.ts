/** Suspending the own keys, and closing the account. What was ordered and paid stays in the books. */
import type { Knex } from 'knex';
import type { AccountActor, Actor } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import { LIVE } from '#storage/database/dialects/dialect.ts';
import { writing } from '#storage/database/transaction.ts';
import type { Row } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';
import { deleteMembers } from '../members/member-store.ts';
import { removeAllEndpoints } from '../webhooks/endpoint-store.ts';

/** The account as a whole, for its owners and the operator. */
export class OwnAccount extends LoggedStore {
  /** Suspends the keys, or accepts them again. Throws Fault account_suspended when the operator has suspended it. */
  pause(by: AccountActor, paused: boolean): Promise<Pick<Account, 'id' | 'name' | 'status'>> {
    return writing(this.parts.db, async (trx) => {
      const { id, name, status } = await lockAccount(trx, by.accountId);
      if (status !== 'active' && status !== 'paused') throw new Fault('account_suspended');
      const wanted = paused ? 'paused' : 'active';
      if (status === wanted) return { id, name, status };
      await trx('accounts').where({ id }).update({ status: wanted });
      const what = paused ? 'account.pause' : 'account.unpause';
      await this.changes.log(trx, by, { what, subject: id, before: { status }, after: { status: wanted } });
      return { id, name, status: wanted };
    });
  }

  /**
   * Revokes all keys and public links to receipts, removes all members with their sessions, and forgets the card. `typed` is null where the operator
   * closes it. Throws Fault not_found (no such account, or `typed` is not its name), account_busy.
   */
  close(accountId: string, typed: string | null, by: Actor): Promise<void> {
    return writing(this.parts.db, async (trx) => {
      const { name, status } = await lockAccount(trx, accountId);
      if (typed !== null && typed !== name)
        throw new Fault('not_found', { message: 'This is not the name of the account.' });
      await assertIdle(trx, accountId);
      await trx('accounts').where({ id: accountId }).update({ status: 'closed' });
      await trx('api_keys')
        .where({ account_id: accountId })
        .whereNull('revoked_at_ms')
        .update({ revoked_at_ms: this.parts.clock.nowMs() });
      await trx('top_ups').where({ account_id: accountId }).update({ enabled: 0, method: null });
      await removeAllEndpoints(trx, accountId);
      await trx('receipt_links').where({ account_id: accountId }).delete();
      await removeMembers(trx, accountId);
      const change = { before: { name, status }, after: { name, status: 'closed' } };
      await this.changes.log(trx, by, { what: 'account.close', subject: accountId, ...change });
    });
  }
}

/** An order that is accepted at this very moment is canceled while it waits, as of any account that is not active. */
async function assertIdle(trx: Knex.Transaction, accountId: string): Promise<void> {
  const order: Row | undefined = await trx('orders')
    .where({ account_id: accountId })
    .whereIn('status', ['queued', 'executing'])
    .whereRaw(LIVE)
    .first('id');
  const batches: string[] = await trx('batches')
    .whereIn('status', [...ACTIVE_STATUSES])
    .pluck('account_id');
  if (order || batches.includes(accountId)) throw new Fault('account_busy');
}

async function removeMembers(trx: Knex.Transaction, accountId: string): Promise<void> {
  const ids: string[] = await trx('members').where({ account_id: accountId }).pluck('id');
  await deleteMembers(trx, ids);
  await trx('held_invitations').where({ account_id: accountId }).delete();
}

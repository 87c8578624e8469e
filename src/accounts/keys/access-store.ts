/** Reads for every request: the principal of a key, and the balance of an account. */
import type { AccessStore } from '#access/ports.ts';
import type { FundsStore, StandingStore } from '#orders/ports.ts';
import type { Database } from '#storage/database/database.ts';
import { money, type Row, text } from '#storage/database/values.ts';
import { fundsAfterDebt } from '#storage/journal/balance-batch.ts';
import { accountFrom, apiKeyFrom } from '#storage/records/account.ts';

/** The access store over `db`. The next read sees a change by another process. */
export function createAccessStore({ knex }: Database): AccessStore & FundsStore & StandingStore {
  const find = (id: string): Promise<Row | undefined> => knex('accounts').where({ id }).first();
  return {
    async findByHash(hash) {
      const row: Row | undefined =
        (await knex('api_keys').where({ hash }).first()) ??
        (await knex('api_keys').where({ previous_hash: hash }).first());
      if (!row) return null;
      const key = apiKeyFrom(row);
      const account = await find(key.accountId);
      const ends = [key.expiresAtMs, text(row.hash) === hash ? null : key.previousUntilMs].filter(
        (end) => end !== null,
      );
      const untilMs = ends.length === 0 ? null : Math.min(...ends);
      return account ? { principal: { key, account: accountFrom(account) }, untilMs } : null;
    },
    async account(id) {
      const row = await find(id);
      return row ? accountFrom(row) : null;
    },
    async inactiveAmong(accountIds) {
      const active: string[] = await knex('accounts')
        .whereIn('id', [...accountIds])
        .where({ status: 'active' })
        .pluck('id');
      const known = new Set(active);
      return accountIds.filter((id) => !known.has(id));
    },
    async funds(accountId) {
      const row = await find(accountId);
      if (!row) return null;
      return fundsAfterDebt({ balance: money(row.balance), held: money(row.held), owed: money(row.owed) });
    },
  };
}

/** Reads for every request: the principal of a key, and the balance of an account. */
import type { Knex } from 'knex';
import type { Account, Authenticated } from '#access/principal.ts';
import type { KeyBudget } from '#base/key-budget.ts';
import type { FundsStore, StandingStore } from '#orders/ports.ts';
import type { Database } from '#storage/database/database.ts';
import { money, type Row, text } from '#storage/database/values.ts';
import { fundsAfterDebt } from '#storage/journal/balance-batch.ts';
import { accountFrom, apiKeyFrom } from '#storage/records/account.ts';

/** The key and account that a secret belongs to. */
export interface FoundKey {
  readonly owner: Authenticated;
  /** When this secret stops working: its key expires, or it was rotated away. Null for never. */
  readonly untilMs: number | null;
}

/** Keys and accounts as they are now. The next read sees a change by another process. */
export class AccessStore implements FundsStore, StandingStore {
  readonly #knex: Knex;

  constructor({ knex }: Pick<Database, 'knex'>) {
    this.#knex = knex;
  }

  /** The key with this SHA-256 (hex) and its account, even if revoked or expired; null for none. */
  async findByHash(hash: string): Promise<FoundKey | null> {
    const row: Row | undefined =
      (await this.#knex('api_keys').where({ hash }).first()) ??
      (await this.#knex('api_keys').where({ previous_hash: hash }).first());
    if (!row) return null;
    const key = apiKeyFrom(row);
    const account = await this.account(key.accountId);
    const ends = [key.expiresAtMs, text(row.hash) === hash ? null : key.previousUntilMs].filter((end) => end !== null);
    const untilMs = ends.length === 0 ? null : Math.min(...ends);
    return account ? { owner: { key, account }, untilMs } : null;
  }

  async account(id: string): Promise<Account | null> {
    const row = await this.#accountRow(id);
    return row ? accountFrom(row) : null;
  }

  /** The budget of a key as it is now; null for none. */
  async budgetOf(keyId: string): Promise<KeyBudget | null> {
    const row: Row | undefined = await this.#knex('api_keys').where({ id: keyId }).first();
    return row ? apiKeyFrom(row).budget : null;
  }

  async inactiveAmong(accountIds: readonly string[]): Promise<string[]> {
    const active: string[] = await this.#knex('accounts')
      .whereIn('id', [...accountIds])
      .where({ status: 'active' })
      .pluck('id');
    const known = new Set(active);
    return accountIds.filter((id) => !known.has(id));
  }

  async funds(accountId: string) {
    const row = await this.#accountRow(accountId);
    return row ? fundsAfterDebt({ balance: money(row.balance), held: money(row.held), owed: money(row.owed) }) : null;
  }

  #accountRow(id: string): Promise<Row | undefined> {
    return this.#knex('accounts').where({ id }).first();
  }
}

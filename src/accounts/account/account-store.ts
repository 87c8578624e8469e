/**
 * The operator's side of accounts: opening, suspending and listing them, and their defaults. Every change is one
 * transaction that begins with a row lock on the account, so it is safe beside a gateway in another process.
 */

import type { Knex } from 'knex';
import type { DefaultsChange, DefaultsStore } from '#access/ports.ts';
import { type Account, HOUSE_ID, type PriceLimits } from '#access/principal.ts';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { PriceNano } from '#base/money.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import type { Row } from '#storage/database/values.ts';
import {
  type AccountSettings,
  accountColumns,
  accountFrom,
  lockAccount,
  newAccount,
  noAccount,
} from '#storage/records/account.ts';

const NAME_LENGTH_MAX = 255;

/** What an operator may set when opening an account. */
export interface NewAccount {
  readonly name: string;
  /** 0 to 30; 30 when absent. */
  readonly retentionDays?: number;
  readonly logPayloads?: boolean;
}

/** Writes what belongs to a change, in its transaction: both are there, or neither. `before` is null for a new account. */
type Noting = (trx: Knex.Transaction, before: Account | null, after: Account) => Promise<void>;

/** The operator's operations on accounts. An unknown id is always a Fault `not_found`. */
export class Accounts implements DefaultsStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(options: OperatorOptions) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  /** Opens an account with a balance of 0. Throws Fault invalid_request for a bad name or retention. Spec 8. */
  async create(settings: NewAccount, noting?: Noting): Promise<Account> {
    const { name, retentionDays = RETENTION_DAYS_MAX, logPayloads = false } = settings;
    if (name.trim() === '' || name.length > NAME_LENGTH_MAX)
      throw invalid('An account must have a name of 1 to 255 characters.');
    if (!Number.isInteger(retentionDays) || retentionDays < 0 || retentionDays > RETENTION_DAYS_MAX) {
      throw invalid('Retention must be a whole number of days from 0 to 30.');
    }
    return this.#insert({ id: this.#ids.uuid(), name, retentionDays, logPayloads, house: false }, noting);
  }

  /** The gateway's own account, for probes; created when missing. It needs no balance: its charges are topped up. */
  async house(): Promise<Account> {
    const found = await this.#find(HOUSE_ID);
    if (found) return found;
    try {
      return await this.#insert({ id: HOUSE_ID, name: 'House', retentionDays: 0, logPayloads: false, house: true });
    } catch (error) {
      // Another process may have created it at the same moment.
      const made = await this.#find(HOUSE_ID);
      if (made) return made;
      throw error;
    }
  }

  async show(id: string): Promise<Account> {
    const account = await this.#find(id);
    if (!account) throw noAccount(id);
    return account;
  }

  /** By id, which is also by creation for accounts created here. `after`: the last id of the page before. */
  async list(page: { limit: number; after: string | null }): Promise<Account[]> {
    const rows: Row[] = await this.#db
      .knex('accounts')
      .where('id', '>', page.after ?? '')
      .orderBy('id')
      .limit(page.limit);
    return rows.map(accountFrom);
  }

  /** Whether the house account is the only one: a first start then creates a demo account. */
  async isEmpty(): Promise<boolean> {
    return (await this.#db.knex('accounts').where({ house: 0 }).first('id')) === undefined;
  }

  /** New requests get 403 within a second. The gateway that has its queued orders cancels them. */
  async suspend(id: string, noting?: Noting): Promise<Account> {
    return this.#change(id, () => ({ status: 'suspended' }), noting);
  }

  async resume(id: string, noting?: Noting): Promise<Account> {
    return this.#change(id, () => ({ status: 'active' }), noting);
  }

  /** Merges default price limits: a number sets a model's, null clears it, others stay. Models are not checked here. */
  async setPriceLimits(id: string, limits: Readonly<Record<string, PriceNano | null>>): Promise<Account> {
    return this.#change(id, (account) => ({ priceLimits: mergedLimits(account.priceLimits, limits) }));
  }

  /** Sets the account's own defaults. The caller checks bounds and models. Spec 4.7. */
  async setDefaults(id: string, { priceLimits = {}, ...change }: DefaultsChange): Promise<Account> {
    return this.#change(id, (account) => ({ ...change, priceLimits: mergedLimits(account.priceLimits, priceLimits) }));
  }

  async #change(id: string, changeOf: (account: Account) => Partial<Account>, noting?: Noting): Promise<Account> {
    return writing(this.#db, async (trx) => {
      const before = await lockAccount(trx, id);
      await trx('accounts')
        .where({ id })
        .update(accountColumns(changeOf(before)));
      const after = accountFrom(await trx('accounts').where({ id }).first());
      await noting?.(trx, before, after);
      return after;
    });
  }

  async #find(id: string): Promise<Account | null> {
    const row: Row | undefined = await this.#db.knex('accounts').where({ id }).first();
    return row ? accountFrom(row) : null;
  }

  async #insert(settings: AccountSettings, noting?: Noting): Promise<Account> {
    const account = newAccount(settings, this.#clock.nowMs());
    await writing(this.#db, async (trx) => {
      await trx('accounts').insert(accountColumns(account));
      await noting?.(trx, null, account);
    });
    return account;
  }
}

/** `limits` merged into `before`; null removes a model. */
function mergedLimits(before: PriceLimits, limits: Readonly<Record<string, PriceNano | null>>): PriceLimits {
  const merged = new Map(Object.entries(before));
  for (const [model, limit] of Object.entries(limits)) {
    if (limit === null) merged.delete(model);
    else merged.set(model, limit);
  }
  return Object.fromEntries(merged);
}

function invalid(message: string): Fault {
  return new Fault('invalid_request', { message });
}

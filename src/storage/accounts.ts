/**
 * The operator's side of accounts: opening them, money in and back, standing and defaults. Every change is one
 * transaction that begins by locking the account's row, so it is safe beside a gateway that runs in another process.
 */
import type { DefaultsChange, DefaultsStore } from '#access/ports.ts';
import type { Account, PriceLimits } from '#access/principal.ts';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { PriceNano } from '#base/money.ts';
import { accountFrom, accountRow } from './account-record.ts';
import type { Database, OperatorParts } from './database.ts';
import { lockAccount, noAccount, writing } from './transaction.ts';
import type { Row } from './values.ts';

const ORDER_TIMEOUT_S = 600;
const NAME_LENGTH_MAX = 255;
/** The account that probes run on. */
const HOUSE_ID = 'house';

/** What an operator may say when an account is opened. */
export interface NewAccount {
  readonly name: string;
  /** 0 to 30; 30 when absent. */
  readonly retentionDays?: number;
  readonly logPayloads?: boolean;
}

/** Accounts as the operator handles them. An unknown id is always a Fault `not_found`. */
export class Accounts implements DefaultsStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(parts: OperatorParts) {
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  /** Opens an account with nothing on it. Throws Fault invalid_request for a bad name or retention. Spec 8. */
  async create({ name, retentionDays = RETENTION_DAYS_MAX, logPayloads = false }: NewAccount): Promise<Account> {
    if (name.trim() === '' || name.length > NAME_LENGTH_MAX)
      throw invalid('An account has a name of 1 to 255 characters.');
    if (!Number.isInteger(retentionDays) || retentionDays < 0 || retentionDays > RETENTION_DAYS_MAX) {
      throw invalid('Retention is a whole number of days from 0 to 30.');
    }
    return this.#insert({ id: this.#ids.uuid(), name, retentionDays, logPayloads, house: false });
  }

  /** The gateway's own account, for probes: made when missing. It needs no balance; what it is charged is paid in. */
  async house(): Promise<Account> {
    const found = await this.#find(HOUSE_ID);
    if (found) return found;
    try {
      return await this.#insert({ id: HOUSE_ID, name: 'House', retentionDays: 0, logPayloads: false, house: true });
    } catch (error) {
      // Another process may have made it in this very moment.
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

  /** By id, which for accounts made here is the order of their making; `after` is the last id of the page before. */
  async list(page: { limit: number; after: string | null }): Promise<Account[]> {
    const rows: Row[] = await this.#db
      .knex('accounts')
      .where('id', '>', page.after ?? '')
      .orderBy('id')
      .limit(page.limit);
    return rows.map(accountFrom);
  }

  /** Whether there is any account besides the house's: a first start makes a demo account. */
  async isEmpty(): Promise<boolean> {
    return (await this.#db.knex('accounts').where({ house: 0 }).first('id')) === undefined;
  }

  /** New requests get 403 within a second. Its queued orders are canceled by the gateway that holds them. */
  async suspend(id: string): Promise<Account> {
    return this.#change(id, () => ({ status: 'suspended' }));
  }

  async resume(id: string): Promise<Account> {
    return this.#change(id, () => ({ status: 'active' }));
  }

  /** Merges default price limits: a number sets a model's, null clears it, others stay. Models are checked by the caller. */
  async setPriceLimits(id: string, limits: Readonly<Record<string, PriceNano | null>>): Promise<Account> {
    return this.#change(id, (account) => ({
      price_limits: JSON.stringify(mergedLimits(account.priceLimits, limits)),
    }));
  }

  /** The account's own defaults. Bounds and models are checked by the caller. Spec 4.7. */
  async setDefaults(id: string, { priceLimits, priceLock, orderTimeoutS }: DefaultsChange): Promise<Account> {
    return this.#change(id, (account) => ({
      price_limits: JSON.stringify(mergedLimits(account.priceLimits, priceLimits ?? {})),
      price_lock: Number(priceLock ?? account.priceLock),
      order_timeout_s: orderTimeoutS ?? account.orderTimeoutS,
    }));
  }

  async #change(id: string, changeOf: (account: Account) => Record<string, string | number>): Promise<Account> {
    return writing(this.#db, async (trx) => {
      const account = await lockAccount(trx, id);
      await trx('accounts').where({ id }).update(changeOf(account));
      return accountFrom(await trx('accounts').where({ id }).first());
    });
  }

  async #find(id: string): Promise<Account | null> {
    const row: Row | undefined = await this.#db.knex('accounts').where({ id }).first();
    return row ? accountFrom(row) : null;
  }

  async #insert(settings: Pick<Account, 'id' | 'name' | 'retentionDays' | 'logPayloads' | 'house'>): Promise<Account> {
    const account: Account = {
      ...settings,
      status: 'active',
      balance: 0n,
      held: 0n,
      priceLimits: {},
      priceLock: false,
      orderTimeoutS: ORDER_TIMEOUT_S,
      createdAtMs: this.#clock.nowMs(),
    };
    await writing(this.#db, (trx) => trx('accounts').insert(accountRow(account)));
    return account;
  }
}

/** `limits` over `before`; null takes a model out. */
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

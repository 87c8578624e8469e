/**
 * The operator's side of accounts: opening, suspending and listing them, and their defaults. Every change is one
 * transaction that begins with a row lock on the account, so it is safe beside a gateway in another process.
 */

import type { Knex } from 'knex';
import { type Actor, COMMAND_LINE } from '#access/member.ts';
import { type Account, HOUSE_ID, type PriceLimits } from '#access/principal.ts';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import { invalidRequest } from '#base/fault.ts';
import type { PriceNano } from '#base/money.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { type Row, text } from '#storage/database/values.ts';
import {
  type AccountSettings,
  accountColumns,
  accountFrom,
  accountRow,
  lockAccount,
  newAccount,
} from '#storage/records/account.ts';
import { RowReader } from '#storage/records/readable.ts';
import { LoggedStore } from '../change-log.ts';

const NAME_LENGTH_MAX = 255;
/** How many accounts one page of a search by name looks through: a few milliseconds. There is no index by name. */
const SEARCHED_MAX = 2_000;

/** New defaults of an account; absent fields stay unchanged. */
export interface DefaultsChange {
  /** Merged by model id: a number sets the model's default, null clears it. */
  readonly priceLimits?: Readonly<Record<string, PriceNano | null>>;
  readonly priceLock?: boolean;
  readonly orderTimeoutS?: number;
}

/** A page begins after the account with the id `after`. */
interface PageOf {
  readonly limit: number;
  readonly after: string | null;
}

/**
 * The operator's operations on accounts. An unknown id is always a Fault `not_found`. What a member of the operator changes
 * is logged in the same transaction, what the command line changes is not.
 */
export class Accounts extends LoggedStore {
  /** Opens an account with a balance of 0. Throws Fault invalid_request for a bad name or retention. Spec 8. */
  async create(
    settings: Pick<Account, 'name'> & Partial<Pick<Account, 'retentionDays' | 'logPayloads'>>,
    by: Actor,
  ): Promise<Account> {
    const { name, retentionDays = RETENTION_DAYS_MAX, logPayloads = false } = settings;
    if (name.trim() === '' || name.length > NAME_LENGTH_MAX)
      throw invalidRequest(null, 'An account must have a name of 1 to 255 characters.');
    if (!Number.isInteger(retentionDays) || retentionDays < 0 || retentionDays > RETENTION_DAYS_MAX) {
      throw invalidRequest(null, 'Retention must be a whole number of days from 0 to 30.');
    }
    return this.#insertAccount({ id: this.parts.ids.uuid(), name, retentionDays, logPayloads, house: false }, by);
  }

  /** The gateway's own account, for probes; created when missing. It needs no balance: its charges are topped up. */
  async house(): Promise<Account> {
    const found = await this.#findAccount(HOUSE_ID);
    if (found) return found;
    try {
      const house = { id: HOUSE_ID, name: 'House', retentionDays: 0, logPayloads: false, house: true };
      return await this.#insertAccount(house, COMMAND_LINE);
    } catch (error) {
      // Another process may have created it at the same moment.
      const made = await this.#findAccount(HOUSE_ID);
      if (made) return made;
      throw error;
    }
  }

  async show(id: string): Promise<Account> {
    return accountFrom(await accountRow(this.parts.db.knex, id));
  }

  /** By id, which is also by creation for accounts created here. `after`: the last id of the page before. */
  async list(page: PageOf): Promise<Account[]> {
    const { knex } = this.parts.db;
    return readerOf(this.parts.db).page(page.limit, (last) =>
      knex('accounts')
        .where('id', '>', last ? text(last.id) : (page.after ?? ''))
        .orderBy('id')
        .limit(page.limit),
    );
  }

  /**
   * By id, and where the next page begins, null after the last. With `search` those with this id, with a member of this e-mail, or with this
   * part of the name; by name a bounded number of accounts is looked through, so that a page may be empty before the last.
   */
  async page(search: string | null, { limit, after }: PageOf): Promise<{ accounts: Account[]; next: string | null }> {
    if (search !== null) return searchAccounts(this.parts.db, search, { limit, after });
    const rows = await this.list({ limit: limit + 1, after });
    const accounts = rows.slice(0, limit);
    return { accounts, next: rows.length > limit ? (accounts.at(-1)?.id ?? null) : null };
  }

  /** Whether the house account is the only one: a first start then creates a demo account. */
  async isEmpty(): Promise<boolean> {
    return (await this.parts.db.knex('accounts').where({ house: 0 }).first('id')) === undefined;
  }

  /** New requests get 403 within a second. The gateway that has its queued orders cancels them. */
  async suspend(id: string, by: Actor): Promise<Account> {
    return this.#changeAccount(id, () => ({ status: 'suspended' }), { by, what: 'account.suspend' });
  }

  /** Accepts requests again, also of an account that was closed. */
  async resume(id: string, by: Actor): Promise<Account> {
    return this.#changeAccount(id, () => ({ status: 'active' }), { by, what: 'account.resume' });
  }

  /** Sets the account's own defaults. The caller checks bounds and models. Spec 4.7. */
  async setDefaults(id: string, { priceLimits = {}, ...change }: DefaultsChange): Promise<Account> {
    return this.#changeAccount(id, (account) => ({
      ...change,
      priceLimits: mergedLimits(account.priceLimits, priceLimits),
    }));
  }

  /** `logged`: who changes what; absent for what an account changes by a key, which is not logged. */
  async #changeAccount(
    id: string,
    changeOf: (account: Account) => Partial<Account>,
    logged?: { readonly by: Actor; readonly what: string },
  ): Promise<Account> {
    return writing(this.parts.db, async (trx) => {
      const before = await lockAccount(trx, id);
      await trx('accounts')
        .where({ id })
        .update(accountColumns(changeOf(before)));
      const after = accountFrom(await trx('accounts').where({ id }).first());
      if (logged) await this.#logChange(trx, logged, { before, after });
      return after;
    });
  }

  /** Logs nothing if nothing changed that the log shows. */
  async #logChange(
    trx: Knex.Transaction,
    { by, what }: { readonly by: Actor; readonly what: string },
    { before, after }: { readonly before: Account | null; readonly after: Account },
  ): Promise<void> {
    const change = { before: before && shown(before), after: shown(after) };
    if (JSON.stringify(change.before) === JSON.stringify(change.after)) return;
    await this.changes.logByMember(trx, by, { what, subject: after.id, accountId: after.id, ...change });
  }

  async #findAccount(id: string): Promise<Account | null> {
    const row: Row | undefined = await this.parts.db.knex('accounts').where({ id }).first();
    return row ? accountFrom(row) : null;
  }

  async #insertAccount(settings: AccountSettings, by: Actor): Promise<Account> {
    const account = newAccount(settings, this.parts.clock.nowMs());
    await writing(this.parts.db, async (trx) => {
      await trx('accounts').insert(accountColumns(account));
      await this.#logChange(trx, { by, what: 'account.create' }, { before: null, after: account });
    });
    return account;
  }
}

/** What the log says about an account. */
function shown({ name, status }: Account): object {
  return { name, status };
}

function readerOf(db: Database): RowReader<Account> {
  return new RowReader(db, 'accounts', accountFrom);
}

async function searchAccounts(db: Database, search: string, { limit, after }: PageOf) {
  const { knex } = db;
  const named: Row[] = await knex('accounts')
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(SEARCHED_MAX)
    .select('id', 'name');
  const wanted = search.toLowerCase();
  const matching = named.filter((row) => text(row.name).toLowerCase().includes(wanted)).map((row) => text(row.id));
  const ids = matching.slice(0, limit);
  // The first page also has those that are found by index, wherever they are.
  const exact = after === null ? await exactMatches(knex, wanted) : [];
  const rows: Row[] = await knex('accounts')
    .whereIn('id', [...exact, ...ids])
    .orderBy('id');
  const last = matching.length > limit ? ids.at(-1) : named.length === SEARCHED_MAX ? named.at(-1)?.id : null;
  return { accounts: readerOf(db).some(rows), next: last ? text(last) : null };
}

/** The account with this id, and the account of the member with this e-mail. */
async function exactMatches(knex: Knex, search: string): Promise<string[]> {
  const member: Row | undefined = await knex('members').where({ email: search }).first('account_id');
  return [search, ...(member?.account_id ? [text(member.account_id)] : [])];
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

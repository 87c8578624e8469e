/**
 * The operator's side of API keys. A secret is returned once and never stored, only its hash. Every change locks the
 * account first, as the journal does that counts in the key's budget. Spec 5, 8; docs/decisions/0041-budgets-of-keys.md.
 */
import type { Knex } from 'knex';
import { limitDefaults } from '#access/limits.ts';
import type { ApiKey, KeySettings } from '#access/principal.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { budgetAt, type KeyBudget, periodStart } from '#base/key-budget.ts';
import type { NanoUsd } from '#base/money.ts';
import type { Columns } from '#storage/database/codec.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { dayOf } from '#storage/database/periods.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, money, type Row, text } from '#storage/database/values.ts';
import { apiKeyFrom, budgetColumns, budgetFrom, keyColumns, lockAccount, noAccount } from '#storage/records/account.ts';
import { hashKey, hintOf, newApiKey } from './api-key.ts';

const NAME_LENGTH_MAX = 255;
/** The largest budget: a million dollars, far inside 64 bits. */
const BUDGET_MAX: NanoUsd = 1_000_000_000_000_000n;
const NO_BUDGET: KeyBudget = { amount: null, reset: 'never', fromMs: 0, spent: 0n, held: 0n };

/** What a new key is made with. */
export interface NewKeySettings extends KeySettings {
  /** How many active keys the account may have; Spec 8's 50 when absent. */
  readonly activeMax?: number;
  readonly noting?: Noting;
}

/** Writes what belongs to a change, in its transaction: both are there, or neither. `before` is null for a new key. */
type Noting = (trx: Knex.Transaction, key: ApiKey, before: ApiKey | null) => Promise<void>;

/** A key of an account, by its id, and what is written when it changes. */
export interface KeyOfAccount {
  readonly accountId: string;
  readonly id: string;
  readonly noting: Noting;
}

/** Creates, lists, changes, rotates and revokes keys. */
export class Keys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(options: OperatorOptions) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  /** A new key and, only this once, its secret. Throws Fault not_found, too_many_keys, invalid_request (a setting). */
  async create(accountId: string, settings: NewKeySettings = {}): Promise<{ key: ApiKey; secret: string }> {
    const { name = 'key', priceLimits = {}, activeMax = limitDefaults.activeKeysPerAccount } = settings;
    const createdAtMs = this.#clock.nowMs();
    const changes = changedColumns({ ...settings, name, priceLimits }, NO_BUDGET, createdAtMs);
    const secret = newApiKey();
    const id = this.#ids.uuid();
    const row = await writing(this.#db, async (trx) => {
      // The row lock makes concurrent requests count one after the other.
      await lockAccount(trx, accountId);
      const active = await trx('api_keys')
        .where({ account_id: accountId })
        .whereNull('revoked_at_ms')
        .where((either) => either.whereNull('expires_at_ms').orWhere('expires_at_ms', '>', createdAtMs))
        .first(trx.raw('COUNT(*) AS number'));
      if (int(active.number) >= activeMax) throw tooManyKeys(activeMax);
      await trx('api_keys').insert({
        id,
        account_id: accountId,
        hash: hashKey(secret),
        hint: hintOf(secret),
        created_at_ms: createdAtMs,
        revoked_at_ms: null,
        ...changes,
      });
      const row: Row = await trx('api_keys').where({ id }).first();
      await settings.noting?.(trx, apiKeyFrom(row), null);
      return row;
    });
    return { key: apiKeyFrom(row), secret };
  }

  /** The account's keys, oldest first, including revoked ones. Throws Fault not_found. */
  async list(accountId: string): Promise<ApiKey[]> {
    const account = await this.#db.knex('accounts').where({ id: accountId }).first('id');
    if (!account) throw noAccount(accountId);
    const rows: Row[] = await this.#db
      .knex('api_keys')
      .where({ account_id: accountId })
      .orderBy(['created_at_ms', 'id']);
    return rows.map(apiKeyFrom);
  }

  /** What the orders of each of the account's keys cost today and this month (UTC), net of refunds, by key. */
  async spent(accountId: string): Promise<ReadonlyMap<string, { today: NanoUsd; month: NanoUsd }>> {
    const nowMs = this.#clock.nowMs();
    const sums = async (fromMs: number): Promise<Map<string, NanoUsd>> => {
      const query = this.#db.knex('usage_days').where({ account_id: accountId }).where('day', '>=', dayOf(fromMs));
      const rows: Row[] = await query.groupBy('key_id').select('key_id').sum('charged as charged');
      return new Map(rows.map((row) => [text(row.key_id), money(row.charged)]));
    };
    const [today, month] = [await sums(nowMs), await sums(periodStart('month', nowMs))];
    return new Map([...month].map(([key, charged]) => [key, { today: today.get(key) ?? 0n, month: charged }]));
  }

  /**
   * Changes settings of a key that is not revoked, named as for `revoke`. A budget that is set counts the orders that
   * are submitted from then on. Throws Fault not_found, invalid_request (a setting, or the key is revoked).
   */
  async update(idOrSecret: string, settings: KeySettings): Promise<ApiKey> {
    return this.#change(await this.#find(idOrSecret), this.#updating(settings));
  }

  /** The same of an active key of this account. Throws Fault not_found, for one of another account as well. */
  async updateOf({ noting, ...which }: KeyOfAccount, settings: KeySettings): Promise<ApiKey> {
    return this.#change(await this.#activeOf(which), this.#updating(settings), noting);
  }

  #updating(settings: KeySettings): (row: Row) => Columns {
    return (row) => changedColumns(settings, budgetFrom(row), this.#clock.nowMs());
  }

  /**
   * A new secret for a key, returned only this once. The one before is accepted for `overlapMs` more; one from before
   * that, no longer. All else stays: its id, budget and limits. Throws Fault not_found, invalid_request (revoked).
   */
  async rotate(idOrSecret: string, overlapMs: number): Promise<{ key: ApiKey; secret: string }> {
    return this.#rotate(await this.#find(idOrSecret), overlapMs);
  }

  /** The same of an active key of this account. Throws Fault not_found, for one of another account as well. */
  async rotateOf({ noting, ...which }: KeyOfAccount, overlapMs: number): Promise<{ key: ApiKey; secret: string }> {
    return this.#rotate(await this.#activeOf(which), overlapMs, noting);
  }

  async #rotate(found: Row, overlapMs: number, noting?: Noting): Promise<{ key: ApiKey; secret: string }> {
    const secret = newApiKey();
    const columnsOf = (row: Row) => ({
      hash: hashKey(secret),
      hint: hintOf(secret),
      previous_hash: text(row.hash),
      previous_until_ms: this.#clock.nowMs() + overlapMs,
    });
    return { key: await this.#change(found, columnsOf, noting), secret };
  }

  /**
   * Revokes the key with this id, or this key itself, for good; a second call changes nothing. Throws Fault not_found,
   * whose message never has what looks like a key.
   */
  async revoke(idOrSecret: string): Promise<ApiKey> {
    const { id } = apiKeyFrom(await this.#find(idOrSecret));
    await writing(this.#db, (trx) =>
      trx('api_keys').where({ id }).whereNull('revoked_at_ms').update({ revoked_at_ms: this.#clock.nowMs() }),
    );
    return apiKeyFrom(await this.#find(id));
  }

  async #change(found: Row, columnsOf: (row: Row) => Columns, noting?: Noting): Promise<ApiKey> {
    const { id, accountId } = apiKeyFrom(found);
    return writing(this.#db, async (trx) => {
      await lockAccount(trx, accountId);
      const row: Row = await trx('api_keys').where({ id }).forUpdate().first();
      if (row.revoked_at_ms !== null) throw invalid('This key is revoked.');
      const columns = columnsOf(row);
      if (Object.keys(columns).length === 0) return apiKeyFrom(row);
      await trx('api_keys').where({ id }).update(columns);
      const key = apiKeyFrom(await trx('api_keys').where({ id }).first());
      await noting?.(trx, key, apiKeyFrom(row));
      return key;
    });
  }

  async #activeOf({ accountId, id }: Omit<KeyOfAccount, 'noting'>): Promise<Row> {
    const which = { id, account_id: accountId, revoked_at_ms: null };
    const row: Row | undefined = await this.#db.knex('api_keys').where(which).first();
    if (row) return row;
    throw noActiveKey();
  }

  /** The row of a key, by its id or one of its secrets. */
  async #find(idOrSecret: string): Promise<Row> {
    const isSecret = idOrSecret.startsWith('sk-');
    const hash = hashKey(idOrSecret);
    const first = (which: object): Promise<Row | undefined> => this.#db.knex('api_keys').where(which).first();
    const row = isSecret
      ? ((await first({ hash })) ?? (await first({ previous_hash: hash })))
      : await first({ id: idOrSecret });
    if (row) return row;
    const named = isSecret ? 'such key' : `key ${JSON.stringify(idOrSecret)}`;
    throw new Fault('not_found', { message: `There is no ${named}; sluice key list ACCOUNT has the ids.` });
  }

  /** Revokes an active key of this account, for good. Throws Fault not_found, for one of another account as well. */
  async revokeOf({ accountId, id, noting }: KeyOfAccount): Promise<void> {
    const which = { id, account_id: accountId };
    await writing(this.#db, async (trx) => {
      const revoked = trx('api_keys').where(which).whereNull('revoked_at_ms');
      if ((await revoked.update({ revoked_at_ms: this.#clock.nowMs() })) === 0) throw noActiveKey();
      const key = apiKeyFrom(await trx('api_keys').where(which).first());
      await noting(trx, key, { ...key, revokedAtMs: null });
    });
  }
}

/** The columns that these settings change. Throws Fault invalid_request. */
function changedColumns(settings: KeySettings, budget: KeyBudget, nowMs: number): Columns {
  const { name, expiresAtMs, models, priceLimits } = settings;
  if (name !== undefined && (name === '' || name.length > NAME_LENGTH_MAX))
    throw invalid('A key must have a name of 1 to 255 characters.');
  if (typeof expiresAtMs === 'number' && !(Number.isSafeInteger(expiresAtMs) && expiresAtMs > nowMs))
    throw invalid('A key must expire in the future.');
  if (models?.length === 0) throw invalid('A key must be allowed one model at least.');
  return { ...keyColumns({ name, expiresAtMs, models, priceLimits }), ...changedBudget(settings, budget, nowMs) };
}

function changedBudget({ budget: amount, reset }: KeySettings, budget: KeyBudget, nowMs: number): Columns {
  if (amount === undefined && reset === undefined) return {};
  if (typeof amount === 'bigint' && (amount <= 0n || amount > BUDGET_MAX))
    throw invalid('A budget must be above $0 and at most $1,000,000.');
  const wanted = { ...budget, amount: amount === undefined ? budget.amount : amount, reset: reset ?? budget.reset };
  if (wanted.amount === null && reset !== undefined) throw invalid('This key has no budget that could begin anew.');
  return budgetColumns(budgetAt(wanted, nowMs));
}

function invalid(message: string): Fault {
  return new Fault('invalid_request', { message });
}

function noActiveKey(): Fault {
  return new Fault('not_found', { message: 'This account has no active key with this id.' });
}

function tooManyKeys(activeMax: number): Fault {
  const keys = activeMax === 1 ? '1 active key' : `${activeMax} active keys`;
  return new Fault('too_many_keys', { message: `This account already has ${keys}, its limit. Revoke one first.` });
}

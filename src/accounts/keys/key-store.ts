/**
 * API keys, as the operator and the members of their account manage them. A secret is returned once and never stored,
 * only its hash. Every change locks the account first, as the journal does that counts in the key's budget. Spec 5, 8;
 * docs/decisions/0041-budgets-of-keys.md.
 */
import type { Knex } from 'knex';
import { readAddresses } from '#access/addresses.ts';
import { limitDefaults } from '#access/limits.ts';
import { type Actor, COMMAND_LINE } from '#access/member.ts';
import { type ApiKey, type KeySettings, scopes } from '#access/principal.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { budgetAt, type KeyBudget, periodStart } from '#base/key-budget.ts';
import { formatPrice, formatUsd, type NanoUsd } from '#base/money.ts';
import { isoOrNull } from '#base/time.ts';
import type { Columns } from '#storage/database/codec.ts';
import { newest } from '#storage/database/keyset.ts';
import { dayOf } from '#storage/database/periods.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, intOrNull, money, type Row, text, textOrNull } from '#storage/database/values.ts';
import {
  accountRow,
  apiKeyFrom,
  budgetColumns,
  budgetFrom,
  keyColumns,
  lockAccount,
} from '#storage/records/account.ts';
import { RowReader } from '#storage/records/readable.ts';
import { type ChangeLog, LoggedStore } from '../change-log.ts';
import { hashKey, hintOf, newApiKey } from './api-key.ts';

/** In characters. */
export const NAME_LENGTH_MAX = 255;
/** The largest budget: a million dollars, far inside 64 bits. */
const BUDGET_MAX: NanoUsd = 1_000_000_000_000_000n;
const NO_BUDGET: KeyBudget = { amount: null, reset: 'never', fromMs: 0, spent: 0n, held: 0n };
const NOTHING = { today: 0n, month: 0n };

/** What a new key is made with. */
export interface NewKeySettings extends KeySettings {
  /** How many active keys the account may have; Spec 8's 50 when absent. */
  readonly activeMax?: number;
}

/** A key of any account, by its id or one of its secrets, or an active key of this account, by its id. */
export type NamedKey = string | { readonly accountId: string; readonly id: string };

/** A key and, only this once, its secret. */
export interface MadeKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** A key, and what is known about its use. */
export interface UsedKey {
  readonly key: ApiKey;
  /** The e-mail of the member with whom it ends; null for none. */
  readonly member: string | null;
  /** When it last placed an order; null for never. */
  readonly lastUsedAtMs: number | null;
  /** What its orders cost today and this month (UTC), net of refunds. */
  readonly spent: { readonly today: NanoUsd; readonly month: NanoUsd };
}

/**
 * Creates, lists, changes, rotates and revokes keys. What a member changes is logged in the same transaction, what the
 * command line changes is not.
 */
export class Keys extends LoggedStore {
  /**
   * A new key and, only this once, its secret. Throws Fault not_found, too_many_keys, invalid_request (a setting, or no
   * such member), and to a member account_suspended.
   */
  async create(accountId: string, settings: NewKeySettings, by: Actor): Promise<MadeKey> {
    const { name = 'key', priceLimits = {}, activeMax = limitDefaults.activeKeysPerAccount } = settings;
    const createdAtMs = this.parts.clock.nowMs();
    const columns = changedColumns({ ...settings, name, priceLimits }, NO_BUDGET, createdAtMs);
    const secret = newApiKey();
    const id = this.parts.ids.uuid();
    const revoke = () => this.revoke({ accountId, id }, by);
    const make = async (trx: Knex.Transaction) => {
      // The row lock makes concurrent requests count one after the other.
      const { status } = await lockAccount(trx, accountId);
      await assertFewActive(trx, { accountId, nowMs: createdAtMs, activeMax });
      if (by !== COMMAND_LINE && status !== 'active') throw new Fault('account_suspended');
      await trx('api_keys').insert({
        id,
        account_id: accountId,
        hash: hashKey(secret),
        hint: hintOf(secret),
        created_at_ms: createdAtMs,
        revoked_at_ms: null,
        ...columns,
        ...(await ownerColumns(trx, accountId, settings)),
      });
      const made = apiKeyFrom(await trx('api_keys').where({ id }).first());
      await this.changes.logByMember(trx, by, {
        ...subjectOf(made),
        what: 'key.create',
        before: null,
        after: shown(made),
      });
      return made;
    };
    return { key: await writing(this.parts.db, make, revoke), secret };
  }

  /** The account's keys, oldest first, including revoked ones. Throws Fault not_found. */
  async list(accountId: string): Promise<ApiKey[]> {
    const { knex } = this.parts.db;
    await accountRow(knex, accountId, 'id');
    const rows: Row[] = await knex('api_keys').where({ account_id: accountId }).orderBy(['created_at_ms', 'id']);
    return new RowReader(this.parts.db, 'api_keys', apiKeyFrom).some(rows);
  }

  /** What the orders of each of the account's keys cost today and this month (UTC), net of refunds, by key. */
  async spent(accountId: string): Promise<ReadonlyMap<string, { today: NanoUsd; month: NanoUsd }>> {
    const nowMs = this.parts.clock.nowMs();
    const sums = async (fromMs: number): Promise<Map<string, NanoUsd>> => {
      const query = this.parts.db.knex('usage_days').where({ account_id: accountId }).where('day', '>=', dayOf(fromMs));
      const rows: Row[] = await query.groupBy('key_id').select('key_id').sum('charged as charged');
      return new Map(rows.map((row) => [text(row.key_id), money(row.charged)]));
    };
    const [today, month] = [await sums(nowMs), await sums(periodStart('month', nowMs))];
    return new Map([...month].map(([key, charged]) => [key, { today: today.get(key) ?? 0n, month: charged }]));
  }

  /** The active keys of an account, oldest first, with their use. Throws Fault not_found. */
  async listUsed(accountId: string): Promise<UsedKey[]> {
    const [keys, used, spent, owners] = await Promise.all([
      this.list(accountId),
      lastUses(this.parts.db.knex, accountId),
      this.spent(accountId),
      this.owners(accountId),
    ]);
    return keys
      .filter(({ revokedAtMs }) => revokedAtMs === null)
      .map((key) => ({
        key,
        member: key.memberId === null ? null : (owners.get(key.memberId) ?? null),
        lastUsedAtMs: used.get(key.id) ?? null,
        spent: spent.get(key.id) ?? NOTHING,
      }));
  }

  /** The e-mails of the account's members and of those who are invited, by id. */
  async owners(accountId: string): Promise<ReadonlyMap<string, string>> {
    const { knex } = this.parts.db;
    const rows: Row[] = [];
    for (const table of MEMBER_TABLES)
      rows.push(...(await knex(table).where({ account_id: accountId }).select('id', 'email')));
    return new Map(rows.map(({ id, email }) => [text(id), text(email)]));
  }

  /**
   * Changes settings of a key that is not revoked. A budget that is set counts the orders that are submitted from then on.
   * Throws Fault not_found, invalid_request (a setting, no such member, or the key is revoked).
   */
  async update(named: NamedKey, settings: KeySettings, by: Actor): Promise<ApiKey> {
    return this.#changeKey(named, { by, what: 'key.update' }, async (row, trx) => ({
      ...changedColumns(settings, budgetFrom(row), this.parts.clock.nowMs()),
      ...(await ownerColumns(trx, text(row.account_id), settings)),
    }));
  }

  /**
   * A new secret for a key, returned only this once. The one before is accepted for `overlapMs` more; one from before
   * that, no longer. All else stays, its id, budget and limits, but for when it expires, where that is given. Throws Fault
   * not_found, invalid_request (revoked).
   */
  async rotate(
    named: NamedKey,
    { overlapMs, expiresAtMs }: { readonly overlapMs: number; readonly expiresAtMs?: number },
    by: Actor,
  ): Promise<MadeKey> {
    const secret = newApiKey();
    const hash = hashKey(secret);
    const change = { by, what: 'key.rotate' };
    let former: Columns = {};
    // Otherwise a second try would replace the secret in use by one that nobody has.
    const undo = ({ id }: ApiKey) => this.#changeKey(id, change, (row) => (text(row.hash) === hash ? former : {}));
    const key = await this.#changeKey(named, { ...change, undo }, (row) => {
      former = {
        ...{ hash: text(row.hash), hint: text(row.hint) },
        ...{ previous_hash: textOrNull(row.previous_hash), previous_until_ms: intOrNull(row.previous_until_ms) },
        expires_at_ms: intOrNull(row.expires_at_ms),
      };
      const previousUntilMs = this.parts.clock.nowMs() + overlapMs;
      const rotated = { hash, hint: hintOf(secret), previous_hash: text(row.hash), previous_until_ms: previousUntilMs };
      return { ...rotated, ...keyColumns({ expiresAtMs }) };
    });
    return { key, secret };
  }

  /**
   * Revokes a key for good. A second call with its id or secret alone changes nothing. Throws Fault not_found, whose
   * message never has what looks like a key.
   */
  async revoke(named: NamedKey, by: Actor): Promise<ApiKey> {
    const { id } = apiKeyFrom(await this.#findRow(named));
    return writing(this.parts.db, async (trx) => {
      const active = trx('api_keys').where({ id }).whereNull('revoked_at_ms');
      const isChanged = (await active.update({ revoked_at_ms: this.parts.clock.nowMs() })) > 0;
      if (!isChanged && typeof named !== 'string') throw noActiveKey();
      const key = apiKeyFrom(await trx('api_keys').where({ id }).first());
      const change = { before: shown(key), after: null };
      if (isChanged) await this.changes.logByMember(trx, by, { ...subjectOf(key), what: 'key.revoke', ...change });
      return key;
    });
  }

  async #changeKey(
    named: NamedKey,
    { by, what, undo }: { by: Actor; what: string; undo?: (key: ApiKey) => Promise<unknown> },
    columnsOf: (row: Row, trx: Knex.Transaction) => Columns | Promise<Columns>,
  ): Promise<ApiKey> {
    const { id, accountId } = apiKeyFrom(await this.#findRow(named));
    const change = async (trx: Knex.Transaction) => {
      await lockAccount(trx, accountId);
      const row: Row = await trx('api_keys').where({ id }).forUpdate().first();
      if (row.revoked_at_ms !== null) throw invalidRequest(null, 'This key is revoked.');
      const columns = await columnsOf(row, trx);
      if (Object.keys(columns).length === 0) return apiKeyFrom(row);
      await trx('api_keys').where({ id }).update(columns);
      const key = apiKeyFrom(await trx('api_keys').where({ id }).first());
      const shownBoth = { before: shown(apiKeyFrom(row)), after: shown(key) };
      await this.changes.logByMember(trx, by, { ...subjectOf(key), what, ...shownBoth });
      return key;
    };
    return writing(this.parts.db, change, undo);
  }

  /** The row of a key. Throws Fault not_found, also for a key of another account than the named one. */
  async #findRow(named: NamedKey): Promise<Row> {
    const first = (which: object): Promise<Row | undefined> => this.parts.db.knex('api_keys').where(which).first();
    if (typeof named !== 'string') {
      const row = await first({ id: named.id, account_id: named.accountId, revoked_at_ms: null });
      if (row) return row;
      throw noActiveKey();
    }
    const isSecret = named.startsWith('sk-');
    const hash = hashKey(named);
    const row = isSecret
      ? ((await first({ hash })) ?? (await first({ previous_hash: hash })))
      : await first({ id: named });
    if (row) return row;
    const what = isSecret ? 'such key' : `key ${JSON.stringify(named)}`;
    throw new Fault('not_found', { message: `There is no ${what}; sluice key list ACCOUNT has the ids.` });
  }
}

/** Throws Fault too_many_keys when as many are active as may be. The account is locked. */
async function assertFewActive(
  trx: Knex.Transaction,
  { accountId, nowMs, activeMax }: { readonly accountId: string; readonly nowMs: number; readonly activeMax: number },
): Promise<void> {
  const active = await trx('api_keys')
    .where({ account_id: accountId })
    .whereNull('revoked_at_ms')
    .where((either) => either.whereNull('expires_at_ms').orWhere('expires_at_ms', '>', nowMs))
    .first(trx.raw('COUNT(*) AS number'));
  if (int(active.number) < activeMax) return;
  const keys = activeMax === 1 ? '1 active key' : `${activeMax} active keys`;
  throw new Fault('too_many_keys', { message: `This account already has ${keys}, its limit. Revoke one first.` });
}

/** The columns that these settings change. Throws Fault invalid_request. */
function changedColumns(settings: KeySettings, budget: KeyBudget, nowMs: number): Columns {
  const { name, expiresAtMs, models, strict, priceLimits } = settings;
  if (name !== undefined && (name === '' || name.length > NAME_LENGTH_MAX))
    throw invalidRequest(null, 'A key must have a name of 1 to 255 characters.');
  if (typeof expiresAtMs === 'number' && !(Number.isSafeInteger(expiresAtMs) && expiresAtMs > nowMs))
    throw invalidRequest(null, 'A key must expire in the future.');
  if (models?.length === 0) throw invalidRequest(null, 'A key must be allowed one model at least.');
  if (settings.scopes?.length === 0) throw invalidRequest('scopes', 'A key must have one scope at least.');
  const allowed = settings.scopes && scopes.filter((scope) => settings.scopes?.includes(scope));
  const addresses = settings.addresses && readAddresses(settings.addresses);
  return {
    ...keyColumns({ name, expiresAtMs, models, strict, priceLimits, scopes: allowed, addresses }),
    ...changedBudget(settings, budget, nowMs),
  };
}

/** The tables of a key's possible owners: members, and invitations of members elsewhere, which look the same. */
const MEMBER_TABLES = ['members', 'held_invitations'] as const;

/** The column of the owner. Locks the member, so that it cannot be removed meanwhile. Throws Fault invalid_request. */
async function ownerColumns(
  trx: Knex.Transaction,
  accountId: string,
  { member }: Pick<KeySettings, 'member'>,
): Promise<Columns> {
  if (member === undefined) return {};
  if (member === null) return keyColumns({ memberId: null });
  const email = member.trim().toLowerCase();
  for (const table of MEMBER_TABLES) {
    const row: Row | undefined = await trx(table).where({ email, account_id: accountId }).forUpdate().first('id');
    if (row) return keyColumns({ memberId: text(row.id) });
  }
  throw invalidRequest('member', `${email} is no member of this account; invite the address first.`);
}

/** Revokes the keys of a member that is being removed, in the same transaction, and logs it. */
export async function revokeKeysOf(
  trx: Knex.Transaction,
  memberId: string,
  { changes, nowMs, by }: { readonly changes: ChangeLog; readonly nowMs: number; readonly by: Actor },
): Promise<void> {
  const owned: Row[] = await trx('api_keys').where({ member_id: memberId }).whereNull('revoked_at_ms').forUpdate();
  for (const key of owned.map(apiKeyFrom)) {
    await trx('api_keys').where({ id: key.id }).update({ revoked_at_ms: nowMs });
    await changes.log(trx, by, { ...subjectOf(key), what: 'key.revoke', before: shown(key), after: null });
  }
}

/** The active keys of its account that this member made or rotated, and that no member owns; oldest first. */
export async function keysKnownTo(
  trx: Knex.Transaction,
  { email, accountId }: { readonly email: string; readonly accountId: string },
): Promise<ApiKey[]> {
  const shownTo = trx('audit_log')
    .where({ account_id: accountId, who: email })
    .whereIn('what', ['key.create', 'key.rotate'])
    .select('subject');
  const keys = trx('api_keys').where({ account_id: accountId, revoked_at_ms: null, member_id: null });
  return (await keys.whereIn('id', shownTo).orderBy(['created_at_ms', 'id'])).map(apiKeyFrom);
}

function changedBudget({ budget: amount, reset }: KeySettings, budget: KeyBudget, nowMs: number): Columns {
  if (amount === undefined && reset === undefined) return {};
  if (typeof amount === 'bigint' && (amount <= 0n || amount > BUDGET_MAX))
    throw invalidRequest(null, 'A budget must be above $0 and at most $1,000,000.');
  const wanted = { ...budget, amount: amount === undefined ? budget.amount : amount, reset: reset ?? budget.reset };
  if (wanted.amount === null && reset !== undefined) throw invalidRequest(null, 'This key has no budget to reset.');
  return budgetColumns(budgetAt(wanted, nowMs));
}

function noActiveKey(): Fault {
  return new Fault('not_found', { message: 'This account has no active key with this id.' });
}

/** Which key the log is about. */
function subjectOf({ id, accountId }: ApiKey) {
  return { subject: id, accountId };
}

/** What the log says about a key. */
function shown({ name, hint, budget, models, priceLimits, expiresAtMs, previousUntilMs, ...key }: ApiKey): object {
  return {
    name,
    hint,
    budget_usd: budget && formatUsd(budget.amount ?? 0n),
    budget_reset: budget?.reset ?? null,
    expires_at: isoOrNull(expiresAtMs),
    models,
    scopes: key.scopes,
    addresses: key.addresses,
    member_id: key.memberId,
    strict: key.strict,
    price_limits: Object.fromEntries(
      Object.entries(priceLimits).map(([model, price]): [string, string] => [model, formatPrice(price)]),
    ),
    previous_until: isoOrNull(previousUntilMs),
  };
}

/** When each active key of the account placed its last order, by the id of the key; null for never. */
async function lastUses(knex: Knex, accountId: string): Promise<ReadonlyMap<string, number | null>> {
  const last = newest(knex('orders').whereRaw('orders.key_id = api_keys.id'), ['created_at_ms', 'id']).limit(1);
  const rows: Row[] = await knex('api_keys')
    .where({ account_id: accountId, revoked_at_ms: null })
    .select('id', last.select('created_at_ms').as('used_at_ms'));
  return new Map(rows.map((row) => [text(row.id), intOrNull(row.used_at_ms)]));
}

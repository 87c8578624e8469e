/** Describes the tables of accounts and keys. */
import type { Knex } from 'knex';
import type { Account, ApiKey } from '#access/principal.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { budgetResets, type KeyBudget } from '#base/key-budget.ts';
import { codec, column } from '../database/codec.ts';
import { flag, int, intOrNull, json, money, oneOf, orNull, type Row, text, textOrNull } from '../database/values.ts';

const ORDER_TIMEOUT_S = 600;

/** The accounts, without what only the journal and webhooks use. */
export const { from: accountFrom, some: accountColumns } = codec<Account>({
  id: text,
  name: text,
  status: oneOf(['active', 'paused', 'suspended', 'deleting', 'closed']),
  balance: money,
  held: money,
  priceLimits: json(),
  priceLock: flag,
  orderTimeoutS: int,
  retentionDays: int,
  logPayloads: flag,
  house: flag,
  createdAtMs: int,
});

/** The settings of a new account that the operator chooses. */
export type AccountSettings = Pick<Account, 'id' | 'name' | 'retentionDays' | 'logPayloads' | 'house'>;

/** A new account with these settings: active, without money. */
export function newAccount(settings: AccountSettings, createdAtMs: number): Account {
  return {
    ...settings,
    status: 'active',
    balance: 0n,
    held: 0n,
    priceLimits: {},
    priceLock: false,
    orderTimeoutS: ORDER_TIMEOUT_S,
    createdAtMs,
  };
}

/** The budgets of keys, also of a key that has none any more, or never had one. */
export const { from: budgetFrom, some: budgetColumns } = codec<KeyBudget>({
  amount: column('budget', orNull(money)),
  reset: column('budget_reset', oneOf(budgetResets)),
  fromMs: column('budget_from_ms', int),
  spent: column('budget_spent', money),
  held: column('budget_held', money),
});

/** The keys, without their budgets. */
export const { from: plainKeyFrom, some: keyColumns } = codec<Omit<ApiKey, 'budget'>>({
  id: text,
  accountId: text,
  name: text,
  hint: text,
  priceLimits: json(),
  models: orNull(json()),
  scopes: orNull(json()),
  addresses: orNull(json()),
  memberId: textOrNull,
  strict: flag,
  expiresAtMs: intOrNull,
  previousUntilMs: intOrNull,
  createdAtMs: int,
  revokedAtMs: intOrNull,
});

/** The key in a row of `api_keys`. */
export function apiKeyFrom(row: Row): ApiKey {
  return { ...plainKeyFrom(row), budget: row.budget === null ? null : budgetFrom(row) };
}

/** Takes a row lock on an account to change it, and reads it. Throws Fault not_found, invalid_request (the house account). */
export async function lockAccount(trx: Knex.Transaction, id: string): Promise<Account> {
  const row: Row | undefined = await trx('accounts').where({ id }).forUpdate().first();
  if (!row) throw noAccount(id);
  const account = accountFrom(row);
  if (account.house)
    throw invalidRequest(null, "The house account is the gateway's own, for probes: nothing about it can be changed.");
  return account;
}

/** These columns of an account, or all. Throws Fault not_found. */
export async function accountRow(knex: Knex, id: string, ...columns: readonly string[]): Promise<Row> {
  const row: Row | undefined = await knex('accounts').where({ id }).first(columns);
  if (!row) throw noAccount(id);
  return row;
}

/** The fault for an unknown account, as the operator sees it. */
export function noAccount(id: string): Fault {
  return new Fault('not_found', {
    message: `There is no account ${JSON.stringify(id)}; sluice account list has the ids.`,
  });
}

/** Converts accounts and keys to rows and back. */
import type { Knex } from 'knex';
import type { Account, ApiKey, PriceLimits } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { budgetResets, type KeyBudget } from '#base/key-budget.ts';
import { flag, int, intOrNull, money, oneOf, type Row, text } from '../database/values.ts';

const statuses = ['active', 'paused', 'suspended', 'deleting', 'closed'] as const;

export function accountFrom(row: Row): Account {
  return {
    id: text(row.id),
    name: text(row.name),
    status: oneOf(statuses, row.status),
    balance: money(row.balance),
    held: money(row.held),
    priceLimits: priceLimitsFrom(row.price_limits),
    priceLock: flag(row.price_lock),
    orderTimeoutS: int(row.order_timeout_s),
    retentionDays: int(row.retention_days),
    logPayloads: flag(row.log_payloads),
    house: flag(row.house),
    createdAtMs: int(row.created_at_ms),
  };
}

export function accountRow(account: Account): Record<string, string | number> {
  return {
    id: account.id,
    name: account.name,
    status: account.status,
    balance: account.balance.toString(),
    held: account.held.toString(),
    price_limits: JSON.stringify(account.priceLimits),
    price_lock: Number(account.priceLock),
    order_timeout_s: account.orderTimeoutS,
    retention_days: account.retentionDays,
    log_payloads: Number(account.logPayloads),
    house: Number(account.house),
    created_at_ms: account.createdAtMs,
  };
}

export function apiKeyFrom(row: Row): ApiKey {
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    name: text(row.name),
    hint: text(row.hint),
    priceLimits: priceLimitsFrom(row.price_limits),
    budget: row.budget === null ? null : budgetFrom(row),
    models: row.models === null ? null : JSON.parse(text(row.models)),
    expiresAtMs: intOrNull(row.expires_at_ms),
    previousUntilMs: intOrNull(row.previous_until_ms),
    createdAtMs: int(row.created_at_ms),
    revokedAtMs: intOrNull(row.revoked_at_ms),
  };
}

/** The budget in a row of `api_keys`, also of a key that has none any more, or never had one. */
export function budgetFrom(row: Row): KeyBudget {
  return {
    amount: row.budget === null ? null : money(row.budget),
    reset: oneOf(budgetResets, row.budget_reset),
    fromMs: int(row.budget_from_ms),
    spent: money(row.budget_spent),
    held: money(row.budget_held),
  };
}

/** The gateway wrote this from checked input, so it is not checked again. */
function priceLimitsFrom(json: unknown): PriceLimits {
  return JSON.parse(text(json));
}

/** Takes a row lock on the account, by a write that changes nothing, and reads it. Throws Fault not_found. */
export async function lockAccount(trx: Knex.Transaction, id: string): Promise<Account> {
  await trx('accounts')
    .where({ id })
    .update({ held: trx.ref('held') });
  const row = await trx('accounts').where({ id }).first();
  if (!row) throw noAccount(id);
  return accountFrom(row);
}

/** The fault for an unknown account, as the operator sees it. */
export function noAccount(id: string): Fault {
  return new Fault('not_found', {
    message: `There is no account ${JSON.stringify(id)}; sluice account list has the ids.`,
  });
}

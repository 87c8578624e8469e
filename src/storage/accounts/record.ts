/** Converts accounts and keys to rows and back. */
import type { Account, ApiKey, PriceLimits } from '#access/principal.ts';
import { flag, int, intOrNull, money, oneOf, type Row, text } from '../database/values.ts';

const statuses = ['active', 'suspended', 'deleting'] as const;

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
    createdAtMs: int(row.created_at_ms),
    revokedAtMs: intOrNull(row.revoked_at_ms),
  };
}

/** The gateway wrote this from checked input, so it is not checked again. */
function priceLimitsFrom(json: unknown): PriceLimits {
  return JSON.parse(text(json));
}

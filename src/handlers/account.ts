/** The caller's own account, the defaults that the caller may change, and its usage. Spec 2.3, 2.4, 4.7. */

import assert from 'node:assert';
import type { Account, PriceLimits } from '#access/principal.ts';
import type { Accounts, DefaultsChange } from '#accounts/account/account-store.ts';
import type { Authenticator } from '#accounts/keys/authenticator.ts';
import type { AccessStore } from '#accounts/keys/key-lookup.ts';
import type { UsageFilter, UsageRow, UsageStore } from '#accounts/ledger/usage-store.ts';
import type { Clock } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { budgetLeft } from '#base/key-budget.ts';
import { type NanoUsd, nanoToUsd, type PriceNano, priceFromUsd, priceToUsd, type UsdJson } from '#base/money.ts';
import type { Reach } from '#base/reach.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { cursorPage, timeBefore, timeKey } from '#contract/cursor-page.ts';
import type { BodyOf } from '#contract/operation.ts';
import type { Listings } from '#market/listing.ts';
import type { OrderStore } from '#orders/ports.ts';

const NO_STORE = { 'cache-control': 'no-store' };

interface AccountParts {
  readonly access: Pick<AccessStore, 'account' | 'budgetOf'>;
  readonly clock: Clock;
  readonly orders: Pick<OrderStore, 'counts'>;
  readonly listings: Listings;
  readonly defaults: Pick<Accounts, 'setDefaults'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
}

/**
 * getAccount and updateAccount. The account is read from the store, because the principal may be a cached copy of the
 * authenticator.
 */
export function accountHandlers(parts: AccountParts) {
  const { access, orders, listings, defaults, authenticator } = parts;
  const present = async (account: Account, reach: Reach) => {
    const [{ queued, executing }, balance] = await Promise.all([
      orders.counts({ ...reach, ...ANYTHING }),
      spendable(account, reach, parts),
    ]);
    return accountObject({ ...account, balance }, { queued, executing }, listings);
  };
  return handlersOf({
    async getAccount({ principal }) {
      const account = await access.account(principal.account.id);
      assert(account, `account ${principal.account.id} is gone`);
      return { status: 200, headers: NO_STORE, json: await present(account, principal.reach) };
    },

    async updateAccount({ principal, body }) {
      const accountId = principal.account.id;
      const account = await defaults.setDefaults(accountId, changeOf(body, listings));
      authenticator.forget(accountId);
      return { status: 200, headers: NO_STORE, json: await present(account, principal.reach) };
    },
  });
}

/** The balance; for a key that reads only its own, what is left of its budget where that is less. */
async function spendable(
  { balance }: Account,
  { keyId }: Reach,
  { access, clock }: Pick<AccountParts, 'access' | 'clock'>,
): Promise<NanoUsd> {
  const budget = keyId === null ? null : await access.budgetOf(keyId);
  const left = budget && budgetLeft(budget, clock.nowMs());
  if (left === null || left >= balance) return balance;
  return left > 0n ? left : 0n;
}

function accountObject(account: Account, orders: { queued: number; executing: number }, listings: Listings) {
  return {
    object: 'account',
    account_id: account.id,
    balance_usd: nanoToUsd(account.balance),
    default_price_limit: marketLimits(account.priceLimits, listings),
    price_lock: account.priceLock,
    order_timeout_seconds: account.orderTimeoutS,
    storage: { retention_days: account.retentionDays, log_payloads: account.logPayloads },
    orders,
  };
}

/** The body is validated for types and bounds; the models are checked here. */
function changeOf(update: BodyOf<'updateAccount'>, listings: Listings): DefaultsChange {
  const { default_price_limit: limits, price_lock: priceLock, order_timeout_seconds: orderTimeoutS } = update;
  return {
    ...(limits ? { priceLimits: limitsById(limits, listings) } : {}),
    ...(priceLock === undefined ? {} : { priceLock }),
    ...(orderTimeoutS === undefined ? {} : { orderTimeoutS }),
  };
}

/** Limits by the real ids of their models. A model that is named twice, once by an alias, is refused as ambiguous. */
function limitsById(limits: Readonly<Record<string, number | null>>, listings: Listings) {
  const byId = new Map<string, PriceNano | null>();
  for (const [name, usd] of Object.entries(limits)) {
    const param = `default_price_limit.${name}`;
    const listing = listings.find(name);
    if (!listing) throw new Fault('unknown_model', { param });
    if (usd !== null && listing.type === 'fixed') throw new Fault('fixed_price_model', { param });
    if (byId.has(listing.id)) {
      throw invalidRequest(param, `default_price_limit names the model ${listing.id} twice.`);
    }
    byId.set(listing.id, usd === null ? null : priceFromUsd(usd));
  }
  return Object.fromEntries(byId);
}

/** The limits in USD of those models that have a market price now. */
function marketLimits(limits: PriceLimits, listings: Listings): Record<string, UsdJson> {
  return Object.fromEntries(
    Object.entries(limits)
      .filter(([model]) => listings.find(model)?.type === 'market')
      .map(([model, limit]) => [model, priceToUsd(limit)]),
  );
}

const ANYTHING = { statuses: null, model: null, kind: null, batchId: null, idPrefix: null, fromMs: null, toMs: null };

/**
 * listUsage: settled orders, newest first. The three totals cover all filtered records and equal the charges on the
 * balance; they are null after the first page.
 */
export function usageHandlers(
  options: Pick<AccountParts, 'access' | 'listings' | 'clock'> & {
    usage: Pick<UsageStore, 'list' | 'totals'>;
  },
) {
  const { usage, access, listings } = options;
  return handlersOf({
    async listUsage({ principal, query }) {
      const { limit } = query;
      const model = listings.named(query.model)?.id ?? null;
      const { tag, from: fromMs, to: toMs } = query;
      // The cursors of lists without a tag stay as they were.
      const filter: UsageFilter = { ...principal.reach, model, fromMs, toMs, ...(tag === null ? {} : { tag }) };
      const scope = `usage ${JSON.stringify(filter)}`;
      const after = timeBefore(scope, query.cursor);
      const [rows, totals] = await Promise.all([
        usage.list(filter, { limit: limit + 1, after }),
        after === null ? totalsOf(filter) : NO_TOTALS,
      ]);
      const { page, more } = cursorPage(rows, { limit, scope }, timeKey);
      return { status: 200, json: { object: 'list', ...totals, ...more, data: page.map(usageRecord) } };
    },
  });

  async function totalsOf(filter: UsageFilter) {
    const [account, totals] = await Promise.all([access.account(filter.accountId), usage.totals(filter)]);
    assert(account, `account ${filter.accountId} is gone`);
    return {
      balance_usd: nanoToUsd(await spendable(account, filter, options)),
      total_charged_usd: nanoToUsd(totals.charged),
      total_requests: totals.requests,
    };
  }
}

const NO_TOTALS = { balance_usd: null, total_charged_usd: null, total_requests: null };

function usageRecord(row: UsageRow) {
  return {
    id: row.id,
    order_id: row.orderId,
    created_at: iso(row.createdAtMs),
    model: row.model,
    prompt_tokens: row.promptTokens,
    cached_tokens: row.cachedTokens,
    output_tokens: row.outputTokens,
    level_at_execution: priceToUsd(row.price),
    charged_usd: nanoToUsd(row.charged),
    pricing: row.pricing,
    tags: row.tags ?? undefined,
  };
}

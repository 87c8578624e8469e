/** The caller's own account, and the defaults that the caller may change. Spec 2.3, 4.7. */
import assert from 'node:assert';
import type { Account, PriceLimits } from '#access/principal.ts';
import type { Accounts, DefaultsChange } from '#accounts/account/account-store.ts';
import type { AccessStore } from '#accounts/keys/access-store.ts';
import type { Authenticator } from '#accounts/keys/authenticator.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { nanoToUsd, type PriceNano, priceFromUsd, priceToUsd, type UsdJson } from '#base/money.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { BodyOf } from '#contract/operation.ts';
import type { Listings } from '#market/listing.ts';
import type { OrderFilter, OrderStore } from '#orders/ports.ts';

const NO_STORE = { 'cache-control': 'no-store' };

/**
 * getAccount and updateAccount. The account is read from the store, because the principal may be a cached copy of the
 * authenticator.
 */
export function accountHandlers(options: {
  access: Pick<AccessStore, 'account'>;
  orders: Pick<OrderStore, 'counts'>;
  listings: Listings;
  defaults: Pick<Accounts, 'setDefaults'>;
  authenticator: Pick<Authenticator, 'forget'>;
}): HandlersFor<'getAccount' | 'updateAccount'> {
  const { access, orders, listings, defaults, authenticator } = options;
  const present = async (account: Account) => {
    const { queued, executing } = await orders.counts(allOrdersOf(account.id));
    return accountObject(account, { queued, executing }, listings);
  };
  return {
    async getAccount({ principal }) {
      const account = await access.account(principal.account.id);
      assert(account, `account ${principal.account.id} is gone`);
      return { status: 200, headers: NO_STORE, json: await present(account) };
    },

    async updateAccount({ principal, body }) {
      const accountId = principal.account.id;
      const account = await defaults.setDefaults(accountId, changeOf(body, listings));
      authenticator.forget(accountId);
      return { status: 200, headers: NO_STORE, json: await present(account) };
    },
  };
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

function allOrdersOf(accountId: string): OrderFilter {
  const anything = { statuses: null, model: null, kind: null, batchId: null, idPrefix: null, fromMs: null, toMs: null };
  return { accountId, ...anything };
}

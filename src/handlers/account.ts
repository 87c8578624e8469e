/** The caller's own account. Spec 2.3, 4.7. */
import assert from 'node:assert';
import type { AccessStore } from '#access/ports.ts';
import type { PriceLimits } from '#access/principal.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { OrderFilter, OrderStore } from '#orders/ports.ts';
import type { SecuredHandler } from './call.ts';

/** What the account's reader needs. */
export interface AccountDependencies {
  readonly access: Pick<AccessStore, 'account'>;
  readonly orders: Pick<OrderStore, 'counts'>;
  readonly listings: Listings;
}

/** getAccount. The account is read anew: the principal's copy may be as old as the gate lets it be. */
export function accountHandlers({ access, orders, listings }: AccountDependencies): {
  readonly getAccount: SecuredHandler;
} {
  return {
    async getAccount({ principal }) {
      const accountId = principal.account.id;
      const [account, counts] = await Promise.all([access.account(accountId), orders.counts(allOrdersOf(accountId))]);
      assert(account, `account ${accountId} is gone`);
      return {
        status: 200,
        json: {
          object: 'account',
          account_id: account.id,
          balance_usd: nanoToUsd(account.balance),
          default_price_limit: marketLimits(account.priceLimits, listings),
          price_lock: account.priceLock,
          order_timeout_seconds: account.orderTimeoutS,
          storage: { retention_days: account.retentionDays, log_payloads: account.logPayloads },
          orders: { queued: counts.queued, executing: counts.executing },
        },
      };
    },
  };
}

/** Limits in USD, of models that are sold at a market price now. */
function marketLimits(limits: PriceLimits, listings: Listings): Record<string, number> {
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

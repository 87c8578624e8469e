/** The customer of an order, from the principal of a request. */
import type { PriceLimits, Principal } from '#access/principal.ts';
import type { PriceNano } from '#base/money.ts';
import type { Customer } from '#orders/request.ts';

/** The customer with its defaults: a price limit of the key comes before one of the account. */
export function customerOf({ account, key }: Principal): Customer {
  return {
    accountId: account.id,
    keyId: key.id,
    limitFor: (model) => ownLimit(key.priceLimits, model) ?? ownLimit(account.priceLimits, model),
    priceLock: account.priceLock,
    orderTimeoutS: account.orderTimeoutS,
    retentionDays: account.retentionDays,
    models: key.models,
    budget: key.budget,
    logPayloads: account.logPayloads,
    house: account.house,
  };
}

function ownLimit(limits: PriceLimits, model: string): PriceNano | null {
  return Object.hasOwn(limits, model) ? (limits[model] ?? null) : null;
}

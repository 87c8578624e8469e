/**
 * The receipt: the caller's view of a charge, as `usage.x_market`. It shows the values that were used for the charge,
 * so that anyone can recompute it from the token counts and the tariff. Spec 2.9.
 */
import { type NanoUsd, nanoToUsd, type PriceNano, priceToUsd, type UsdJson } from '#base/money.ts';
import type { Tariff, Tokens } from './tariff.ts';

/** The charge for one order, and its price. */
export interface Receipt {
  readonly orderId: string;
  readonly tariff: Tariff;
  readonly price: PriceNano;
  readonly bid: PriceNano;
  readonly charged: NanoUsd;
  readonly tokens: Tokens;
  /** Null or absent where the request named no bound of its charge. */
  readonly bound?: ChargeBound | null;
  /** Whether the gateway estimated the tokens; absent in results from before this was kept. */
  readonly estimated?: boolean;
}

/** The most that an order was to be charged, and whether that cut its answer short or lowered its charge. */
export interface ChargeBound {
  readonly maxCharge: NanoUsd;
  readonly reached: boolean;
}

/** The receipt on the wire; `usd_per_million` only on fixed-price models, `max_charge_…` only with a bound, `usage_estimated` only if true. */
export interface WireReceipt {
  order_id: string;
  pricing: 'market' | 'fixed';
  level_at_execution: UsdJson;
  bid: UsdJson;
  charged_usd: UsdJson;
  max_charge_usd?: UsdJson;
  max_charge_reached?: boolean;
  usage_estimated?: true;
  usd_per_million?: WirePrices;
}

/** Three prices in USD per 1M tokens. */
export interface WirePrices {
  cached: UsdJson;
  uncached: UsdJson;
  output: UsdJson;
}

/** The receipt in the form that every wire shape uses. */
export function wireReceipt(receipt: Receipt): WireReceipt {
  const { tariff } = receipt;
  const wire: WireReceipt = {
    order_id: receipt.orderId,
    pricing: tariff.type,
    level_at_execution: priceToUsd(receipt.price),
    bid: priceToUsd(receipt.bid),
    charged_usd: nanoToUsd(receipt.charged),
  };
  if (receipt.bound) {
    wire.max_charge_usd = nanoToUsd(receipt.bound.maxCharge);
    wire.max_charge_reached = receipt.bound.reached;
  }
  if (receipt.estimated) wire.usage_estimated = true;
  if (tariff.type === 'fixed') wire.usd_per_million = wirePrices(tariff);
  return wire;
}

/** A fixed tariff's three prices in USD per 1M tokens. */
export function wirePrices(tariff: Tariff): WirePrices {
  return { cached: nanoToUsd(tariff.cached), uncached: nanoToUsd(tariff.uncached), output: nanoToUsd(tariff.output) };
}

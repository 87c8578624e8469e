/**
 * The most that an order may be charged (`max_charge_usd`), and what follows from it. The input counts as in the hold,
 * generously; what is left pays output, and that becomes the output cap of an attempt, at the price of the attempt. Should
 * a pod count more input than that, the rest is written off. docs/decisions/0056.
 */
import { Fault } from '#base/fault.ts';
import { formatUsd, type NanoUsd, type PriceNano } from '#base/money.ts';
import type { ChargeBound } from '#ledger/receipt.ts';
import { outputWithin, type Tariff, worstCaseOf } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { FinishReason } from '#results/generation.ts';
import type { OrderRow } from './order.ts';
import type { InferenceRequest } from './request.ts';
import { promptBoundFor } from './token-estimate.ts';

/** The bounds of an order's run, from its row. */
export type RunBounds = Pick<OrderRow, 'promptBound' | 'outputCap' | 'maxCharge'>;

/** The bound that a request names; null for none. */
export function maxChargeOf({ extensions: { maxChargeNano } }: Pick<InferenceRequest, 'extensions'>): NanoUsd | null {
  return maxChargeNano === null ? null : BigInt(maxChargeNano);
}

/**
 * Throws max_charge_too_low where the bound of the charge does not cover the input and one output token at the bid. No
 * attempt pays more than the bid, so an accepted order can always run.
 */
export function checkMaxCharge(
  request: Pick<InferenceRequest, 'generation' | 'extensions'>,
  listing: Pick<Listing, 'tariff' | 'mediaTokens' | 'contextLength'>,
  bid: PriceNano,
): void {
  const maxCharge = maxChargeOf(request);
  if (maxCharge === null) return;
  const { tariff } = listing;
  const promptBound = promptBoundFor(request.generation, listing);
  if (coversStart(tariff, bid, { promptBound, maxCharge })) return;
  const least = formatUsd(worstCaseOf(tariff, bid, { uncached: promptBound, cached: 0, output: 1 }));
  throw new Fault('max_charge_too_low', {
    param: 'max_charge_usd',
    message: `The input and one output token may cost ${least} USD at the bid; max_charge_usd is below that. Nothing was charged.`,
  });
}

/** Whether the bound of the charge, if there is one, covers the input and one output token at `price`. */
export function coversStart(
  tariff: Tariff,
  price: PriceNano,
  { promptBound, maxCharge = null }: Pick<RunBounds, 'promptBound' | 'maxCharge'>,
): boolean {
  return maxCharge === null || outputWithin(tariff, price, { uncached: promptBound, amount: maxCharge, most: 1 }) === 1;
}

/** The output cap of an attempt at `price`: the order's, or what its bound of the charge pays, never below 1. */
export function outputCapAt(
  tariff: Tariff,
  price: PriceNano,
  { promptBound, outputCap, maxCharge = null }: RunBounds,
): number {
  if (maxCharge === null) return outputCap;
  return Math.max(1, outputWithin(tariff, price, { uncached: promptBound, amount: maxCharge, most: outputCap }));
}

/** How a run ended. */
interface EndedRun {
  /** The output cap that its attempt had. */
  readonly cap: number;
  /** What its tokens cost. */
  readonly due: NanoUsd;
  readonly outputTokens: number;
  readonly finishReason: FinishReason;
  /** Whether the counts are the gateway's estimate, which may be below the cap at which the pod stopped. */
  readonly estimated: boolean;
}

/** What the bound of the charge did to a run; null without one. */
export function chargeBoundOf({ outputCap, maxCharge = null }: RunBounds, run: EndedRun): ChargeBound | null {
  if (maxCharge === null) return null;
  const stopped = run.finishReason === 'length' && (run.estimated || run.outputTokens >= run.cap);
  return { maxCharge, reached: run.due > maxCharge || (run.cap < outputCap && stopped) };
}

/** The amount, or the bound of the charge where that is lower. */
export function within(amount: NanoUsd, { maxCharge = null }: Pick<RunBounds, 'maxCharge'>): NanoUsd {
  return maxCharge !== null && maxCharge < amount ? maxCharge : amount;
}

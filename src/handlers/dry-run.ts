/** Dry runs of inference requests, asked for by a header. The answer is the same for every wire shape and every delivery. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import { Estimates } from '#market/estimates/estimates.ts';
import type { OddsSource } from '#market/estimates/odds.ts';
import type { ChanceByTime } from '#market/estimates/start-chance.ts';
import type { DryRun, DryRuns } from '#orders/dry-run.ts';
import type { Customer, InferenceRequest } from '#orders/request.ts';
import { startTimes } from './market-estimate.ts';

const HEADER = 'x-dry-run';
/** The longest wait that a chance is computed for: longer waits interest no caller who asks now. */
const WITHIN_S_MAX = 86_400;

/** The reply to a dry run. */
export type DryRunReply = JsonReply<JsonOf<'createChatCompletion', 203>, 203>;

/** Answers dry runs. */
export type DryRunHandler = (customer: Customer, request: InferenceRequest) => Promise<DryRunReply>;

/** Whether the request is a dry run. Throws invalid_request for a value that is neither `true` nor `false`. */
export function isDryRun({ [HEADER]: sent }: IncomingHttpHeaders): boolean {
  if (sent === undefined || sent === 'false') return false;
  if (sent === 'true') return true;
  throw invalidRequest(HEADER, `${HEADER} must be true or false.`);
}

interface DryRunParts {
  readonly dryRuns: Pick<DryRuns, 'of'>;
  readonly odds: OddsSource;
  readonly clock: Clock;
}

/** The handler, for all wire shapes. It has a budget of estimates of its own, which strangers cannot use up. */
export function dryRunHandler({ dryRuns, odds, clock }: DryRunParts): DryRunHandler {
  const estimates = new Estimates(odds, clock);
  return async (customer, request) => {
    const dryRun = await dryRuns.of(customer, request);
    const chances = await chancesOf(dryRun, estimates, customer.accountId);
    return { status: 203, json: dryRunObject(dryRun, chances) };
  };
}

/** Null on fixed prices, where nothing starts, where it is not known, and while too many ask: that refuses no request. */
async function chancesOf(
  { row, level, repeats, waitS }: DryRun,
  estimates: Estimates,
  caller: string,
): Promise<ChanceByTime | null> {
  if (level === null || repeats !== null) return null;
  const estimate = await estimates.of(row.model);
  try {
    return estimate?.chances(row.bid, { orders: 1, withinS: withinOf(waitS), caller }) ?? null;
  } catch (error) {
    if (error instanceof Fault && error.code === 'rate_limit_error') return null;
    throw error;
  }
}

function withinOf(waitS: number): number {
  return Math.min(waitS, WITHIN_S_MAX);
}

function dryRunObject(dryRun: DryRun, chances: ChanceByTime | null) {
  const { row, level, outputCap, repeats, waitS } = dryRun;
  const { maxCharge = null } = row;
  return {
    object: 'dry_run',
    model: row.model,
    input_tokens: row.promptEstimate,
    input_tokens_max: row.promptBound,
    output_tokens_max: outputCap,
    price_limit: row.limit === null ? null : priceToUsd(row.limit),
    price_lock: row.priceLock,
    bid: priceToUsd(row.bid),
    level: level === null ? null : priceToUsd(level),
    max_charge_usd: maxCharge === null ? null : nanoToUsd(maxCharge),
    hold_usd: nanoToUsd(dryRun.hold),
    input_charge_usd: nanoToUsd(dryRun.inputCharge),
    expected_charge_usd: nanoToUsd(dryRun.expectedCharge),
    greatest_charge_usd: nanoToUsd(dryRun.greatestCharge),
    within_seconds: withinOf(waitS),
    ...startTimes(chances, withinOf(waitS)),
    repeats_order: repeats,
  };
}

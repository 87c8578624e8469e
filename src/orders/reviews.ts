/**
 * What the order service looks at again every second, because it changes without notice: settlements that do not commit,
 * balances of parked accounts, and accounts that an operator suspended.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { every } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import type { Executor } from './executor.ts';
import type { FundsBook } from './funds.ts';
import { reviewStanding, type StandingOptions } from './standing.ts';

const REVIEW_MS = 1_000;

interface ReviewsOptions extends StandingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly executor: Executor;
  readonly funds: FundsBook;
}

/** Reviews until the timer is canceled. A review that fails is logged, and tried again with the next one. */
export function startReviews(options: ReviewsOptions): Timer {
  const { clock, log, executor, funds } = options;
  const logged = (sentence: string) => (error: unknown) => log.error({ err: error }, sentence);
  return every(clock, REVIEW_MS, () => {
    executor.review();
    funds.review().catch(logged('Balances of parked accounts could not be read.'));
    reviewStanding(options).catch(logged('Suspended accounts could not be read.'));
  });
}

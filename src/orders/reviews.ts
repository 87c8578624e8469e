/**
 * What the order service looks at again every second, because it changes without notice: settlements that do not commit,
 * balances of accounts whose orders wait for money, what is on sale, and accounts that an operator suspended.
 */
import { type Clock, every, RepeatedWork, type Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Listings } from '#market/listing.ts';
import type { Executor } from './executor.ts';
import type { FundsBook } from './funds.ts';
import type { LiveOrder } from './live-order.ts';
import type { StandingStore } from './ports.ts';

const REVIEW_MS = 1_000;

interface ReviewsOptions extends StandingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly executor: Executor;
  readonly funds: FundsBook;
  readonly listings: Pick<Listings, 'all'>;
  /** Called after a reload changed the models or their prices. */
  readonly sellsOtherwise: () => void;
}

/** Reviews until the timer is canceled. A review that fails is logged, and tried again with the next one; none overlaps. */
export function startReviews(options: ReviewsOptions): Timer {
  const { clock, log, executor, funds, listings, sellsOtherwise } = options;
  let onSale = listings.all;
  const logged = (sentence: string) => (error: unknown) => log.error({ err: error }, sentence);
  const timer = every(clock, REVIEW_MS, () => {
    executor.review();
    funds.waits.reviewKeys();
    if (listings.all === onSale) return;
    onSale = listings.all;
    sellsOtherwise();
  });
  const reads = new RepeatedWork(clock, REVIEW_MS, async () => {
    const money = funds.review().catch(logged('Balances of accounts whose orders wait for money could not be read.'));
    await reviewStanding(options).catch(logged('Suspended accounts could not be read.'));
    await money;
  });
  return {
    cancel() {
      timer.cancel();
      void reads.close();
    },
  };
}

/** Accounts read in one query. */
const ACCOUNTS_PER_READ = 500;

interface StandingOptions {
  readonly standing: StandingStore;
  /** Accounts with queued orders now. */
  readonly waitingAccounts: () => readonly string[];
  /** The queued orders of these accounts now. */
  readonly queuedOf: (accountIds: ReadonlySet<string>) => readonly LiveOrder[];
  readonly cancel: (order: LiveOrder) => void;
}

/**
 * Cancels every queued order of an account that is no longer active; running ones finish and are settled. Lines are left
 * to the review of their batches, which cancels the batch first: if its lines ended before it, it would be completed.
 * Rejects when the database does. docs/understand/lifecycle.md.
 */
export async function reviewStanding({ standing, waitingAccounts, queuedOf, cancel }: StandingOptions): Promise<void> {
  const accounts = waitingAccounts();
  for (let start = 0; start < accounts.length; start += ACCOUNTS_PER_READ) {
    const inactive = await standing.inactiveAmong(accounts.slice(start, start + ACCOUNTS_PER_READ));
    if (inactive.length === 0) continue;
    for (const order of queuedOf(new Set(inactive))) if (order.row.batchId === null) cancel(order);
  }
}

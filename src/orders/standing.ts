/**
 * Cancels queued orders of suspended accounts. The operator suspends them from outside this process, so their standing
 * is read again and again. Running orders finish and are settled. Lines are left to the review of their batches, which
 * cancels the batch first: if its lines ended before it, it would be completed. docs/lifecycle.md.
 */
import type { LiveOrder } from './live-order.ts';
import type { StandingStore } from './ports.ts';

/** Accounts read in one query. */
const ACCOUNTS_PER_READ = 500;

/** What the review needs of the order service. */
export interface StandingOptions {
  readonly standing: StandingStore;
  /** Accounts with queued orders now. */
  readonly waitingAccounts: () => readonly string[];
  /** The queued orders of these accounts now. */
  readonly queuedOf: (accountIds: ReadonlySet<string>) => readonly LiveOrder[];
  readonly cancel: (order: LiveOrder) => void;
}

/** Cancels every queued order, except lines, of an account that is no longer active. Rejects when the database does. */
export async function reviewStanding({ standing, waitingAccounts, queuedOf, cancel }: StandingOptions): Promise<void> {
  const accounts = waitingAccounts();
  for (let start = 0; start < accounts.length; start += ACCOUNTS_PER_READ) {
    const inactive = await standing.inactiveAmong(accounts.slice(start, start + ACCOUNTS_PER_READ));
    if (inactive.length === 0) continue;
    for (const order of queuedOf(new Set(inactive))) if (order.row.batchId === null) cancel(order);
  }
}

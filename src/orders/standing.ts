/**
 * Looks after the standing of accounts whose orders wait: a suspension comes from outside, by the operator's hand, and
 * must reach orders that were taken long ago. What runs is left to finish and is settled. docs/lifecycle.md.
 */
import type { LiveOrder } from './live-order.ts';
import type { StandingStore } from './ports.ts';

/** Accounts that are asked about in one query. */
const STEP = 500;

/** What the review needs of the desk. */
export interface StandingParts {
  readonly standing: StandingStore;
  /** Accounts with queued orders now. */
  readonly waitingAccounts: () => readonly string[];
  /** The queued orders of these accounts now. */
  readonly queuedOf: (accountIds: ReadonlySet<string>) => readonly LiveOrder[];
  readonly cancel: (order: LiveOrder) => void;
}

/** Cancels every queued order of an account that is not active any more. Rejects when the database does. */
export async function reviewStanding({ standing, waitingAccounts, queuedOf, cancel }: StandingParts): Promise<void> {
  const accounts = waitingAccounts();
  for (let start = 0; start < accounts.length; start += STEP) {
    const inactive = await standing.inactiveAmong(accounts.slice(start, start + STEP));
    if (inactive.length > 0) for (const order of queuedOf(new Set(inactive))) cancel(order);
  }
}

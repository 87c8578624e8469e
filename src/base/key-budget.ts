/**
 * The budget of an API key: how much its orders may cost in one period. Periods begin at midnight UTC; weeks on Monday,
 * months on their first day. An order counts in the period in which it was admitted, whenever it ends.
 * docs/decisions/0041-budgets-of-keys.md.
 */
import type { NanoUsd } from './money.ts';
import { DAY_MS } from './time.ts';

/** When a budget starts again. */
export const budgetResets = ['day', 'week', 'month', 'never'] as const;
export type BudgetReset = (typeof budgetResets)[number];

/** A budget, and what its newest period has spent so far. */
export interface KeyBudget {
  /** Null if the key no longer has a budget. Orders that were admitted under one still count. */
  readonly amount: NanoUsd | null;
  readonly reset: BudgetReset;
  /** When the newest period began in which an order was admitted, or the budget set; 0 before any. */
  readonly fromMs: number;
  /** Charges of the orders of that period, net of refunds. */
  readonly spent: NanoUsd;
  /** The holds of those orders that are running. */
  readonly held: NanoUsd;
}

/** The first Monday: 1970 began on a Thursday. */
const MONDAY_MS = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

/** When the period began that `atMs` is in; 0 where there is only one. */
export function periodStart(reset: BudgetReset, atMs: number): number {
  switch (reset) {
    case 'day':
      return Math.floor(atMs / DAY_MS) * DAY_MS;
    case 'week':
      return Math.floor((atMs - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
    case 'month': {
      const at = new Date(atMs);
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    }
    case 'never':
      return 0;
  }
}

/** When the period ends that `atMs` is in; null where there is only one. */
export function periodEnd(reset: BudgetReset, atMs: number): number | null {
  const fromMs = periodStart(reset, atMs);
  switch (reset) {
    case 'day':
      return fromMs + DAY_MS;
    case 'week':
      return fromMs + WEEK_MS;
    case 'month': {
      const from = new Date(fromMs);
      return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1);
    }
    case 'never':
      return null;
  }
}

/** The budget at `atMs`: nothing is spent when another period has begun. A clock that was set back begins none. */
export function budgetAt<Budget extends KeyBudget>(budget: Budget, atMs: number): Budget {
  const fromMs = periodStart(budget.reset, atMs);
  return fromMs > budget.fromMs ? { ...budget, fromMs, spent: 0n, held: 0n } : budget;
}

/** What its orders may still cost at `atMs`, running ones left out; null for any amount. Below 0 if it was lowered. */
export function budgetLeft(budget: KeyBudget, atMs: number): NanoUsd | null {
  return budget.amount === null ? null : budget.amount - budgetAt(budget, atMs).spent;
}

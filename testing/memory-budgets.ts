/** Budgets of keys in memory, all of one period: the rules that the real journal has, in plain code. */
import type { NanoUsd } from '#base/money.ts';
import type { OrderRow } from '#orders/order.ts';
import type { Admission, SettleUnit } from '#orders/units.ts';

/** The budgets by key. */
export class MemoryBudgets extends Map<string, { amount: NanoUsd; spent: NanoUsd; held: NanoUsd }> {
  /** Why the hold of an admission is refused; null when it is not. */
  refusal({ budgetKey = '', hold }: Admission): 'key-spent' | 'key-held' | null {
    const budget = this.get(budgetKey);
    if (!budget || budget.amount - budget.spent - budget.held >= hold) return null;
    return budget.amount - budget.spent < hold ? 'key-spent' : 'key-held';
  }

  hold({ budgetKey = '', hold }: Admission): void {
    const budget = this.get(budgetKey);
    if (budget) budget.held += hold;
  }

  release({ keyId, budgetFromMs, hold }: OrderRow): void {
    const budget = this.get(keyId ?? '');
    if (budget && budgetFromMs != null) budget.held -= hold;
  }

  spend({ keyId, budgeted }: SettleUnit, charged: NanoUsd): void {
    const budget = budgeted ? this.get(keyId ?? '') : undefined;
    if (budget) budget.spent += charged;
  }
}

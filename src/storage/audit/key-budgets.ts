/** Point (1) of the audit for keys: what is spent and held of a budget is what its period's orders cost and hold. */
import type { Knex } from 'knex';
import type { KeyBudget } from '#base/key-budget.ts';
import type { OrderRow } from '#orders/order.ts';
import { money, type Row, text } from '../database/values.ts';
import { budgetFrom } from '../records/account.ts';
import type { Findings } from './findings.ts';

interface Audited {
  readonly stored: KeyBudget;
  spent: bigint;
  held: bigint;
}

/** The budgets of all keys that ever had one, and the sums of the orders that the audit has read so far. */
export class BudgetSums {
  readonly #budgets: ReadonlyMap<string, Audited>;

  constructor(rows: readonly Row[]) {
    this.#budgets = new Map(rows.map((row) => [text(row.id), { stored: budgetFrom(row), spent: 0n, held: 0n }]));
  }

  /** The budgets as they are stored. */
  static async read(trx: Knex.Transaction): Promise<BudgetSums> {
    const used = trx('api_keys').whereNotNull('budget').orWhere('budget_from_ms', '<>', 0);
    return new BudgetSums(await used.orWhere('budget_spent', '<>', 0).orWhere('budget_held', '<>', 0));
  }

  /** Takes in an order with its usage row; those that count in no budget, or in an earlier period, change nothing. */
  add({ keyId, budgetFromMs, hold }: OrderRow, usage: Row | undefined): void {
    const budget = keyId === null ? undefined : this.#budgets.get(keyId);
    if (!budget || budgetFromMs !== budget.stored.fromMs) return;
    budget.held += hold;
    if (usage) budget.spent += money(usage.charged) - money(usage.refunded);
  }

  /** Adds a finding for each sum that is not the stored one. Call it once every order was added. */
  check(findings: Findings): void {
    for (const [id, { stored, spent, held }] of this.#budgets) {
      findings.unless(
        stored.held === held,
        () => `Key ${id}: ${stored.held} of its budget is held, its executing orders hold ${held}.`,
      );
      findings.unless(
        stored.spent === spent,
        () => `Key ${id}: ${stored.spent} of its budget is spent, the orders of its period cost ${spent}.`,
      );
    }
  }
}

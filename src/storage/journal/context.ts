/** What a unit can use when it is applied. */
import type { BalanceBatch } from './balance-batch.ts';
import type { BatchCountChanges } from './batch-counts.ts';
import type { ModelTokens } from './model-tokens.ts';
import type { OrderDays } from './order-days.ts';

/** Shared by the units of one transaction. `again`: this unit may have been applied before. */
export interface Context {
  readonly balances: BalanceBatch;
  readonly orderDays: OrderDays;
  readonly batchCounts: BatchCountChanges;
  readonly modelTokens: ModelTokens;
  readonly again: boolean;
}

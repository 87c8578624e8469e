/** What the models sold in one transaction. */
import { STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import type { SettleUnit } from '#orders/units.ts';
import { upsert } from './operations.ts';
import { Sums } from './sums.ts';

const SUMS = ['uncached_tokens', 'cached_tokens', 'output_tokens', 'requests', 'earned'];
const ADD = upsert('add', 'model_tokens', ['model', 'bucket_ms'], SUMS);

/** The sums that a transaction adds to. */
export class ModelTokens extends Sums {
  constructor() {
    super(ADD);
  }

  /** Counts a settled order. `charged` is what was debited. */
  count({ model, finishedAtMs, tokens: { uncached, cached, output } }: SettleUnit, charged: bigint): void {
    this.add([model, bucketOf(finishedAtMs)], [uncached, cached, output, 1, charged]);
  }
}

/** Where the bucket of a time begins. */
export function bucketOf(atMs: number): number {
  return atMs - (atMs % STATISTICS_BUCKET_MS);
}

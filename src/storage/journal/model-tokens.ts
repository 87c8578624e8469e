/**
 * What the models sold in one transaction, added up here and written once before the commit, so that a transaction
 * costs one update per model and not one per order.
 */
import { STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import type { SettleUnit } from '#orders/units.ts';
import { inOrder } from './in-order.ts';
import { type Operation, shape } from './operations.ts';

const ADD = shape({
  act: 'add',
  table: 'model_tokens',
  key: ['model', 'bucket_ms'],
  columns: ['model', 'bucket_ms', 'uncached_tokens', 'cached_tokens', 'output_tokens', 'requests', 'earned'],
});

interface Sold {
  readonly model: string;
  readonly bucketMs: number;
  uncached: number;
  cached: number;
  output: number;
  requests: number;
  earned: bigint;
}

/** The sums that a transaction adds to. */
export class ModelTokens {
  readonly #sums = new Map<string, Sold>();

  /** Counts a settled order. `charged` is what was debited. */
  count({ model, finishedAtMs, tokens }: SettleUnit, charged: bigint): void {
    const bucketMs = bucketOf(finishedAtMs);
    const key = `${model}\n${bucketMs}`;
    let sum = this.#sums.get(key);
    if (!sum) {
      sum = { model, bucketMs, uncached: 0, cached: 0, output: 0, requests: 0, earned: 0n };
      this.#sums.set(key, sum);
    }
    sum.uncached += tokens.uncached;
    sum.cached += tokens.cached;
    sum.output += tokens.output;
    sum.requests++;
    sum.earned += charged;
  }

  /** Writes the sums. */
  *writes(): Generator<Operation> {
    const rows = inOrder(this.#sums).map(([, { model, bucketMs, uncached, cached, output, requests, earned }]) => [
      ...[model, bucketMs],
      ...[uncached, cached, output, requests, earned],
    ]);
    if (rows.length > 0) yield { shape: ADD, rows };
  }
}

/** Where the bucket of a time begins. */
export function bucketOf(atMs: number): number {
  return atMs - (atMs % STATISTICS_BUCKET_MS);
}

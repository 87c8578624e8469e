/**
 * What the models sold in one transaction, added up here and written once before the commit, so that a transaction
 * costs one update per model and not one per order.
 */
import { STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import type { SettleUnit } from '#orders/units.ts';
import { run, type Steps } from './steps.ts';

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
  *write(): Steps<void> {
    for (const sum of this.#sums.values()) yield* add(sum);
  }
}

/** Where the bucket of a time begins. */
export function bucketOf(atMs: number): number {
  return atMs - (atMs % STATISTICS_BUCKET_MS);
}

/** Only the journal inserts these rows, one transaction at a time; a refund only updates existing ones. */
function* add({ model, bucketMs, uncached, cached, output, requests, earned }: Sold): Steps<void> {
  const { changes } = yield run(
    `UPDATE model_tokens SET uncached_tokens = uncached_tokens + ?, cached_tokens = cached_tokens + ?,
       output_tokens = output_tokens + ?, requests = requests + ?, earned = earned + CAST(? AS SIGNED)
     WHERE model = ? AND bucket_ms = ?`,
    uncached,
    cached,
    output,
    requests,
    earned,
    model,
    bucketMs,
  );
  if (changes > 0) return;
  yield run(
    `INSERT INTO model_tokens (model, bucket_ms, uncached_tokens, cached_tokens, output_tokens, requests, earned)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    model,
    bucketMs,
    uncached,
    cached,
    output,
    requests,
    earned,
  );
}

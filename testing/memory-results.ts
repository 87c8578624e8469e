/** Results of orders without a disk. */
import type { AttemptResult, ResultStore } from '#results/ports.ts';

/** Results in memory, including those of a journal; `failing` simulates a full disk. */
export class MemoryResults implements ResultStore {
  /** The results that were put. */
  readonly blobs = new Map<string, string>();
  /** The attempts that made them. */
  readonly attempts = new Map<string, number>();
  failing = false;
  readonly #settled: Pick<Map<string, string>, 'get'>;

  /** `settled` holds the results that settlements stored. */
  constructor(settled: Pick<Map<string, string>, 'get'>) {
    this.#settled = settled;
  }

  async put({ orderId, attempt, text }: AttemptResult): Promise<void> {
    if (this.failing) throw new Error('no space left on device');
    this.blobs.set(orderId, text);
    this.attempts.set(orderId, attempt);
  }
  async putLightly(result: AttemptResult): Promise<void> {
    await this.put(result);
  }
  async getCheap(): Promise<ReadonlyMap<string, string>> {
    return this.blobs;
  }
  async get(orderId: string): Promise<string | null> {
    return this.#settled.get(orderId) ?? this.blobs.get(orderId) ?? null;
  }
  async delete(orderId: string): Promise<void> {
    this.blobs.delete(orderId);
  }
}

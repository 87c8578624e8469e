/** Results of orders without a disk. */
import type { AttemptResult, ResultStore, StoredResult } from '#results/ports.ts';
import type { MemoryJournal } from './memory-journal.ts';

/** Results in memory, including those of a journal; `failing` simulates a full disk. */
export class MemoryResults implements ResultStore {
  /** The results that were put. */
  readonly blobs = new Map<string, string>();
  /** The attempts that made them. */
  readonly attempts = new Map<string, number>();
  failing = false;
  readonly #journal: Pick<MemoryJournal, 'results' | 'settled'>;

  /** `journal` has the charges, and the results that settlements stored. */
  constructor(journal: Pick<MemoryJournal, 'results' | 'settled'>) {
    this.#journal = journal;
  }

  async put({ orderId, attempt, text }: AttemptResult): Promise<void> {
    if (this.failing) throw new Error('no space left on device');
    this.blobs.set(orderId, text);
    this.attempts.set(orderId, attempt);
  }
  async putLightly(result: AttemptResult): Promise<void> {
    await this.put(result);
  }
  async getCheap(): Promise<ReadonlyMap<string, StoredResult>> {
    return new Map();
  }
  async get(orderId: string): Promise<StoredResult | null> {
    const text = this.#journal.results.get(orderId) ?? this.blobs.get(orderId);
    return text === undefined ? null : { text, charged: this.#journal.settled.get(orderId)?.charged ?? null };
  }
  async delete(orderId: string): Promise<void> {
    this.blobs.delete(orderId);
  }
}

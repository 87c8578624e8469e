/** A counter that resolves the promises of those waiting for a count. */
export class Tally {
  count = 0;
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  add(): void {
    this.count++;
    for (const waiter of this.#waiting) if (waiter.count <= this.count) waiter.resolve();
  }

  reaches(count: number): Promise<void> {
    if (this.count >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

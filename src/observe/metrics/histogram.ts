/**
 * One series of a histogram. An observation is a search through a dozen bounds and two additions: the client library
 * takes microseconds for the same, because it makes a text of the labels each time.
 */
import { sampleLine } from './text.ts';

/** Counts of values by upper bound, and their sum. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** How many values are in each bucket alone; the last has those above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  /** Counts a value. */
  observe(value: number): void {
    let at = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      at++;
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** Its lines, as one text. `labels` is what `labelText` returns. */
  text(name: string, labels: string): string {
    const before = labels === '' ? '' : `${labels},`;
    let count = 0;
    let text = '';
    for (const [at, own] of this.#counts.entries()) {
      count += own;
      text += sampleLine(`${name}_bucket`, `${before}le="${this.#bounds[at] ?? '+Inf'}"`, count);
    }
    return `${text}${sampleLine(`${name}_sum`, labels, this.#sum)}${sampleLine(`${name}_count`, labels, count)}`;
  }
}

/** Amounts that a transaction adds to rows which others add to, too. */
import type { Value } from '../database/values.ts';
import type { IncreaseShape, Operation, UpsertShape } from './operations.ts';

type Amount = number | bigint;

/**
 * Amounts by the key of their row, added up here and written once before the commit, so that a transaction costs one
 * update for each row and not one for each order. Rows come in the order of their keys: no two transactions wait for each
 * other.
 */
export class Sums {
  readonly #shape: UpsertShape | IncreaseShape;
  readonly #sums = new Map<string, { readonly key: readonly Value[]; readonly amounts: Amount[] }>();

  /** `shape`: adds to rows that may be missing, the columns of its key first; or increases rows that exist. */
  constructor(shape: UpsertShape | IncreaseShape) {
    this.#shape = shape;
  }

  /** Adds amounts, in the order of the shape's columns, to the row with this key. */
  add(key: readonly (string | number)[], amounts: readonly Amount[]): void {
    const name = key.join('\n');
    const sum = this.#sums.get(name);
    if (!sum) this.#sums.set(name, { key, amounts: [...amounts] });
    else for (const [at, amount] of amounts.entries()) sum.amounts[at] = plus(sum.amounts[at] ?? 0, amount);
  }

  /** Writes the sums. */
  *writes(): Generator<Operation> {
    if (this.#sums.size === 0) return;
    const sorted = [...this.#sums].sort(([one], [other]) => (one < other ? -1 : 1));
    const isIncrease = this.#shape.act === 'increase';
    const rows = sorted.map(([, { key, amounts }]) => (isIncrease ? [...amounts, ...key] : [...key, ...amounts]));
    yield { shape: this.#shape, rows };
  }
}

function plus(one: Amount, other: Amount): Amount {
  return typeof one === 'number' && typeof other === 'number' ? one + other : BigInt(one) + BigInt(other);
}

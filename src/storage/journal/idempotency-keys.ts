/** The Idempotency-Keys that a transaction looks up, takes and frees. */
import type { IdempotencyRow } from '#orders/units.ts';
import { type Row, text, type Value } from '../database/values.ts';
import { idempotencyFrom, idempotencyRecord } from '../records/order.ts';
import { type Operation, shape } from './operations.ts';
import type { Rows } from './rows.ts';
import { KEYS } from './tables.ts';

type Name = Pick<IdempotencyRow, 'accountId' | 'endpoint' | 'key'>;

const BY_ORDER = 'idempotency_keys_by_order';
const READ_BY_ORDER = shape({
  act: 'read',
  table: KEYS.name,
  key: ['order_id'],
  columns: KEYS.inserts,
  lock: true,
  index: BY_ORDER,
});
const REMOVE_BY_ORDER = shape({ act: 'remove', table: KEYS.name, key: ['order_id'], index: BY_ORDER });

/** The keys in one transaction. An order has one at most. */
export class IdempotencyKeys {
  readonly #rows: Rows;
  readonly #names = new Map<string, Value[]>();
  readonly #freed = new Set<string>();
  #wanted: string[] = [];

  /** `rows`: those of the keys' table. */
  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Asks for the row of a key. */
  want(name: Name): void {
    this.#rows.want(...keyOf(name));
  }

  /** Asks for the key of an order. */
  wantOf(orderId: string): void {
    this.#wanted.push(orderId);
  }

  /** Whether the next read has something to read. */
  get isWanting(): boolean {
    return this.#rows.isWanting || this.#wanted.length > 0;
  }

  *reads(): Generator<Operation> {
    yield* this.#rows.reads();
    if (this.#wanted.length > 0) yield { shape: READ_BY_ORDER, rows: this.#wanted.splice(0).map((id) => [id]) };
  }

  take(row: Row): void {
    this.#rows.take(row);
    this.#names.set(text(row.order_id), keyOf(idempotencyFrom(row)));
  }

  /** The row of a key; null when the key is free. */
  find(name: Name): IdempotencyRow | null {
    const found = this.#rows.find(...keyOf(name));
    return found && idempotencyFrom(found);
  }

  /** Whether an order has a key; `wantOf` asked for it. */
  has(orderId: string): boolean {
    return this.#names.has(orderId);
  }

  /** A free key belongs to an order from now on. */
  add(row: IdempotencyRow): void {
    this.#names.set(row.orderId, keyOf(row));
    this.#rows.add(idempotencyRecord(row));
  }

  /** Frees the key of an order, if it has one. */
  free(orderId: string): void {
    const name = this.#names.get(orderId);
    if (name) this.#rows.remove(...name);
    else this.#freed.add(orderId);
    this.#names.delete(orderId);
  }

  /** Changes until when the key of an order is taken, if it has one; `wantOf` asked for it. */
  extend(orderId: string, expiryOf: (row: IdempotencyRow) => number): void {
    const name = this.#names.get(orderId);
    const row = name && this.#rows.find(...name);
    if (row) this.#rows.change({ expires_at_ms: expiryOf(idempotencyFrom(row)) }, ...name);
  }

  /** Writes what changed. */
  *writes(): Generator<Operation> {
    if (this.#freed.size > 0) yield { shape: REMOVE_BY_ORDER, rows: [...this.#freed].map((id) => [id]) };
    yield* this.#rows.writes();
  }
}

function keyOf({ accountId, endpoint, key }: Name): Value[] {
  return [accountId, endpoint, key];
}

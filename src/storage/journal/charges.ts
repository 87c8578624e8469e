/** The charges of orders that were settled before: read only when a settlement is repeated. */
import { money, type Row, text } from '../database/values.ts';
import { Lookup } from './lookup.ts';
import { shape } from './operations.ts';

interface Charge {
  readonly charged: bigint;
  readonly writtenOff: bigint;
}

const READ = shape({
  act: 'read',
  table: 'usage_records',
  key: ['order_id'],
  columns: ['order_id', 'charged', 'written_off'],
  lock: false,
  index: 'usage_by_order',
});

/** The settlements that a transaction finds, and those that it makes. */
export class Charges extends Lookup {
  readonly #charges = new Map<string, Charge>();

  constructor() {
    super(READ);
  }

  take(row: Row): void {
    this.add(text(row.order_id), { charged: money(row.charged), writtenOff: money(row.written_off) });
  }

  /** Adds the charge of an order that this transaction settles. */
  add(orderId: string, charge: Charge): void {
    this.#charges.set(orderId, charge);
  }

  /** What an order cost; null when it was not settled. */
  find(orderId: string): Charge | null {
    return this.#charges.get(orderId) ?? null;
  }
}

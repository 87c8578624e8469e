/** Findings of an audit, as sentences; bounded, because a damaged ledger may have a million faults. */

import type { Knex } from 'knex';
import type { Row } from '../database/values.ts';
import { findingId } from './acknowledgements.ts';

const KEPT_MAX = 1000;

export class Findings {
  readonly #kept: string[] = [];
  readonly #acknowledged: ReadonlySet<string>;
  #left = 0;
  /** How many were left out because the operator has acknowledged them. */
  acknowledged = 0;

  constructor(acknowledged: ReadonlySet<string> = new Set()) {
    this.#acknowledged = acknowledged;
  }

  /** Adds a finding, unless it is acknowledged. */
  add(sentence: string): void {
    if (this.#acknowledged.has(findingId(sentence))) this.acknowledged++;
    else if (this.#kept.length < KEPT_MAX) this.#kept.push(sentence);
    else this.#left++;
  }

  /** Adds `sentence` unless `holds`. */
  unless(holds: boolean, sentence: () => string): void {
    if (!holds) this.add(sentence());
  }

  /** Adds a sentence for each row that a query of faults finds; a hundred of one kind are enough to see. */
  async each(faults: Knex.QueryBuilder, sentence: (row: Row) => string): Promise<void> {
    const rows: Row[] = await faults.limit(100);
    for (const row of rows) this.add(sentence(row));
  }

  /** All findings; the last line counts those beyond the bound. */
  list(): string[] {
    return this.#left === 0 ? this.#kept : [...this.#kept, `… and ${this.#left} more.`];
  }
}

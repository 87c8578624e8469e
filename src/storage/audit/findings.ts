/**
 * Findings of an audit, as sentences; bounded, because a damaged ledger may have a million faults. The operator can
 * acknowledge those that are explained, so that the audit passes again.
 */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import type { Database } from '../database/database.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { writing } from '../database/transaction.ts';
import type { Row } from '../database/values.ts';
import { readable } from '../records/readable.ts';

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

  /** Adds a sentence for each row that a query of faults finds; a hundred of one kind are enough to see. */
  async each(faults: Knex.QueryBuilder, sentence: (row: Row) => string): Promise<void> {
    const rows: Row[] = await faults.limit(100);
    for (const row of rows) this.add(sentence(row));
  }

  /** What `from` reads in rows that have an id, and a finding for each that it cannot read. */
  read<Of>(noun: string, rows: readonly Row[], from: (row: Row) => Of): Of[] {
    const { read, unreadable } = readable(rows, from);
    for (const { id } of unreadable) this.add(`${noun} ${id} cannot be read.`);
    return read;
  }

  /** Runs a check; a value that it cannot read ends this one alone. Rejects when the database fails. */
  async within(what: string, check: () => unknown): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Error) || errorCode(error) !== '') throw error;
      this.add(`The check of ${what} met a value that cannot be read: ${error.message}`);
    }
  }

  /** All findings; the last line counts those beyond the bound. */
  list(): string[] {
    return this.#left === 0 ? this.#kept : [...this.#kept, `… and ${this.#left} more.`];
  }
}

/** The id of a finding: the same for the same sentence. When its figures change, it is another finding. */
export function findingId(sentence: string): string {
  return createHash('sha256').update(sentence).digest('hex').slice(0, 12);
}

/** The ids of all acknowledged findings. */
export async function acknowledgedIds(trx: Knex): Promise<ReadonlySet<string>> {
  return new Set<string>(await trx('audit_acknowledgements').pluck('finding'));
}

/** Records why a finding is accepted. Call it once for each finding. */
export async function acknowledge(
  db: Database,
  clock: Clock,
  found: { sentence: string; reason: string },
): Promise<void> {
  const row = { ...found, finding: findingId(found.sentence), created_at_ms: clock.nowMs() };
  await writing(db, (trx) => trx('audit_acknowledgements').insert(row));
}

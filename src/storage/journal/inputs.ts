/** The active batches that read a file: it must stay. */
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { Row } from '../database/values.ts';
import { Lookup } from './lookup.ts';
import type { Rows } from './rows.ts';
import { BATCHES } from './tables.ts';

/** Which files are the inputs of active batches, in one transaction. */
export class Inputs extends Lookup {
  readonly #batches: Rows;

  /** `batches` are the rows of the same transaction. */
  constructor(batches: Rows) {
    super(BATCHES.readBy('input_file_id', 'batches_by_input'));
    this.#batches = batches;
  }

  take(row: Row): void {
    this.#batches.take(row);
  }

  /** Whether an active batch reads the file, as the units so far left it. */
  has(fileId: string): boolean {
    for (const { input_file_id, status } of this.#batches.all())
      if (input_file_id === fileId && ACTIVE_STATUSES.some((active) => active === status)) return true;
    return false;
  }
}

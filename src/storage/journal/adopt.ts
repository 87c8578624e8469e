/** Orders and batches of a dead gateway become those of its adopter. */
import type { PlainOutcome } from '#base/journal.ts';
import type { AdoptUnit } from '#orders/units.ts';
import type { UnitKind } from './context.ts';
import { shape } from './operations.ts';

/** Rows per statement. Always the same number, because statements are cached by their text. */
const ROWS_AT_ONCE = 64;
const MARKS = Array.from({ length: ROWS_AT_ONCE }, () => '?').join(', ');
const ADOPT_ORDERS = shape({
  act: 'plain',
  sql: `UPDATE orders SET boot_epoch = ? WHERE id IN (${MARKS}) AND boot_epoch = ?`,
});
const ADOPT_BATCH = shape({
  act: 'plain',
  sql: 'UPDATE batches SET boot_epoch = ?, output_file_id = ?, error_file_id = ? WHERE id = ? AND boot_epoch = ?',
});

/** Changes what still is the dead gateway's, after all other changes of its transaction; can be repeated. */
export const adopt: UnitKind<AdoptUnit, PlainOutcome> = {
  apply({ from, to, orders, batches }, { picture }) {
    for (let start = 0; start < orders.length; start += ROWS_AT_ONCE) {
      // The last one is repeated to fill up the statement.
      const some = Array.from(
        { length: ROWS_AT_ONCE },
        (_, at) => orders[Math.min(start + at, orders.length - 1)] ?? '',
      );
      picture.writeLast(ADOPT_ORDERS, [to, ...some, from]);
    }
    for (const { id, outputFileId, errorFileId } of batches)
      picture.writeLast(ADOPT_BATCH, [to, outputFileId, errorFileId, id, from]);
    return { result: 'changed' };
  },
};

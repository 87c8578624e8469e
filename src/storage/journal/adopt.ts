/** Orders and batches of a dead gateway become those of its adopter. */
import type { PlainOutcome } from '#base/journal.ts';
import type { AdoptUnit } from '#orders/units.ts';
import type { UnitKind } from './context.ts';
import { shape } from './operations.ts';
import type { Picture } from './picture.ts';

/** Rows per statement. Always the same number, because statements are cached by their text. */
const ROWS_AT_ONCE = 64;
const ADOPT_ORDERS = adopting('orders');
const ADOPT_BATCHES = adopting('batches');

/** Changes what still is the dead gateway's, after all other changes of its transaction; can be repeated. */
export const adopt: UnitKind<AdoptUnit, PlainOutcome> = {
  apply({ from, to, orders, batches }, { picture }) {
    write(picture, ADOPT_ORDERS, { from, to, ids: orders });
    write(picture, ADOPT_BATCHES, { from, to, ids: batches });
    return { result: 'changed' };
  },
};

function adopting(table: string) {
  const marks = Array.from({ length: ROWS_AT_ONCE }, () => '?').join(', ');
  return shape({
    act: 'plain',
    sql: `UPDATE ${table} SET boot_epoch = ? WHERE id IN (${marks}) AND boot_epoch = ?`,
  });
}

function write(
  picture: Picture,
  statement: ReturnType<typeof adopting>,
  { from, to, ids }: { from: number; to: number; ids: readonly string[] },
): void {
  for (let start = 0; start < ids.length; start += ROWS_AT_ONCE) {
    // The last one is repeated to fill up the statement.
    const some = Array.from({ length: ROWS_AT_ONCE }, (_, at) => ids[Math.min(start + at, ids.length - 1)] ?? '');
    picture.writeLast(statement, [to, ...some, from]);
  }
}

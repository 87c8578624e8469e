/**
 * Levels that crossed a price that somebody watches. Of each account only so many are told at a time, the next ones the time
 * after, and accounts take turns: one that watches hundreds of prices around a level that swings holds up no other.
 */
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { bit, int, intOrNull, type Row, text } from '#storage/database/values.ts';
import { tell } from '#storage/journal/outbox.ts';
import { priceCrossed } from '#storage/journal/webhook-event.ts';

const CROSSINGS_AT_ONCE = 500;
/** Of one account. */
const CROSSINGS_OF_ACCOUNT = 50;

/** Compares prices with the levels; one object a gateway. */
export class PriceCrossings {
  readonly #parts: { readonly db: Database; readonly clock: Clock; readonly ids: IdSource };
  #looks = 0;
  /** Whose crossing was the last that was told: the next look begins after it. */
  #lastAccountId = '';

  constructor(parts: { readonly db: Database; readonly clock: Clock; readonly ids: IdSource }) {
    this.#parts = parts;
  }

  /** Tells of at most 500 crossings since they were looked at last; of what is left, the next time. */
  async reportAll(): Promise<void> {
    const crossed = await this.#findCrossings();
    for (const row of crossed) await this.#reportCrossing(row);
    const last = crossed.at(-1);
    if (last) this.#lastAccountId = text(last.account_id);
  }

  /** The first of each account come before the second of any. */
  #findCrossings(): Promise<Row[]> {
    const { knex } = this.#parts.db;
    const own = 'PARTITION BY account_id';
    // Its first one is another at each look, or the last ones would never be told.
    const turn = `(ROW_NUMBER() OVER (${own} ORDER BY endpoint_id, model, price) + ?) % COUNT(*) OVER (${own})`;
    const crossed = knex('webhook_prices')
      .join('markets', 'markets.model', 'webhook_prices.model')
      .join('webhook_endpoints', 'webhook_endpoints.id', 'webhook_prices.endpoint_id')
      .where((either) =>
        either
          .whereNull('above')
          .orWhere((up) => up.where('above', 0).whereRaw('level >= price'))
          .orWhere((down) => down.where('above', 1).whereRaw('level < price')),
      )
      .select('endpoint_id', 'account_id', 'webhook_prices.model as model', 'price', 'above', 'level');
    const inTurn = knex
      .from(crossed.as('crossed'))
      .select('crossed.*', knex.raw(`${turn} AS turn`, [this.#looks++ * CROSSINGS_OF_ACCOUNT]));
    return knex
      .from(inTurn.as('taken'))
      .where('turn', '<', CROSSINGS_OF_ACCOUNT)
      .orderBy('turn')
      .orderByRaw('CASE WHEN account_id > ? THEN 0 ELSE 1 END', [this.#lastAccountId])
      .orderBy('account_id')
      .limit(CROSSINGS_AT_ONCE);
  }

  async #reportCrossing(row: Row): Promise<void> {
    const { db, clock, ids } = this.#parts;
    const [model, price, level] = [text(row.model), int(row.price), int(row.level)];
    const id = text(row.endpoint_id);
    const before = intOrNull(row.above);
    const above = level >= price;
    await writing(db, async (trx) => {
      const which = { endpoint_id: id, model, price, above: before };
      const changed = await trx('webhook_prices')
        .where(which)
        .update({ above: bit(above) });
      if (changed === 0 || before === null) return;
      const crossing = { eventId: `evt_${ids.uuid()}`, model, price, level, above };
      await tell(trx, text(row.account_id), priceCrossed(crossing, clock.nowMs()), id);
    });
  }
}

/** The turn of payments: their transactions happen one after another. */
import type { Knex } from 'knex';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';

/** Runs `work` in a transaction while no other of payments is under way, on any gateway. */
export function inTurn<Answer>(db: Database, work: (trx: Knex.Transaction) => Promise<Answer>): Promise<Answer> {
  return writing(db, async (trx) => {
    await takeTurn(trx, 'payments');
    return work(trx);
  });
}

/** Transactions for the operator's writes: they lock first, and are retried while the database is only busy. */
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { isOverdue } from './dialects/dialect.ts';

const TRIES = 5;

/**
 * Runs `work` in a transaction, perhaps several times. Bind amounts as text: knex cannot put a bigint into an error
 * message, and ends the process instead. The first statement must write: on SQLite it takes the write lock at once,
 * which a transaction that reads first might not get later.
 */
export async function writing<Answer>(db: Database, work: (trx: Knex.Transaction) => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.inWriteTurn(() => db.knex.transaction(async (trx) => work(trx)));
    } catch (error) {
      if (tries === TRIES || isOverdue(error) || !db.dialect.isOutage(error)) throw error;
    }
  }
}

/**
 * Waits until no other transaction with this name is under way, in any gateway. It must be the first statement, and writes:
 * see `writing`. For what is rare and would deadlock, because it looks for a row that is not there before it adds it.
 */
export async function takeTurn(
  trx: Knex.Transaction,
  name: 'payments' | 'members' | 'audits' | 'signing-keys' | 'webhooks',
): Promise<void> {
  await trx('counters')
    .insert({ name, value: 1 })
    .onConflict('name')
    .merge({ value: trx.raw('counters.value + 1') });
}

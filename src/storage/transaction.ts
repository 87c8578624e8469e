/** Transactions of the operator's writes: they lock first, and try again when the database was only busy. */
import type { Knex } from 'knex';
import type { Account } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { accountFrom } from './account-record.ts';
import type { Database } from './database.ts';

const TRIES = 5;

/**
 * Runs `work` in a transaction, perhaps several times. Amounts are bound as text: knex cannot put a bigint into the message
 * of an error, and ends the process instead. Its first statement must write: on SQLite that takes the write lock at once, where a
 * transaction that reads first could not be let in later.
 */
export async function writing<Answer>(db: Database, work: (trx: Knex.Transaction) => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.inWriteTurn(() => db.knex.transaction(async (trx) => work(trx)));
    } catch (error) {
      if (tries === TRIES || !db.dialect.isTransient(error)) throw error;
    }
  }
}

/** Locks the account's row until the commit, by a write that changes nothing, and reads it. Throws Fault not_found. */
export async function lockAccount(trx: Knex.Transaction, id: string): Promise<Account> {
  await trx('accounts')
    .where({ id })
    .update({ held: trx.ref('held') });
  const row = await trx('accounts').where({ id }).first();
  if (!row) throw noAccount(id);
  return accountFrom(row);
}

/** What an operator is told of an account that is not there. */
export function noAccount(id: string): Fault {
  return new Fault('not_found', {
    message: `There is no account ${JSON.stringify(id)}; sluice account list has the ids.`,
  });
}

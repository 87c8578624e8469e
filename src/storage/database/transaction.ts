/** Transactions of the stores: those that write, which are tried again while the database fails, and snapshots. */
import type { Knex } from 'knex';
import { pause, systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { systemRandom } from '#base/random.ts';
import type { Database } from './database.ts';
import { isOverdue } from './dialects/dialect.ts';

const TRIES = 5;
/** How long is waited before the second try, at most; twice as long before each other. */
const PAUSE_MS = 20;

/** How often a change that its caller never learned of is tried to be undone. */
const WITHDRAW_MS = 1_000;

/** What the names of the rows in `counters` begin with that say that a transaction has committed. */
export const WRITTEN = 'written:';
const operations = idSource(systemClock);

/**
 * Runs `work` in a transaction, perhaps several times; one of them commits: when the answer to a COMMIT is lost, the next
 * try finds whether that was done, and then returns what was answered before. So `work` may make ids and secrets. A row
 * that it reads may have changed by the time that it writes, unless it is locked: `lockAccount`, `takeTurn`, `forUpdate`.
 * Bind amounts as text: knex cannot put a bigint into an error message, and ends the process instead.
 *
 * A COMMIT whose answer is overdue, or lost for good, rejects although it may have come through. With `undo`, which must
 * not mind to be called twice, it is then undone, so that a caller who tries again makes no second change.
 */
export async function writing<Answer>(
  db: Database,
  work: (trx: Knex.Transaction) => Promise<Answer>,
  undo?: (answer: Answer) => Promise<unknown>,
): Promise<Answer> {
  const operation = `${WRITTEN}${operations.uuid()}`;
  let last = null as { readonly answer: Answer } | null;
  const once = async (trx: Knex.Transaction): Promise<Answer> => {
    const isDone = await begin(db, trx, operation);
    if (isDone && last) return last.answer;
    const answer = await work(trx);
    last = { answer };
    return answer;
  };
  for (let tries = 1; ; tries++) {
    try {
      return await db.inWriteTurn(() => db.knex.transaction(once));
    } catch (error) {
      if (tries < TRIES && !isOverdue(error) && db.dialect.isOutage(error)) {
        // Transactions that failed together do not meet again.
        await pause(systemClock, PAUSE_MS * 2 ** (tries - 1) * (0.5 + systemRandom.next() / 2));
        continue;
      }
      const answered = last;
      if (undo && answered && db.dialect.isOutage(error)) void withdraw(db, operation, () => undo(answered.answer));
      throw error;
    }
  }
}

/**
 * Undoes an operation if it committed. Goes on until the database says whether it did, which it may not do for long, or
 * until the database is closed: then the change stays, and nobody has the answer to it.
 */
async function withdraw(db: Database, operation: string, undo: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      if (await db.knex.transaction((trx) => begin(db, trx, operation))) await undo();
      return;
    } catch (error) {
      if (!db.dialect.isOutage(error)) return;
    }
    await pause(systemClock, WITHDRAW_MS);
  }
}

/**
 * The first statement of a transaction that writes. Returns whether an earlier try of the operation has committed; waits
 * while that is not decided. On SQLite, where no answer is lost, it takes the write lock: a transaction that has read
 * before does not get it once somebody else has written.
 */
async function begin({ dialect }: Database, trx: Knex.Transaction, operation: string): Promise<boolean> {
  if (dialect.name === 'sqlite') {
    await trx('migrations').where({ id: '' }).delete();
    return false;
  }
  try {
    await trx('counters').insert({ name: operation, value: systemClock.nowMs() });
    return false;
  } catch (error) {
    if (dialect.isDataError(error)) return true;
    throw error;
  }
}

/**
 * Runs `work`, which only reads, on one snapshot of the database: all its reads see the same, without waiting for writers
 * and without keeping them waiting.
 */
export function reading<Answer>(
  db: Pick<Database, 'knex' | 'dialect'>,
  work: (trx: Knex.Transaction) => Promise<Answer>,
): Promise<Answer> {
  return db.dialect.name === 'sqlite'
    ? db.knex.transaction(work)
    : db.knex.transaction(work, { isolationLevel: 'repeatable read' });
}

/**
 * Waits until no other transaction with this name is under way, in any gateway. For what is rare and would deadlock,
 * because it looks for a row that is not there before it adds it. Take turns before any other row is locked.
 */
export async function takeTurn(
  trx: Knex.Transaction,
  name: 'payments' | 'members' | 'audits' | 'signing-keys' | 'webhooks' | 'pods',
): Promise<void> {
  await trx('counters')
    .insert({ name, value: 1 })
    .onConflict('name')
    .merge({ value: trx.raw('counters.value + 1') });
}

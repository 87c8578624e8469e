/** Statements that a server does not answer by the deadline. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { withDeadline } from './database.ts';
import { isOverdue } from './dialects/dialect.ts';
import { writing } from './transaction.ts';

for (const tested of testedDatabases.filter(({ name }) => name === 'MariaDB')) {
  describe(`a deadline on ${tested.name}`, { skip: tested.skip }, () => {
    test('a transaction with an overdue statement is overdue, and not tried again', async () => {
      const opened = await openTested(tested);
      const answering = withDeadline(opened.db, 300);
      let tries = 0;
      try {
        const written = writing(answering, async (trx) => {
          tries++;
          await trx.raw('SELECT SLEEP(3)');
        });
        await assert.rejects(written, isOverdue);
        assert.equal(tries, 1);
      } finally {
        await answering.close();
        await opened.drop();
      }
    });
  });
}

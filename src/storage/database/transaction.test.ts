/** What transactions see of others, on every database. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { reading, writing } from './transaction.ts';

for (const tested of testedDatabases) {
  describe(`transactions on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());
    beforeEach(() => opened.db.knex('counters').insert({ name: 'tested', value: 1 }).onConflict('name').merge());

    const value = async (knex = opened.db.knex) =>
      Number((await knex('counters').where({ name: 'tested' }).first()).value);
    const add = () => writing(opened.db, (trx) => trx('counters').where({ name: 'tested' }).increment('value', 1));

    test('all reads of a snapshot see the same, whatever commits meanwhile', async () => {
      const seen = await reading(opened.db, async (trx) => {
        const first = await value(trx);
        await add();
        return [first, await value(trx)];
      });
      assert.deepEqual([seen, await value()], [[1, 1], 2]);
    });

    test('ten that read and then write, at once, lose nothing', async () => {
      const change = () =>
        writing(opened.db, async (trx) => {
          const row = await trx('counters').where({ name: 'tested' }).forUpdate().first();
          await trx('counters')
            .where({ name: 'tested' })
            .update({ value: Number(row.value) + 1 });
        });
      await Promise.all(Array.from({ length: 10 }, change));
      assert.equal(await value(), 11);
    });
  });
}

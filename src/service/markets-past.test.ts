import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { pastOfMarkets } from './markets-past.ts';

for (const tested of testedDatabases) {
  test(`markets that are asked for together are read once on ${tested.name}`, { skip: tested.skip }, async () => {
    const opened = await openTested(tested);
    const clock = new ManualClock();
    try {
      const rows = ['tide', 'reef', 'kelp'].map((model, at) => ({ model, level_seq: 1, level: 100 + at, at_ms: 5 }));
      await opened.db.knex('markets').insert(rows);
      let statements = 0;
      opened.db.knex.on('query', () => statements++);
      const past = pastOfMarkets(opened.db, clock, silentLog);
      const asked = async () => {
        const all = Promise.all(['tide', 'kelp', 'new'].map((model) => past(model)));
        await clock.advance(1);
        return (await all).map(({ levels }) => levels.map(({ level }) => level));
      };
      assert.deepEqual(await asked(), [[100], [102], []]);
      const once = statements;
      await opened.db.knex('markets').where({ model: 'tide' }).update({ level: 200 });
      statements = 0;
      assert.deepEqual(await asked(), [[200], [102], []]);
      assert.equal(statements, once);
      assert.equal(once, 3);
    } finally {
      await opened.drop();
    }
  });
}

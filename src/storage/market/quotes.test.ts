/** Quotes and outcomes of locks, written by the journal and read by a start, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import type { QuoteUnit } from '#market/units.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalOutcome, JournalUnit } from '../journal/units.ts';
import { latestQuotes } from './quotes.ts';

const quote = (model: string, quoteSeq: number, price: number): QuoteUnit => ({
  kind: 'quote',
  model,
  quoteSeq,
  price,
  atMs: quoteSeq * 10_000,
  untilMs: (quoteSeq + 1) * 10_000,
  state: `{"seq":${quoteSeq}}`,
});

for (const tested of testedDatabases) {
  describe(`quotes on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;

    before(async () => {
      opened = await openJournaled(tested, new ManualClock());
      journal = opened.journal;
    });
    after(() => opened?.drop());

    /** Writes a unit twice, as after a commit whose reply was lost: both outcomes must be equal. */
    async function twice<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcome<Unit>> {
      const outcome = await journal.write(unit);
      assert.deepEqual(await journal.write(unit), outcome);
      return outcome;
    }

    test('a start finds the newest quote of each model, and the lock outcomes since a moment', async () => {
      assert.deepEqual(await twice(quote('tide', 1, 5)), { result: 'changed' });
      await twice(quote('tide', 2, 10 ** 15));
      await twice(quote('surge', 7, 0));
      const locks = (minuteMs: number, [started = 0, missed = 0, scarceStarted = 0, scarceMissed = 0]: number[]) =>
        twice({ kind: 'locks', model: 'tide', minuteMs, started, missed, scarceStarted, scarceMissed });
      await locks(0, [9, 9, 9, 9]);
      await locks(60_000, [1, 0, 0, 0]);
      await locks(60_000, [4, 3, 2, 1]);
      assert.deepEqual(await latestQuotes(opened.db, 60_000, silentLog), [
        { model: 'surge', quoteSeq: 7, price: 0, state: '{"seq":7}', lockMinutes: [] },
        {
          model: 'tide',
          quoteSeq: 2,
          price: 10 ** 15,
          state: '{"seq":2}',
          lockMinutes: [{ minuteMs: 60_000, started: 4, missed: 3, scarceStarted: 2, scarceMissed: 1 }],
        },
      ]);
    });

    test('the largest state of a quote is stored whole', async () => {
      // src/market/exchange/quote-state.test.ts has the bound.
      const state = JSON.stringify('x'.repeat(64 * 1024 - 2));
      assert.deepEqual(await journal.write({ ...quote('cove', 1, 5), state }), { result: 'changed' });
      const stored = (await latestQuotes(opened.db, 0, silentLog)).find(({ model }) => model === 'cove');
      assert.equal(stored?.state, state);
    });

    test('a state that cannot be read is left out and named in the log, and the other markets keep theirs', async () => {
      for (const model of ['atoll', 'bay']) await journal.write(quote(model, 1, 5));
      await opened.db.knex('quote_states').where({ model: 'atoll' }).update({ state: '{"seq":' });
      const named: object[] = [];
      const log = { ...silentLog, error: (fields: object) => void named.push(fields) };
      const found = await latestQuotes(opened.db, 0, log);
      const states = ['atoll', 'bay'].map((name) => found.find(({ model }) => model === name)?.state);
      assert.deepEqual([states, named.length], [[null, '{"seq":1}'], 1]);
      assert.ok(JSON.stringify(named).includes('atoll'));
    });

    test('a state from before the price followed what is asked for is named once in the log, and one of now is not', async () => {
      const states = { inlet: '{"voices":{"atMs":0}}', jetty: '{"runs":{"atMs":0}}' };
      for (const [model, state] of Object.entries(states)) await journal.write({ ...quote(model, 1, 5), state });
      const named: object[] = [];
      const log = { ...silentLog, info: (fields: object) => void named.push(fields) };
      const found = await latestQuotes(opened.db, 0, log);
      assert.deepEqual(
        named.filter((fields) => /inlet|jetty/.test(JSON.stringify(fields))),
        [{ model: 'inlet' }],
      );
      assert.equal(found.find(({ model }) => model === 'inlet')?.state, states.inlet);
    });

    test('a number is given to one quote only', async () => {
      await journal.write(quote('reef', 1, 5));
      assert.deepEqual(await journal.write(quote('reef', 1, 6)), { result: 'stale' });
      assert.equal((await latestQuotes(opened.db, 0, silentLog)).find(({ model }) => model === 'reef')?.price, 5);
    });
  });
}

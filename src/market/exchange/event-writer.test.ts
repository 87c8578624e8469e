import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { MemoryJournal } from '#testing/memory-journal.ts';
import type { QuoteLatched } from '../ports.ts';
import { marketEventWriter } from './event-writer.ts';

const quote: QuoteLatched = {
  type: 'quote',
  model: 'tide',
  seq: 3,
  quoteSeq: 1,
  price: 7,
  previousPrice: null,
  atMs: 10,
  untilMs: 20,
  clearRate: null,
  scarceClearRate: null,
  attainable: null,
  state: '{}',
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

function openRecord() {
  const journal = new MemoryJournal();
  const shown: QuoteLatched[] = [];
  const record = marketEventWriter({
    journal,
    log: silentLog,
    quoteCommitted: (latched) => void shown.push(latched),
  });
  return { journal, shown, record };
}

test('a quote is published once it has committed, and not before', async () => {
  const { journal, shown, record } = openRecord();
  journal.pause();
  void record(quote);
  await turn();
  assert.deepEqual(shown, []);
  journal.resume();
  await turn();
  assert.deepEqual(shown, [quote]);
  const { model, quoteSeq, price, atMs, untilMs, state } = quote;
  assert.deepEqual(journal.units, [{ kind: 'quote', model, quoteSeq, price, atMs, untilMs, state }]);
});

test('a quote that cannot be recorded is never published', async () => {
  const { journal, shown, record } = openRecord();
  journal.failNext = 'quote';
  void record(quote);
  await turn();
  assert.deepEqual(shown, []);
});

test('levels and lock outcomes are written as they arrive', async () => {
  const { journal, record } = openRecord();
  void record({ type: 'level', model: 'tide', seq: 1, level: 5, levelSeq: 2, degraded: true, atMs: 9 });
  const counts = { minuteMs: 60_000, started: 4, missed: 1, scarceStarted: 3, scarceMissed: 0 };
  void record({ type: 'locks', model: 'tide', seq: 2, ...counts });
  await turn();
  assert.deepEqual(journal.units, [
    { kind: 'level', model: 'tide', levelSeq: 2, level: 5, atMs: 9 },
    { kind: 'locks', model: 'tide', ...counts },
  ]);
});

test('the owner of a market writes under the epoch of its lease, and learns when it is one no longer', async () => {
  const { journal, record, shown } = openRecord();
  const level = { type: 'level', model: 'tide', seq: 1, level: 5, levelSeq: 2, degraded: true, atMs: 9 } as const;
  assert.equal(await record(level, 7), 'committed');
  assert.deepEqual(journal.units[0], { kind: 'level', model: 'tide', levelSeq: 2, level: 5, atMs: 9, epoch: 7 });
  journal.presentEpoch = 8;
  assert.deepEqual([await record(level, 7), await record(quote, 7)], ['stale', 'stale']);
  assert.deepEqual(shown, []);
  journal.failNext = 'level';
  assert.equal(await record(level, 8), 'failed');
});

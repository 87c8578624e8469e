import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coverageOf } from './contract-coverage.ts';
import { reportOf, summaryOf } from './report.ts';
import type { RecordLine } from './run-record.ts';

const promised = [
  'getOrder 200 application/json',
  'getOrder 200 header x-request-id',
  'getOrder 404 application/json',
  'streamMarket 200 text/event-stream',
  'streamMarket 200 frame MarketFrame',
];
const file = 'contract-tests/getOrder.test.ts';
const entries: readonly RecordLine[] = promised.map((kept) => ({ kept, file, title: 'an order' }));

describe('the coverage of a run', () => {
  it('finds nothing when every answer, header and kind of frame was seen', () => {
    const { unseen, problems } = coverageOf(promised, entries);
    assert.deepEqual([unseen, problems], [[], []]);
  });

  it('names each promise that no answer kept', () => {
    for (const promise of promised) {
      const others = entries.filter((entry) => !('kept' in entry) || entry.kept !== promise);
      assert.deepEqual(coverageOf(promised, others).unseen, [promise]);
    }
  });

  it('names each answer that broke the document, once, with the test that saw it', () => {
    const problem = 'GET /v1/orders/x: getOrder answered 418, which is not documented.';
    const broken = { problem, file, title: 'a pot of tea' };
    const { problems } = coverageOf(promised, [...entries, broken, broken]);
    assert.deepEqual(problems, [`${problem}\n  in ${file}: a pot of tea`]);
  });

  it('proves a promise by a test of its own operation and status, in whatever order the tests ran', () => {
    const kept = 'getOrder 404 application/json';
    const places = [
      { file: 'contract-tests/strangers.test.ts', title: 'strangers > 404 someone else’s order' },
      { file, title: 'getOrder > 200 an order' },
      { file, title: 'getOrder > 404 an unknown order' },
      { file, title: '' },
    ];
    for (const order of [places, places.toReversed()]) {
      const { proofs } = coverageOf(
        [kept],
        order.map((place) => ({ kept, ...place })),
      );
      assert.deepEqual(proofs.get(kept), places[2]);
    }
  });
});

describe('the report of a run', () => {
  const coverage = coverageOf(promised, entries.slice(1));

  it('counts answers, headers and kinds of frames', () => {
    assert.match(summaryOf(promised, coverage), /2 of 3 documented answers, 1 of 1 headers and 1 of 1 kinds of frames/);
  });

  it('marks each status of each operation, and names the test behind each answer', () => {
    const report = reportOf(promised, coverage);
    assert.match(report, /\| getOrder \| ✗ \| ✓ \|/);
    assert.match(report, /\| 200 application\/json \| \*\*never seen\*\* \|/);
    assert.match(report, /\| 404 application\/json \| contract-tests\/getOrder\.test\.ts: an order \|/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingsOf, type Run } from '../coverage.ts';

describe('the judgement of a run', () => {
  const good: Run = {
    seen: new Set(['getThing 200', 'getThing 404', 'makeThing 201']),
    documented: { getThing: { statuses: [200, 404, 503] }, makeThing: { statuses: [201] } },
    unreached: { 'getThing 503': 'the disk never fails' },
  };

  it('finds nothing when everything documented was seen', () => {
    assert.deepEqual(findingsOf(good), []);
  });

  it('names a documented status that was never seen', () => {
    const seen = new Set(['getThing 200', 'makeThing 201']);
    assert.deepEqual(findingsOf({ ...good, seen }), ['getThing 404 was never seen.']);
  });

  it('names a planted status that is not documented', () => {
    const seen = new Set([...good.seen, 'getThing 418']);
    assert.deepEqual(findingsOf({ ...good, seen }), ['getThing 418 is not documented.']);
  });

  it('names a reason that does not hold any more, for a status that was seen', () => {
    const seen = new Set([...good.seen, 'getThing 503']);
    assert.match(findingsOf({ ...good, seen }).join(), /getThing 503 stands in support\/unreached\.ts/);
  });

  it('names a reason for a status that the document does not know', () => {
    const unreached = { ...good.unreached, 'getThing 599': 'a slip of the pen' };
    assert.match(findingsOf({ ...good, unreached }).join(), /getThing 599 stands in support\/unreached\.ts/);
  });
});

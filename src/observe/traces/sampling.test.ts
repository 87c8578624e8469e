import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceIds } from '#base/id.ts';
import { samplerOf } from './traces.ts';

const ids = traceIds();
const made = Array.from({ length: 4_000 }, () => ids.traceId());

test('a share of the traces is kept, the same ones by every gateway', () => {
  const [one, other] = [samplerOf({ parentBased: true, ratio: 0.25 }), samplerOf({ parentBased: false, ratio: 0.25 })];
  const kept = made.filter((id) => one(id, null));
  // Ten standard deviations: this fails once in 10^23 runs.
  assert.ok(Math.abs(kept.length - 1_000) < 275, `${kept.length} of 4000`);
  assert.deepEqual(
    made.filter((id) => other(id, null)),
    kept,
  );
});

test('all are kept, or none', () => {
  for (const ratio of [0, 1]) {
    const samples = samplerOf({ parentBased: false, ratio });
    assert.ok(made.every((id) => samples(id, null) === (ratio === 1)));
  }
});

test('the caller decides where it may, and only there', () => {
  const id = ids.traceId();
  for (const byParent of [true, false]) {
    assert.equal(samplerOf({ parentBased: true, ratio: byParent ? 0 : 1 })(id, byParent), byParent);
    assert.equal(samplerOf({ parentBased: false, ratio: byParent ? 0 : 1 })(id, byParent), !byParent);
  }
});

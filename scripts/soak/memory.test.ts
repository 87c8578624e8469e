import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, heapRatioOf, type MemorySample } from './memory.ts';

const MEBI = 2 ** 20;

function samples(heapMebi: (index: number) => number, residentMebi: (index: number) => number): MemorySample[] {
  return Array.from({ length: 50 }, (_, index) => ({
    heapBytes: heapMebi(index) * MEBI,
    residentBytes: residentMebi(index) * MEBI,
  }));
}

test('memory that jitters around one figure is flat', () => {
  const jitter = (index: number) => (index % 7) * 3;
  assert.deepEqual(
    growthOf(
      samples(
        (index) => 60 + jitter(index),
        (index) => 400 + 5 * jitter(index),
      ),
    ),
    [],
  );
});

test('memory that rises while the gateway warms up is flat', () => {
  assert.deepEqual(
    growthOf(
      samples(
        (index) => Math.min(60, 20 + index * 5),
        (index) => Math.min(600, 200 + index * 20),
      ),
    ),
    [],
  );
});

test('the ratio of heaps leaves the warm-up out, and says nothing about few samples', () => {
  const rising = samples(
    (index) => (index < 10 ? 20 : 60 + index),
    () => 400,
  );
  assert.equal(heapRatioOf(rising), 105 / 75);
  assert.ok(Number.isNaN(heapRatioOf(rising.slice(0, 9))));
});

test('a heap that rises throughout grew', () => {
  assert.deepEqual(
    growthOf(
      samples(
        (index) => 60 + index,
        () => 400,
      ),
    ),
    ['the live heap grew from 75 to 105 MiB'],
  );
});

test('a process whose memory rises after its caches are full grew', () => {
  assert.deepEqual(
    growthOf(
      samples(
        () => 60,
        (index) => 400 + 10 * index,
      ),
    ),
    ['the resident memory grew from 650 to 850 MiB'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, heapRatioOf, type MemorySample } from './memory.ts';

const MEBI = 2 ** 20;

interface Course {
  readonly heap?: (index: number) => number;
  readonly resident?: (index: number) => number;
}

/** Fifty samples of memory that takes this course, in MiB. */
function samples({ heap = () => 60, resident = () => 400 }: Course): MemorySample[] {
  return Array.from({ length: 50 }, (_, index) => {
    return { heapBytes: heap(index) * MEBI, residentBytes: resident(index) * MEBI };
  });
}

const jitter = (index: number) => (index % 7) * 3;
const courses: Readonly<Record<string, readonly [course: Course, growth: readonly string[]]>> = {
  'jitters around one figure': [{ heap: (at) => 60 + jitter(at), resident: (at) => 400 + 5 * jitter(at) }, []],
  'rises while the gateway warms up': [
    { heap: (at) => Math.min(60, 20 + at * 5), resident: (at) => Math.min(600, 200 + at * 20) },
    [],
  ],
  'rises throughout in the heap': [{ heap: (at) => 60 + at }, ['the live heap grew from 75 to 105 MiB']],
  'rises after the caches are full': [
    { resident: (at) => 400 + 10 * at },
    ['the resident memory grew from 650 to 850 MiB'],
  ],
};

for (const [what, [course, growth]] of Object.entries(courses)) {
  test(`memory that ${what} ${growth.length === 0 ? 'is flat' : 'grew'}`, () => {
    assert.deepEqual(growthOf(samples(course)), growth);
  });
}

test('the ratio of heaps leaves the warm-up out, and says nothing about few samples', () => {
  const rising = samples({ heap: (at) => (at < 10 ? 20 : 60 + at) });
  assert.equal(heapRatioOf(rising), 105 / 75);
  assert.ok(Number.isNaN(heapRatioOf(rising.slice(0, 9))));
});

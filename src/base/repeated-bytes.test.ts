import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf, piecesOf, REPEATED } from './repeated-bytes.ts';

const BYTES = Buffer.from('🌊');

test('each mark stands for the very bytes', () => {
  assert.deepEqual(piecesOf(`a${REPEATED}b${REPEATED}c`, BYTES), ['a', BYTES, 'b', BYTES, 'c']);
  assert.ok(piecesOf(`a${REPEATED}b`, BYTES)[1] === BYTES);
  assert.deepEqual(piecesOf('abc', BYTES), ['abc']);
});

/** [frames, their parts] */
const frames: [string, string[]][] = [
  ['', []],
  [': a\n', [': a\n']],
  ['data: 1\n\ndata: 2\n\n', ['data: 1\n\ndata: 2\n\n']],
  [
    `data: 1\n\ndata: ${REPEATED}}\n\ndata: ${REPEATED}}\n\n: b\n`,
    [`data: 1\n\ndata: ${REPEATED}}\n\n`, `data: ${REPEATED}}\n\n`, ': b\n'],
  ],
  [`data: ${REPEATED}`, [`data: ${REPEATED}`]],
];
for (const [whole, parts] of frames)
  test(`${JSON.stringify(whole)} has ${parts.length} parts, none with more than one mark`, () =>
    assert.deepEqual([...partsOf(whole)], parts));

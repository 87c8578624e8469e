import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { inputLines } from './input-lines.ts';

/** The lines of a text that comes in pieces of these sizes, repeated, each line with its number. */
async function linesOf(content: string | Uint8Array, sizes: readonly number[] = [1000], bytesMax = 100) {
  const bytes = Buffer.from(content);
  async function* chunks() {
    for (let start = 0, turn = 0; start < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      yield Uint8Array.from(bytes.subarray(start, start + size));
      start += size;
    }
  }
  const lines: [number, string | null][] = [];
  for await (const { number, bytes: line } of inputLines(chunks(), bytesMax)) {
    lines.push([number, line && Buffer.from(line).toString()]);
  }
  return lines;
}

test('a line ends with LF, with CR LF, or with the file', async () => {
  assert.deepEqual(await linesOf('one\ntwo\r\nthree'), [
    [1, 'one'],
    [2, 'two\r'],
    [3, 'three'],
  ]);
});

test('blank lines are skipped wherever they are, and counted', async () => {
  assert.deepEqual(await linesOf('\n\none\n \t\r\ntwo\n\n  \n'), [
    [3, 'one'],
    [5, 'two'],
  ]);
  assert.deepEqual(await linesOf(''), []);
});

test('a byte order mark is no part of the first line, and of no other', async () => {
  assert.deepEqual(await linesOf('\ufeffone\n\ufefftwo'), [
    [1, 'one'],
    [2, '\ufefftwo'],
  ]);
  assert.deepEqual(await linesOf('\ufeff\n'), []);
});

test('a line of the maximum size is returned whole, and of a longer one only its number', async () => {
  assert.deepEqual(await linesOf('12345\n123456\n1', [4], 5), [
    [1, '12345'],
    [2, null],
    [3, '1'],
  ]);
});

test('however a file arrives in pieces, its lines are the same', async () => {
  const random = seededRandom(1);
  for (let round = 0; round < 50; round++) {
    const drawn = Array.from({ length: 20 }, () => ['a', '漢字', '\n', '\r\n', ' '][Math.floor(random.next() * 5)]);
    const text = drawn.join('');
    const sizes = Array.from({ length: 5 }, () => 1 + Math.floor(random.next() * 7));
    assert.deepEqual(await linesOf(text, sizes), await linesOf(text), JSON.stringify({ text, sizes }));
  }
});

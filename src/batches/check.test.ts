import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSON_VALUES_MAX } from '#base/exact-json.ts';
import { chatLine } from '#testing/batch-bench.ts';
import { checkInput } from './check.ts';
import { BadLine, LINE_BYTES_MAX } from './line.ts';

function check(
  lines: readonly (string | Uint8Array)[],
  linesMax = 10,
  largeLines?: Parameters<typeof checkInput>[1]['largeLines'],
) {
  async function* chunks() {
    for (const line of lines) {
      yield Buffer.from(line);
      yield Buffer.from('\n');
    }
  }
  return checkInput(chunks(), { kind: 'chat', linesMax, largeLines });
}

async function complaintsOf(...lines: (string | Uint8Array)[]): Promise<readonly string[]> {
  const checked = await check(lines);
  return 'errors' in checked ? checked.errors : [];
}

test('the lines of a good file are counted, whatever is in their requests', async () => {
  const lines = [chatLine('a'), chatLine('b', {}, { body: 'no request' }), chatLine('', {}, { more: true })];
  assert.deepEqual(await check(lines), { total: 3 });
});

test('a file without lines cannot be run', async () => {
  assert.deepEqual(await complaintsOf(), ['The file has no lines.']);
  assert.deepEqual(await complaintsOf('', ' \r'), ['The file has no lines.']);
});

test('the error for too many lines says how many there are', async () => {
  const lines = Array.from({ length: 12 }, (_, index) => (index > 10 ? 'not even JSON' : chatLine(`${index}`)));
  assert.deepEqual(await check(lines, 11), { errors: ['The file has 12 lines; a batch takes up to 11.'] });
  assert.deepEqual(await check(lines.slice(0, 11), 11), { total: 11 });
});

test('a line beyond the bounds of JSON is named, like the same body over HTTP', async () => {
  const many = chatLine('a', {}, { body: { list: Array(JSON_VALUES_MAX + 1).fill(0) } });
  const deep = chatLine('b').replace('"messages"', `"deep":${'['.repeat(300)}${']'.repeat(300)},"messages"`);
  assert.deepEqual(await complaintsOf(many, deep), [
    'Line 1 holds more than 100000 values.',
    'Line 2 is nested deeper than 256 levels.',
  ]);
});

test('a line that is no JSON object in UTF-8 is named', async () => {
  assert.deepEqual(await complaintsOf('{', '[1]', 'null', '"text"', Buffer.from([0x22, 0xff, 0x22])), [
    'Line 1 is not valid JSON.',
    'Line 2 is not a JSON object.',
    'Line 3 is not a JSON object.',
    'Line 4 is not a JSON object.',
    'Line 5 is not valid UTF-8.',
  ]);
});

test('a custom id is a string, not too long, and unique in its file', async () => {
  const complaints = await complaintsOf(
    chatLine(undefined),
    chatLine(7),
    chatLine('x'.repeat(65_537)),
    chatLine('a'),
    chatLine('\ud800'),
    chatLine('\ud801'),
    chatLine('a'),
  );
  assert.deepEqual(complaints, [
    'Line 1 has no custom_id, which must be a string.',
    'Line 2 has no custom_id, which must be a string.',
    'Line 3 has a custom_id of more than 65536 characters.',
    'Line 7 has the custom_id of line 4.',
  ]);
});

test('a line goes to the endpoint of the batch, by POST', async () => {
  const complaints = await complaintsOf(
    chatLine('a', {}, { method: 'GET' }),
    chatLine('b', {}, { method: undefined }),
    chatLine('c', {}, { url: '/v1/responses' }),
  );
  assert.deepEqual(complaints, [
    'Line 1 has another method than "POST".',
    'Line 2 has another method than "POST".',
    'Line 3 has another url than the endpoint of the batch, "/v1/chat/completions".',
  ]);
});

test('a request of 8 MiB fits a line, and one of 9 MB does not', async () => {
  const ofBytes = (bytes: number) => chatLine('a', { messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });
  assert.deepEqual(await complaintsOf(ofBytes(8 * 1024 * 1024)), []);
  assert.deepEqual(await complaintsOf(ofBytes(9_000_000)), ['Line 1 is too long: a request has up to 8 MiB.']);
  assert.ok(LINE_BYTES_MAX < 9_000_000);
});

test('at most twenty errors are reported', async () => {
  const lines = Array.from({ length: 30 }, () => '{');
  const checked = await check(lines, 100);
  assert.equal('errors' in checked && checked.errors.length, 20);
});

test('a file that cannot be read to its end is neither good nor bad', async () => {
  const broken = new Error('no such device');
  async function* chunks() {
    yield Buffer.from(`${chatLine('a')}\nnot JSON\n`);
    throw broken;
  }
  await assert.rejects(checkInput(chunks(), { kind: 'chat', linesMax: 10 }), broken);
});

test('long lines are read elsewhere, the others here, and ids are compared across both', async () => {
  const read: number[] = [];
  const elsewhere = {
    async customIdOf({ number }: { readonly number: number }) {
      read.push(number);
      if (number === 3) throw new BadLine(number, 'is odd.');
      return 'a';
    },
  };
  const long = chatLine('a', { messages: [{ role: 'user', content: 'x'.repeat(256 * 1024) }] });
  assert.deepEqual(await check([chatLine('a'), long, long, chatLine('b')], 10, elsewhere), {
    errors: ['Line 2 has the custom_id of line 1.', 'Line 3 is odd.'],
  });
  assert.deepEqual(read, [2, 3]);
});

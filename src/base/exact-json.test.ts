import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactJson, exactly, jsonBody, parseJson, scanJson, wellFormedJson } from './exact-json.ts';

/** What is forwarded of a text. */
function forwarded(text: string): string {
  return JSON.stringify(exactly(parseJson(text, scanJson(Buffer.from(text)).longNumbers)));
}

/** Numbers that a double changes, or prints as null. */
const LONG = [
  ...['9223372036854775807', '-9007199254740993', '18446744073709551616', '0.10000000000000000555', '1e400', '-1E-400'],
  ...['1.00000000000000000', '123456789012345678901234567890.5e-7'],
];
for (const number of LONG)
  test(`${number} is forwarded digit by digit, and everyone else reads a plain number`, () => {
    const text = `{"a":[{"b":${number}}],"c":${number},"text":"${number}"}`;
    assert.equal(forwarded(text), text);
    assert.equal(JSON.stringify(exactJson(text)), text);
    assert.deepEqual(parseJson(text, true), JSON.parse(text));
  });

test('what a double keeps is read once, and forwarded as JSON prints it', () => {
  for (const number of ['0', '-0.5', '9007199254740991', '0.30000000000000004', '0.0', '0e5', '100000000000000'])
    assert.equal(forwarded(`[${number}]`), JSON.stringify([Number(number)]));
  const plain = parseJson('{"a":1}', false);
  assert.equal(exactly(plain), plain);
});

test('only numbers count as long, not what texts contain', () => {
  const scanned = (text: string) => scanJson(Buffer.from(text)).longNumbers;
  assert.equal(scanned(`{"a":"${'1'.repeat(40)} 1e400","b":123456789012345,"c":true,"d":[1,2,3,4,5,6,7,8,9]}`), false);
  assert.equal(scanned('[1234567890123456]'), true);
  assert.equal(scanned('[1e4]'), true);
});

/** [JSON, what is read of it] */
const halves: [string, string][] = [
  ['"cut \\ud83d"', 'cut \ufffd'],
  ['"\\uDE00 cut"', '\ufffd cut'],
  ['"\\ud83d\\ud83d\\ude00"', '\ufffd😀'],
  ['"\\ud83d\\n\\ude00"', '\ufffd\n\ufffd'],
  ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
  ['"\\ud83d\\ude00"', '😀'],
  ['"\\uD83D\\uDE00 \\u00e9 \\" \\\\"', '😀 é " \\'],
  ['"a path: \\\\ud83d"', 'a path: \\ud83d'],
  ['"\\\\\\ud83d"', '\\\ufffd'],
];
for (const [json, text] of halves)
  test(`${json} is read as well-formed text`, () => {
    assert.equal(JSON.parse(wellFormedJson(json)), text);
    assert.deepEqual(jsonBody(Buffer.from(`{"a":[${json}],${json}:9223372036854775807}`)), {
      a: [text],
      [text]: Number('9223372036854775807'),
    });
  });

test('halves are replaced in one pass over the text, without a call per half', ({ mock }) => {
  const replaced = mock.method(String.prototype, 'replace');
  assert.equal(wellFormedJson(`"${'\\ud800'.repeat(1_000_000)}"`), `"${'\\ufffd'.repeat(1_000_000)}"`);
  assert.equal(replaced.mock.callCount(), 0);
});

test('what is no whole escape stays as it is, and so does a text that needs no change', () => {
  for (const json of ['"\\ud8"', '"\\ud8","abc"', '"\\ud83', '"\\ud83d\\ude00 é"', '"\\\\ud83d"'])
    assert.equal(wellFormedJson(json), json);
});

test('a byte order mark at the start of a body is no part of it', () => {
  assert.deepEqual(jsonBody(Buffer.from('\ufeff{"a":"\ufeff"}')), { a: '\ufeff' });
  for (const text of ['\ufeff', '\ufeff\ufeff{}', '{}\ufeff']) assert.throws(() => jsonBody(Buffer.from(text)));
});

test('an object that was read inside another keeps its digits too', () => {
  const text = '{"custom_id":"a","body":{"seed":9223372036854775807}}';
  const line = parseJson(text, true) as { body: unknown };
  assert.equal(JSON.stringify(exactly(line.body)), '{"seed":9223372036854775807}');
});

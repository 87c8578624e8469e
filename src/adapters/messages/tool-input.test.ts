import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ToolInputReader, toolInput } from './response.ts';

/** What is sent for arguments that come in these fragments. */
function sent(...fragments: string[]): string {
  const reader = new ToolInputReader();
  return fragments.map((fragment) => reader.take(fragment)).join('') + reader.end();
}

const cases: [string, string[], string][] = [
  ['an object in fragments', ['{"a', '":', '1}'], '{"a":1}'],
  ['braces and quotes within text', ['{"a":"}\\"', '{"}'], '{"a":"}\\"{"}'],
  ['an escape cut in two', ['{"a":"\\', '""}'], '{"a":"\\""}'],
  ['what is nested', ['{"a":[{"b":{}}]}'], '{"a":[{"b":{}}]}'],
  ['no argument as an empty object', [], '{}'],
  ['spaces alone as an empty object', [' ', '\n'], '{}'],
  ['null as an empty object', ['nul', 'l'], '{}'],
  ['an object without the spaces before it', [' \n', ' {}'], '{}'],
  ['nothing after the object', ['{"a":1} ', '}', '{"b":2}'], '{"a":1}'],
  ['an object that was cut short as it is', ['{"a":'], '{"a":'],
];
for (const [what, fragments, expected] of cases)
  test(`a reader sends ${what}`, () => {
    assert.equal(sent(...fragments), expected);
  });

test('a call is complete when its object is, or when there will be none', () => {
  const reader = new ToolInputReader();
  reader.take('{"a":{}');
  assert.equal(reader.whole, false);
  reader.take('}');
  assert.equal(reader.whole, true);
  const text = new ToolInputReader();
  text.take('"text"');
  assert.equal(text.whole, true);
});

test('the input of a complete answer is an object, empty where the model wrote none', () => {
  assert.deepEqual(toolInput('{"a":[1,"}"]} trailing'), { a: [1, '}'] });
  for (const none of ['', 'null', '[1]', '"text"', '{"a":', '{a:1}', '{]}'])
    assert.deepEqual(toolInput(none), {}, none);
});

test('however an object is divided into fragments, all of its JSON is sent', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(object, fc.array(fc.nat(200)), (value, cuts) => {
      const json = JSON.stringify(value);
      const places = [0, ...cuts.filter((cut) => cut < json.length).sort((a, b) => a - b), json.length];
      const fragments = places.slice(1).map((place, index) => json.slice(places[index], place));
      assert.equal(sent(...fragments), json);
      assert.deepEqual(toolInput(json), JSON.parse(json));
    }),
    { seed: 1, numRuns: 300 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accumulator, type ToolCall } from '#results/generation.ts';
import { BackendFault } from './malformed.ts';
import { ToolCallReader } from './tool-calls.ts';

/** The calls in these deltas, each a list of entries. */
function read(...deltas: object[][]): readonly ToolCall[] {
  const accumulator = new Accumulator();
  const reader = new ToolCallReader('call_made_', { emit: (event) => accumulator.add(event), keep: (text) => text });
  for (const delta of deltas) reader.read(delta);
  reader.end({ cut: false });
  const { toolCalls } = accumulator.generation();
  assert.equal(toolCalls.length, reader.opened);
  assert.equal(new Set(toolCalls.map((call) => call.id)).size, toolCalls.length);
  return toolCalls;
}

const entry = (own: object, name?: string | null, args?: unknown) => ({ ...own, function: { name, arguments: args } });
const call = (id: string, name: string, args: string): ToolCall => ({ id, name, arguments: args });

test('fragments of two calls may alternate', () => {
  const calls = read(
    [entry({ index: 0, id: 'a' }, 'f', '')],
    [entry({ index: 1, id: 'b' }, 'g', '{"y"')],
    [entry({ index: 0 }, undefined, '{"x"')],
    [entry({ index: 1 }, undefined, ':2}'), entry({ index: 0 }, undefined, ':1}')],
  );
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')]);
});

test('a different id on the same index is another call', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', '{}')], [entry({ index: 0, id: 'b' }, 'f', '{}')]);
  assert.deepEqual(calls, [call('a', 'f', '{}'), call('b', 'f', '{}')]);
});

test("after an index was reused its fragments belong to the newer call, unless they have the older one's id", () => {
  const calls = read(
    [entry({ index: 0, id: 'a' }, 'f', '1')],
    [entry({ index: 0, id: 'b' }, 'f', '2')],
    [entry({ index: 0 }, null, '3')],
    [entry({ index: 0, id: 'a' }, null, '4')],
  );
  assert.deepEqual(calls, [call('a', 'f', '14'), call('b', 'f', '23')]);
});

test('without an index calls are distinguished by their ids', () => {
  const calls = read(
    [entry({ id: 'a' }, 'f', '{"x"')],
    [entry({}, undefined, ':1}')],
    [entry({ id: 'b' }, 'f', '{"x"')],
    [entry({ id: 'b' }, undefined, ':2}')],
  );
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}'), call('b', 'f', '{"x":2}')]);
});

test('without index and id, entries of one delta are separate calls', () => {
  const calls = read([entry({}, 'f', '{"x":1}'), entry({}, 'f', '{"x":2}')]);
  assert.deepEqual(calls, [call('call_made_0', 'f', '{"x":1}'), call('call_made_1', 'f', '{"x":2}')]);
});

test('without index and id, a name after complete arguments starts another call', () => {
  const calls = read(
    [entry({}, 'f', '{"x":1}')],
    [entry({}, 'f', '{"x":2}')],
    [entry({}, 'g', '')],
    [entry({}, null, '{}')],
  );
  assert.deepEqual(calls, [
    call('call_made_0', 'f', '{"x":1}'),
    call('call_made_1', 'f', '{"x":2}'),
    call('call_made_2', 'g', '{}'),
  ]);
});

test('id and name repeated with every fragment are set once', () => {
  const calls = read(
    [entry({ index: 0, id: 'a' }, 'f', '{"x"')],
    [entry({ index: 0, id: 'a' }, 'f', ':')],
    [entry({ index: 0, id: '' }, 'f', '1')],
    [entry({ index: 0, id: null }, null, '}')],
  );
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}')]);
});

test('arguments wait for a late name', () => {
  const calls = read([entry({ index: 0, id: 'a' }, null, '{"x"')], [entry({ index: 0 }, 'f', ':1}')]);
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}')]);
});

test('an id that comes after the name still identifies its call', () => {
  const calls = read(
    [entry({ index: 0 }, 'f', '{"x"')],
    [entry({ index: 0, id: 'late' }, null, ':1')],
    [entry({ id: 'late' }, null, '}')],
  );
  assert.deepEqual(calls, [call('call_made_0', 'f', '{"x":1}')]);
});

test('of two calls with the same id on two indexes the second gets a generated id', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', '1'), entry({ index: 1, id: 'a' }, 'f', '2')]);
  assert.deepEqual(calls, [call('a', 'f', '1'), call('call_made_1', 'f', '2')]);
});

test('a generated id differs from those of the backend', () => {
  const calls = read([entry({ index: 0, id: 'call_made_1' }, 'f', ''), entry({ index: 1 }, 'g', '')]);
  assert.deepEqual(calls, [call('call_made_1', 'f', ''), call('call_made_1_', 'g', '')]);
});

test('arguments as an object are serialized once', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', { x: 1 })], [entry({ index: 0, id: 'a' }, 'f', { x: 1 })]);
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}')]);
});

test('arguments that are a text without an object stay as they are', () => {
  for (const written of ['"sea"', '"{\\"at\\"', '"7"', '"null"', '"{sea}"'])
    assert.deepEqual(read([entry({ index: 0, id: 'a' }, 'f', written)]), [call('a', 'f', written)]);
});

test('an entry that never gets a name is not a call', () => {
  assert.deepEqual(read([{ index: 0 }], [entry({ index: 0 }, '', '')]), []);
});

test('a surrogate pair may be split between two fragments', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', '"\ud83c')], [entry({ index: 0 }, null, '\udf0a"')]);
  assert.deepEqual(calls, [call('a', 'f', '"🌊"')]);
});

test('a name repeated while arguments are open starts no call, whatever brackets their strings contain', () => {
  const pieces = ['{"a":"}', '\\"}', '",', '"b":[', ']', '}'];
  const calls = read(...pieces.map((piece) => [entry({}, 'f', piece)]));
  assert.deepEqual(calls, [call('call_made_0', 'f', pieces.join(''))]);
});

test('entries of calls that never get a name are buffered up to a bound', () => {
  const nameless = Array.from({ length: 1_001 }, (_, index) => [entry({ index: index % 7 }, null, ' ')]);
  assert.equal(read(...nameless.slice(1)).length, 0);
  assert.throws(() => read(...nameless), BackendFault);
});

test('arguments that never get a call are a fault, unless the answer was cut', () => {
  const fault = /arguments came for a tool call without a name/;
  assert.throws(() => read([entry({ index: 0 }, null, '{"x":1}')]), fault);
  assert.throws(() => read([entry({ index: 0, id: 'a' }, '', '{')]), fault);
  const reader = new ToolCallReader('call_made_', { emit: () => assert.fail(), keep: (text) => text });
  reader.read([entry({ index: 0, id: 'a' }, '', '{')]);
  reader.end({ cut: true });
});

const calls: [name: string, deltas: object[][], expected: ToolCall[]][] = [
  [
    'arguments under another index belong to the last open call',
    [
      [entry({ index: 1, id: 'a' }, 'f', '')],
      [entry({ index: 0 }, null, '{"x"'), entry({ index: 0 }, null, ':1}')],
      [entry({ index: 2, id: 'b' }, 'g', '')],
      [entry({ index: 1 }, null, '{"y":')],
      [entry({ index: 1 }, null, '2}')],
    ],
    [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')],
  ],
  [
    'arguments that are all under the first index go to the call that has none',
    [
      [entry({ index: 0, id: 'a' }, 'f', '')],
      [entry({ index: 0 }, null, '{"x":1}')],
      [entry({ index: 1, id: 'b' }, 'g', null)],
      [entry({ index: 0 }, null, '{"y":2}')],
    ],
    [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')],
  ],
  [
    'the second call opens under the first index and continues under its own',
    [
      [entry({ index: 0, id: 'a' }, 'f', '{"x":1}')],
      [entry({ index: 0, id: 'b' }, 'g', '')],
      [entry({ index: 1 }, null, '{"y":2')],
      [entry({ index: 1 }, null, '}')],
    ],
    [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')],
  ],
  [
    'complete arguments that come again are dropped, in one piece or in several',
    [
      [entry({ index: 0, id: 'a' }, 'f', '{"x"')],
      [entry({ index: 0 }, null, ':1}')],
      [entry({ index: 0 }, null, '{"x":1}'), entry({ index: 0, id: 'a' }, 'f', '{"x":1}')],
      [entry({ index: 0 }, null, '{"x"'), entry({ index: 0 }, null, ':1}')],
      [entry({}, null, '{"x":1}')],
    ],
    [call('a', 'f', '{"x":1}')],
  ],
  [
    'a call without an id that comes again is the same, with other arguments it is another',
    [
      [entry({ index: 0 }, 'f', '{"x":1}')],
      [entry({ index: 0 }, 'f', '{"x":1}')],
      [entry({ index: 0 }, 'f', '{"x":2}')],
    ],
    [call('call_made_0', 'f', '{"x":1}'), call('call_made_1', 'f', '{"x":2}')],
  ],
  [
    'arguments that come twice in one fragment are taken once',
    [[entry({ index: 0, id: 'a' }, 'f', '{"x":1}{"x":1}')]],
    [call('a', 'f', '{"x":1}')],
  ],
  [
    'an empty object gives way to the real arguments',
    [
      [entry({ index: 0, id: 'a' }, 'f', '{}'), entry({ index: 1, id: 'b' }, 'g', {})],
      [entry({ index: 0 }, null, '{"x"'), entry({ index: 1, id: 'b' }, 'g', { y: 2 })],
      [entry({ index: 0 }, null, ':1}'), entry({ index: 2, id: 'c' }, 'h', ' { }{"z":3}')],
    ],
    [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}'), call('c', 'h', '{"z":3}')],
  ],
  [
    'an empty object alone is the arguments, whatever follows that is none',
    [[entry({ index: 0, id: 'a' }, 'f', '{}')], [entry({ index: 0 }, null, '\n')], [entry({ index: 0 }, null, '</s>')]],
    [call('a', 'f', '{}')],
  ],
  [
    'null gives way to the real arguments',
    [[entry({ index: 0, id: 'a' }, 'f', 'null')], [entry({ index: 0 }, null, '{"x":1}')], [entry({}, 'g', 'null')]],
    [call('a', 'f', '{"x":1}'), call('call_made_1', 'g', 'null')],
  ],
  [
    'arguments that are sent from their beginning each time are taken once',
    [
      [entry({ index: 0, id: 'a' }, 'f', '{')],
      [entry({ index: 0 }, null, '{"x"')],
      [entry({ index: 0 }, null, '{"x":{"y')],
      [entry({ index: 0 }, null, '{"x":{"y":1}}')],
    ],
    [call('a', 'f', '{"x":{"y":1}}')],
  ],
  [
    'an object within an object of the same form is no repetition',
    [
      [entry({ index: 0, id: 'a' }, 'f', '{"x":')],
      [entry({ index: 0 }, null, '{"x":1}')],
      [entry({ index: 0 }, null, '}')],
    ],
    [call('a', 'f', '{"x":{"x":1}}')],
  ],
  [
    'an id that is new in each delta starts no call',
    [
      [entry({ index: 0, id: 'a' }, 'f', '')],
      [entry({ index: 0, id: 'b' }, null, '{"x"')],
      [entry({ index: 0, id: 'c' }, '', ':1}')],
    ],
    [call('a', 'f', '{"x":1}')],
  ],
];
for (const [name, deltas, expected] of calls) test(name, () => assert.deepEqual(read(...deltas), expected));

test('one call may come without a list around it', () => {
  const accumulator = new Accumulator();
  const reader = new ToolCallReader('call_made_', { emit: (event) => accumulator.add(event), keep: (text) => text });
  reader.read(entry({ index: 0, id: '' }, 'f', '{"x"'));
  reader.read(entry({ index: 0, id: '' }, null, ':1}'));
  assert.equal(reader.complete, true);
  assert.deepEqual(accumulator.generation().toolCalls, [call('call_made_0', 'f', '{"x":1}')]);
});

test('many empty objects cost no more than their length', () => {
  assert.deepEqual(read([entry({ index: 0, id: 'a' }, 'f', '{}'.repeat(200_000))]), [call('a', 'f', '{}')]);
});

test('the cost of an entry does not grow with earlier calls and fragments', () => {
  const count = 50_000;
  const reader = new ToolCallReader('call_made_', { emit: () => {}, keep: (text) => text });
  const one = (index: number) => [entry({ index, id: `${index}` }, 'f', '')];
  for (let index = 0; index < count; index++) reader.read(one(index));
  for (let fragment = 0; fragment < count; fragment++) reader.read([entry({}, 'f', '{"x":')]);
  assert.equal(reader.opened, count);
});

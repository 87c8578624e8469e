import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accumulator, type ToolCall } from '#orders/generation.ts';
import { BackendFault } from './malformed.ts';
import { ToolCallReader } from './tool-calls.ts';

/** The calls in these deltas, each a list of entries. */
function read(...deltas: object[][]): readonly ToolCall[] {
  const accumulator = new Accumulator();
  const reader = new ToolCallReader('call_made_', (event) => accumulator.add(event));
  for (const delta of deltas) reader.read(delta);
  reader.end();
  const { toolCalls } = accumulator.generation();
  assert.equal(toolCalls.length, reader.opened);
  assert.equal(new Set(toolCalls.map((call) => call.id)).size, toolCalls.length);
  return toolCalls;
}

const entry = (own: object, name?: string | null, args?: unknown) => ({ ...own, function: { name, arguments: args } });
const call = (id: string, name: string, args: string): ToolCall => ({ id, name, arguments: args });

test('fragments of two calls may come in turns', () => {
  const calls = read(
    [entry({ index: 0, id: 'a' }, 'f', '')],
    [entry({ index: 1, id: 'b' }, 'g', '{"y"')],
    [entry({ index: 0 }, undefined, '{"x"')],
    [entry({ index: 1 }, undefined, ':2}'), entry({ index: 0 }, undefined, ':1}')],
  );
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')]);
});

test('another id on the same index is another call', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', '{}')], [entry({ index: 0, id: 'b' }, 'f', '{}')]);
  assert.deepEqual(calls, [call('a', 'f', '{}'), call('b', 'f', '{}')]);
});

test('after an index was reused its fragments belong to the newer call, unless they name the older', () => {
  const calls = read(
    [entry({ index: 0, id: 'a' }, 'f', '1')],
    [entry({ index: 0, id: 'b' }, 'f', '2')],
    [entry({ index: 0 }, null, '3')],
    [entry({ index: 0, id: 'a' }, null, '4')],
  );
  assert.deepEqual(calls, [call('a', 'f', '14'), call('b', 'f', '23')]);
});

test('without an index calls are told apart by their ids', () => {
  const calls = read(
    [entry({ id: 'a' }, 'f', '{"x"')],
    [entry({}, undefined, ':1}')],
    [entry({ id: 'b' }, 'f', '{"x"')],
    [entry({ id: 'b' }, undefined, ':2}')],
  );
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}'), call('b', 'f', '{"x":2}')]);
});

test('without index and id, entries of one delta are calls of their own', () => {
  const calls = read([entry({}, 'f', '{"x":1}'), entry({}, 'f', '{"x":2}')]);
  assert.deepEqual(calls, [call('call_made_0', 'f', '{"x":1}'), call('call_made_1', 'f', '{"x":2}')]);
});

test('without index and id, a name after whole arguments begins another call', () => {
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

test('id and name that are repeated with every fragment are set once', () => {
  const calls = read(
    [entry({ index: 0, id: 'a' }, 'f', '{"x"')],
    [entry({ index: 0, id: 'a' }, 'f', ':')],
    [entry({ index: 0, id: '' }, 'f', '1')],
    [entry({ index: 0, id: null }, null, '}')],
  );
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}')]);
});

test('arguments wait for a name that comes late', () => {
  const calls = read([entry({ index: 0, id: 'a' }, null, '{"x"')], [entry({ index: 0 }, 'f', ':1}')]);
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}')]);
});

test('an id that comes after the name finds its call again', () => {
  const calls = read(
    [entry({ index: 0 }, 'f', '{"x"')],
    [entry({ index: 0, id: 'late' }, null, ':1')],
    [entry({ id: 'late' }, null, '}')],
  );
  assert.deepEqual(calls, [call('call_made_0', 'f', '{"x":1}')]);
});

test('the same id on two indexes is given to the first and made up for the second', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', '1'), entry({ index: 1, id: 'a' }, 'f', '2')]);
  assert.deepEqual(calls, [call('a', 'f', '1'), call('call_made_1', 'f', '2')]);
});

test('a made-up id keeps clear of those that the backend gave', () => {
  const calls = read([entry({ index: 0, id: 'call_made_1' }, 'f', ''), entry({ index: 1 }, 'g', '')]);
  assert.deepEqual(calls, [call('call_made_1', 'f', ''), call('call_made_1_', 'g', '')]);
});

test('arguments as an object are written out once', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', { x: 1 })], [entry({ index: 0, id: 'a' }, 'f', { x: 1 })]);
  assert.deepEqual(calls, [call('a', 'f', '{"x":1}')]);
});

test('an entry that never gets a name is no call', () => {
  assert.deepEqual(read([{ index: 0 }], [entry({ index: 0 }, '', '')]), []);
});

test('a surrogate pair may be cut between two fragments', () => {
  const calls = read([entry({ index: 0, id: 'a' }, 'f', '"\ud83c')], [entry({ index: 0 }, null, '\udf0a"')]);
  assert.deepEqual(calls, [call('a', 'f', '"🌊"')]);
});

test('a name repeated with fragments of open arguments begins no call, whatever brackets their strings hold', () => {
  const pieces = ['{"a":"}', '\\"}', '",', '"b":[', ']', '}'];
  const calls = read(...pieces.map((piece) => [entry({}, 'f', piece)]));
  assert.deepEqual(calls, [call('call_made_0', 'f', pieces.join(''))]);
});

test('entries of calls that never get a name are kept up to a bound', () => {
  const nameless = Array.from({ length: 1_001 }, (_, index) => [entry({ index: index % 7 }, null, 'x')]);
  assert.equal(read(...nameless.slice(1)).length, 0);
  assert.throws(() => read(...nameless), BackendFault);
});

test('what an entry costs does not grow with the calls and fragments before it', () => {
  const count = 50_000;
  const reader = new ToolCallReader('call_made_', () => {});
  const one = (index: number) => [entry({ index, id: `${index}` }, 'f', '')];
  for (let index = 0; index < count; index++) reader.read(one(index));
  for (let fragment = 0; fragment < count; fragment++) reader.read([entry({}, 'f', '{"x":')]);
  assert.equal(reader.opened, count);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accumulator, contentOf, eventsOf, type GenerationEvent } from './generation.ts';

const spoken: GenerationEvent[] = [
  { type: 'reasoning-delta', text: 'think' },
  { type: 'reasoning-delta', text: 'ing' },
  { type: 'text-delta', text: 'Hel' },
  { type: 'tool-call', index: 0, id: 'a', name: 'first' },
  { type: 'tool-arguments-delta', index: 0, fragment: '{"x"' },
  { type: 'tool-call', index: 1, id: 'b', name: 'second' },
  { type: 'tool-arguments-delta', index: 1, fragment: '{}' },
  { type: 'tool-arguments-delta', index: 0, fragment: ':1}' },
  { type: 'text-delta', text: 'lo' },
  { type: 'logprobs', content: [1] },
  { type: 'logprobs', content: [2] },
  { type: 'finish', reason: 'stop', stopSequence: null },
];

function folded(events: readonly GenerationEvent[]) {
  const accumulator = new Accumulator();
  for (const event of events) accumulator.add(event);
  return accumulator;
}

test('fragments fold into one answer, interleaved calls apart and parts in the order they opened', () => {
  assert.deepEqual(folded(spoken).generation(), {
    text: 'Hello',
    reasoning: 'thinking',
    toolCalls: [
      { id: 'a', name: 'first', arguments: '{"x":1}' },
      { id: 'b', name: 'second', arguments: '{}' },
    ],
    parts: [
      { type: 'reasoning', length: 8 },
      { type: 'text', length: 3 },
      { type: 'tool-call', index: 0 },
      { type: 'tool-call', index: 1 },
      { type: 'text', length: 2 },
    ],
    logprobs: [1, 2],
    finishReason: 'tool_calls',
    stopSequence: null,
  });
});

test('the pieces of an answer are read in the order in which they began', () => {
  assert.deepEqual(contentOf(folded(spoken).generation()), [
    { type: 'reasoning', text: 'thinking' },
    { type: 'text', text: 'Hel' },
    { type: 'tool-call', index: 0, call: { id: 'a', name: 'first', arguments: '{"x":1}' } },
    { type: 'tool-call', index: 1, call: { id: 'b', name: 'second', arguments: '{}' } },
    { type: 'text', text: 'lo' },
  ]);
});

test('a generation that was read does not change when more events come', () => {
  const accumulator = folded([
    { type: 'text-delta', text: 'a' },
    { type: 'logprobs', content: [1] },
  ]);
  const early = accumulator.generation();
  accumulator.add({ type: 'text-delta', text: 'b' });
  accumulator.add({ type: 'logprobs', content: [2] });
  assert.deepEqual(contentOf(early), [{ type: 'text', text: 'a' }]);
  assert.deepEqual(early.logprobs, [1]);
});

test('the events of an answer fold into the same answer', () => {
  const generation = folded(spoken).generation();
  assert.deepEqual(folded(eventsOf(generation)).generation(), generation);
});

test('an answer that was cut short reads as stopped, and nothing at all is empty', () => {
  const none = folded([]);
  assert.equal(none.hasOutput, false);
  assert.deepEqual([none.generation().text, none.generation().finishReason], ['', 'stop']);
});

test('deltas and bytes are counted, a call that opens is a delta', () => {
  const accumulator = folded(spoken);
  assert.equal(accumulator.outputDeltas, 9);
  assert.equal(accumulator.outputBytes(), 'thinking'.length + 'Hello'.length + '{"x":1}'.length + '{}'.length);
  const opened = folded([{ type: 'tool-call', index: 0, id: 'a', name: 'f' }]);
  assert.deepEqual([opened.hasOutput, opened.outputDeltas], [true, 1]);
});

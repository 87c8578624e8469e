import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addBatch, batchesOf, cadenceOf, entriesOf, type LogEntry } from './event-log.ts';
import { Accumulator, type GenerationEvent } from './generation.ts';

const text = fc.string({ minLength: 1, maxLength: 60, unit: 'binary' });
const piece = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), text }),
  fc.record({ type: fc.constant('reasoning-delta' as const), text }),
  fc.record({ type: fc.constant('logprobs' as const), content: fc.array(fc.integer(), { maxLength: 40 }) }),
  fc.record({ type: fc.constant('call' as const), custom: fc.boolean() }),
  fc.record({ type: fc.constant('arguments' as const), which: fc.nat(), fragment: fc.string({ maxLength: 50 }) }),
);

/** Calls are opened in turn, and arguments belong to one of those that are open. */
function eventsFrom(pieces: readonly (typeof piece extends fc.Arbitrary<infer Piece> ? Piece : never)[]) {
  let calls = 0;
  return pieces.flatMap((one): GenerationEvent[] => {
    if (one.type === 'call') {
      const mark = one.custom ? { custom: true as const } : {};
      return [{ type: 'tool-call', index: calls++, id: `id ${calls}`, name: 'look_up', ...mark }];
    }
    if (one.type !== 'arguments') return [{ ...one }];
    if (calls === 0) return [];
    return [{ type: 'tool-arguments-delta', index: one.which % calls, fragment: one.fragment }];
  });
}

test('an answer and its cadence give the events that came, each and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 30 }), (batches) => {
      const entries: LogEntry[] = [];
      const output = new Accumulator();
      const events = eventsFrom(batches.flat());
      let at = 0;
      for (const { length } of batches) {
        const batch = events.slice(at, at + length);
        at += length;
        if (batch.length > 0) addBatch(entries, batch);
        else entries.push({ type: 'progress' });
        for (const event of batch) output.add(event);
      }
      assert.deepEqual([...entriesOf(output.generation(), cadenceOf(entries))], entries);
      const told = batchesOf(entries).filter((batch) => batch !== 'progress');
      assert.deepEqual(told.flat(), events.slice(0, at));
    }),
    { seed: 1 },
  );
});

test('a cadence costs about one character per token', () => {
  const entries: LogEntry[] = Array.from({ length: 1000 }, () => ({ type: 'text-delta', text: 'four' }));
  assert.equal(cadenceOf(entries).length, 1001);
});

test('logprobs that came alone stay apart from the text before them', () => {
  const entries: LogEntry[] = [];
  addBatch(entries, [{ type: 'text-delta', text: 'a' }]);
  addBatch(entries, [{ type: 'logprobs', content: [1] }]);
  assert.equal(batchesOf(entries).length, 2);
});

test('a cadence of another answer is refused', () => {
  const output = new Accumulator();
  output.add({ type: 'text-delta', text: 'tide' });
  for (const cadence of ['T3', 'T5', 'T4R1', 'A04', 'C0', '4', 'Tz', 'T!'])
    assert.throws(() => [...entriesOf(output.generation(), cadence)], /does not fit/, cadence);
});

test('a keepalive parts what came before and after it', () => {
  const entries: LogEntry[] = [];
  addBatch(entries, [{ type: 'text-delta', text: 'a' }]);
  entries.push({ type: 'progress' });
  addBatch(entries, [{ type: 'text-delta', text: 'b' }]);
  assert.equal(cadenceOf(entries), 'T1P1');
  assert.deepEqual(batchesOf(entries)[1], 'progress');
});

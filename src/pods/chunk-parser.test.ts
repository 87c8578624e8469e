import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backendStreams } from '#testing/backend-streams.ts';
import { ChunkParser } from './chunk-parser.ts';
import { BackendFault } from './malformed.ts';

/** Every chunk must read as JSON.parse reads it, whatever came before. */
function assertSame(lines: readonly string[]): void {
  const parser = new ChunkParser();
  for (const line of lines) assert.deepEqual(parser.parse(line), JSON.parse(line));
}

const chunk = (delta: object, rest: object = {}) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta, ...rest }] });

test('chunks that differ only in their text read correctly', () => {
  const texts = [
    'a',
    'b ',
    '"',
    '\\',
    '\n',
    '\\"',
    '"}',
    '',
    'a","content":"b',
    '🌊',
    '\ud83c',
    '\u2028',
    'sluice',
    'a',
  ];
  assertSame(texts.map((content) => chunk({ content })));
  assertSame(texts.map((content) => chunk({ reasoning_content: content })));
  assertSame(texts.map((args) => chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] })));
});

test('a text that also occurs elsewhere does not confuse the parser', () => {
  assertSame([chunk({ content: 'x' }), chunk({ content: 'y' })]);
  assertSame([chunk({ content: 'a' }, { id: 'a' }), chunk({ content: 'a' }, { id: 'b' }), chunk({ content: 'b' })]);
  assertSame(['a', 'b'].map((text) => chunk({ reasoning: text, content: text })));
  assertSame(['a', 'b'].map((text) => `{"choices":[{"delta":{"content":"${text}","content":"a"}}]}`));
});

test('a chunk that changes more than the text is parsed in full', () => {
  assertSame([
    chunk({ content: 'a' }),
    chunk({ content: 'b' }, { finish_reason: 'stop' }),
    chunk({ content: 'c' }, { usage: { prompt_tokens: 1 } }),
    chunk({}),
    'null',
    '7',
    '[]',
    chunk({ content: 'd' }),
  ]);
});

test('invalid JSON is a fault, even within a known template', () => {
  const parser = new ChunkParser();
  parser.parse(chunk({ content: 'a' }));
  for (const inside of ['"', '\\', '\n', '\t', '\\x', 'a"b', '\u0000'])
    assert.throws(() => parser.parse(chunk({ content: '@' }).replace('@', () => inside)), BackendFault, inside);
});

test('recorded streams and chunks with any text read as JSON.parse reads them', () => {
  for (const { text } of backendStreams)
    assertSame([...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data = '']) => data));
  const texts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), { maxLength: 6 });
  const deltas = fc.constantFrom('content', 'reasoning', 'other');
  fc.assert(
    fc.property(texts, deltas, (all, name) => assertSame(all.map((one) => chunk({ [name]: one })))),
    { seed: 1 },
  );
});

test('raw string content within a known template is read or rejected as JSON.parse does', () => {
  const inside = fc.string({ unit: fc.constantFrom('"', '\\', 'u', '0', 'a', ':', ',', '}', '{', '\n', '\u007f') });
  fc.assert(
    fc.property(inside, (raw) => {
      const parser = new ChunkParser();
      parser.parse(chunk({ content: 'a' }));
      const data = chunk({ content: '@' }).replace('@', () => raw);
      let expected: unknown;
      try {
        expected = JSON.parse(data);
      } catch {
        assert.throws(() => parser.parse(data), BackendFault);
        return;
      }
      assert.deepEqual(parser.parse(data), expected);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

/** What a stream of a response repeats of its request: the same bytes on the wire, whether it is left out of the texts or not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactJson } from '#base/exact-json.ts';
import { Fault } from '#base/fault.ts';
import { piecesOf, REPEATED } from '#base/repeated-bytes.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { NumberedStream } from '../common/numbered-stream.ts';
import type { StreamEncoder } from '../common/wire-shape.ts';
import { openStream } from '../common/wire-shape.ts';
import { responsesShape } from '../shapes.ts';
import { defaultEcho, endedResponse, type ResponseEcho, responseObject } from './response.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const EVENTS: GenerationEvent[] = [
  { type: 'text-delta', text: 'Ebb \0\n\n🌊' },
  { type: 'finish', reason: 'stop', stopSequence: null },
];
const answer = cannedAnswer({ name: 'own', batches: [EVENTS] });
const NASTY = 'Größe 🌊 \ud800 \0 \u2028\n\ndata: "x"\\';
const METADATA = '{"id":9223372036854775807,"ratio":0.10000000000000000001,"__proto__":1e999,"2":-0}';
const echo = { ...defaultEcho, instructions: NASTY, metadata: exactJson(METADATA) } as ResponseEcho;

const opened = (repeated: ResponseEcho | Uint8Array) =>
  openStream(responsesShape, { order: FACTS, echo: repeated, requestId: '' });
const jsonOf = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)));

/** The bytes that are written for a text. */
function written(text: string, repeated: Uint8Array | undefined): Buffer {
  if (!repeated) return Buffer.from(text);
  return Buffer.concat(piecesOf(text, repeated).map((piece) => Buffer.from(piece as string)));
}

/** Every text of a stream, with each of its ends. */
function texts(stream: StreamEncoder, end: 'done' | 'error'): string[] {
  const fault = new Fault('backend_error');
  return [
    ...[stream.open(), stream.keepalive(), stream.keepalive(), stream.events(EVENTS.slice(0, 1)), stream.keepalive()],
    ...[stream.events(EVENTS.slice(1)), stream.progress?.() ?? ''],
    stream.ended(end === 'done' ? { status: 'done', answer } : { status: 'error', fault }),
  ];
}

test('an echo in JSON is left out of the texts, and the bytes on the wire are the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.constantFrom('done', 'error'), (text, value, end) => {
      const repeated = { ...echo, instructions: NASTY + text, tools: [value] } as ResponseEcho;
      const [whole, parted] = [opened(repeated), opened(jsonOf(repeated))];
      const expected = texts(whole, end);
      assert.equal(whole.repeated, undefined);
      for (const [index, left] of texts(parted, end).entries())
        assert.deepEqual(written(left, parted.repeated), Buffer.from(expected[index] ?? ''));
    }),
    { seed: 1 },
  );
});

test('an event with it is the JSON of the whole response, with numbers as they were sent', () => {
  const stream = opened(jsonOf(echo));
  stream.open();
  stream.keepalive();
  const wire = (text: string) => written(text, stream.repeated).toString();
  const event = (type: string, sequence_number: number, response: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, response })}\n\n`;
  const progress = event('response.in_progress', 2, responseObject(FACTS, echo, {}));
  assert.equal(wire(stream.keepalive()), `: queued ${CANNED_ORDER}\n${progress}`);
  assert.ok(progress.includes('"id":9223372036854775807,"ratio":0.10000000000000000001,"__proto__":1e999'));
  const completed = endedResponse(FACTS, answer, { echo, output: [] });
  assert.equal(wire(stream.ended({ status: 'done', answer })), event('response.completed', 3, completed));
});

test('it is the bytes that were given, not a copy of them', () => {
  const json = jsonOf(echo);
  assert.ok(opened(json).repeated?.buffer === json.buffer);
});

test('no text but those of the response itself has a mark, whatever the model writes', () => {
  const stream = opened(jsonOf(echo));
  assert.equal(stream.open().split(REPEATED).length, 3);
  assert.equal(stream.keepalive(), `: queued ${CANNED_ORDER}\n`);
  assert.ok(!stream.events(EVENTS).includes(REPEATED));
  assert.equal(stream.pulse?.(), ': generating\n');
  assert.equal(stream.keepalive().split(REPEATED).length, 2);
});

test('its events have the same numbers, and any tail of them can be had', () => {
  const told = (repeated: ResponseEcho | Uint8Array, after: number) => {
    const stream = new NumberedStream(opened(repeated), { after, ids: true });
    const text = stream.open() + stream.progress() + stream.events(EVENTS) + stream.ended({ status: 'done', answer });
    return { count: stream.count, wire: written(text, stream.repeated).toString() };
  };
  const { count } = told(echo, -1);
  for (let after = -1; after < count; after++) assert.deepEqual(told(jsonOf(echo), after), told(echo, after));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '#base/fault.ts';
import { checkMessagesStream } from '#conformance/streams/messages-stream-checker.ts';
import type { FinishReason, GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { renderMessage } from './response.ts';
import { MessageStream } from './stream.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const open = () => new MessageStream(FACTS, 'request-1');
const frame = (type: string, fields = '') => `event: ${type}\ndata: {"type":"${type}"${fields}}\n\n`;
const started = (index: number, block: string) =>
  frame('content_block_start', `,"index":${index},"content_block":${block}`);
const delta = (index: number, type: string, field: string, text: string) =>
  frame('content_block_delta', `,"index":${index},"delta":{"type":"${type}","${field}":${JSON.stringify(text)}}`);
const stopped = (index: number) => frame('content_block_stop', `,"index":${index}`);

const text = (value: string): GenerationEvent => ({ type: 'text-delta', text: value });
const reasoning = (value: string): GenerationEvent => ({ type: 'reasoning-delta', text: value });
const call = (index: number): GenerationEvent => ({ type: 'tool-call', index, id: `call_${index}`, name: 'look' });
const args = (index: number, fragment: string): GenerationEvent => ({ type: 'tool-arguments-delta', index, fragment });
const finish = (reason: FinishReason = 'stop', stopSequence: string | null = null): GenerationEvent => ({
  type: 'finish',
  reason,
  stopSequence,
});
const TEXT = '{"type":"text","text":""}';
const tool = (index: number) => `{"type":"tool_use","id":"call_${index}","name":"look","input":{}}`;
const json = (index: number, part: string) => delta(index, 'input_json_delta', 'partial_json', part);

/** The complete stream of these events, each in a batch of its own. */
function whole(events: readonly GenerationEvent[]): string {
  const stream = open();
  const answer = cannedAnswer({ name: '', batches: [events] });
  const output = events.map((event) => stream.events([event]) + stream.keepalive());
  return stream.open() + output.join('') + stream.ended({ status: 'done', answer });
}

test('message_start comes at once, with the estimate instead of the counts', () => {
  assert.equal(
    open().open(),
    frame(
      'message_start',
      `,"message":{"id":"msg_${CANNED_ORDER}","type":"message","role":"assistant","model":"tide-70b","content":[],` +
        '"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":0,' +
        '"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}',
    ),
  );
});

test('the keepalive is a ping', () => {
  assert.equal(open().keepalive(), 'event: ping\ndata: {"type":"ping"}\n\n');
});

test('a stream of text has these frames', () => {
  const stream = open();
  stream.open();
  const said = stream.events([text('Hi "you"\n'), text('!')]);
  assert.equal(
    said,
    started(0, TEXT) + delta(0, 'text_delta', 'text', 'Hi "you"\n') + delta(0, 'text_delta', 'text', '!'),
  );
  assert.equal(stream.events([finish('length'), { type: 'logprobs', content: [1] }]), '');
  const end = stream.ended({ status: 'done', answer: cannedAnswer({ name: '', batches: [[finish('length')]] }) });
  const counts = '"input_tokens":300,"output_tokens":50,"cache_creation_input_tokens":0,"cache_read_input_tokens":700';
  const accounted = `event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{${counts},"x_market":{`;
  assert.ok(end.startsWith(stopped(0) + accounted), end);
  assert.ok(end.endsWith(`}}}\n\n${frame('message_stop')}`), end);
});

test('thinking is signed and closed before text opens', () => {
  const said = open().events([reasoning('Hm'), text('a')]);
  const [, signature = ''] = /"signature":"([^"]+)"/.exec(said) ?? [];
  assert.equal(
    said,
    started(0, '{"type":"thinking","thinking":"","signature":""}') +
      delta(0, 'thinking_delta', 'thinking', 'Hm') +
      delta(0, 'signature_delta', 'signature', signature) +
      stopped(0) +
      started(1, TEXT) +
      delta(1, 'text_delta', 'text', 'a'),
  );
});

test('thinking after text is another block', () => {
  const { content } = checkMessagesStream(whole([reasoning('a'), text('b'), reasoning('c'), text('d'), finish()]));
  assert.deepEqual(
    content.map((block) => (block.type === 'thinking' ? block.thinking : block.type === 'text' && block.text)),
    ['a', 'b', 'c', 'd'],
  );
});

test('a call is closed as soon as its input is complete', () => {
  const said = open().events([call(0), args(0, '{"a"'), args(0, ':1} '), args(0, '}')]);
  assert.equal(said, started(0, tool(0)) + json(0, '{"a"') + json(0, ':1}') + stopped(0));
});

test('a call without arguments has an empty input', () => {
  const said = whole([call(0), finish('tool_calls')]);
  assert.ok(said.includes(started(0, tool(0))));
  assert.ok(said.includes(json(0, '{}') + stopped(0)));
});

test('events of later blocks wait for the open call, and come in the order in which the blocks began', () => {
  const stream = open();
  assert.equal(stream.events([call(0), args(0, '{')]), started(0, tool(0)) + json(0, '{'));
  assert.equal(stream.events([call(1), args(1, '{"b":'), text('and'), call(2), text('so'), args(1, '2}')]), '');
  assert.equal(stream.events([text(' on'), args(2, '{}')]), '');
  assert.equal(
    stream.events([args(0, '}')]),
    json(0, '}') +
      stopped(0) +
      started(1, tool(1)) +
      json(1, '{"b":') +
      json(1, '2}') +
      stopped(1) +
      started(2, TEXT) +
      delta(2, 'text_delta', 'text', 'and') +
      stopped(2) +
      started(3, tool(2)) +
      json(3, '{}') +
      stopped(3) +
      started(4, TEXT) +
      delta(4, 'text_delta', 'text', 'so') +
      delta(4, 'text_delta', 'text', ' on'),
  );
});

test('held events are written when the generation ends', () => {
  const { content } = checkMessagesStream(
    whole([call(0), call(1), args(1, '{"b":2}'), text('!'), finish('tool_calls')]),
  );
  assert.deepEqual(content, [
    { type: 'tool_use', id: 'call_0', name: 'look', input: {} },
    { type: 'tool_use', id: 'call_1', name: 'look', input: { b: 2 } },
    { type: 'text', text: '!' },
  ]);
});

test('an input that the output cap cut off ends as it is, with max_tokens', () => {
  const { content, stopReason } = checkMessagesStream(whole([call(0), args(0, '{"a":"b'), finish('length')]));
  assert.deepEqual(
    [content, stopReason],
    [[{ type: 'tool_use', id: 'call_0', name: 'look', input: null }], 'max_tokens'],
  );
});

test('the stop sequence that ended the answer is named', () => {
  const { stopReason, stopSequence } = checkMessagesStream(whole([text('a'), finish('stop', 'END')]));
  assert.deepEqual([stopReason, stopSequence], ['stop_sequence', 'END']);
});

test('an order that fails ends with one error event that names the request, and nothing more', () => {
  const stream = open();
  stream.events([call(0), args(0, '{'), text('held')]);
  const fault = new Fault('backend_error', { message: 'It broke.' });
  assert.equal(
    stream.ended({ status: 'error', fault }),
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"It broke.","code":"backend_error"},"request_id":"request-1"}\n\n',
  );
});

/** Generations: blocks of any kind, their events interleaved, but those of each block in order. */
const inputs = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value)),
  fc.constant(''),
);
const broken = fc.oneof(inputs, fc.string(), fc.constantFrom('{"a":', '{}}', 'null', '[1]', '{a}', '{"a":1}{"b":2}'));
const pieces = (json: fc.Arbitrary<string>) => fc.tuple(json, fc.nat(6)).map(([whole, size]) => cut(whole, size + 1));
const generations = (json: fc.Arbitrary<string>) =>
  fc
    .record({
      order: fc.array(fc.nat(99), { maxLength: 40 }),
      calls: fc.array(pieces(json), { maxLength: 4 }),
      texts: fc.array(fc.tuple(fc.boolean(), fc.string({ minLength: 1 })), { maxLength: 8 }),
      reason: fc.constantFrom<FinishReason>('stop', 'length', 'tool_calls', 'content_filter'),
    })
    .map(({ order, calls, texts, reason }): GenerationEvent[] => {
      const said = texts.map(([thought, value]) => [thought ? reasoning(value) : text(value)]);
      const called = calls.map((fragments, index) => [call(index), ...fragments.map((part) => args(index, part))]);
      return [...shuffled([...called, ...said], order), finish(reason)];
    });

function cut(whole: string, size: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from < whole.length; from += size) parts.push(whole.slice(from, from + size));
  return parts;
}

/** Merges lists, taking from the list at each index of `order`; calls begin in the order of their indices. */
function shuffled(lists: GenerationEvent[][], order: readonly number[]): GenerationEvent[] {
  const left = lists.filter((list) => list.length > 0).map((list) => [...list]);
  const events: GenerationEvent[] = [];
  for (let turn = 0; left.length > 0; turn++) {
    const place = (order[turn] ?? 0) % left.length;
    const begun = left.findIndex((list) => list[0]?.type === 'tool-call');
    const chosen = left[place]?.[0]?.type === 'tool-call' ? begun : place;
    const event = left[chosen]?.shift();
    if (event) events.push(event);
    if (left[chosen]?.length === 0) left.splice(chosen, 1);
  }
  return events;
}

test('whatever a model writes in whatever order, the stream is complete and says the same as the message', () => {
  fc.assert(
    fc.property(generations(inputs), (events) => {
      const stream = checkMessagesStream(whole(events));
      const message = renderMessage(FACTS, cannedAnswer({ name: '', batches: [events] }));
      assert.deepEqual(stream.content, message.content);
      assert.equal(stream.stopReason, message.stop_reason);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('arguments that are not JSON break nothing else, and a failure ends any stream', () => {
  fc.assert(
    fc.property(generations(broken), fc.nat(30), (events, from) => {
      checkMessagesStream(whole(events), { brokenInputs: true });
      const stream = open();
      const begun = stream.open() + stream.events(events.slice(0, from));
      const failed = checkMessagesStream(begun + stream.ended({ status: 'error', fault: new Fault('backend_error') }));
      assert.deepEqual([failed.error?.code, failed.requestId], ['backend_error', 'request-1']);
    }),
    { seed: 1, numRuns: 500 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { checkResponsesStream } from '#conformance/streams/responses-stream-checker.ts';
import { eventsOf, type GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer, cannedReceipt } from '#testing/canned-generations.ts';
import { defaultEcho, renderResponse } from './response.ts';
import { ResponseStream } from './stream.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const QUEUED = `: queued ${CANNED_ORDER}\n`;

const says = (text: string): GenerationEvent => ({ type: 'text-delta', text });
const thinks = (text: string): GenerationEvent => ({ type: 'reasoning-delta', text });
const calls = (index: number, id: string): GenerationEvent => ({ type: 'tool-call', index, id, name: 'look' });
const patches = (index: number): GenerationEvent => ({
  type: 'tool-call',
  index,
  id: `p${index}`,
  name: 'patch',
  custom: true,
});
const writes = (index: number, fragment: string): GenerationEvent => ({
  type: 'tool-arguments-delta',
  index,
  fragment,
});
const stops = (reason: 'stop' | 'length' | 'tool_calls' | 'content_filter'): GenerationEvent => ({
  type: 'finish',
  reason,
  stopSequence: null,
});

const open = () => new ResponseStream(FACTS, defaultEcho);

/** The complete stream of these events, each in a batch of its own. */
function streamed(...events: GenerationEvent[]) {
  const stream = open();
  const output = [stream.open() + stream.keepalive(), ...events.map((event) => stream.events([event]))];
  const answer = cannedAnswer({ name: '', batches: [events] });
  return checkResponsesStream(output.join('') + stream.ended({ status: 'done', answer }));
}

const TEXT = ['response.output_item.added', 'response.content_part.added', 'response.output_text.delta'];
const TEXT_DONE = ['response.output_text.done', 'response.content_part.done', 'response.output_item.done'];
const THOUGHT = [
  TEXT[0],
  TEXT[1],
  'response.reasoning_text.delta',
  'response.reasoning_text.done',
  ...TEXT_DONE.slice(1),
];
const CALL = ['response.output_item.added', 'response.function_call_arguments.delta'];
const CUSTOM = ['response.output_item.added', 'response.custom_tool_call_input.delta'];
const CUSTOM_DONE = ['response.custom_tool_call_input.done', 'response.output_item.done'];
const CALL_DONE = ['response.function_call_arguments.done', 'response.output_item.done'];

/** [what, events, the types between the opening and the end] */
const orders: [string, GenerationEvent[], (string | undefined)[]][] = [
  ['text', [says('a'), says('b'), stops('stop')], [...TEXT, 'response.output_text.delta', ...TEXT_DONE]],
  [
    'reasoning, closed before the text opens',
    [thinks('a'), says('b'), stops('stop')],
    [...THOUGHT, ...TEXT, ...TEXT_DONE],
  ],
  ['a call', [calls(0, 'a'), writes(0, '{}'), stops('tool_calls')], [...CALL, ...CALL_DONE]],
  [
    'text and two calls at the same time',
    [says('a'), calls(0, 'a'), calls(1, 'b'), writes(1, '{}'), writes(0, '{}'), stops('tool_calls')],
    [...TEXT, ...TEXT_DONE, ...CALL, ...CALL_DONE, ...CALL, ...CALL_DONE],
  ],
  [
    'a call without arguments, which gets an empty object',
    [calls(0, 'a'), stops('tool_calls')],
    [...CALL, ...CALL_DONE],
  ],
  [
    'a call of a custom tool, whose input comes whole',
    [patches(0), writes(0, '{"input":"*** Be'), writes(0, 'gin"}'), stops('tool_calls')],
    [...CUSTOM, ...CUSTOM_DONE],
  ],
  [
    'a call of a custom tool without an input',
    [patches(0), writes(0, '{}'), calls(1, 'a'), writes(1, '{}'), stops('tool_calls')],
    ['response.output_item.added', ...CUSTOM_DONE, ...CALL, ...CALL_DONE],
  ],
  ['nothing', [stops('stop')], []],
  ['log probabilities, which have no event', [{ type: 'logprobs', content: [{}] }, stops('stop')], []],
];
for (const [what, events, between] of orders)
  test(`the events of ${what} come in this order`, () => {
    const opening = ['response.created', 'response.in_progress'];
    assert.deepEqual(streamed(...events).types, [...opening, ...between, 'response.completed']);
  });

test('reasoning, text and two calls have the output indexes 0 to 3, and the end repeats them', () => {
  const { output } = streamed(thinks('a'), says('b'), calls(0, 'x'), calls(1, 'y'), stops('tool_calls'));
  const ids = [`rs_${CANNED_ORDER}`, `msg_${CANNED_ORDER}`, `fc_${CANNED_ORDER}_0`, `fc_${CANNED_ORDER}_1`];
  assert.deepEqual(
    output.map(({ id }) => id),
    ids,
  );
});

test('an item that the model begins within a call waits until the call is complete, and loses nothing', () => {
  const stream = open();
  const text = (...events: GenerationEvent[]) => stream.events(events);
  const begun = stream.open() + text(calls(0, 'a'), writes(0, '{"x":'));
  assert.equal(text(calls(1, 'b'), writes(1, '{"y"'), says('And'), writes(1, ':2}')), '');
  const sign = stream.keepalive();
  const rest = text(writes(0, '"}"}')) + text(says('.'), calls(2, 'c'), writes(2, '[]'), writes(2, ' '));
  const end = stream.ended({ status: 'done', answer: cannedAnswer({ name: '', batches: [[stops('tool_calls')]] }) });
  const { output, types } = checkResponsesStream(begun + sign + rest + end);
  assert.partialDeepStrictEqual(output, [
    { call_id: 'a', arguments: '{"x":"}"}' },
    { call_id: 'b', arguments: '{"y":2}' },
    { content: [{ text: 'And.' }] },
    { call_id: 'c', arguments: '[] ' },
  ]);
  assert.equal(types.filter((type) => type === 'response.output_item.done').length, 4);
});

test('calls that the cap cut off within each other are both incomplete, a complete one is not', () => {
  const { output } = streamed(
    ...[calls(0, 'a'), writes(0, '{"x'), calls(1, 'b'), writes(1, '{}'), calls(2, 'c'), writes(2, '{')],
    stops('length'),
  );
  assert.deepEqual(
    output.map(({ status }) => status),
    ['incomplete', 'completed', 'incomplete'],
  );
});

test('the end has usage and receipt', () => {
  assert.deepEqual(streamed(says('a'), stops('stop')).usage?.x_market, cannedReceipt);
});

test('the output cap ends with response.incomplete, with its reason and usage', () => {
  const { types, usage, response, output } = streamed(says('a'), stops('length'));
  assert.equal(types.at(-1), 'response.incomplete');
  assert.deepEqual(response.incomplete_details, { reason: 'max_output_tokens' });
  assert.ok(usage);
  assert.equal(output[0]?.status, 'incomplete');
});

test('a content filter ends with response.incomplete too', () => {
  assert.deepEqual(streamed(says('a'), stops('content_filter')).response.incomplete_details, {
    reason: 'content_filter',
  });
});

test('a call that the cap cut off keeps its arguments so far', () => {
  const { output } = streamed(calls(0, 'a'), writes(0, '{"x'), stops('length'));
  assert.partialDeepStrictEqual(output, [{ status: 'incomplete', arguments: '{"x' }]);
});

test('a stream opens with two events, and the comment that follows at once repeats neither', () => {
  const stream = open();
  assert.match(stream.open(), /^event: response.created\n(.*)\n\nevent: response.in_progress\n(.*)\n\n$/);
  assert.equal(stream.keepalive(), QUEUED);
});

test('while an order waits, the keepalive is a comment and an empty response in progress', () => {
  const stream = open();
  stream.open();
  stream.keepalive();
  const sign = stream.keepalive();
  assert.ok(sign.startsWith(`${QUEUED}event: response.in_progress\n`));
  assert.match(sign, /"sequence_number":2,/);
  assert.match(sign, /"output":\[\]/);
});

test('while the model writes, the keepalive has the complete output so far', () => {
  const stream = open();
  const opening = stream.open() + stream.keepalive();
  const begun = stream.events([thinks('Hm'), says('Hel'), says('lo'), calls(0, 'a'), writes(0, '{"x')]);
  const sign = stream.keepalive();
  assert.doesNotMatch(sign, /^:/);
  const { response } = JSON.parse(sign.slice(sign.indexOf('{')));
  assert.partialDeepStrictEqual(response.output, [
    { content: [{ text: 'Hm' }], status: 'completed' },
    { content: [{ text: 'Hello' }], status: 'completed' },
    { arguments: '{"x', status: 'in_progress' },
  ]);
  const answer = cannedAnswer({ name: '', batches: [] });
  const whole = checkResponsesStream(opening + begun + sign + stream.ended({ status: 'done', answer }));
  assert.equal(whole.signsOfLife, 1);
});

/** [fault, the code in the stream] */
const failures: [FaultCode, string][] = [
  ['rate_limit_error', 'rate_limit_exceeded'],
  ['capacity_unavailable', 'rate_limit_exceeded'],
  ['order_expired', 'order_expired'],
  ['insufficient_balance', 'insufficient_quota'],
  ['model_refused', 'invalid_prompt'],
  ['order_canceled', 'order_canceled'],
  ['internal_error', 'server_error'],
  ['settlement_uncertain', 'server_error'],
  ['backend_error', 'server_error'],
  ['unavailable', 'server_error'],
];
// Spec 6.3-13
for (const [code, inBand] of failures)
  test(`${code} is ${inBand} in one response.failed, and nothing follows`, () => {
    const stream = open();
    const text = stream.open() + stream.ended({ status: 'error', fault: new Fault(code, { message: 'It broke.' }) });
    const { status, error, usage, output } = checkResponsesStream(text);
    assert.deepEqual([status, usage, output], ['failed', null, []]);
    assert.deepEqual(error, { code: inBand, message: 'It broke.' });
  });

test('a failure after output has the output so far', () => {
  const stream = open();
  const text = stream.open() + stream.events([says('Hel')]);
  const end = stream.ended({ status: 'error', fault: new Fault('backend_error') });
  assert.partialDeepStrictEqual(checkResponsesStream(text + end).output, [{ content: [{ text: 'Hel' }] }]);
});

test('two streams number their events separately', () => {
  const [one, other] = [open(), open()];
  assert.equal(one.open(), other.open());
});

test('the input of a custom tool is the same in a stream, in the object and in a stream of the stored answer', () => {
  for (const text of ['{"input":"*** Begin"}', '{}', '', '*** Begin', '{"input":"cut'])
    for (const reason of ['tool_calls', 'length'] as const) {
      const written = text === '' ? [] : [writes(0, text)];
      const events = [says('Now.'), patches(0), ...written, stops(reason)];
      const { output } = streamed(...events);
      const answer = cannedAnswer({ name: '', batches: [events] });
      assert.deepEqual(renderResponse(FACTS, answer, null).output, output);
      assert.deepEqual(streamed(...eventsOf(answer.generation)).output, output);
      assert.partialDeepStrictEqual(output[1], {
        id: `ctc_${CANNED_ORDER}_0`,
        type: 'custom_tool_call',
        call_id: 'p0',
        name: 'patch',
      });
    }
});

test('an input that is being written is not shown yet', () => {
  const stream = open();
  const opening = stream.open() + stream.keepalive();
  const begun = opening + stream.events([patches(0), writes(0, '{"input":"*** Be')]) + stream.keepalive();
  const rest = stream.events([writes(0, 'gin"}')]);
  const events = [patches(0), writes(0, '{"input":"*** Begin"}'), stops('tool_calls')];
  const end = stream.ended({ status: 'done', answer: cannedAnswer({ name: '', batches: [events] }) });
  const { output, signsOfLife } = checkResponsesStream(begun + rest + end);
  assert.deepEqual([signsOfLife, output[0]?.input], [1, '*** Begin']);
});

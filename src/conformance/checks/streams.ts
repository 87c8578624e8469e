/** Checks of streams: each is read event by event, as the contract tests read it. */
import assert from 'node:assert/strict';
import { checkChatStream, checkCompletionStream } from '../streams/chat-stream-checker.ts';
import { checkMessagesStream } from '../streams/messages-stream-checker.ts';
import { checkResponsesStream } from '../streams/responses-stream-checker.ts';
import { check, countIn, isEqual, marketCheck, objectIn, streamOf } from './check.ts';
import type { Gateway, Json } from './gateway.ts';

const stream = true;
const include_usage = { stream_options: { include_usage: true } };

const chat = (gateway: Gateway) => gateway.once('chat stream', () => gateway.chat({ stream }));
const counted = (gateway: Gateway) => gateway.once('counted stream', () => gateway.chat({ stream, ...include_usage }));
const completion = (gateway: Gateway) => gateway.once('completion stream', () => gateway.completion({ stream }));
const response = (gateway: Gateway) => gateway.once('response stream', () => gateway.response({ stream }));
const message = (gateway: Gateway) => gateway.once('message stream', () => gateway.message({ stream }));

/** The data of the events of a stream, and their names. */
const eventsOf = (text: string) =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => ({
    name,
    data: JSON.parse(data ?? '') as Json,
  }));

/** Names of events, each once where it is repeated. */
const orderOf = (text: string, ...skipped: readonly string[]) =>
  eventsOf(text)
    .map(({ name }) => name)
    .filter((name, at, all) => name !== all[at - 1] && !skipped.includes(String(name)));

export const streams = [
  check('4.2-46 6.2-1', 'chat: chunks in order, one finish, [DONE]', async (gateway) => {
    const { error, finishReason } = checkChatStream(streamOf(await chat(gateway)));
    assert.equal(error, null);
    assert.ok(finishReason);
  }),
  check('4.2-6', 'chat: a stream has the type text/event-stream', async (gateway) =>
    assert.match(streamOf(await chat(gateway)), /^data: \{/m, 'there are no events'),
  ),
  check('6.2-1', 'chat: the last line of a stream is [DONE]', async (gateway) =>
    assert.match(streamOf(await chat(gateway)), /\ndata: \[DONE\]\n\n$/),
  ),
  check('4.2-8 6.2-1', 'chat: usage in a chunk of its own when asked for, and not otherwise', async (gateway) => {
    assert.equal(checkChatStream(streamOf(await chat(gateway))).usage, null);
    const { usage } = checkChatStream(streamOf(await counted(gateway)));
    assert.ok(countIn(usage ?? {}, 'completion_tokens') > 0);
  }),
  marketCheck('4.2-8 2.9-1', 'chat: the usage chunk has the receipt', async (gateway) => {
    const { usage } = checkChatStream(streamOf(await counted(gateway)));
    countIn(objectIn(usage, 'x_market'), 'charged_usd');
  }),
  marketCheck('4.1-12', 'chat: a stream names its order in x-service-order-id', async (gateway) => {
    const { usage } = checkChatStream(streamOf(await counted(gateway)));
    const { headers } = await counted(gateway);
    isEqual(objectIn(usage, 'x_market'), 'order_id', headers.get('x-service-order-id'));
  }),
  check('4.2-9', 'chat: the finish of a stream that is cut is length', async (gateway) => {
    const answer = await gateway.chat({ stream, max_tokens: 1 });
    assert.equal(checkChatStream(streamOf(answer)).finishReason, 'length');
  }),
  check('4.3-11', 'completions: chunks of text, one finish, [DONE]', async (gateway) => {
    const { error, text } = checkCompletionStream(streamOf(await completion(gateway)));
    assert.equal(error, null);
    assert.ok(text);
  }),
  check('4.3-11', 'completions: usage in a chunk of its own when asked for', async (gateway) => {
    const { usage } = checkCompletionStream(streamOf(await gateway.completion({ stream, ...include_usage })));
    assert.ok(countIn(usage ?? {}, 'completion_tokens') > 0);
  }),
  check(
    '4.4-29 6.3-1',
    'responses: events numbered without a gap, each item from added to done, one end that repeats it all',
    async (gateway) => {
      const { status, usage } = checkResponsesStream(streamOf(await response(gateway)));
      assert.ok(status !== 'failed' && usage, `it ${status}`);
    },
  ),
  check('6.3-1', 'responses: each event repeats its name in its type', async (gateway) => {
    const events = eventsOf(streamOf(await response(gateway)));
    assert.ok(events.length > 0, 'there are no events with names');
    for (const { name, data } of events) isEqual(data, 'type', name);
  }),
  check('6.3-1', 'responses: events are numbered from 0', async (gateway) => {
    const numbers = eventsOf(streamOf(await response(gateway))).map(({ data }) => data.sequence_number);
    assert.ok(numbers.length > 0, 'there are no events with names');
    assert.deepEqual(numbers, Array.from(numbers.keys()));
  }),
  check('6.3-2 6.3-3', 'responses: nothing comes after the terminal event, no [DONE]', async (gateway) => {
    const text = streamOf(await response(gateway));
    assert.doesNotMatch(text, /\[DONE\]/, 'there is a [DONE]');
    assert.match(eventsOf(text).at(-1)?.name ?? 'none', /^response\.(?:completed|incomplete)$/);
  }),
  check('6.3-5', 'responses: the events of a text come in their order', async (gateway) => {
    const [created, ...rest] = orderOf(streamOf(await response(gateway)), 'response.in_progress');
    const item = [
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
    ];
    assert.deepEqual([created, ...rest.slice(-7, -1)], ['response.created', ...item.map((name) => `response.${name}`)]);
  }),
  marketCheck('4.4-30 6.3-5', 'responses: the terminal event has usage and the receipt', async (gateway) => {
    const { usage } = checkResponsesStream(streamOf(await response(gateway)));
    countIn(objectIn(usage, 'x_market'), 'charged_usd');
  }),
  check('6.3-8', 'responses: a stream that is cut ends with response.incomplete', async (gateway) => {
    const input = 'Count from one to one thousand, in words.';
    const answer = await gateway.response({ stream, input });
    const { data } = eventsOf(streamOf(answer)).at(-1) ?? {};
    isEqual(data ?? {}, 'type', 'response.incomplete');
    isEqual(objectIn(objectIn(data, 'response'), 'incomplete_details'), 'reason', 'max_output_tokens');
  }),
  check(
    '4.5-18 6.4-2',
    'messages: blocks one after another between message_start and message_stop',
    async (gateway) => {
      const { error, content, stopReason } = checkMessagesStream(streamOf(await message(gateway)));
      assert.equal(error, null);
      assert.ok(content.length > 0 && stopReason);
    },
  ),
  check('6.4-1', 'messages: each event repeats its name in its type', async (gateway) => {
    const events = eventsOf(streamOf(await message(gateway)));
    assert.ok(events.length > 0, 'there are no events with names');
    for (const { name, data } of events) isEqual(data, 'type', name);
  }),
  check('6.4-2', 'messages: the events of a text come in their order', async (gateway) => {
    const block = ['start', 'delta', 'stop'].map((name) => `content_block_${name}`);
    assert.deepEqual(orderOf(streamOf(await message(gateway)), 'ping'), [
      'message_start',
      ...block,
      'message_delta',
      'message_stop',
    ]);
  }),
  marketCheck('6.4-2', 'messages: message_delta has the final usage and the receipt', async (gateway) => {
    const { usage } = checkMessagesStream(streamOf(await message(gateway)));
    countIn(objectIn(usage, 'x_market'), 'charged_usd');
  }),
  check('4.5-30', 'messages: the stop reason of a stream that is cut is max_tokens', async (gateway) => {
    const answer = await gateway.message({ stream, max_tokens: 1 });
    assert.equal(checkMessagesStream(streamOf(answer)).stopReason, 'max_tokens');
  }),
];

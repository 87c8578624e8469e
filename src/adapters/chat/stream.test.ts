import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { ChatStream } from './stream.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const KNOWN = `"id":"chatcmpl-${CANNED_ORDER}","object":"chat.completion.chunk","created":1767225600,"model":"tide-70b"`;
const ROLE = '{"role":"assistant","content":""}';
const SAYS_HI: GenerationEvent = { type: 'text-delta', text: 'Hi "you"\n' };
const FINISH: GenerationEvent = { type: 'finish', reason: 'length', stopSequence: null };
const answer = cannedAnswer({ name: '', batches: [[SAYS_HI, FINISH]] });

const open = (echo = {}) => new ChatStream(FACTS, { includeUsage: false, logprobs: false, ...echo });
const chunk = (delta: string, finish = 'null') =>
  `data: {${KNOWN},"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;

test('while an order waits there is one comment line and no empty line', () => {
  const stream = open();
  assert.equal(stream.open(), '');
  assert.equal(stream.keepalive(), `: queued ${CANNED_ORDER}\n`);
});

test('once output has begun, the keepalive is another comment', () => {
  const stream = open();
  stream.events([SAYS_HI]);
  assert.equal(stream.keepalive(), ': generating\n');
});

test('a stream of text has these frames', () => {
  const stream = open();
  assert.equal(stream.events([SAYS_HI]), chunk(ROLE) + chunk('{"content":"Hi \\"you\\"\\n"}'));
  assert.equal(stream.events([SAYS_HI]), chunk('{"content":"Hi \\"you\\"\\n"}'));
  assert.equal(stream.events([FINISH]), '');
  assert.equal(stream.ended({ status: 'done', answer }), `${chunk('{}', '"length"')}data: [DONE]\n\n`);
});

test('with usage asked for, every chunk has the key and the last one the receipt', () => {
  const stream = open({ includeUsage: true });
  const text = stream.events([SAYS_HI]) + stream.ended({ status: 'done', answer });
  const chunks = text
    .split('\n\n')
    .slice(0, -2)
    .map((frame) => JSON.parse(frame.slice('data: '.length)));
  const last = chunks.pop();
  assert.deepEqual(
    chunks.map((each) => each.usage),
    [null, null, null],
  );
  assert.deepEqual(last.choices, []);
  assert.equal(last.usage.total_tokens, 1050);
  assert.equal(last.usage.x_market.charged_usd, 0.000841463);
});

test('reasoning comes as reasoning_content', () => {
  const text = open().events([{ type: 'reasoning-delta', text: 'Hmm' }]);
  assert.equal(text, chunk(ROLE) + chunk('{"reasoning_content":"Hmm"}'));
});

test('a tool call opens once and continues in fragments', () => {
  const text = open().events([
    { type: 'tool-call', index: 1, id: 'call_b', name: 'look' },
    { type: 'tool-arguments-delta', index: 1, fragment: '{"a' },
  ]);
  const opening = '{"index":1,"id":"call_b","type":"function","function":{"name":"look","arguments":""}}';
  const going = '{"index":1,"function":{"arguments":"{\\"a"}}';
  assert.equal(text, chunk(ROLE) + chunk(`{"tool_calls":[${opening}]}`) + chunk(`{"tool_calls":[${going}]}`));
});

test('a call without arguments ends with an empty object, others get nothing more', () => {
  const call = (index: number, name: string): GenerationEvent => ({
    type: 'tool-call',
    index,
    id: `call_${name}`,
    name,
  });
  const written: GenerationEvent = { type: 'tool-arguments-delta', index: 0, fragment: '{"at":1}' };
  const batches = [[call(0, 'look'), written, call(1, 'now'), { ...FINISH, reason: 'tool_calls' as const }]];
  const stream = open();
  for (const batch of batches) stream.events(batch);
  const end = stream.ended({ status: 'done', answer: cannedAnswer({ name: '', batches }) });
  const none = '{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}';
  assert.equal(end, `${chunk(none)}${chunk('{}', '"tool_calls"')}data: [DONE]\n\n`);
});

test('calls that a model writes at once come one after the other, and what begins later waits', () => {
  const call = (index: number): GenerationEvent => ({ type: 'tool-call', index, id: `call_${index}`, name: 'look' });
  const args = (index: number, fragment: string): GenerationEvent => ({
    type: 'tool-arguments-delta',
    index,
    fragment,
  });
  const opening = (index: number) =>
    chunk(
      `{"tool_calls":[{"index":${index},"id":"call_${index}","type":"function","function":{"name":"look","arguments":""}}]}`,
    );
  const going = (index: number, fragment: string) =>
    chunk(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(fragment)}}}]}`);
  const stream = open();
  assert.equal(
    stream.events([call(0), call(1), args(0, '{"a"'), args(1, '{"b"')]),
    chunk(ROLE) + opening(0) + going(0, '{"a"'),
  );
  assert.equal(stream.events([args(1, ':2'), SAYS_HI]), '');
  assert.equal(stream.events([args(0, ':1}')]), going(0, ':1}') + opening(1) + going(1, '{"b"') + going(1, ':2'));
  assert.equal(
    stream.events([call(2), args(1, '}')]),
    going(1, '}') + chunk('{"content":"Hi \\"you\\"\\n"}') + opening(2),
  );
  const end = stream.ended({ status: 'done', answer });
  assert.equal(end, `${going(2, '{}')}${chunk('{}', '"length"')}data: [DONE]\n\n`);
});

test('a call without arguments gets its empty object before the next block begins', () => {
  const none: GenerationEvent = { type: 'tool-call', index: 0, id: 'call_0', name: 'now' };
  const stream = open();
  const text = stream.events([none, SAYS_HI]) + stream.ended({ status: 'done', answer });
  const order = [...text.matchAll(/"arguments":"(\{\})"|"content":"Hi/g)].map(([, found]) => found ?? 'text');
  assert.deepEqual(order, ['{}', 'text']);
});

test('held calls keep the log probabilities of their tokens', () => {
  const call = (index: number): GenerationEvent => ({ type: 'tool-call', index, id: `call_${index}`, name: 'look' });
  const args = (index: number, fragment: string): GenerationEvent => ({
    type: 'tool-arguments-delta',
    index,
    fragment,
  });
  const logprobs = (token: string): GenerationEvent => ({ type: 'logprobs', content: [{ token }] });
  const stream = open({ logprobs: true });
  const text = stream.events([call(0), logprobs('a'), call(1), logprobs('b'), args(1, '{}'), logprobs('c')]);
  const tokens = (said: string) => [...said.matchAll(/"token":"(.)"/g)].map(([, token]) => token);
  assert.deepEqual(tokens(text), ['a']);
  assert.deepEqual(tokens(stream.events([args(0, '{}'), logprobs('d')])), ['d', 'b', 'c']);
});

test('log probabilities come in the chunk of their text, when they were asked for', () => {
  const logprobs = (token: string): GenerationEvent => ({ type: 'logprobs', content: [{ token }] });
  const ends: GenerationEvent = { type: 'text-delta', text: '!' };
  const weighed = (delta: string, token: string) =>
    chunk(delta).replace(
      ',"finish_reason"',
      `,"logprobs":{"content":[{"token":"${token}"}],"refusal":null},"finish_reason"`,
    );
  const text = '{"content":"Hi \\"you\\"\\n"}';
  assert.equal(
    open({ logprobs: true }).events([logprobs('<s>'), SAYS_HI, logprobs('Hi'), ends, SAYS_HI, logprobs('you')]),
    chunk(ROLE) + weighed('{}', '<s>') + weighed(text, 'Hi') + chunk('{"content":"!"}') + weighed(text, 'you'),
  );
  assert.equal(open().events([SAYS_HI, logprobs('Hi')]), chunk(ROLE) + chunk(text));
});

test('an order that fails ends with an error frame, without a finish and without [DONE]', () => {
  const stream = open();
  stream.events([SAYS_HI]);
  const end = stream.ended({ status: 'error', fault: new Fault('backend_error', { message: 'It broke.' }) });
  assert.equal(
    end,
    'data: {"error":{"message":"It broke.","type":"server_error","param":null,"code":"backend_error"}}\n\n',
  );
});

test('an empty answer still has the role', () => {
  assert.equal(open().ended({ status: 'done', answer }), `${chunk(ROLE)}${chunk('{}', '"length"')}data: [DONE]\n\n`);
});

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

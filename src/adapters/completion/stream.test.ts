import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { CompletionStream } from './stream.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const KNOWN = `"id":"cmpl-${CANNED_ORDER}","object":"text_completion","created":1767225600,"model":"tide-70b"`;
const SAYS_HI: GenerationEvent = { type: 'text-delta', text: 'Hi "you"\n' };
const FINISH: GenerationEvent = { type: 'finish', reason: 'length', stopSequence: null };
const answer = cannedAnswer({ name: '', batches: [[SAYS_HI, FINISH]] });

const open = (includeUsage = false) => new CompletionStream(FACTS, { includeUsage });
const chunk = (text: string, finish = 'null') =>
  `data: {${KNOWN},"choices":[{"index":0,"text":${text},"finish_reason":${finish},"logprobs":null}]}\n\n`;

test('while an order waits there is one comment line, and another kind once output has begun', () => {
  const stream = open();
  assert.equal(stream.open() + stream.keepalive(), `: queued ${CANNED_ORDER}\n`);
  stream.events([SAYS_HI]);
  assert.equal(stream.keepalive(), ': generating\n');
});

test('a stream of text has these frames', () => {
  const stream = open();
  assert.equal(stream.events([SAYS_HI, FINISH]), chunk('"Hi \\"you\\"\\n"'));
  assert.equal(stream.ended({ status: 'done', answer }), `${chunk('""', '"length"')}data: [DONE]\n\n`);
});

test('with usage asked for, every chunk has the key and the last one the receipt', () => {
  const stream = open(true);
  const text = stream.events([SAYS_HI]) + stream.ended({ status: 'done', answer });
  const frames = text.split('\n\n').slice(0, -2);
  const chunks = frames.map((frame) => JSON.parse(frame.slice('data: '.length)));
  assert.deepEqual(
    chunks.map(({ usage }) => usage?.x_market.charged_usd ?? usage),
    [null, null, 0.000841463],
  );
  assert.deepEqual(chunks.at(-1).choices, []);
});

test('events that the shape does not have make no chunk', () => {
  assert.equal(
    open().events([
      { type: 'reasoning-delta', text: 'Hmm' },
      { type: 'tool-call', index: 0, id: 'call_a', name: 'look' },
      { type: 'tool-arguments-delta', index: 0, fragment: '{}' },
      { type: 'logprobs', content: [{ token: 'Hi' }] },
    ]),
    '',
  );
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

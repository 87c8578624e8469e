import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { Reply } from '#contract/reply.ts';
import { requestBodies } from '#generated/validators.js';
import { testCall } from '#testing/calls.ts';
import { conforming, validated } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { sampleTools } from '#testing/sample-tools.ts';
import { tokenSamples } from '#testing/token-samples.ts';
import { countTokensHandler } from './count-tokens.ts';

const handler = countTokensHandler({ listings: someListings() });
const text = tokenSamples.map((sample) => sample.text).join('\n');
const user = (content: unknown) => ({ role: 'user', content });

async function count(body: object): Promise<number> {
  const reply: Reply = await handler(
    testCall('countMessageTokens', { body: validated(requestBodies.countMessageTokens, body) }),
  );
  assert.ok('json' in reply && reply.status === 200);
  return (conforming('countMessageTokens 200', reply.json) as { input_tokens: number }).input_tokens;
}

test('a body without max_tokens, a system prompt or a model is counted', async () => {
  const tokens = await count({ messages: [user('Hi')] });
  assert.ok(Number.isInteger(tokens) && tokens > 0);
});

test('fields outside the prompt do not change the count, and are refused where a message would be', async () => {
  const messages = [user('Hi')];
  const alone = await count({ messages });
  assert.equal(await count({ messages, max_tokens: 9, max_price: 1, stream: true, thinking: {}, top_k: 'x' }), alone);
  for (const wrong of [{ max_tokens: 0 }, { max_price: 'x' }, { stream: 1 }]) {
    await assert.rejects(count({ messages, ...wrong }), { status: 400, param: Object.keys(wrong)[0] });
  }
});

/** [what is counted, a body that contains the long text there] */
const places: [string, (long: string) => object][] = [
  ['the system prompt', (long) => ({ system: [{ type: 'text', text: long }], messages: [user('Hi')] })],
  ['text', (long) => ({ messages: [user([{ type: 'text', text: long }])] })],
  [
    'the result of a tool',
    (long) => ({ messages: [user([{ type: 'tool_result', tool_use_id: 't', content: long }])] }),
  ],
  [
    'the input of a call',
    (long) => ({
      messages: [
        user('Hi'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: { long } }] },
      ],
    }),
  ],
  [
    'thinking',
    (long) => ({
      messages: [user('Hi'), { role: 'assistant', content: [{ type: 'thinking', thinking: long, signature: 's' }] }],
    }),
  ],
  ['the description of a tool', (long) => ({ messages: [user('Hi')], tools: [{ name: 'n', description: long }] })],
  [
    'the schema of a tool',
    (long) => ({ messages: [user('Hi')], tools: [{ name: 'n', input_schema: { type: 'object', description: long } }] }),
  ],
];
for (const [what, bodyWith] of places)
  test(`${what} counts like any text`, async () => {
    const alone = await count({ messages: [user(text)] });
    const more = (await count(bodyWith(text))) - (await count(bodyWith('')));
    assert.ok(more > 0.9 * alone && more < 1.25 * alone, `${more} beside ${alone}`);
  });

test('tools count as they are written for chat', async () => {
  const tools = sampleTools.map(({ function: { parameters, ...tool } }) => ({ ...tool, input_schema: parameters }));
  const more = (await count({ messages: [user('Hi')], tools })) - (await count({ messages: [user('Hi')] }));
  assert.ok(more > 300 && more < 450, String(more));
});

test('a prompt of 8 MiB is counted', async () => {
  const whole = text.repeat(Math.ceil((8 * 1024 * 1024) / text.length));
  const tokens = await count({ messages: [user(whole)] });
  const expected = (await count({ messages: [user(text)] })) * (whole.length / text.length);
  assert.ok(Math.abs(tokens / expected - 1) < 0.02);
});

const refusals: [string, FaultCode, object][] = [
  ['an image', 'invalid_request', { messages: [user([{ type: 'image' }])] }],
  ['no messages', 'invalid_request', { messages: [] }],
  ['a built-in tool', 'invalid_request', { messages: [user('Hi')], tools: [{ type: 'bash_20250124', name: 'bash' }] }],
  ['an unknown model', 'model_not_found', { model: 'nobody', messages: [user('Hi')] }],
  ['a deprecated model', 'model_deprecated', { model: 'gone-3b', messages: [user('Hi')] }],
  ['a model in preview', 'model_preview', { model: 'soon-1b', messages: [user('Hi')] }],
];
for (const [what, code, body] of refusals)
  test(`${what} is refused with ${code}`, async () => {
    await assert.rejects(count(body), (error) => error instanceof Fault && error.code === code);
  });

test('an alias counts as its model', async () => {
  assert.equal(await count({ model: 'tide', messages: [user('Hi')] }), await count({ messages: [user('Hi')] }));
});

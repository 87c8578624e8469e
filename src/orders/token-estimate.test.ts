import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NESTING_MAX } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import { sampleTools, sampleToolsCounts } from '#testing/sample-tools.ts';
import { tokenSamples } from '#testing/token-samples.ts';
import { IMAGE_TOKENS, measuredRequest, promptBoundFor } from './token-estimate.ts';

const says = (content: unknown, more: object = {}) =>
  measuredRequest({ messages: [{ role: 'user', content }], ...more });

test('the bound of plain text is two bytes a token and eight for the message', () => {
  assert.equal(says('x'.repeat(1000)).promptBound, 508);
  assert.equal(says('abc').promptBound, 10);
});

test('the estimate is a middle figure below the bound', () => {
  const measured = says('x'.repeat(1000));
  assert.ok(measured.promptEstimate > 250 && measured.promptEstimate < 300);
  assert.ok(measured.promptEstimate < measured.promptBound);
});

test('the estimate never exceeds the bound, however dense the text', () => {
  const { promptEstimate, promptBound } = says('7a7b7c7d7e7f'.repeat(100));
  assert.equal(promptEstimate, promptBound);
});

test('the estimate of a conversation is that of its texts and four tokens a message', () => {
  for (const { name, text, o200k } of tokenSamples) {
    const { promptEstimate } = measuredRequest({
      messages: [
        { role: 'system', content: text },
        { role: 'user', content: [{ type: 'text', text }] },
        { role: 'assistant', content: text, reasoning_content: text },
        { role: 'tool', tool_call_id: 'call_1', content: text },
      ],
    });
    const billed = 5 * o200k + 4 * 4;
    assert.ok(Math.abs(promptEstimate / billed - 1) <= 0.25, `${name}: ${promptEstimate} for ${billed}`);
  }
});

test('the estimate of tools is within a quarter of their JSON, printed with spaces or without', () => {
  const { promptEstimate } = measuredRequest({ messages: [], tools: sampleTools });
  for (const count of Object.values(sampleToolsCounts)) assert.ok(Math.abs(promptEstimate / count - 1) <= 0.25);
});

test('text counts in bytes of UTF-8, and each part of a message costs eight', () => {
  assert.equal(says('漢字').promptBound, 11);
  assert.equal(
    says([
      { type: 'text', text: '漢' },
      { type: 'text', text: '字' },
    ]).promptBound,
    11 + 2 * 8,
  );
});

test('the bound covers what templates print around a call', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const measured = measuredRequest({ messages: [{ role: 'assistant', tool_calls: Array(1_000).fill(call) }] });
  assert.ok(measured.promptBound >= 25 * 1_000);
});

test('a message without content still costs its fixed figure', () => {
  assert.equal(says(null).promptBound, 8);
  assert.equal(measuredRequest({ messages: [{ role: 'assistant' }, { role: 'user', content: '' }] }).promptBound, 16);
});

test('an image counts as one figure whatever the length of its data', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } };
  const measured = says([{ type: 'text', text: 'ab' }, image, image]);
  assert.equal(measured.images, 2);
  assert.equal(measured.promptBound, 1 + 8 + 3 * 8 + 2 * IMAGE_TOKENS);
  assert.equal(promptBoundFor(measured, 100), 1 + 8 + 3 * 8 + 200);
});

test('text beside the data of an image still counts', () => {
  const measured = says([{ type: 'image_url', image_url: { url: 'https://x' }, caption: 'y'.repeat(100) }]);
  assert.ok(measured.promptBound >= 50 + IMAGE_TOKENS);
});

test('tools count with their keys, in the bound and in the estimate', () => {
  const tool = {
    type: 'function',
    function: { name: 'look', parameters: { type: 'object', properties: { ['k'.repeat(200)]: { type: 'string' } } } },
  };
  const bare = says('hello');
  const armed = says('hello', { tools: [tool] });
  const bytes = Buffer.byteLength(JSON.stringify(tool));
  assert.ok(armed.promptBound - bare.promptBound >= bytes / 2, 'the bound covers the JSON of the tool');
  assert.ok(armed.promptEstimate - bare.promptEstimate >= bytes / 4 - 1);
});

test('calls and results of tools in the history count', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"city":"Oslo"}' } };
  const measured = measuredRequest({
    messages: [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    ],
  });
  assert.equal(measured.promptBound, Math.ceil((6 + 4 + 15 + 6 + 4) / 2) + 16 + 24);
});

test('a long text in the place of a role or under an unknown key is not free', () => {
  const long = 'r'.repeat(2000);
  assert.ok(measuredRequest({ messages: [{ role: long }] }).promptBound >= 1000);
  assert.ok(measuredRequest({ messages: [{ role: 'user', [long]: 1 }] }).promptBound >= 1000);
});

test('fields that a template could print count, numbers and switches beside them do not', () => {
  assert.equal(says('ab', { temperature: 0.123, seed: 5, parallel_tool_calls: true }).promptBound, 9);
  assert.ok(says('ab', { documents: ['d'.repeat(200)] }).promptBound > 100);
});

test('the body is kept as it is, not copied', () => {
  const body = { messages: [{ role: 'user', content: 'hi' }], foo: { a: 1 } };
  assert.equal(measuredRequest(body).body, body);
});

for (const place of ['messages', 'tools', 'foo'] as const) {
  test(`a body nested too deeply under ${place} is refused instead of breaking the stack`, () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    assert.throws(
      () => measuredRequest({ messages: [], [place]: deep }),
      (error) => error instanceof Fault && error.code === 'invalid_request',
    );
  });
}

test('nesting behind an image is bounded as well', () => {
  const url = JSON.parse(`${'['.repeat(NESTING_MAX)}${']'.repeat(NESTING_MAX)}`);
  assert.throws(() => says([{ type: 'image_url', image_url: url }]), Fault);
});

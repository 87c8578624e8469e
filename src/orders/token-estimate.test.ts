import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NESTING_MAX } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import { marketListing } from '#testing/listings.ts';
import { sampleTools, sampleToolsCounts } from '#testing/sample-tools.ts';
import { tokenSamples } from '#testing/token-samples.ts';
import type { JsonObject } from './request.ts';
import { measuredRequest, promptBoundFor, promptEstimateFor } from './token-estimate.ts';

const listing = marketListing();

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
  assert.deepEqual(measured.media, { image: 2 });
  assert.equal(measured.promptBound, 1 + 8 + 3 * 8 + 2 * 1500);
  assert.equal(promptBoundFor(measured, { ...listing, mediaTokens: { ...listing.mediaTokens, image: 100 } }), 33 + 200);
});

const data = 'A'.repeat(1_000_000);
const media: [JsonObject, 'image' | 'audio' | 'video' | 'file'][] = [
  [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }, 'image'],
  [{ type: 'input_image', image_url: data }, 'image'],
  [{ type: 'image_embeds', image_embeds: { a: data } }, 'image'],
  [{ type: 'input_audio', input_audio: { data, format: 'wav' } }, 'audio'],
  [{ type: 'audio_url', audio_url: { url: data } }, 'audio'],
  [{ type: 'video_url', video_url: { url: data } }, 'video'],
  [{ type: 'file', file: { file_data: data, filename: 'a.pdf' } }, 'file'],
  [{ type: 'input_file', file_data: data }, 'file'],
  [{ audio_url: { url: data } }, 'audio'],
];
for (const [part, kind] of media)
  test(`${Object.keys(part).join(' and ')} ${part.type ?? ''} count as one ${kind}, whatever their data`, () => {
    const { promptBound, promptEstimate } = says([]);
    const measured = says([part]);
    const figure = listing.mediaTokens[kind];
    assert.deepEqual(measured.media, { [kind]: 1 });
    assert.equal(promptBoundFor(measured, listing), promptBound + 8 + figure);
    assert.equal(promptEstimateFor(measured, listing), promptEstimate + figure / 2);
    const raised = { ...listing, mediaTokens: { ...listing.mediaTokens, [kind]: figure + 10 } };
    assert.equal(promptBoundFor(measured, raised), promptBound + 8 + figure + 10);
    assert.equal(promptEstimateFor(measured, raised), promptEstimate + figure / 2 + 5);
  });

test('the names of media are no excuse for text outside of parts', () => {
  assert.ok(says('hi', { messages: [{ role: 'user', content: 'hi', file: data }] }).promptBound > 400_000);
  assert.ok(says([{ type: 'text', text: 'hi', image_url: data }]).promptBound > 400_000);
});

test('the bound of a listing is never above its context, and the estimate shows a prompt that is', () => {
  const measured = says('word '.repeat(200_000));
  assert.equal(promptBoundFor(measured, listing), listing.contextLength);
  assert.ok(promptEstimateFor(measured, listing) > listing.contextLength);
});

test('text beside the data of an image still counts', () => {
  const measured = says([{ type: 'image_url', image_url: { url: 'https://x' }, caption: 'y'.repeat(100) }]);
  assert.ok(measured.promptBound >= 50 + 1500);
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
  assert.equal(measured.promptBound, Math.ceil((6 + 4 + 15 + 6 + 4) / 2) + 16 + 24 + 2 * 5);
});

test('what some pods add counts: tags around a later system message, and ids of calls by the name of the function', () => {
  const user = { role: 'user', content: 'Hi' };
  const bound = (...messages: object[]) => measuredRequest({ messages }).promptBound;
  for (const role of ['system', 'developer']) {
    assert.equal(bound({ role, content: '' }, user), 17);
    assert.equal(bound(user, { role, content: '' }, { role, content: '' }), 1 + 3 * 8 + 19);
  }
  const call = (id: string) => ({ id, function: { name: 'look', arguments: '' } });
  const long = bound({ role: 'assistant', tool_calls: [call('functions.look:0')] });
  assert.equal(bound({ role: 'assistant', tool_calls: [call('')] }), long + 8);
});

test('documents and arguments of the template are printed, so the estimate counts them; a schema of the answer is not', () => {
  const text = 'What the sea says. '.repeat(1_000);
  const estimate = (more: object) => says('Hi', more).promptEstimate;
  for (const name of ['documents', 'chat_template_kwargs', 'chat_template'])
    assert.ok(estimate({ [name]: [{ text }] }) > 4_000, name);
  assert.ok(estimate({ response_format: { text } }) < 20);
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

test('the body is kept as it is, not copied; the cap of the caller is noted in it', () => {
  const body = { messages: [{ role: 'user', content: 'hi' }], foo: { a: 1 } };
  assert.equal(measuredRequest(body).body, body);
  assert.deepEqual(measuredRequest(body, 7), { ...measuredRequest(body), body: { ...body, max_tokens: 7 } });
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

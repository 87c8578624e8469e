import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { parseMessagesRequest } from './request.ts';

const source = { type: 'base64', media_type: 'image/png', data: 'AA==' };
const image = { type: 'image', source };
const user = (content: unknown) => ({ role: 'user', content });
const shown = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }, image] };

function parse(...messages: object[]) {
  return parseMessagesRequest(validated(requestBodies.createMessage, { messages, max_tokens: 16 }), {}).request;
}

test('a request names its first image, also in a result of a tool', () => {
  assert.equal(parse(user('a'), user([{ type: 'text', text: 'b' }, image, image])).imageAt, 'messages[1].content[1]');
  assert.equal(parse(user([shown]), user([image])).imageAt, 'messages[0].content[0].content[1]');
});

test('a request without images names none', () => {
  for (const content of ['an image', [{ ...shown, content: 'image' }], [{ ...shown, content: undefined }], []])
    assert.equal(parse(user(content)).imageAt, null);
});

test('images count by their number, not by their bytes', () => {
  const large = { type: 'image', source: { ...source, data: 'A'.repeat(1_000_000) } };
  const [one, other] = [parse(user([image])).generation, parse(user([large])).generation];
  assert.deepEqual(
    [one.promptBound, one.promptEstimate, one.media],
    [other.promptBound, other.promptEstimate, { image: 1 }],
  );
  assert.deepEqual(parse(user([shown, image])).generation.media, { image: 2 });
});

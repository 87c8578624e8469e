import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SystemPolicy, withSystemPolicy } from './system-policy.ts';

const system = (content: unknown) => ({ role: 'system', content });
const user = (content: string) => ({ role: 'user', content });

function arranged(policy: SystemPolicy, ...messages: object[]): unknown {
  return withSystemPolicy({ messages, seed: 1 }, policy).messages;
}

test('as_is changes nothing', () => {
  const body = { messages: [system('a'), system('b'), user('u'), system('c')] };
  assert.equal(withSystemPolicy(body, 'as_is'), body);
});

test('merge_leading joins the system messages at the start and leaves later ones', () => {
  assert.deepEqual(arranged('merge_leading', system('a'), system('b'), user('u'), system('c')), [
    system('a\n\nb'),
    user('u'),
    system('c'),
  ]);
});

test('first_only also turns later ones into marked user messages at their place', () => {
  assert.deepEqual(arranged('first_only', system('a'), system('b'), user('u'), system('c'), user('v')), [
    system('a\n\nb'),
    user('u'),
    user('<system>\nc\n</system>'),
    user('v'),
  ]);
});

test('a developer message is a system message', () => {
  assert.deepEqual(arranged('merge_leading', system('a'), { role: 'developer', content: 'b' }), [system('a\n\nb')]);
});

test('text parts and missing content are joined as text', () => {
  const parts = [
    { type: 'text', text: 'b' },
    { type: 'text', text: 'c' },
  ];
  assert.deepEqual(arranged('merge_leading', system('a'), system(parts), system(null)), [system('a\n\nbc\n\n')]);
});

test('a system message with other parts than text is left alone', () => {
  const image = system([{ type: 'image_url', image_url: { url: 'data:' } }]);
  assert.deepEqual(arranged('first_only', system('a'), image, user('u')), [system('a'), image, user('u')]);
});

test('a body with nothing to change is passed on as it is', () => {
  const bodies = [
    { messages: [system('a'), user('u')] },
    { messages: [user('u')] },
    { messages: [] },
    { messages: 'odd' },
    { messages: [null, 'odd', 7] },
    {},
  ];
  for (const body of bodies) assert.equal(withSystemPolicy(body, 'first_only'), body);
});

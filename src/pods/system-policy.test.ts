import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SystemPolicy, systemPolicies, withSystemPolicy } from './system-policy.ts';

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

test('first_only also turns later ones into tagged user messages in place', () => {
  assert.deepEqual(arranged('first_only', system('a'), system('b'), user('u'), system('c'), user('v')), [
    system('a\n\nb'),
    user('u'),
    user('<system>\nc\n</system>'),
    user('v'),
  ]);
});

test('merge_all puts later ones into the user message before them, or the next one, so that turns still alternate', () => {
  const answer = { role: 'assistant', content: 'a' };
  assert.deepEqual(
    arranged(
      'merge_all',
      system('a'),
      system('b'),
      user('u'),
      system('c'),
      answer,
      system('d'),
      system('e'),
      user('v'),
    ),
    [
      system('a\n\nb'),
      user('u\n\n<system>\nc\n</system>'),
      answer,
      user('<system>\nd\n</system>\n\n<system>\ne\n</system>\n\nv'),
    ],
  );
  const parts = [{ type: 'text', text: 'v' }];
  assert.deepEqual(arranged('merge_all', user('u'), answer, system('c'), { role: 'user', content: parts }), [
    user('u'),
    answer,
    { role: 'user', content: [{ type: 'text', text: '<system>\nc\n</system>' }, ...parts] },
  ]);
});

test('merge_all leaves the beginning of a conversation as it was when more follows', () => {
  const begun = [system('a'), user('u'), system('c')];
  const first = arranged('merge_all', ...begun) as unknown[];
  const call = { role: 'assistant', content: null, tool_calls: [] };
  const result = { role: 'tool', tool_call_id: 'x', content: 'r' };
  assert.deepEqual(arranged('merge_all', ...begun, call, result), [...first, call, result]);
});

test('merge_all ends with a user message where none follows', () => {
  const result = { role: 'tool', tool_call_id: 'x', content: 'r' };
  assert.deepEqual(arranged('merge_all', user('u'), system('c')), [user('u\n\n<system>\nc\n</system>')]);
  assert.deepEqual(arranged('merge_all', user('u'), result, system('c')), [
    user('u'),
    result,
    user('<system>\nc\n</system>'),
  ]);
});

test('merge_all makes one of user messages in a row, and leaves other messages in a row', () => {
  const image = { type: 'image_url', image_url: { url: 'data:' } };
  const result = (content: string) => ({ role: 'tool', tool_call_id: content, content });
  assert.deepEqual(
    arranged(
      'merge_all',
      system('a'),
      user('u'),
      user('v'),
      { role: 'user', content: [image] },
      result('r'),
      result('s'),
    ),
    [
      system('a'),
      { role: 'user', content: [{ type: 'text', text: 'u' }, { type: 'text', text: 'v' }, image] },
      result('r'),
      result('s'),
    ],
  );
  assert.deepEqual(arranged('first_only', user('u'), user('v')), [user('u'), user('v')]);
});

test('merge_all reads as many messages as a body has room for', () => {
  const many = Array.from({ length: 250_000 }, () => system('s'));
  const answer = { role: 'assistant', content: 'a' };
  const messages = [user('u'), answer, ...many, user('v'), user('w')];
  const turns = withSystemPolicy({ messages }, 'merge_all').messages as { content: string }[];
  assert.equal(turns.length, 3);
  assert.ok(turns[2]?.content.endsWith('</system>\n\nv\n\nw'));
});

test('a developer message is a system message under every policy but as_is', () => {
  const developer = (content: unknown) => ({ role: 'developer', content });
  assert.deepEqual(arranged('merge_leading', system('a'), developer('b')), [system('a\n\nb')]);
  const parts = [{ type: 'text', text: 'a' }];
  for (const policy of systemPolicies) {
    const role = policy === 'as_is' ? 'developer' : 'system';
    assert.deepEqual(arranged(policy, developer('a'), user('u')), [{ role, content: 'a' }, user('u')]);
    assert.deepEqual(arranged(policy, { ...developer(parts), name: 'n' }), [{ role, content: parts, name: 'n' }]);
  }
  assert.deepEqual(arranged('merge_leading', user('u'), developer('a')), [user('u'), system('a')]);
  assert.deepEqual(arranged('first_only', user('u'), developer('a')), [user('u'), user('<system>\na\n</system>')]);
});

test('text parts and missing content are joined as text', () => {
  const parts = [
    { type: 'text', text: 'b' },
    { type: 'text', text: 'c' },
  ];
  assert.deepEqual(arranged('merge_leading', system('a'), system(parts), system(null)), [system('a\n\nbc\n\n')]);
});

test('a system message with non-text parts is left alone', () => {
  const image = system([{ type: 'image_url', image_url: { url: 'data:' } }]);
  assert.deepEqual(arranged('first_only', system('a'), image, user('u')), [system('a'), image, user('u')]);
});

test('a body that needs no change is returned as it is', () => {
  const bodies = [
    { messages: [system('a'), user('u')] },
    { messages: [user('u')] },
    { messages: [] },
    { messages: 'odd' },
    { messages: [null, 'odd', 7] },
    {},
  ];
  for (const policy of systemPolicies) for (const body of bodies) assert.equal(withSystemPolicy(body, policy), body);
});

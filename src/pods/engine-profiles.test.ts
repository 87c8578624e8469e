import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, engineIn, engines, profiles } from './engine-profiles.ts';

const list = (...owners: (string | null)[]) =>
  JSON.stringify({ object: 'list', data: owners.map((owned_by, index) => ({ id: `m${index}`, owned_by })) });

/** [what a server lists, the engine] */
const lists: [string, Engine | null][] = [
  [list('vllm'), 'vllm'],
  [list('sglang'), 'sglang'],
  [list('llamacpp'), 'llama_cpp'],
  [list('mistralai'), 'mistral'],
  [list('moonshot'), 'kimi'],
  [list('deepseek'), 'deepseek'],
  [list('openai', 'system'), 'openai'],
  // LiteLLM and other proxies say so of every model.
  [list('openai'), null],
  [list('library'), null],
  [list(null), null],
  [list(), null],
  ['{"data":[null,"vllm",{"owned_by":["vllm"]}]}', null],
  ['{"data":{"owned_by":"vllm"}}', null],
  ['null', null],
  ['<html>', null],
];
for (const [text, engine] of lists)
  test(`the list ${text.slice(0, 80)} is of ${engine}`, () => {
    assert.equal(engineIn(text, 'm0'), engine);
  });

test('the entry of the pod’s own model counts first', () => {
  assert.equal(engineIn(list('vllm', 'sglang'), 'm1'), 'sglang');
  assert.equal(engineIn(list('vllm', 'sglang'), 'm0'), 'vllm');
  assert.equal(engineIn(list('library', 'sglang'), 'm0'), 'sglang');
});

test('every engine has a profile', () => {
  assert.deepEqual(Object.keys(profiles), [...engines]);
});

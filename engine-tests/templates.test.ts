/**
 * What the chat templates of real models make of conversations as Claude Code sends them, after each `system_policy`.
 * docs/sell/pods.md names each template beside the first policy with which it reads everything.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { APIError } from 'openai';
import { type SystemPolicy, systemPolicies, withSystemPolicy } from '#pods/system-policy.ts';
import { EngineGateway } from './gateway.ts';
import { LlamaCpp, templateOf } from './llama-cpp.ts';

/** What a template makes of messages: it reads all, refuses them, or loses the first or a later system message. */
type Outcome = 'read' | 'refused' | 'first lost' | 'later lost';

/**
 * What a template makes of Claude Code's conversation after `merge_leading`, `first_only` and `merge_all`, and of two user
 * messages in a row after `merge_leading` and `merge_all`.
 */
type Outcomes = readonly [Outcome, Outcome, Outcome, Outcome, Outcome];

const EVERYTHING: Outcomes = ['read', 'read', 'read', 'read', 'read'];
const ALTERNATING: Outcomes = ['refused', 'refused', 'read', 'refused', 'read'];
const afterMergeLeading = (outcome: Outcome): Outcomes => [outcome, 'read', 'read', 'read', 'read'];

const TEMPLATES: Readonly<Record<string, Outcomes>> = {
  'meta-llama-Llama-3.3-70B-Instruct': EVERYTHING,
  'Qwen-Qwen3-0.6B': EVERYTHING,
  'google-gemma-4-31B-it': EVERYTHING,
  'deepseek-ai-DeepSeek-V3.2': EVERYTHING,
  'Qwen3.5-4B': afterMergeLeading('refused'),
  'openai-gpt-oss-120b': afterMergeLeading('later lost'),
  'MiniMax-M3': afterMergeLeading('later lost'),
  'deepseek-ai-DeepSeek-R1-Distill-Qwen-32B': afterMergeLeading('first lost'),
  'Mistral-Small-3.2-24B-Instruct-2506': ALTERNATING,
  'google-gemma-2-2b-it': ALTERNATING,
};

const system = (content: string) => ({ role: 'system', content });
const user = (content: string) => ({ role: 'user', content });
/** Some templates take only ids of nine letters. */
const id = 'abcdefghi';
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } }],
};
const result = { role: 'tool', tool_call_id: id, content: 'RESULT' };

/** Claude Code sends a system message after the first user message, and another one whenever something changes. */
const withoutTools = [
  system('FIRST'),
  user('QUESTION'),
  system('LATER'),
  { role: 'assistant', content: 'ANSWER' },
  system('CHANGE'),
  user('MORE'),
];
const withTools = [...withoutTools.slice(0, 3), call, result, ...withoutTools.slice(3)];
const inARow = [system('FIRST'), user('QUESTION'), user('MORE')];

let engine: LlamaCpp;
let gateway: EngineGateway | null = null;

/** What the model would read of `messages`. */
async function outcomeOf(messages: readonly object[], policy: SystemPolicy): Promise<Outcome> {
  const arranged = withSystemPolicy({ messages: [...messages] }, policy).messages;
  const prompt = await engine.promptOf(arranged);
  if (prompt === null) return 'refused';
  const words = [...JSON.stringify(messages).matchAll(/"content":"([A-Z]+)"/g)].map(([, word = '']) => word);
  const lost = words.filter((word) => !prompt.includes(word));
  if (lost.length === 0) return 'read';
  return lost.includes('FIRST') ? 'first lost' : 'later lost';
}

/** The templates that docs/sell/pods.md names beside a policy. */
function templatesBeside(policy: SystemPolicy): string[] {
  const page = readFileSync(join(import.meta.dirname, '../docs/sell/pods.md'), 'utf8');
  const row = page.split('\n').find((line) => line.startsWith(`| \`${policy}\``)) ?? '';
  return [...(row.split(' | ').at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

describe('chat templates of real models', () => {
  before(async () => {
    engine = await LlamaCpp.prepare();
  });
  afterEach(async () => {
    await gateway?.remove();
    gateway = null;
    await engine.stop();
  });
  after(() => engine?.remove());

  it('docs/sell/pods.md names each beside the first policy with which it reads everything', () => {
    for (const [position, policy] of (['merge_leading', 'first_only', 'merge_all'] as const).entries()) {
      const reading = Object.entries(TEMPLATES).filter(([, outcomes]) => outcomes.indexOf('read') === position);
      assert.deepEqual(
        templatesBeside(policy),
        reading.map(([name]) => name),
      );
    }
  });

  for (const [name, outcomes] of Object.entries(TEMPLATES)) {
    it(name, async () => {
      await engine.start(templateOf(name));
      // Without tools where the template knows none.
      const conversation = name.startsWith('google-gemma-2') ? withoutTools : withTools;
      const seen = [
        await outcomeOf(conversation, 'merge_leading'),
        await outcomeOf(conversation, 'first_only'),
        await outcomeOf(conversation, 'merge_all'),
        await outcomeOf(inARow, 'merge_leading'),
        await outcomeOf(inARow, 'merge_all'),
      ];
      assert.deepEqual(seen, outcomes);
    });
  }

  it('behind the gateway, a template that refuses later system messages takes them with first_only and merge_all', async () => {
    await engine.start(templateOf('Qwen3.5-4B'));
    const settings = Object.fromEntries(systemPolicies.map((system_policy) => [system_policy, { system_policy }]));
    gateway = await EngineGateway.start(engine, settings);
    const { completions } = gateway.openai.chat;
    const ask = (model: SystemPolicy) => completions.create({ model, messages: withTools as never, max_tokens: 1 });
    for (const policy of ['first_only', 'merge_all'] as const)
      assert.equal((await ask(policy)).choices[0]?.finish_reason, 'length');
    for (const policy of ['as_is', 'merge_leading'] as const)
      await assert.rejects(ask(policy), (error) => error instanceof APIError && error.code === 'backend_error');
  });
});

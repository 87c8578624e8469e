/**
 * What the chat templates of real models make of conversations as Claude Code sends them, after each `system_policy`.
 * docs/operating.md has the table that this checks, row by row: it is read from there.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { APIError } from 'openai';
import { type SystemPolicy, systemPolicies, withSystemPolicy } from '#pods/system-policy.ts';
import { EngineGateway } from './gateway.ts';
import { LlamaCpp, templateOf } from './llama-cpp.ts';

const OPERATING = join(import.meta.dirname, '../docs/operating.md');

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

/** The word of the table for what the model would read of `messages`. */
async function outcomeOf(messages: readonly object[], policy: SystemPolicy): Promise<string> {
  const arranged = withSystemPolicy({ messages: [...messages] }, policy).messages;
  const prompt = await engine.promptOf(arranged);
  if (prompt === null) return 'refused';
  const words = [...JSON.stringify(messages).matchAll(/"content":"([A-Z]+)"/g)].map(([, word = '']) => word);
  const lost = words.filter((word) => !prompt.includes(word));
  if (lost.length === 0) return 'read';
  return lost.includes('FIRST') ? 'first lost' : 'later lost';
}

/** The rows of the table: a template, and a word for each column. */
function tableOf(text: string): readonly (readonly string[])[] {
  const [, table = ''] = /^\| chat template .*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const rows = table.trim().split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
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

  const rows = tableOf(readFileSync(OPERATING, 'utf8'));
  it('has a row for each of some', () => assert.ok(rows.length >= 8));

  for (const [name = '', ...told] of rows) {
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
      assert.deepEqual(seen, told);
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

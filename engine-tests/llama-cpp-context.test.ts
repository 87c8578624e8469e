/** The gateway in front of llama.cpp's server with a template of a model that reasons, and a context that is soon full. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { APIError } from 'openai';
import { EngineGateway, recomputed } from './gateway.ts';
import { LlamaCpp, templateOf } from './llama-cpp.ts';

const CONTEXT_LENGTH = 8_192;

let engine: LlamaCpp;
let gateway: EngineGateway;

const ask = (content: string, more: object = {}) =>
  gateway.openai.chat.completions.create({ model: 'tiny', messages: [{ role: 'user', content }], ...more });

describe('the gateway in front of llama.cpp with a small context', () => {
  before(async () => {
    engine = await LlamaCpp.prepare();
    await engine.start(templateOf('Qwen-Qwen3-0.6B'), CONTEXT_LENGTH);
    gateway = await EngineGateway.start({ url: engine.url, contextLength: CONTEXT_LENGTH });
  });
  after(async () => {
    await gateway?.remove();
    await engine?.remove();
  });

  it('reasoning before a text, whole and streamed', async () => {
    const wish = { grammar: 'root ::= "<think>\\nLet me look.\\n</think>\\n\\nIt is open."' };
    const { choices, usage } = await ask('Is it open?', wish);
    recomputed(usage);
    const message = choices[0]?.message as { content: string | null; reasoning_content?: string } | undefined;
    assert.deepEqual([message?.reasoning_content?.trim(), message?.content], ['Let me look.', 'It is open.']);
    const response = await gateway.post('/v1/responses', { model: 'tiny', input: 'Is it open?', ...wish });
    const { output } = (await response.json()) as { output: { type: string }[] };
    assert.deepEqual(
      output.map(({ type }) => type),
      ['reasoning', 'message'],
    );
  });

  it('cuts nothing of an answer to a prompt of 60 % of the context, without a cap', async () => {
    // No two of these letters are one token.
    const { choices, usage } = await ask('qz '.repeat(1_630), { grammar: 'root ::= "qz"{700}' });
    assert.ok(usage && Math.round((100 * usage.prompt_tokens) / CONTEXT_LENGTH) === 60, String(usage?.prompt_tokens));
    assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], ['qz'.repeat(700), 'stop']);
    assert.ok(recomputed(usage).output >= 1_400);
  });

  it('says in all shapes that the context is full, with the counts of the engine and without a charge', async () => {
    const content = 'qz '.repeat(3_000);
    const messages = [{ role: 'user', content }];
    const words = /prompt is too long: (\d+) tokens > 8192 maximum/;
    const asked = {
      '/v1/chat/completions': [{ messages }, { messages, stream: true }],
      '/v1/responses': [{ input: content }, { input: content, stream: true }],
      '/v1/messages': [{ messages, max_tokens: 9 }],
    };
    for (const [path, bodies] of Object.entries(asked))
      for (const body of bodies) {
        const text = await (await gateway.post(path, { model: 'tiny', ...body })).text();
        const [, tokens] = words.exec(text) ?? [];
        assert.ok(Number(tokens) > 9_000, `${path}: ${text}`);
      }
    await assert.rejects(
      ask(content),
      (error) => error instanceof APIError && error.code === 'context_length_exceeded',
    );
    await gateway.untilIdle();
    assert.deepEqual(
      (await gateway.usage()).filter(({ charged_usd, prompt_tokens }) => charged_usd > 0 && prompt_tokens > 8_192),
      [],
    );
    assert.deepEqual(await gateway.auditFindings(), []);
  });
});

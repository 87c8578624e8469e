/** The official Anthropic client, today's and 0.x, unmodified: one sends the key as a bearer, the other as x-api-key. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import Anthropic0 from 'anthropic-sdk-0';
import { useServer } from '../support/server.ts';
import { type Address, describeJourneys, type Said, SIGHT, type Speaker, TOOLS } from './journeys.ts';
import { ValidatingFetch } from './validating-fetch.ts';

const majors = [
  ['today’s Anthropic client', (options: object) => new Anthropic(options)],
  // What is used here of the older major is typed as in the newer one.
  ['the Anthropic client 0.x', (options: object) => new Anthropic0(options) as unknown as Anthropic],
] as const;

for (const [name, create] of majors) {
  describeJourneys(name, ({ url, key, model, fetch }: Address) =>
    messagesSpeaker(create({ baseURL: url, apiKey: key, fetch }), model),
  );

  describe(`${name} beside its journeys`, () => {
    const server = useServer();
    const wire = new ValidatingFetch();
    const clientWith = (apiKey: string) => create({ baseURL: server.api.url, apiKey, fetch: wire.fetch });

    it('counts tokens, and gets the same estimate as its stream begins with', async () => {
      const { key } = await server.createAccount({ keyPriceLimits: { tide: 5 } });
      const body = { model: 'tide', messages: [{ role: 'user' as const, content: 'Say hello.' }] };
      const { input_tokens } = await clientWith(key).messages.countTokens(body);
      for await (const event of await clientWith(key).messages.create({ ...body, max_tokens: 64, stream: true }))
        if (event.type === 'message_start') assert.equal(event.message.usage.input_tokens, input_tokens);
      wire.assertNoProblems();
    });

    it('meets 401 and 404 as its own errors, with the id of the request', async () => {
      const body = { model: 'nobody', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hello?' }] };
      const { key } = await server.createAccount();
      const fails = (apiKey: string, status: number, type: string) =>
        assert.rejects(clientWith(apiKey).messages.create(body), (error) => {
          const { status: got, requestID, error: envelope } = error as InstanceType<typeof Anthropic.APIError>;
          assert.equal(got, status);
          assert.ok(requestID);
          assert.equal((envelope as { error: { type: string } }).error.type, type);
          return true;
        });
      await fails('sk-none', 401, 'authentication_error');
      await fails(key, 404, 'not_found_error');
      wire.assertNoProblems();
    });
  });
}

function messagesSpeaker({ messages }: Anthropic, model: string): Speaker {
  const tools = TOOLS.map(({ schema, ...named }) => ({ ...named, input_schema: { ...schema, required: [] } }));
  const body = (turns: Anthropic.MessageParam[]) => ({ model, max_tokens: 512, messages: turns, tools });
  const asked = (content: string) => body([{ role: 'user', content }]);
  return {
    ask: async (prompt) => said((await messages.create(asked(prompt))).content),
    async stream(prompt, leaveAfter = Number.POSITIVE_INFINITY) {
      const stream = messages.stream(asked(prompt));
      let text = '';
      let pieces = 0;
      for await (const event of stream) {
        if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
        text += event.delta.text;
        if (++pieces === leaveAfter) return { text, reasoning: null, calls: [] };
      }
      return said((await stream.finalMessage()).content);
    },
    async useTool(prompt) {
      const { content } = await messages.create(asked(prompt));
      const results = content.flatMap((block) =>
        block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: SIGHT }] : [],
      );
      const turns = [...asked(prompt).messages, { role: 'assistant' as const, content: content as never }];
      return said((await messages.create(body([...turns, { role: 'user', content: results }]))).content).text;
    },
  };
}

function said(content: readonly Anthropic.ContentBlock[]): Said {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [])),
  };
}

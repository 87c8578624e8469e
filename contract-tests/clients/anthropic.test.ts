/** The official Anthropic client, current and 0.x, unmodified: one sends the key as bearer, one as x-api-key. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import Anthropic0 from 'anthropic-sdk-0';
import { useServer } from '../support/server.ts';
import { messagesDriver } from './anthropic-driver.ts';
import { type Address, SIGHT, TOOLS } from './client-driver.ts';
import { describeJourneys } from './journeys.ts';
import { promptOf, repliesByPrompt } from './pod-kinds.ts';
import { ValidatingFetch } from './validating-fetch.ts';

const majors = [
  ['the current Anthropic client', (options: object) => new Anthropic(options)],
  // The parts of the older major that are used here have the same types as in the newer one.
  ['the Anthropic client 0.x', (options: object) => new Anthropic0(options) as unknown as Anthropic],
] as const;

for (const [name, create] of majors) {
  describeJourneys(name, ({ url, key, model, fetch }: Address) =>
    messagesDriver(create({ baseURL: url, apiKey: key, fetch }), model),
  );

  describe(`${name} beside its journeys`, () => {
    const server = useServer();
    const wire = new ValidatingFetch();
    const clientWith = (apiKey: string) => create({ baseURL: server.api.url, apiKey, fetch: wire.fetch });

    it('counts tokens, and gets the estimate that its stream begins with', async () => {
      const { key } = await server.createAccount({ keyPriceLimits: { tide: 5 } });
      const body = { model: 'tide', messages: [{ role: 'user' as const, content: 'Say hello.' }] };
      const { input_tokens } = await clientWith(key).messages.countTokens(body);
      for await (const event of await clientWith(key).messages.create({ ...body, max_tokens: 64, stream: true }))
        if (event.type === 'message_start') assert.equal(event.message.usage.input_tokens, input_tokens);
      wire.assertNoProblems();
    });

    for (const stream of [false, true])
      it(`sends the whole history in each turn of its tool runner, ${stream ? 'streamed' : 'whole'}`, async () => {
        const { key } = await server.createAccount({ keyPriceLimits: { tide: 5 } });
        repliesByPrompt(server);
        const heard = server.backend.requests.length;
        const asked = { role: 'user' as const, content: promptOf('two calls') };
        const tools = TOOLS.map(({ schema, ...named }) =>
          betaTool({ ...named, inputSchema: schema, run: () => SIGHT }),
        );
        const options = { model: 'tide', max_tokens: 64, messages: [asked], tools, stream, max_iterations: 3 };
        await clientWith(key).beta.messages.toolRunner(options).runUntilDone();
        const requests = server.backend.requests.slice(heard).map(({ body }) => body.messages as { role: string }[]);
        const turn = ' assistant tool tool';
        assert.deepEqual(
          requests.map((messages) => messages.map(({ role }) => role).join(' ')),
          ['user', `user${turn}`, `user${turn}${turn}`],
        );
        wire.assertNoProblems();
      });

    it('raises its own errors for 401 and 404, with the id of the request', async () => {
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

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { chat } from './support/chat.ts';
import type { MakeBody } from './support/inference-outcomes.ts';
import { message } from './support/message.ts';
import type { Reply } from './support/reply.ts';
import { useServer } from './support/server.ts';

const shapes: Readonly<Record<string, MakeBody>> = {
  createChatCompletion: chat,
  createCompletion: (fields) => ({ prompt: 'Hi', price_limit: 5, ...fields }),
  createResponse: (fields) => ({ input: 'Hi', price_limit: 5, ...fields }),
  createMessage: message,
};
const terms = {
  ...{ type: 'fixed', context_length: 8192, max_output_length: 1024 },
  usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 },
};

/** When a model stops taking requests, on the answers to requests for it. RFC 9745, RFC 8594. */
describe('Deprecation and Sunset', () => {
  const pod = (id: string) => ({ id, simulated: true, slots: 4 });
  const server = useServer({
    default_model: 'neap',
    models: [
      { ...terms, id: 'neap', aliases: ['low'], pods: [pod('a')], catalog: { deprecation_date: '2099-12-31' } },
      { ...terms, id: 'ebb', deprecated: true, catalog: { deprecation_date: '2025-02-28' } },
      { ...terms, id: 'harbor', pods: [pod('b')] },
    ],
  });
  const announced = ['@4102358400', 'Thu, 31 Dec 2099 00:00:00 GMT'];
  const datesOf = ({ headers }: Reply) => [headers.deprecation, headers.sunset];

  for (const [name, make] of Object.entries(shapes)) {
    const id = name as OperationId;
    const ask = (fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
      server.passTimeUntil(server.api.call(id, { body: make({ max_tokens: 5, ...fields }), headers }));

    it(`200 ${name}, streamed or not, also of an alias and of a repeat, and not of a model without a date`, async () => {
      const key = { 'idempotency-key': name };
      for (const reply of [
        await ask({ model: 'neap' }, key),
        await ask({ model: 'neap' }, key),
        await ask({ model: 'low', stream: true }),
      ]) {
        assert.equal(reply.status, 200);
        assert.deepEqual(datesOf(reply), announced);
      }
      assert.deepEqual(datesOf(await ask({ model: 'harbor' })), [undefined, undefined]);
    });

    it(`203 ${name}, a dry run`, async () => {
      const dry = { 'x-dry-run': 'true' };
      const reply = await ask({ model: 'low' }, dry);
      assert.deepEqual([reply.status, ...datesOf(reply)], [203, ...announced]);
      assert.deepEqual(datesOf(await ask({ model: 'harbor' }, dry)), [undefined, undefined]);
    });

    it(`400 ${name} of a model whose day has passed, and of any bad request for one with a date`, async () => {
      const past = await ask({ model: 'ebb' });
      past.refusal(400, 'model_deprecated');
      assert.deepEqual(datesOf(past), ['@1740700800', 'Fri, 28 Feb 2025 00:00:00 GMT']);
      const bad = await ask({ model: 'harbor', [id === 'createMessage' ? 'max_price' : 'price_limit']: -1 });
      assert.deepEqual([bad.status, ...datesOf(bad)], [400, undefined, undefined]);
      assert.deepEqual(datesOf(await ask({ model: 'nobody' })), [undefined, undefined]);
    });
  }

  for (const id of ['createChatCompletion', 'createCompletion'] as const) {
    it(`202 ${id}, also of a repeat`, async () => {
      const body = shapes[id]?.({ model: 'neap', detached: true, max_tokens: 5 });
      for (let time = 0; time < 2; time++) {
        const reply = await server.api.call(id, { body, headers: { 'idempotency-key': `detached ${id}` } });
        assert.deepEqual([reply.status, ...datesOf(reply)], [202, ...announced]);
      }
    });
  }
});

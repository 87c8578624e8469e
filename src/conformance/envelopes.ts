/** Refusals: their statuses and their envelopes, as clients of OpenAI and Anthropic read them. */
import assert from 'node:assert/strict';
import { type CheckGroup, firstOf, type HttpAnswer, jsonWith, objectIn } from './gateway.ts';

const NOBODY = 'sk-nobody-0000000000000000000000000000000000000000000';

export const envelopes: CheckGroup = {
  name: 'envelopes',
  checks: [
    {
      name: 'GET /v1/models lists models with their ids',
      async run(gateway) {
        const list = jsonWith(await gateway.get('/v1/models'), 200);
        assert.equal(list.object, 'list');
        assert.equal(typeof firstOf(list, 'data').id, 'string');
      },
    },
    {
      name: 'a wrong key is 401 in the envelope of OpenAI',
      run: async (gateway) => refused(await gateway.chat({}, { authorization: `Bearer ${NOBODY}` }), 401),
    },
    {
      name: 'a wrong key is 401 in the envelope of Anthropic',
      async run(gateway) {
        const keys = { authorization: `Bearer ${NOBODY}`, 'x-api-key': NOBODY };
        const body = jsonWith(await gateway.message({}, keys), 401);
        assert.equal(body.type, 'error', `type is ${JSON.stringify(body.type)}`);
        assert.equal(objectIn(body, 'error').type, 'authentication_error');
      },
    },
    {
      name: 'an unknown model is 404 and named',
      async run(gateway) {
        const { message } = refused(await gateway.chat({ model: 'no-such-model-anywhere' }), 404);
        assert.match(message, /no-such-model-anywhere/);
      },
    },
    {
      name: 'an unknown model is 404 in the envelope of Anthropic',
      async run(gateway) {
        const body = jsonWith(await gateway.message({ model: 'no-such-model-anywhere' }), 404);
        assert.equal(objectIn(body, 'error').type, 'not_found_error');
      },
    },
    {
      name: 'broken JSON is 400',
      run: async (gateway) => refused(await gateway.post('/v1/chat/completions', '{"model": '), 400),
    },
    {
      name: 'a field of a wrong type is 400 and named in param',
      async run(gateway) {
        const { param } = refused(await gateway.chat({ messages: 'no list' }), 400);
        assert.match(String(param), /messages/);
      },
    },
    {
      name: 'a missing field is 400 and named in param',
      async run(gateway) {
        const { param } = refused(await gateway.post('/v1/chat/completions', { model: gateway.model }), 400);
        assert.match(String(param), /messages/);
      },
    },
    {
      name: 'an unknown address is 404 as JSON',
      run: async (gateway) => refused(await gateway.get('/v1/no-such-address'), 404),
    },
    {
      name: 'every answer names its request in x-request-id',
      async run(gateway) {
        const ids = await Promise.all(
          [gateway.get('/v1/models'), gateway.chat(), gateway.chat({ messages: 1 })].map(async (asked) =>
            (await asked).headers.get('x-request-id'),
          ),
        );
        assert.ok(ids.every(Boolean), `the ids are ${JSON.stringify(ids)}`);
        assert.equal(new Set(ids).size, ids.length, 'two requests have the same id');
      },
    },
  ],
};

function refused(answer: HttpAnswer, status: number): { readonly message: string; readonly param: unknown } {
  const { message, type, param } = objectIn(jsonWith(answer, status), 'error');
  assert.ok(typeof message === 'string' && message !== '', `error.message is ${JSON.stringify(message)}`);
  assert.ok(typeof type === 'string' && type !== '', `error.type is ${JSON.stringify(type)}`);
  return { message, param };
}

/** Checks of keys and refusals: which requests need a key, and in what envelope they are refused. */
import assert from 'node:assert/strict';
import { carriedOut, check, marketCheck, objectIn, refused, refusedMessage } from './check.ts';
import { type Gateway, SAY } from './gateway.ts';

const NOBODY = 'sk-nobody-0000000000000000000000000000000000000000000';
const NO_KEY = { authorization: '', 'x-api-key': '' };
const UNKNOWN = 'no-such-model-anywhere';

const keyless = (path: string) => async (gateway: Gateway) =>
  refused(await gateway.present(gateway.get(path, NO_KEY)), 401);

export const envelopes = [
  check('5-1 5-5', 'a wrong key is 401 in the envelope of OpenAI', async (gateway) =>
    refused(await gateway.chat({}, { authorization: `Bearer ${NOBODY}` }), 401),
  ),
  check('5-5 7-39', 'a wrong key is 401 in the envelope of Anthropic', async (gateway) => {
    const keys = { authorization: `Bearer ${NOBODY}`, 'x-api-key': NOBODY };
    refusedMessage(await gateway.message({}, keys), 401, 'authentication_error');
  }),
  check('5-1 5-5', 'a chat without a key is 401', async (gateway) => refused(await gateway.chat({}, NO_KEY), 401)),
  check('5-1 7-39', 'a message without a key is 401', async (gateway) =>
    refusedMessage(await gateway.message({}, NO_KEY), 401, 'authentication_error'),
  ),
  marketCheck('4.1-3 5-1', 'orders without a key are 401', keyless('/v1/orders')),
  marketCheck('4.1-3 5-1', 'the account without a key is 401', keyless('/v1/account')),
  marketCheck('5-1', 'usage without a key is 401', keyless('/v1/usage')),
  marketCheck('5-1', 'files without a key are 401', keyless('/v1/files')),
  marketCheck('5-1', 'batches without a key are 401', keyless('/v1/batches')),
  check('5-2 4.5-1', 'a message takes its key from x-api-key alone', async (gateway) =>
    carriedOut(await gateway.message({}, { authorization: '' }), 'type', 'message'),
  ),
  check('5-2 4.5-1', 'a message takes its key from Authorization alone', async (gateway) =>
    carriedOut(await gateway.message({}, { 'x-api-key': '' }), 'type', 'message'),
  ),
  marketCheck('5-3 4.5-1', 'of two keys of a message the one in Authorization counts', async (gateway) =>
    refusedMessage(await gateway.message({}, { authorization: `Bearer ${NOBODY}` }), 401, 'authentication_error'),
  ),
  check('4.2-52 7-11', 'an unknown model is 404 and named', async (gateway) => {
    const { message } = refused(await gateway.chat({ model: UNKNOWN }), 404);
    assert.match(message, /no-such-model-anywhere/);
  }),
  check('4.2-52 7-11', 'an unknown model has the code model_not_found', async (gateway) =>
    refused(await gateway.chat({ model: UNKNOWN }), 404, 'model_not_found'),
  ),
  check('7-42', 'an unknown model is 404 in the envelope of Anthropic', async (gateway) =>
    refusedMessage(await gateway.message({ model: UNKNOWN }), 404, 'not_found_error'),
  ),
  marketCheck('7-37', 'a refused message keeps the code of the gateway beside its type', async (gateway) => {
    const { code } = refusedMessage(await gateway.message({ model: UNKNOWN }), 404, 'not_found_error');
    assert.equal(code, 'model_not_found');
  }),
  check('4.2-49 4.1-2', 'broken JSON is 400', async (gateway) =>
    refused(await gateway.post('/v1/chat/completions', '{"model": '), 400),
  ),
  check('7-38', 'broken JSON of a message is 400 in the envelope of Anthropic', async (gateway) =>
    refusedMessage(await gateway.present(gateway.post('/v1/messages', '{"model": ')), 400, 'invalid_request_error'),
  ),
  check('4.2-3 4.2-49', 'a field of a wrong type is 400 and named in param', async (gateway) => {
    const { param } = refused(await gateway.chat({ messages: 'no list' }), 400);
    assert.match(String(param), /messages/);
  }),
  check('4.2-3 4.2-49', 'a missing field is 400 and named in param', async (gateway) => {
    const { param } = refused(await gateway.post('/v1/chat/completions', { model: gateway.model }), 400);
    assert.match(String(param), /messages/);
  }),
  check('9-1', 'an unknown address is 404 as JSON', async (gateway) =>
    refused(await gateway.get('/v1/no-such-address'), 404),
  ),
  check('4.1-12', 'every answer names its request in x-request-id', async (gateway) => {
    const asked = [gateway.get('/v1/models'), gateway.chat(), gateway.chat({ messages: 1 })];
    const ids = (await Promise.all(asked)).map(({ headers }) => headers.get('x-request-id'));
    assert.ok(ids.every(Boolean), `the ids are ${JSON.stringify(ids)}`);
    assert.equal(new Set(ids).size, ids.length, 'two requests have the same id');
  }),
  marketCheck('8-13 7-23', 'a body of nine million bytes is 413', async (gateway) => {
    const { status } = await gateway.chat({ messages: [{ ...SAY[0], content: 'x'.repeat(9_000_000) }] });
    assert.equal(status, 413);
  }),
  marketCheck('8-1', 'no answer has a header x-ratelimit', async (gateway) => {
    const answers = await Promise.all([gateway.once('chat', () => gateway.chat()), gateway.get('/v1/orders')]);
    const names = answers.flatMap(({ headers }) => [...headers.keys()]);
    assert.deepEqual(
      names.filter((name) => name.startsWith('x-ratelimit')),
      [],
    );
  }),
  check('4.2-47', 'a refusal before a stream has a status and no stream', async (gateway) => {
    const { status, json } = await gateway.chat({ stream: true, model: UNKNOWN });
    assert.equal(status, 404);
    assert.ok(objectIn(json, 'error').message);
  }),
];

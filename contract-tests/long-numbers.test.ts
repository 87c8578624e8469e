import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';

/** The largest integer of many languages, which a double changes, and a number with more digits than it keeps. */
const LONG = '9223372036854775807';
const PRECISE = '0.70000000000000006661';
const schema = { type: 'object', properties: { n: { type: 'integer', minimum: PRECISE, maximum: LONG } } };
const parameters = { name: 'count', parameters: schema };
const messages = [{ role: 'user', content: `Say "${LONG}".` }];

/** JSON in which numbers are bare that are strings in `text`. */
const bare = (text: string) => text.replaceAll(`"${LONG}"`, LONG).replaceAll(`"${PRECISE}"`, PRECISE);

const shapes = [
  ['createChatCompletion', chat({ messages, tools: [{ type: 'function', function: parameters }], seed: LONG })],
  ['createCompletion', { model: 'tide', prompt: 'Hi', price_limit: 5, seed: LONG, x_limits: schema }],
  ['createResponse', { model: 'tide', input: 'Hi', price_limit: 5, tools: [{ type: 'function', ...parameters }] }],
  ['createMessage', message({ tools: [{ name: 'count', input_schema: schema }], temperature: PRECISE })],
] as const;

describe('numbers that a double cannot keep reach the model digit by digit', () => {
  const server = useServer();

  /** Asserts that the last request of the pod has the bounds of the schema. */
  function assertForwarded(more = '') {
    const { text } = server.backend.requests.at(-1) ?? assert.fail('The backend got no request.');
    assert.ok(text.includes(`"minimum":${PRECISE},"maximum":${LONG}`), text);
    assert.ok(text.includes(more), text);
  }

  for (const [operation, body] of shapes)
    for (const stream of [false, true])
      it(`in ${operation}, ${stream ? 'streamed' : 'whole'}`, async () => {
        const reply = await server.api.call(operation, { raw: bare(JSON.stringify({ ...body, stream })) });
        assert.equal(reply.status, 200, reply.text);
        assertForwarded('seed' in body ? `"seed":${LONG}` : '');
      });

  it('in a detached order, which is read back from the database', async () => {
    const body = bare(JSON.stringify(chat({ ...shapes[0][1], detached: true })));
    (await server.api.call('createChatCompletion', { raw: body })).body(202);
    await server.orders({ queued: 0, executing: 0 });
    assertForwarded(`"seed":${LONG}`);
  });

  it('in the line of a batch', async () => {
    const { id } = await batchOf(server.api, [bare(line('a', { x_limits: schema, seed: LONG }))]);
    await ended(server, id);
    assertForwarded(`"seed":${LONG}`);
  });

  it('and prices, waits and caps of as many digits are read as before', async () => {
    const raw = JSON.stringify(chat({ price_limit: 0, max_tokens: 0, max_wait: 0, seed: 0 }))
      .replace('"price_limit":0', '"price_limit":5.00000000000000000001')
      .replace('"max_tokens":0', '"max_tokens":50.0000000000000000000')
      .replace('"max_wait":0', '"max_wait":6e1')
      .replace('"seed":0', `"seed":${LONG}`);
    (await server.api.call('createChatCompletion', { raw })).body(200);
    assert.equal(server.lastRequest().max_tokens, 50);
  });

  it('409 for the same Idempotency-Key when only the last digit differs', async () => {
    const ask = (seed: string) => {
      const raw = JSON.stringify(chat({ seed: 0 })).replace('"seed":0', `"seed":${seed}`);
      return server.api.call('createChatCompletion', { raw, headers: { 'idempotency-key': 'digits' } });
    };
    (await ask(LONG)).body(200);
    (await ask(LONG)).body(200);
    (await ask('9223372036854775806')).refusal(409, 'idempotency_error');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { cannedReply } from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import type { MakeBody } from './support/inference-outcomes.ts';
import { message } from './support/message.ts';
import type { Reply } from './support/reply.ts';
import { TestServer, useServer } from './support/server.ts';
import type { TestAccountOptions } from './support/test-operator.ts';

const shapes: Readonly<Record<string, MakeBody>> = {
  createChatCompletion: chat,
  createCompletion: (fields) => ({ model: 'tide', prompt: 'Hi', price_limit: 5, ...fields }),
  createResponse: (fields) => ({ model: 'tide', input: 'Hi', price_limit: 5, ...fields }),
  createMessage: message,
};
const PRICE = 'price_limt is not a field of this gateway; did you mean price_limit?';
const DRY = 'x-dry-rum is not a header of this gateway; did you mean X-Dry-Run?';
const STRICT = { 'x-strict': 'true' };

/** Names that look like misspelt fields or headers of the gateway. */
describe('X-Warning and X-Strict', () => {
  const server = useServer();
  const strictKey = async () => {
    const { key, keyId } = await server.createAccount({ creditUsd: 10, priceLimits: { tide: 5 } });
    await server.operator.database.knex('api_keys').where({ id: keyId }).update({ strict: 1 });
    return server.api.as(key);
  };

  for (const [name, make] of Object.entries(shapes)) {
    const id = name as OperationId;
    const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}, api = server.api) =>
      api.call(id, { body: make({ max_tokens: 5, price_limt: 0.1, ...fields }), headers });
    const plain = make({ max_tokens: 5 });

    it(`200 ${name} with a warning: whole, streamed, large and as a repeat; none for a request without faults`, async () => {
      const key = { 'idempotency-key': `misspelt ${name}` };
      const metadata = { pad: 'x'.repeat(300_000) };
      const large = id === 'createMessage' ? { system: metadata.pad } : { guided_grammar: metadata.pad };
      for (const reply of [await ask({}, key), await ask({}, key), await ask({ stream: true }), await ask(large)]) {
        assert.deepEqual([reply.status, reply.headers['x-warning']], [200, PRICE]);
      }
      const both = await ask({}, { 'x-dry-rum': 'true' });
      assert.equal(both.headers['x-warning'], `${PRICE} ${DRY}`);
      assert.equal((await server.api.call(id, { body: plain })).headers['x-warning'], undefined);
      assert.equal((await server.api.call(id, { body: plain, headers: STRICT })).status, 200);
      assert.equal((await ask({}, { 'x-strict': 'false' })).headers['x-warning'], PRICE);
    });

    it(`203 ${name}, a dry run with a warning`, async () => {
      const { status, headers } = await ask({}, { 'x-dry-run': 'true' });
      assert.deepEqual([status, headers['x-warning']], [203, PRICE]);
    });

    it(`400 ${name} for other reasons has the warning; with X-Strict it is the reason, before a dry run and a repeat too`, async () => {
      const missing = await ask({ model: 'reef', price_limit: undefined, max_price: undefined });
      missing.refusal(400, id === 'createMessage' ? 'missing_bid' : 'missing_price_limit');
      assert.equal(missing.headers['x-warning'], PRICE);
      for (const headers of [
        STRICT,
        { ...STRICT, 'x-dry-run': 'true' },
        { ...STRICT, 'idempotency-key': `misspelt ${name}` },
      ]) {
        const refused = await server.uncharged(() => ask({}, headers));
        assert.equal(refused.refusal(400, 'invalid_request').message, PRICE);
      }
      const inHeader = await server.api.call(id, { body: plain, headers: { ...STRICT, 'x-dry-rum': 'true' } });
      assert.equal(inHeader.refusal(400, 'invalid_request').message, DRY);
      (await ask({}, { 'x-strict': 'yes' })).refusal(400, 'invalid_request');
    });

    it(`402 to 503 ${name} with a warning: a bound or a wait that was not read may be the cause`, async () => {
      const check = (refused: Reply, status: number, code: string) => {
        refused.refusal(status, code);
        assert.equal(refused.headers['x-warning'], PRICE);
      };
      const warned = async (reply: Promise<Reply>, status: number, code: string) =>
        check(await server.passTimeUntil(reply), status, code);
      const keyed = { 'idempotency-key': `refused ${name}` };
      const keyOf = async (options: TestAccountOptions) => server.api.as((await server.createAccount(options)).key);
      await warned(ask({}, {}, await keyOf({ creditUsd: 0 })), 402, 'insufficient_balance');
      await warned(ask({}, {}, await keyOf({ keySettings: { models: ['reef'] } })), 403, 'model_not_allowed');
      await warned(ask({ model: 'nobody' }), 404, 'model_not_found');
      await warned(ask({ model: 'reef', max_wait: 10 }), 408, 'order_expired');
      await ask({ retention_days: 1 }, keyed);
      await warned(ask({ retention_days: 1, temperature: 1 }, keyed), 409, 'idempotency_error');
      await ask({ retention_days: 0 }, { 'idempotency-key': `gone ${name}` });
      await warned(ask({ retention_days: 0 }, { 'idempotency-key': `gone ${name}` }), 410, 'result_unavailable');
      await warned(ask({ model: 'reef', price_lock: true }), 429, 'capacity_unavailable');
      const finish = server.holdAnswers();
      const uncertain = ask();
      await server.orders({ executing: 1 });
      const late = await server.withoutCommits((passTimeUntil) => {
        finish();
        return passTimeUntil(uncertain);
      });
      check(late, 500, 'settlement_uncertain');
      await server.orders({ executing: 0 });
      server.answer({ writes: [], instead: 'reset' });
      check(await server.passTimeUntil(ask({ max_wait: 86_400 }), 100), 502, 'backend_error');
      server.answer(cannedReply());
    });

    it(`503 ${name} with a warning when the gateway drains`, async () => {
      const draining = new TestServer({});
      await draining.start();
      try {
        const waiting = ask({ model: 'reef' }, {}, draining.api);
        await draining.orders({ queued: 1 });
        const stopped = draining.stop();
        const reply = await waiting;
        reply.refusal(503, 'unavailable');
        assert.equal(reply.headers['x-warning'], PRICE);
        await stopped;
      } finally {
        await draining.close();
      }
    });

    it(`400 ${name} with a strict key, whatever the header`, async () => {
      const api = await strictKey();
      for (const headers of [{}, { 'x-strict': 'false' }]) {
        assert.equal((await ask({}, headers, api)).refusal(400, 'invalid_request').message, PRICE);
      }
      assert.equal((await api.call(id, { body: plain })).status, 200);
    });
  }

  for (const id of ['createChatCompletion', 'createCompletion'] as const) {
    it(`202 ${id} with a warning, also of a repeat`, async () => {
      const body = shapes[id]?.({ detached: true, max_tokens: 5, price_limt: 0.1 });
      for (let time = 0; time < 2; time++) {
        const reply = await server.api.call(id, { body, headers: { 'idempotency-key': `detached ${id}` } });
        assert.deepEqual([reply.status, reply.headers['x-warning']], [202, PRICE]);
      }
    });
  }

  it('200 a line with a misspelt name runs, and its entry has the warning; none where nothing is misspelt', async () => {
    const batch = await ended(server, (await batchOf(server.api, [line('a', { price_limt: 0.1 }), line('b')])).id);
    const { output } = await entriesOf(server.api, batch);
    const warnings = output.map(({ custom_id, response }) => [custom_id, Reflect.get(Object(response), 'warning')]);
    assert.deepEqual(warnings.sort(), [
      ['a', PRICE],
      ['b', undefined],
    ]);
  });

  it('200 a line with a misspelt name that fails: the message of its error ends with the warning', async () => {
    const { key } = await server.createAccount({ creditUsd: 0 });
    const poor = server.api.as(key);
    const unpaid = await ended(server, (await batchOf(poor, [line('a', { price_limt: 0.1 }), line('b')])).id, poor);
    const { errors } = await entriesOf(poor, unpaid);
    const messages = new Map(errors.map(({ custom_id, error }) => [custom_id, error?.message]));
    assert.equal(messages.get('a'), `${messages.get('b')} ${PRICE}`);
    server.answer({ writes: [], instead: 'reset' });
    const failed = await ended(server, (await batchOf(server.api, [line('a', { price_limt: 0.1 })])).id);
    server.answer(cannedReply());
    const [entry] = (await entriesOf(server.api, failed)).errors;
    assert.equal(entry?.error?.code, 'backend_error');
    assert.ok(entry.error.message.endsWith(PRICE));
  });

  it('200 of a strict batch or key: the line fails with the sentence, and the others run', async () => {
    const lines = [line('a', { price_limt: 0.1 }), line('b')];
    const api = await strictKey();
    const ofKey = await entriesOf(api, await ended(server, (await batchOf(api, lines)).id, api));
    assert.deepEqual([ofKey.output.length, ofKey.errors[0]?.error], [1, { code: 'invalid_request', message: PRICE }]);
    const { input_file_id } = await batchOf(server.api, lines);
    const body = { input_file_id, endpoint: '/v1/chat/completions', price_limit: 5 };
    const created = (await server.api.call('createBatch', { body, headers: STRICT })).body(200);
    const { errors } = await entriesOf(server.api, await ended(server, created.id));
    assert.deepEqual(errors[0]?.error, { code: 'invalid_request', message: PRICE });
  });

  it('200 with X-Warning for a misspelt field of the batch itself; 400 where strict', async () => {
    const { input_file_id } = await batchOf(server.api, [line('a')]);
    const body = { input_file_id, endpoint: '/v1/chat/completions', price_limt: 1, price_limit: 5 };
    assert.equal((await server.api.call('createBatch', { body })).headers['x-warning'], PRICE);
    const refused = await server.api.call('createBatch', { body, headers: STRICT });
    assert.equal(refused.refusal(400, 'invalid_request').message, PRICE);
  });
});

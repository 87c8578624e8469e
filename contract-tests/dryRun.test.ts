import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate } from './support/common-refusals.ts';
import { answerIn, guardedShapes } from './support/guarded-shapes.ts';
import { TestServer, useServer } from './support/server.ts';

const DRY = { 'x-dry-run': 'true' };

/** What tests read of the answer. */
interface DryRun {
  readonly object: string;
  readonly model: string;
  readonly hold_usd: number;
  readonly input_charge_usd: number;
  readonly expected_charge_usd: number;
  readonly greatest_charge_usd: number;
  readonly output_tokens_max: number;
  readonly chance: number | null;
  readonly level: number | null;
  readonly repeats_order: string | null;
}

describe('X-Dry-Run', () => {
  const server = useServer();
  const told = (text: string) => JSON.parse(text) as DryRun;

  for (const { id, body, cap } of guardedShapes) {
    const ask = (fields: object = {}, headers: Record<string, string> = {}, api = server.api) =>
      api.call(id, { body: body({ ...fields }), headers });
    const dry = (fields: object = {}, headers: Record<string, string> = {}, api = server.api) =>
      ask(fields, { ...DRY, ...headers }, api);
    itHasARate('inference_requests_per_minute_per_key', id, { body: body(), headers: DRY });

    it(`203 ${id} says hold, charges and wait; nothing is taken, asked of the model, held or charged`, async () => {
      const heard = server.backend.requests.length;
      const orders = async () => (await server.api.call('listOrders', {})).body(200).data.length;
      const before = await orders();
      const reply = await server.uncharged(() => dry({ [cap]: 100 }));
      assert.deepEqual([reply.status, reply.headers['x-service-order-id']], [203, undefined]);
      const { object, model, chance, level, repeats_order, output_tokens_max, ...money } = told(reply.text);
      assert.deepEqual([object, model, chance, level, repeats_order], ['dry_run', 'harbor', null, null, null]);
      assert.equal(output_tokens_max, 100);
      assert.ok(0 < money.input_charge_usd && money.input_charge_usd < money.expected_charge_usd);
      assert.ok(money.expected_charge_usd <= money.greatest_charge_usd && money.hold_usd === money.greatest_charge_usd);
      assert.deepEqual([server.backend.requests.length, await orders()], [heard, before]);
    });

    it(`203 ${id} on a market has the chance of a start; false is as absent, and a stream gets the same JSON`, async () => {
      const market = { model: 'tide', price_limit: 5, ...(id === 'createMessage' ? { max_price: 5 } : {}) };
      const { chance, level, greatest_charge_usd, hold_usd } = told((await dry(market)).text);
      assert.deepEqual([chance, typeof level], [1, 'number']);
      assert.ok(hold_usd < greatest_charge_usd, 'the level is below the bid');
      const streamed = await dry({ ...market, stream: true });
      assert.match(streamed.headers['content-type'] ?? '', /^application\/json/);
      assert.equal(told(streamed.text).greatest_charge_usd, greatest_charge_usd);
      assert.equal((await ask(market, { 'x-dry-run': 'false' })).status, 200);
    });

    it(`${id} a dry run is refused as the request would be, with the same body`, async () => {
      const same = async (status: number, fields: object, api = server.api) => {
        const [one, real] = [await dry(fields, {}, api), await server.uncharged(() => ask(fields, {}, api), api)];
        const wording = (text: string) => ({ ...JSON.parse(text), request_id: '' });
        assert.deepEqual([one.status, real.status], [status, status]);
        assert.deepEqual(wording(one.text), wording(real.text));
        assert.equal(one.headers['x-service-order-id'], undefined);
      };
      await same(400, { temperature: 'warm' });
      await same(400, { max_charge_usd: 0 });
      await same(400, { model: 'ebb' });
      await same(404, { model: 'nobody' });
      const poor = server.api.as((await server.createAccount({ creditUsd: 0 })).key);
      await same(402, {}, poor);
      const spent = await server.createAccount({ keySettings: { budget: 1n, reset: 'day' } });
      await same(402, {}, server.api.as(spent.key));
      const narrow = await server.createAccount({ keySettings: { models: ['reef'] } });
      await same(403, {}, server.api.as(narrow.key));
      (await server.api.call(id, { body: body(), headers: DRY, key: 'sk-none' })).refusal(401, 'invalid_api_key');
      for (const value of ['1', 'yes', 'TRUE', ''])
        (await server.uncharged(() => ask({}, { 'x-dry-run': value }))).refusal(400, 'invalid_request');
    });

    it(`203 ${id} uses up no Idempotency-Key, and says whose answer a repeat gets`, async () => {
      const key = { 'idempotency-key': `dry-${id}` };
      assert.equal(told((await dry({}, key)).text).repeats_order, null);
      const reply = await ask({}, key);
      const { order_id } = answerIn(reply).usage.x_market;
      assert.equal(reply.headers['idempotent-replayed'], undefined);
      const { repeats_order, hold_usd, greatest_charge_usd } = told((await dry({}, key)).text);
      assert.deepEqual([repeats_order, hold_usd, greatest_charge_usd], [order_id, 0, 0]);
      (await dry({ temperature: 0.5 }, key)).refusal(409, 'idempotency_error');
    });
  }

  it('203 for a body of half a megabyte, which leaves nothing behind that waits', async () => {
    const body = { model: 'harbor', messages: [{ role: 'user', content: 'word '.repeat(100_000) }], max_tokens: 8 };
    const reply = await server.uncharged(() => server.api.call('createChatCompletion', { body, headers: DRY }));
    assert.ok(reply.body(203).input_tokens > 50_000);
  });

  it('429 where the queue of the account is full', async () => {
    const small = new TestServer({ limits: { queued_orders_per_account: 1 } });
    await small.start();
    try {
      const body = { model: 'reef', messages: [{ role: 'user', content: 'Hi' }], price_limit: 5, detached: true };
      const { id } = (await small.api.call('createChatCompletion', { body })).body(202);
      (await small.api.call('createChatCompletion', { body, headers: DRY })).refusal(429, 'rate_limit_error');
      await small.api.call('cancelOrder', { params: { id } });
    } finally {
      await small.close();
    }
  });
});

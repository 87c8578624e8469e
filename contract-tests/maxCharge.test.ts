import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply, usageOf } from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { type Answer, answerIn, guardedShapes } from './support/guarded-shapes.ts';
import { useServer } from './support/server.ts';

/** The model answers with eight words, whatever it was asked for: what is cut is cut by the gateway. */
describe('max_charge_usd', () => {
  const server = useServer();

  for (const { id, body, cap, reasonOf, cut } of guardedShapes) {
    const ask = (fields: object = {}, headers: Record<string, string> = {}) =>
      server.api.call(id, { body: body({ ...fields }), headers });
    /** The worst case of this many output tokens. */
    const costOf = async (output: number) => {
      const reply = await ask({ [cap]: output }, { 'x-dry-run': 'true' });
      return Number(JSON.parse(reply.text).greatest_charge_usd);
    };

    it(`200 ${id} ends at the bound, by its own finish reason, and the receipt says so`, async () => {
      const most = await costOf(3);
      const answer = answerIn(await ask({ max_charge_usd: most, [cap]: 512 }));
      assert.equal(server.lastRequest().max_tokens, 3);
      assert.equal(reasonOf(answer), cut);
      const { charged_usd, max_charge_usd, max_charge_reached } = answer.usage.x_market;
      assert.deepEqual([max_charge_usd, max_charge_reached], [most, true]);
      assert.ok(charged_usd > 0 && charged_usd <= most, `${charged_usd} of ${most}`);
    });

    it(`200 ${id} takes it from the header, where the body has precedence, and is not changed by one that suffices`, async () => {
      const free = answerIn(await ask({ [cap]: 512 }));
      const most = await costOf(512);
      const fromHeader = answerIn(await ask({ [cap]: 512 }, { 'x-max-charge-usd': `${most}` }));
      assert.equal(fromHeader.usage.x_market.charged_usd, free.usage.x_market.charged_usd);
      assert.deepEqual(
        [fromHeader.usage.x_market.max_charge_usd, fromHeader.usage.x_market.max_charge_reached],
        [most, false],
      );
      assert.equal(reasonOf(fromHeader), reasonOf(free));
      assert.equal(free.usage.x_market.max_charge_usd, undefined);
      const both = answerIn(await ask({ max_charge_usd: 2 }, { 'x-max-charge-usd': '1' }));
      assert.equal(both.usage.x_market.max_charge_usd, 2);
      assert.equal(server.lastRequest().max_charge_usd, undefined);
    });

    it(`400 ${id} max_charge_too_low below the input and one output token, and invalid_max_charge for what is none`, async () => {
      const most = await costOf(1);
      const heard = server.backend.requests.length;
      const refused = async (code: string, fields: object, headers: Record<string, string> = {}) => {
        const reply = await server.uncharged(() => ask(fields, headers));
        reply.refusal(400, code);
        assert.equal(reply.headers['x-service-order-id'], undefined);
      };
      await refused('max_charge_too_low', { max_charge_usd: most - 1e-9 });
      await refused('max_charge_too_low', { max_charge_usd: 0 });
      await refused('max_charge_too_low', {}, { 'x-max-charge-usd': '0' });
      for (const bad of [-1, 1_000_001, '1', {}, true]) await refused('invalid_max_charge', { max_charge_usd: bad });
      for (const bad of ['-1', '1000001', 'much', ''])
        await refused('invalid_max_charge', { max_charge_usd: 1 }, { 'x-max-charge-usd': bad });
      assert.equal(server.backend.requests.length, heard);
      assert.equal((await ask({ max_charge_usd: most })).status, 200);
    });
  }

  it('200 a stream is cut like an answer, and its usage has the bound', async () => {
    const dry = await server.api.call('createChatCompletion', {
      body: chat({ model: 'harbor', max_tokens: 2 }),
      headers: { 'x-dry-run': 'true' },
    });
    const most = dry.body(203).greatest_charge_usd;
    const body = chat({ model: 'harbor', stream: true, max_charge_usd: most, stream_options: { include_usage: true } });
    const { frames } = await server.api.call('createChatCompletion', { body });
    const chunks = frames.flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data)]));
    const reasons = chunks.flatMap(({ choices }) =>
      (choices ?? []).map((choice: { finish_reason: string | null }) => choice.finish_reason),
    );
    assert.deepEqual(reasons.filter(Boolean), ['length']);
    const { x_market } = chunks.find(({ usage }) => usage)?.usage ?? {};
    assert.deepEqual([x_market.max_charge_usd, x_market.max_charge_reached], [most, true]);
  });

  it('200 input that the model counts beyond what the hold counted is written off, not charged', async () => {
    server.answer(cannedReply({ chunks: 2, usage: usageOf({ prompt: 3000, cached: 0, output: 2 }) }));
    const reply = await server.api.call('createChatCompletion', {
      body: chat({ model: 'harbor', max_charge_usd: 0.0001 }),
    });
    server.answer(cannedReply());
    const { x_market } = reply.body(200).usage;
    assert.deepEqual([x_market.charged_usd, x_market.max_charge_reached], [0.0001, true]);
    const { receipt } = (await server.api.call('getOrderReceipt', { params: { id: x_market.order_id } })).body(200);
    assert.deepEqual([receipt.charged_nano_usd, receipt.max_charge_nano_usd], [100_000, 100_000]);
    assert.ok(receipt.written_off_nano_usd > 0);
  });

  it('200 an order and its signed receipt have it, and null where none was named', async () => {
    const named = async (fields: object) => {
      const { orderId } = await server.api.call('createChatCompletion', { body: chat({ model: 'harbor', ...fields }) });
      const query = { include: 'pricing' };
      const order = (await server.api.call('getOrder', { params: { id: orderId }, query })).body(200);
      const { receipt } = (await server.api.call('getOrderReceipt', { params: { id: orderId } })).body(200);
      return [order.max_charge_usd, receipt.max_charge_nano_usd];
    };
    assert.deepEqual(await named({ max_charge_usd: 0.25 }), [0.25, 250_000_000]);
    assert.deepEqual(await named({}), [null, null]);
  });

  it('200 a waiting order is not repriced to where the bound does not cover its start; 202 detached with a bound', async () => {
    const reef = (fields: object) => chat({ model: 'reef', detached: true, price_limit: 1, ...fields });
    const dry = await server.api.call('createChatCompletion', {
      body: reef({ max_tokens: 1 }),
      headers: { 'x-dry-run': 'true' },
    });
    const body = reef({ max_charge_usd: dry.body(203).greatest_charge_usd });
    const { id } = (await server.api.call('createChatCompletion', { body })).body(202);
    const reprice = async (price_limit: number) =>
      (await server.api.call('repriceOrders', { body: { ids: [id], price_limit } })).body(200).data[0]?.code;
    assert.equal(await reprice(1.1), 'max_charge_too_low');
    assert.equal(await reprice(0.9), null);
    await server.api.call('cancelOrder', { params: { id } });
  });

  it('200 a body of half a megabyte has a bound, too', async () => {
    const messages = [{ role: 'user', content: 'word '.repeat(100_000) }];
    const body = { model: 'harbor', messages, max_tokens: 8, max_charge_usd: 1 };
    const { x_market } = (await server.api.call('createChatCompletion', { body })).body(200).usage;
    assert.deepEqual([x_market.max_charge_usd, x_market.max_charge_reached], [1, false]);
  });

  it('a line of a batch has a bound of its own', async () => {
    const lines = [
      line('cut', { model: 'harbor', max_charge_usd: 0.0005 }),
      line('none', { model: 'harbor', max_charge_usd: 0 }),
    ];
    const batch = await ended(server, (await batchOf(server.api, lines)).id);
    const { output, errors } = await entriesOf(server.api, batch);
    const answer = output[0]?.response?.body as unknown as Answer | undefined;
    assert.equal(answer?.usage.x_market.max_charge_usd, 0.0005);
    assert.equal(errors[0]?.error?.code, 'max_charge_too_low');
  });
});

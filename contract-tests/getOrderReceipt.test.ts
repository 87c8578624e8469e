import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { cannedReply, errorReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const SECRET = 'the words of a prompt that nobody may find';

describe('GET /v1/orders/{id}/receipt', () => {
  const server = useServer();
  itNeedsAKey(server, 'getOrderReceipt', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'getOrderReceipt', { params: { id: NOBODY } });
  itHasARate('account_operations_per_minute_per_account', 'getOrderReceipt', { params: { id: NOBODY } });

  const get = (id: string, api = server.api) => api.call('getOrderReceipt', { params: { id } });
  const ask = (fields: object = {}) =>
    server.passTimeUntil(server.api.call('createChatCompletion', { body: { ...chat(), price_limit: 50, ...fields } }));
  /** What a JWS says, verified with the published keys by a library that is not the gateway's code. */
  const opened = async (jws: string) => {
    const keys = (await server.api.call('getSigningKeys', { key: null })).body(200);
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keys as unknown as JSONWebKeySet), {
      algorithms: ['EdDSA'],
    });
    return { keys, header: protectedHeader, claims: JSON.parse(new TextDecoder().decode(payload)) };
  };
  /** The charge by the specification's formula, in nano-dollars; token counts here are small enough for doubles. */
  const charge = (receipt: { tariff: string; level_nano_usd: number } & Record<string, unknown>) => {
    const [cached = 0, uncached = 0, output = 0] = receipt.tariff.split(':').slice(1).map(Number);
    const [prompt, hit, out] = [receipt.prompt_tokens, receipt.cached_tokens, receipt.output_tokens].map(Number);
    const worth = (hit ?? 0) * cached + ((prompt ?? 0) - (hit ?? 0)) * uncached + (out ?? 0) * output;
    if (receipt.tariff.startsWith('fixed:')) return worth / 1e6;
    return (worth * receipt.level_nano_usd) / (0.9 * cached + 0.1 * uncached + 0.02 * output) / 1e6;
  };

  it('200 a receipt that is signed with a published key and from which the charge can be recomputed', async () => {
    const answer = await ask({ messages: [{ role: 'user', content: SECRET }] });
    const { order_id, charged_usd, level_at_execution, bid } = answer.body(200).usage.x_market;
    const reply = await get(order_id);
    const { id, object, jws, receipt } = reply.body(200);
    assert.deepEqual(
      [id, object, receipt.order_id, receipt.kind, receipt.model],
      [order_id, 'order.receipt', order_id, 'chat', 'tide'],
    );
    const { keys, header, claims } = await opened(jws);
    assert.deepEqual(header, { alg: 'EdDSA', kid: keys.keys[0]?.kid, typ: 'sluice-receipt+jws' });
    assert.deepEqual(claims, receipt);
    assert.equal(receipt.iss, keys.issuer);
    assert.deepEqual(
      [receipt.charged_nano_usd, receipt.level_nano_usd, receipt.bid_nano_usd, receipt.written_off_nano_usd],
      [charged_usd, level_at_execution, bid, 0].map((usd) => Math.round(usd * 1e9)),
    );
    assert.equal(Math.round(charge(receipt)), receipt.charged_nano_usd);
    assert.equal(receipt.level_row?.level_nano_usd, receipt.level_nano_usd);
    assert.equal(receipt.quote_window, null);
    assert.ok(!reply.text.includes('prompt that nobody') && !JSON.stringify(claims).includes('prompt that nobody'));
  });

  it('200 the same bytes on the next day, to any key of the account, in either case of the id', async () => {
    const { orderId } = await ask();
    const { jws } = (await get(orderId)).body(200);
    const day = server.clock.nowMs() / 86_400_000;
    await server.pass(60_000);
    assert.ok(Math.floor(server.clock.nowMs() / 86_400_000) > Math.floor(day), 'The tests begin before midnight.');
    assert.equal((await get(orderId.toUpperCase())).body(200).jws, jws);
    await opened(jws);
  });

  it('200 a lock names the quote of its window', async () => {
    const { orderId } = await ask({ price_lock: true });
    const { receipt } = (await get(orderId)).body(200);
    assert.equal(receipt.quote_window?.price_nano_usd, receipt.bid_nano_usd);
    assert.ok((receipt.quote_window?.from_ms ?? 0) <= Date.parse(receipt.created_at));
    await opened((await get(orderId)).body(200).jws);
  });

  it('200 a fixed-price model has a tariff of prices, and no level', async () => {
    const { orderId } = await ask({ model: 'harbor' });
    const { receipt } = (await get(orderId)).body(200);
    assert.match(receipt.tariff, /^fixed:/);
    assert.deepEqual([receipt.level_row, receipt.quote_window], [null, null]);
    assert.equal(Math.round(charge(receipt)), receipt.charged_nano_usd);
  });

  it('404 for a malformed id, an unknown one, and someone else’s', async () => {
    const { orderId } = await ask();
    const other = server.api.as((await server.createAccount()).key);
    for (const id of ['not-an-id', "' OR 1=1 --", NOBODY]) (await get(id)).refusal(404, 'not_found');
    assert.deepEqual(
      (await get(orderId, other)).refusal(404, 'not_found'),
      (await get(NOBODY)).refusal(404, 'not_found'),
    );
  });

  it('409 while the order waits, and when it ended without a charge', async () => {
    const waiting = (
      await server.api.call('createChatCompletion', { body: { ...chat({ model: 'reef' }), detached: true } })
    ).body(202).id;
    const reply = await get(waiting);
    assert.equal(reply.refusal(409, 'order_not_settled').type, 'conflict_error');
    assert.equal(reply.headers['x-should-retry'], 'false');
    await server.api.call('cancelOrder', { params: { id: waiting } });
    (await get(waiting)).refusal(409, 'order_not_settled');
    server.answer(errorReply(400, 'too many images'));
    const { orderId } = await ask();
    server.answer(cannedReply());
    (await get(orderId)).refusal(409, 'order_not_settled');
  });
});

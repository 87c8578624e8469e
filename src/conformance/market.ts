/** What only a gateway with a market has: levels, quotes, receipts, limits. */
import assert from 'node:assert/strict';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { type CheckGroup, countIn, type Gateway, type Json, jsonWith, objectIn } from './gateway.ts';

/** The receipt of a chat, with the model's ratio; Absent where there are none. */
async function soldChat(gateway: Gateway) {
  await gateway.present(gateway.get(`/v1/market?model=${encodeURIComponent(gateway.model)}`));
  const usage = objectIn(jsonWith(await gateway.chat(), 200), 'usage');
  const { data } = jsonWith(await gateway.get('/v1/models'), 200);
  const listed = (data as Json[]).find(({ id }) => id === gateway.model);
  return { usage, receipt: objectIn(usage, 'x_market'), ratio: objectIn(listed, 'pricing_ratio') };
}

export const market: CheckGroup = {
  name: 'market and receipts',
  checks: [
    {
      name: 'the level of a model, and a quote that holds for a while',
      async run(gateway) {
        const model = encodeURIComponent(gateway.model);
        countIn(jsonWith(await gateway.present(gateway.get(`/v1/market?model=${model}`)), 200), 'level');
        const quote = jsonWith(await gateway.get(`/v1/market/price-lock?model=${model}`), 200);
        assert.ok(countIn(quote, 'valid_for_ms') <= countIn(quote, 'interval_ms'));
      },
    },
    {
      name: 'the charge of a receipt follows from its level, the ratio and the tokens, to the nano-dollar',
      async run(gateway) {
        const { usage, receipt, ratio } = await soldChat(gateway);
        const part = (name: string) => countIn(ratio, name);
        const cached = Number((usage.prompt_tokens_details as Json | undefined)?.cached_tokens ?? 0);
        const uncached = countIn(usage, 'prompt_tokens') - cached;
        const weighted =
          cached * part('cached') + uncached * part('uncached') + countIn(usage, 'completion_tokens') * part('output');
        const mix = 0.9 * part('cached') + 0.1 * part('uncached') + 0.02 * part('output');
        const charge = (countIn(receipt, 'level_at_execution') * weighted) / mix / 1e6;
        assert.ok(
          Math.abs(charge - countIn(receipt, 'charged_usd')) <= 1e-9,
          `${charge}, and the receipt says ${receipt.charged_usd}`,
        );
      },
    },
    {
      name: 'the order of an answer is done and has the same charge',
      async run(gateway) {
        const { receipt } = await soldChat(gateway);
        const order = jsonWith(await gateway.get(`/v1/orders/${String(receipt.order_id)}?include=usage`), 200);
        assert.equal(order.status, 'done');
        assert.equal(objectIn(order, 'usage').charged_usd, receipt.charged_usd);
      },
    },
    {
      name: 'a signed receipt verifies with the published keys, and with one digit changed it does not',
      async run(gateway) {
        const { receipt } = await soldChat(gateway);
        const path = `/v1/orders/${String(receipt.order_id)}/receipt`;
        const { jws } = jsonWith(await gateway.present(gateway.get(path)), 200);
        assert.equal(typeof jws, 'string');
        const keys = createLocalJWKSet(
          jsonWith(await gateway.present(gateway.get('/.well-known/jwks.json')), 200) as unknown as JSONWebKeySet,
        );
        await compactVerify(String(jws), keys, { algorithms: ['EdDSA', 'Ed25519'] });
        const [head, payload = '', signature] = String(jws).split('.');
        const changed = Buffer.from(payload, 'base64url')
          .toString()
          .replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`);
        const forged = `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`;
        await assert.rejects(compactVerify(forged, keys), 'a receipt with another digit verifies');
      },
    },
    {
      name: 'the limits are published',
      async run(gateway) {
        assert.equal(jsonWith(await gateway.present(gateway.get('/v1/rate-limits')), 200).object, 'rate_limits');
      },
    },
    {
      name: 'a negative price limit is 400',
      async run(gateway) {
        await soldChat(gateway);
        jsonWith(await gateway.chat({ price_limit: -1 }), 400);
      },
    },
  ],
};

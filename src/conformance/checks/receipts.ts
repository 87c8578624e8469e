/** Checks of receipts: what they say, that the charge follows from it, and that a signed one verifies. */
import assert from 'node:assert/strict';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { countIn, hasFields, isEqual, isOneOf, jsonWith, marketCheck, objectIn, textIn } from './check.ts';
import { isFixed, listed, otherModel } from './discovery.ts';
import type { Gateway, HttpAnswer, Json } from './gateway.ts';

/** A chat that was charged, with its receipt. */
export interface Bought {
  readonly answer: HttpAnswer;
  readonly usage: Json;
  readonly receipt: Json;
}

/** A small chat. Every check reads the same answer. */
export function boughtChat(gateway: Gateway): Promise<Bought> {
  return gateway.once('bought', async () => {
    const answer = await gateway.once('chat', () => gateway.chat());
    const usage = objectIn(jsonWith(answer, 200), 'usage');
    return { answer, usage, receipt: objectIn(usage, 'x_market') };
  });
}

/** The charge that a receipt should have, in USD, from its level and the ratio of its model. */
function chargeOf(usage: Json, receipt: Json, ratio: Json): number {
  const part = (name: string) => countIn(ratio, name);
  const cached = countIn(objectIn(usage, 'prompt_tokens_details'), 'cached_tokens');
  const uncached = countIn(usage, 'prompt_tokens') - cached;
  const output = countIn(usage, 'completion_tokens');
  const weighted = cached * part('cached') + uncached * part('uncached') + output * part('output');
  const mix = 0.9 * part('cached') + 0.1 * part('uncached') + 0.02 * part('output');
  return (countIn(receipt, 'level_at_execution') * weighted) / mix / 1e6;
}

/** The token of a signed receipt. */
async function signed(gateway: Gateway): Promise<string> {
  const { receipt } = await boughtChat(gateway);
  const path = `/v1/orders/${String(receipt.order_id)}/receipt`;
  return textIn(jsonWith(await gateway.present(gateway.get(path)), 200), 'jws');
}

async function publishedKeys(gateway: Gateway) {
  const keys = jsonWith(await gateway.present(gateway.get('/.well-known/jwks.json')), 200);
  return createLocalJWKSet(keys as unknown as JSONWebKeySet);
}

export const receipts = [
  marketCheck('2.9-1', 'a receipt has its order, its pricing, its level, its bid and its charge', async (gateway) => {
    const { receipt } = await boughtChat(gateway);
    textIn(receipt, 'order_id');
    isOneOf(receipt, 'pricing', ['market', 'fixed']);
    for (const name of ['level_at_execution', 'bid', 'charged_usd']) countIn(receipt, name);
  }),
  marketCheck('4.1-12', 'the header x-service-order-id names the order of the receipt', async (gateway) => {
    const { answer, receipt } = await boughtChat(gateway);
    assert.equal(answer.headers.get('x-service-order-id'), receipt.order_id);
  }),
  marketCheck('1-15 2.1-13', 'the level of a receipt is never above its bid', async (gateway) => {
    const { receipt } = await boughtChat(gateway);
    assert.ok(countIn(receipt, 'level_at_execution') <= countIn(receipt, 'bid'), 'it is above');
  }),
  marketCheck(
    '1-15 1-11',
    'the charge of a receipt follows from its level, the ratio and the tokens, to the nano-dollar',
    async (gateway) => {
      const { usage, receipt } = await boughtChat(gateway);
      const charge = chargeOf(usage, receipt, objectIn(await listed(gateway), 'pricing_ratio'));
      const shown = countIn(receipt, 'charged_usd');
      assert.ok(Math.abs(charge - shown) <= 1e-9, `${charge}, and the receipt says ${shown}`);
    },
  ),
  marketCheck('2.9-1', 'a charge has nine decimal places at most', async (gateway) => {
    const { receipt } = await boughtChat(gateway);
    const charge = countIn(receipt, 'charged_usd');
    assert.equal(Number(charge.toFixed(9)), charge);
  }),
  marketCheck('2.1-22 2.4-3', 'the order of an answer is done and has the same charge', async (gateway) => {
    const { receipt } = await boughtChat(gateway);
    const order = jsonWith(await gateway.get(`/v1/orders/${String(receipt.order_id)}?include=usage`), 200);
    isEqual(order, 'status', 'done');
    isEqual(objectIn(order, 'usage'), 'charged_usd', receipt.charged_usd);
  }),
  marketCheck('1-22 2.3-3', 'the balance goes down by what is charged', async (gateway) => {
    const before = countIn(jsonWith(await gateway.present(gateway.get('/v1/account')), 200), 'balance_usd');
    jsonWith(await gateway.chat(), 200);
    const after = countIn(jsonWith(await gateway.get('/v1/account'), 200), 'balance_usd');
    assert.ok(after < before, `it was ${before}, and is ${after}`);
  }),
  marketCheck(
    '1-8 1-9 4.2-27',
    'a fixed-price model ignores the price limit, and shows its prices',
    async (gateway) => {
      const model = await otherModel(gateway, isFixed);
      const usage = objectIn(jsonWith(await gateway.chat({ model, price_limit: 0 }), 200), 'usage');
      const receipt = objectIn(usage, 'x_market');
      isEqual(receipt, 'pricing', 'fixed');
      hasFields(objectIn(receipt, 'usd_per_million'), 'cached', 'uncached', 'output');
    },
  ),
  marketCheck(
    '2.1-14 2.7-8',
    'the level of a fixed-price receipt is its bid, and the level of its listing',
    async (gateway) => {
      const model = await otherModel(gateway, isFixed);
      const { pricing } = jsonWith(await gateway.get(`/v1/models/${model}`), 200);
      const usage = objectIn(jsonWith(await gateway.chat({ model }), 200), 'usage');
      const receipt = objectIn(usage, 'x_market');
      for (const name of ['bid', 'level_at_execution']) isEqual(receipt, name, (pricing as Json).level);
    },
  ),
  marketCheck(
    '2.9-1',
    'a signed receipt verifies with the published keys, and with one digit changed it does not',
    async (gateway) => {
      const token = await signed(gateway);
      const keys = await publishedKeys(gateway);
      await compactVerify(token, keys, { algorithms: ['EdDSA', 'Ed25519'] });
      const [head, payload = '', signature] = token.split('.');
      const changed = Buffer.from(payload, 'base64url')
        .toString()
        .replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`);
      const forged = `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`;
      await assert.rejects(compactVerify(forged, keys), 'a receipt with another digit verifies');
    },
  ),
];

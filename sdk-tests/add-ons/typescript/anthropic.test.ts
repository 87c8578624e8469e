/** The official Anthropic client with its add-on, against the gateway of SLUICE_BASE_URL. Its programs change one import. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Anthropic, { APIError } from '@sluice/anthropic';
import { Sluice } from '@sluice/client';
import { losing } from './failing-fetch.ts';

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Say hello.' }];
const asked = { model: 'tide', max_tokens: 50, messages };
const client = new Anthropic({ priceLimit: '2' });
const sluice = new Sluice();
const begin = new Date();

/** The orders with this bid since the program began; each test has a bid of its own. */
async function ordersAt(bid: string): Promise<number> {
  const orders = await Array.fromAsync(sluice.orders.list({ from: begin }));
  return orders.filter(({ order }) => order?.bid === bid).length;
}

describe('@sluice/anthropic', { concurrency: true }, () => {
  it('bids the default of the client, and has a receipt that verifies', async () => {
    const message = await client.messages.create(asked);
    assert.equal(message.usage.x_market?.bid, 2);
    const receipt = await client.receipt(message);
    await receipt.verify();
    assert.equal(Number(receipt.charged), message.usage.x_market?.charged_usd);
  });

  it('bids what a call or a copy of the client says', async () => {
    const copy = client.withOptions({ maxCharge: '0.25' });
    const { usage } = await copy.messages.create({ ...asked, priceLimit: '1.9' });
    const { order } = await sluice.orders.get(usage.x_market?.order_id ?? '');
    assert.deepEqual([order?.bid, order?.max_charge_usd], ['1.9', '0.25']);
  });

  it('has the receipt of a stream after its end, and of an assembled stream', async () => {
    const stream = await client.messages.create({ ...asked, stream: true });
    for await (const event of stream) assert.ok(event.type);
    const assembled = await client.messages.stream(asked).finalMessage();
    for (const answered of [stream, assembled]) await (await client.receipt(answered)).verify();
  });

  it('bids in the beta of messages', async () => {
    const { usage } = await client.beta.messages.create({ ...asked, priceLimit: '1.8' });
    assert.equal(usage.x_market?.bid, 1.8);
  });

  it('counts tokens without a bid', async () => {
    const { input_tokens: tokens } = await client.messages.countTokens({ model: 'tide', messages });
    assert.ok(tokens > 0);
  });

  it('pays once for a call whose answers were lost, with one key for all attempts', async () => {
    const { fetch, sent, keys } = losing(2);
    const answer = await client.withOptions({ fetch }).messages.create({ ...asked, priceLimit: '2.3' });
    assert.equal(answer.type, 'message');
    assert.deepEqual([sent.length, keys.size, keys.has(null), await ordersAt('2.3')], [3, 1, false, 1]);
  });

  it('waits for an order as long as it lives, though its connection was cut', async () => {
    const { fetch, sent, keys } = losing(1, { cutMs: 300 });
    const body = { ...asked, priceLimit: '2.4', x_simulate: { output_tokens: 25, token_ms: 100 } };
    const answer = await client.withOptions({ fetch, maxRetries: 1 }).messages.create(body);
    assert.equal(answer.usage.output_tokens, 25);
    assert.ok(sent.length > 1, `${sent.length} requests`);
    assert.deepEqual([keys.size, await ordersAt('2.4')], [1, 1]);
  });

  it('does not send a misspelt bid', async () => {
    const body = { ...asked, price_limt: 1 } as typeof asked;
    await assert.rejects(client.messages.create(body), (error) => error instanceof APIError && error.status === 400);
  });
});

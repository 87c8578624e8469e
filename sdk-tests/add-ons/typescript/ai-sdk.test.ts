/** The provider of the AI SDK, against the gateway of SLUICE_BASE_URL. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bid, createSluice } from '@sluice/ai-sdk';
import { Sluice } from '@sluice/client';
import { APICallError, generateText, streamText } from 'ai';
import { losing } from './failing-fetch.ts';

const prompt = 'Say hello.';
const sluice = createSluice({ priceLimit: '2' });
const begin = new Date();

async function ordersAt(limit: string): Promise<number> {
  const orders = await Array.fromAsync(new Sluice().orders.list({ from: begin }));
  return orders.filter(({ order }) => order?.bid === limit).length;
}

describe('@sluice/ai-sdk', { concurrency: true }, () => {
  it('bids the default of the provider, of a model, and of a call, and returns the receipt', async () => {
    const provider = await generateText({ model: sluice('tide'), prompt });
    const model = await generateText({ model: sluice('tide', { priceLimit: '2.5' }), prompt });
    const providerOptions = bid({ priceLimit: '2.25', maxCharge: '0.5' });
    const call = await generateText({ model: sluice('tide'), prompt, providerOptions });
    const paid = [provider, model, call].map(({ providerMetadata }) => providerMetadata?.sluice);
    assert.deepEqual(
      paid.map((receipt) => receipt?.bid),
      [2, 2.5, 2.25],
    );
    const receipt = await sluice.receipt(String(paid[2]?.order_id));
    await receipt.verify();
    assert.equal(Number(receipt.charged), paid[2]?.charged_usd);
  });

  it('returns the receipt of a stream', async () => {
    const stream = streamText({ model: sluice('tide'), prompt });
    assert.match(await stream.text, /\w/);
    const paid = (await stream.providerMetadata)?.sluice;
    await (await sluice.receipt(String(paid?.order_id))).verify();
  });

  it('pays once for a call whose answers were lost, with one key for all attempts', async () => {
    const { fetch, sent, keys } = losing(2);
    const model = createSluice({ fetch, priceLimit: '2.7' })('tide');
    assert.ok((await generateText({ model, prompt })).text);
    assert.deepEqual([sent.length, keys.size, await ordersAt('2.7')], [3, 1, 1]);
  });

  it('leaves no retry to the SDK, which would place a new order', async () => {
    const { fetch, sent, keys } = losing(9);
    const model = createSluice({ fetch, priceLimit: '2.8' })('tide');
    await assert.rejects(generateText({ model, prompt }), APICallError);
    assert.deepEqual([sent.length, keys.size, await ordersAt('2.8')], [3, 1, 1]);
  });

  it('refuses a misspelt bid, uncharged', async () => {
    const providerOptions = { sluice: { price_limt: 1 } };
    const refused = generateText({ model: sluice('tide'), prompt, providerOptions });
    await assert.rejects(refused, (error) => APICallError.isInstance(error) && error.statusCode === 400);
  });
});

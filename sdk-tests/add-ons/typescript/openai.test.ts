/** The official OpenAI client with its add-on, against the gateway of SLUICE_BASE_URL. Its programs change one import. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Sluice } from '@sluice/client';
import OpenAI, { APIError, ReceiptError, toFile } from '@sluice/openai';
import { losing } from './failing-fetch.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say hello.' }];
const client = new OpenAI({ priceLimit: '2' });
const sluice = new Sluice();
const asked = { model: 'tide', messages };

const begin = new Date();

/** The orders with this bid since the program began; each test has a bid of its own. */
async function ordersAt(bid: string): Promise<number> {
  const orders = await Array.fromAsync(sluice.orders.list({ from: begin }));
  return orders.filter(({ order }) => order?.bid === bid).length;
}

describe('@sluice/openai', { concurrency: true }, () => {
  it('has everything that openai has', () => {
    assert.equal(client instanceof OpenAI, true);
    assert.equal(OpenAI.APIError, APIError);
    assert.equal(typeof toFile, 'function');
  });

  it('bids the default of the client, and has a receipt that verifies', async () => {
    const answer = await client.chat.completions.create(asked);
    assert.equal(answer.usage?.x_market?.bid, 2);
    const receipt = await client.receipt(answer);
    await receipt.verify();
    assert.equal(Number(receipt.charged), answer.usage?.x_market?.charged_usd);
  });

  it('bids what a call says', async () => {
    const answer = await client.chat.completions.create({ ...asked, priceLimit: '2.000000001', maxCharge: '0.5' });
    assert.equal(answer.usage?.x_market?.bid, 2.000000001);
    const { order } = await sluice.orders.get(answer.usage?.x_market?.order_id ?? '');
    assert.equal(order?.max_charge_usd, '0.5');
  });

  it('bids what a copy of the client says, and keeps the other defaults', async () => {
    const copy = client.withOptions({ maxCharge: '0.25' });
    const answer = await copy.chat.completions.create(asked);
    const { order } = await sluice.orders.get(answer.usage?.x_market?.order_id ?? '');
    assert.deepEqual([order?.max_charge_usd, order?.bid], ['0.25', '2']);
  });

  it('drops a default deadline for a call that says otherwise when to start', async () => {
    const patient = client.withOptions({ deadline: new Date(Date.now() + 3_600_000) });
    const [by, within] = await Promise.all([
      patient.chat.completions.create(asked),
      patient.chat.completions.create({ ...asked, maxWait: 60 }),
    ]);
    const strategies = [by, within].map(async ({ usage }) => {
      const { order } = await sluice.orders.get(usage?.x_market?.order_id ?? '');
      return order?.strategy != null;
    });
    assert.deepEqual(await Promise.all(strategies), [true, false]);
  });

  it('has the receipt of a stream after its end, without changing its chunks', async () => {
    const stream = await client.chat.completions.create({ ...asked, stream: true });
    const texts: (string | null | undefined)[] = [];
    for await (const { choices } of stream)
      texts.push((choices as [OpenAI.ChatCompletionChunk.Choice])[0].delta.content);
    assert.match(texts.join(''), /\w/);
    const receipt = await client.receipt(stream);
    await receipt.verify();
    assert.ok(Number(receipt.charged) > 0);
  });

  it('has the receipt of an assembled stream, of a text completion and of a response', async () => {
    const assembled = await client.chat.completions.stream(asked).finalChatCompletion();
    const completion = await client.completions.create({ model: 'tide', prompt: 'Hello', max_tokens: 20 });
    const response = await client.responses.create({
      model: 'tide',
      input: 'Hello',
      max_output_tokens: 20,
      maxCharge: 1,
    });
    for (const answer of [assembled, completion, response]) await (await client.receipt(answer)).verify();
    assert.equal(response.usage?.x_market?.bid, 2);
  });

  it('refuses a receipt whose charge was changed', async () => {
    const receipt = await client.receipt(await client.chat.completions.create(asked));
    receipt.claims.charged_nano_usd += 1;
    await assert.rejects(receipt.verify(), ReceiptError);
  });

  it('pays once for a call whose answers were lost, with one key for all attempts', async () => {
    const { fetch, sent, keys } = losing(2);
    const answer = await client.withOptions({ fetch }).chat.completions.create({ ...asked, priceLimit: '2.1' });
    assert.ok(answer.choices[0]?.message.content);
    assert.deepEqual([sent.length, keys.size, await ordersAt('2.1')], [3, 1, 1]);
  });

  it('waits for an order as long as it lives, though its connection was cut', async () => {
    const { fetch, sent, keys } = losing(1, { cutMs: 300 });
    const body = { ...asked, priceLimit: '2.2', x_simulate: { output_tokens: 25, token_ms: 100 } };
    const answer = await client.withOptions({ fetch, maxRetries: 1 }).chat.completions.create(body);
    assert.equal(answer.usage?.completion_tokens, 25);
    assert.ok(sent.length > 1, `${sent.length} requests`);
    assert.deepEqual([keys.size, await ordersAt('2.2')], [1, 1]);
  });

  it('ends the wait when the caller does', async () => {
    const { fetch: lossy, sent } = losing(1, { cutMs: 100 });
    const caller = new AbortController();
    const leaving: typeof fetch = (input, init) => {
      const answer = lossy(input, init);
      if (sent.length > 1) caller.abort();
      return answer;
    };
    const body = { ...asked, model: 'narrows', priceLimit: '1' };
    const options = { signal: caller.signal, maxRetries: 1 };
    const call = client.withOptions({ fetch: leaving }).chat.completions.create(body, options);
    await assert.rejects(call, OpenAI.APIUserAbortError);
    assert.equal(sent.length, 2);
  });

  it('does not send a misspelt bid', async () => {
    const body = { ...asked, price_limt: 1 } as typeof asked;
    await assert.rejects(client.chat.completions.create(body), /did you mean price_limit\?/);
  });

  it('throws for a limit that is no amount', async () => {
    await assert.rejects(client.chat.completions.create({ ...asked, priceLimit: 'two' }), RangeError);
  });

  it('places a batch once, even if the answer was lost', async () => {
    const { fetch, sent } = losing(1);
    const input = { input_file_id: 'file-none', endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    await assert.rejects(client.withOptions({ fetch }).batches.create(input), OpenAI.APIConnectionError);
    assert.equal(sent.length, 1);
  });
});

/** The scenario of sdk-tests/README.md with the TypeScript client. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatCompletion,
  ConflictError,
  type EventStream,
  InvalidRequestError,
  money,
  NotFoundError,
  nanoOf,
  Sluice,
  type StreamEvent,
} from '@sluice/client';

const BATCH_DEADLINE_MS = 60_000;
/** The market may not confirm a price in time, and a result may still be written. */
const RETRIES = 20;

const { SLUICE_URL: baseUrl = '', SLUICE_KEY: apiKey = '' } = process.env;
const sluice = new Sluice({ baseUrl, apiKey, maxRetries: RETRIES }).api;
const messages = [{ role: 'user', content: 'What is a sluice?' }];

const ratio = await step('list models', async () => {
  const models = await sluice.models.listModels();
  assert.equal(models.default, 'tide');
  const pricing = Object.fromEntries(models.data.map((model) => [model.id, model.pricing.type]));
  assert.deepEqual(pricing, { tide: 'market', harbor: 'fixed', narrows: 'market' });
  const tide = models.data.find(({ id }) => id === 'tide');
  assert.ok(tide);
  return tide.pricing_ratio;
});

await step('read the level', async () => {
  const level = await sluice.market.getMarket({ model: 'tide' });
  assert.ok(money.compare(level.level, '0') > 0);
  assert.equal(level.degraded, false);
  for await (const { data } of await sluice.streams.streamMarket({ model: 'tide' })) {
    assert.ok(JSON.parse(data).level > 0);
    break;
  }
});

await step('read a quote', async () => {
  const quote = await sluice.market.getPriceLock({ model: 'tide' });
  assert.ok(money.compare(quote.price, '0') >= 0);
  assert.ok(quote.valid_for_ms >= 0 && quote.valid_for_ms <= quote.interval_ms);
  assert.equal(quote.execute_window_seconds, 10);
});

await step('read the history', async () => {
  const history = await sluice.market.getMarketHistory({ model: 'tide', range: '1h' });
  assert.deepEqual([history.model, history.range], ['tide', '1h']);
});

await step('read the depth', async () => {
  const { model, accounts_min, steps } = await sluice.market.getMarketDepth({ model: 'tide' });
  assert.ok(model === 'tide' && accounts_min === 3);
  // The bids of a single account are never shown.
  assert.deepEqual(steps, []);
});

await step('ask for an estimate', async () => {
  const tokens = { inputTokens: 1000, outputTokens: 100 };
  const estimate = await sluice.market.getMarketEstimate({ model: 'tide', priceLimit: '2', ...tokens });
  assert.ok(estimate.bid === '2' && estimate.chance === 1);
  assert.ok(Number(estimate.expected_charge_usd) <= Number(estimate.greatest_charge_usd));
  const forward = await sluice.market.getMarketEstimate({ model: 'tide', chance: '0.9', requests: 2 });
  assert.ok(forward.bid !== null && forward.requests === 2);
});

const answer = await step('complete a chat', async () => {
  const answer = await sluice.inference.createChatCompletion({
    chatCompletionRequest: { model: 'tide', messages, price_limit: '2' },
  });
  assert.ok(answer.choices[0]?.message.content);
  assert.ok(answer.usage.completion_tokens > 0);
  return answer;
});
const receipt = answer.usage.x_market;

await step('check the receipt', async () => {
  assert.equal(Number(nanoOf(receipt.charged_usd)), nano(chargeOf(answer)));
  const order = await sluice.orders.getOrder({ id: receipt.order_id, include: ['usage'] });
  assert.equal(order.status, 'done');
  assert.equal(order.usage?.charged_usd, receipt.charged_usd);
});

await step('bound a charge', async () => {
  const chatCompletionRequest = { model: 'harbor', messages, max_tokens: 3 };
  const dry = await sluice.inference.dryRunChatCompletion({ chatCompletionRequest });
  assert.deepEqual([dry.object, dry.model, dry.output_tokens_max], ['dry_run', 'harbor', 3]);
  const bounded = { model: 'harbor', messages, max_charge_usd: dry.greatest_charge_usd };
  const cut = await sluice.inference.createChatCompletion({ chatCompletionRequest: bounded });
  const { x_market } = cut.usage;
  assert.equal(cut.choices[0]?.finish_reason, 'length');
  assert.ok(x_market.max_charge_reached && money.compare(x_market.charged_usd, dry.greatest_charge_usd) <= 0);
});

await step('keep the signed receipt', async () => {
  const signed = await sluice.orders.getOrderReceipt({ id: receipt.order_id });
  assert.equal(signed.receipt.charged_nano_usd, Number(nanoOf(receipt.charged_usd)));
  const { issuer, keys } = await sluice.system.getSigningKeys();
  assert.ok(keys.length > 0 && signed.receipt.iss === issuer);
  const level = signed.receipt.level_row;
  assert.ok(level && signed.jws.split('.').length === 3);
  const { data } = await sluice.market.getMarketLedger({ model: 'tide', after: level.number - 1, limit: 1 });
  assert.deepEqual([data[0]?.number, data[0]?.hash], [level.number, level.hash]);
  const { head, jws } = await sluice.market.getMarketLedgerHead({ model: 'tide' });
  assert.ok(head && jws && head.iss === issuer && head.number > 0);
});

const waiting = await step('reprice a waiting order', async () => {
  const { id } = await sluice.inference.createDetachedChatCompletion({
    chatCompletionRequest: { model: 'narrows', messages, price_limit: '1' },
  });
  const repriced = await sluice.orders.repriceOrders({ repriceRequest: { ids: [id], price_limit: '1.5' } });
  assert.equal(repriced.changed, 1);
  const order = await sluice.orders.getOrder({ id });
  assert.deepEqual([order.status, order.bid], ['queued', '1.5']);
  return id;
});

await step('cancel it', async () => {
  assert.equal((await sluice.orders.cancelOrder({ id: waiting })).status, 'canceled');
  assert.equal((await sluice.orders.getOrder({ id: waiting })).status, 'canceled');
});

await step('respond in the background', async () => {
  const create = (model: string, price_limit: string) =>
    sluice.inference.createResponse({ responseRequest: { model, input: 'Say hello.', price_limit, background: true } });
  let response = await create('tide', '2');
  while (response.status !== 'completed') {
    assert.ok(['queued', 'in_progress'].includes(response.status), response.status);
    await sleep(100);
    response = await sluice.inference.getResponse({ id: response.id });
  }
  assert.ok(response.background && response.output.length > 0);
  const { id } = await create('narrows', '1');
  assert.equal((await sluice.inference.cancelResponse({ id })).status, 'cancelled');
});

await step('follow an order', async () => {
  const { id } = await sluice.inference.createDetachedChatCompletion({
    chatCompletionRequest: { model: 'tide', messages, price_limit: '2' },
  });
  const first: StreamEvent[] = [];
  const follow = (startingAfter?: number) =>
    sluice.streams.streamOrder({ id, ...(startingAfter !== undefined && { startingAfter }) });
  const events = await follow();
  for await (const event of events) if (first.push(event) === 10) break;
  assert.equal(events.lastEventId, '9');
  const rest = await allOf(await follow(9));
  const whole = await allOf(await follow());
  assert.deepEqual([...first, ...rest], whole);
  assert.deepEqual(
    whole.map((event) => event.id),
    whole.map((_, number) => String(number)),
  );
  const [done, ...chunks] = whole.toReversed().map(({ data }) => data);
  assert.equal(done, '[DONE]');
  const said = chunks.toReversed().map((chunk) => JSON.parse(chunk).choices[0]?.delta.content ?? '');
  const { body } = await sluice.orders.getOrderResult({ id });
  assert.equal(body?.choices[0].message.content, said.join(''));
  const refusal = await follow(whole.length).catch((error: unknown) => error);
  assert.ok(refusal instanceof InvalidRequestError);
  assert.deepEqual([refusal.status, refusal.param], [400, 'starting_after']);
});

await step('give an order a deadline', async () => {
  const { id } = await sluice.inference.createDetachedChatCompletion({
    chatCompletionRequest: { model: 'narrows', messages, price_limit: '1', deadline: 3600 },
  });
  const { bid, strategy } = await sluice.orders.getOrder({ id });
  assert.deepEqual([strategy?.kind, strategy?.price_limit, money.compare(bid, '1') <= 0], ['deadline', '1', true]);
  assert.equal((await sluice.orders.cancelOrder({ id })).status, 'canceled');
});

await step('read the usage', async () => {
  const usage = await sluice.account.listUsage();
  const record = usage.data.find(({ order_id }) => order_id === receipt.order_id);
  assert.equal(record?.charged_usd, receipt.charged_usd);
  assert.ok(!usage.data.some(({ order_id }) => order_id === waiting));
});

const file = await step('upload a file', async () => {
  const lines = ['first', 'second'].map((custom_id) => {
    const body = { model: 'harbor', messages };
    return JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body });
  });
  const blob = new File([lines.join('\n')], 'questions.jsonl');
  const file = await sluice.files.uploadFile({ file: blob, purpose: 'batch' });
  assert.deepEqual([file.filename, file.bytes], ['questions.jsonl', blob.size]);
  return file;
});

await step('run a batch', async () => {
  let batch = await sluice.batches.createBatch({
    batchRequest: { input_file_id: file.id, endpoint: '/v1/chat/completions', deadline: 3600 },
  });
  assert.equal(batch.x_market.deadline, batch.created_at + 3600);
  const deadlineMs = Date.now() + BATCH_DEADLINE_MS;
  while (['validating', 'in_progress'].includes(batch.status) && Date.now() < deadlineMs) {
    await sleep(200);
    batch = await sluice.batches.getBatch({ id: batch.id });
  }
  assert.deepEqual([batch.status, batch.request_counts.completed], ['completed', 2]);
  assert.ok(batch.output_file_id);
  const output = await sluice.files.getFileContent({ id: batch.output_file_id });
  const lines = (await output.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines.map((line) => line.custom_id).sort(), ['first', 'second']);
  for (const line of lines) assert.ok(line.response.body.choices[0].message.content);
});

await step('catch a refusal', async () => {
  const request = { chatCompletionRequest: { model: 'nowhere', messages } };
  const refusal = await sluice.inference.createChatCompletion(request).catch((error: unknown) => error);
  assert.ok(refusal instanceof NotFoundError);
  assert.deepEqual([refusal.orderId, refusal.charged, refusal.retryable], [null, false, false]);
  assert.deepEqual([refusal.status, refusal.code, refusal.param], [404, 'model_not_found', 'model']);
  assert.match(refusal.message, /nowhere/);
  assert.ok(refusal.requestId);
});

await step('catch a misspelt bound', async () => {
  const request = { chatCompletionRequest: { model: 'tide', messages, ...({ price_limt: 0.1 } as object) } };
  const refusal = await sluice.inference.createChatCompletion(request).catch((error: unknown) => error);
  assert.ok(refusal instanceof InvalidRequestError);
  assert.deepEqual([refusal.status, refusal.param], [400, 'price_limt']);
  assert.match(refusal.message, /did you mean price_limit\?/);
});

await step('pay once with two clients', async () => {
  const options = { idempotencyKey: crypto.randomUUID() };
  const place = (model: string) => new Sluice().orders.place({ model, messages, priceLimit: '2' }, options);
  const [one, other] = await Promise.all([place('tide'), place('tide')]);
  assert.equal(one.id, other.id);
  assert.deepEqual((await one.result()).usage.x_market, (await other.result()).usage.x_market);
  const refusal = await place('harbor').catch((error: unknown) => error);
  assert.ok(refusal instanceof ConflictError);
  assert.deepEqual([refusal.code, refusal.charged, refusal.orderId], ['idempotency_error', false, null]);
});

async function allOf(events: EventStream): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function step<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  const result = await act();
  console.log(`ok ${name}`);
  return result;
}

/** The cost of the answer at the level of its receipt, in USD. */
function chargeOf({ usage }: ChatCompletion): number {
  const cached = usage.prompt_tokens_details.cached_tokens;
  const uncached = usage.prompt_tokens - cached;
  const weighted = cached * ratio.cached + uncached * ratio.uncached + usage.completion_tokens * ratio.output;
  const mix = 0.9 * ratio.cached + 0.1 * ratio.uncached + 0.02 * ratio.output;
  return (Number(usage.x_market.level_at_execution) * weighted) / mix / 1e6;
}

function nano(usd: number): number {
  return Math.round(usd * 1e9);
}

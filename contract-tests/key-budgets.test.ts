/** Budgets of keys over HTTP: whatever is sent at once, waits, ends or comes back, a key never costs more than its budget. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply } from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import type { Client } from './support/client.ts';
import { useServer } from './support/server.ts';
import { COMMAND_LINE, type TestKeySettings } from './support/test-operator.ts';

const OPERATION = 'createChatCompletion';

describe('budgets of keys', () => {
  const server = useServer();
  const ask = (api: Client, fields: Record<string, unknown> = {}) =>
    api.call(OPERATION, { body: chat({ max_tokens: 8, ...fields }) });

  /** What one of these requests costs; a little less than what is held for it. */
  async function charge(): Promise<bigint> {
    const { usage } = (await ask(server.api)).body(200);
    return BigInt(Math.round(usage.x_market.charged_usd * 1e9));
  }

  async function keyWith(keySettings: TestKeySettings) {
    const account = await server.createAccount({ keySettings });
    const budget = async () =>
      (await server.operator.keys.list(account.id)).find(({ id }) => id === account.keyId)?.budget;
    return { ...account, api: server.api.as(account.key), budget };
  }

  // The clock of the tests begins half a minute before midnight.
  it('200 again when the next day begins, which has a budget of its own', async () => {
    const { api } = await keyWith({ budget: ((await charge()) * 3n) / 2n, reset: 'day' });
    (await ask(api)).body(200);
    (await ask(api)).refusal(402, 'key_budget_exceeded');
    const midnight = Math.ceil(server.clock.nowMs() / 86_400_000) * 86_400_000;
    await server.pass(midnight - server.clock.nowMs());
    (await ask(api)).body(200);
    (await ask(api)).refusal(402, 'key_budget_exceeded');
  });

  it('200 for at most as many of 500 parallel requests as the budget covers, and 402 for the others', async () => {
    const amount = ((await charge()) * 15n) / 2n;
    const { api, budget, id } = await keyWith({ budget: amount, reset: 'month' });
    const replies = await Promise.all(Array.from({ length: 500 }, () => ask(api)));
    const served = replies.filter(({ status }) => status === 200);
    for (const reply of replies) if (reply.status !== 200) reply.refusal(402, 'key_budget_exceeded');
    assert.ok(served.length > 0 && served.length <= 7, `${served.length} were served`);
    const account = (await api.call('getAccount')).body(200);
    assert.deepEqual(account.orders, { queued: 0, executing: 0 });
    const after = await budget();
    assert.ok(after && after.held === 0n && after.spent <= amount);
    assert.equal(amount - after.spent, BigInt(Math.round(account.balance_usd * 1e9)));
    const { secret } = await server.operator.keys.create(id, {}, COMMAND_LINE);
    const { balance_usd } = (await server.api.as(secret).call('getAccount')).body(200);
    assert.equal(after.spent, BigInt(Math.round((100 - balance_usd) * 1e9)));
  });

  it('200 for another key of the account while one has spent its budget', async () => {
    const { api, id } = await keyWith({ budget: 1n });
    (await ask(api)).refusal(402, 'key_budget_exceeded');
    const { secret } = await server.operator.keys.create(id, {}, COMMAND_LINE);
    (await ask(server.api.as(secret))).body(200);
  });

  it('402 names the order that waited while another order of its key spent the budget', async () => {
    const { api } = await keyWith({ budget: ((await charge()) * 3n) / 2n });
    const finish = server.holdAnswers();
    const first = ask(api);
    await server.orders({ executing: 1 }, api);
    const second = ask(api);
    await server.orders({ executing: 1, queued: 1 }, api);
    finish();
    assert.equal((await first).status, 200);
    const reply = await second;
    reply.refusal(402, 'key_budget_exceeded');
    assert.ok(reply.orderId);
    server.answer(cannedReply());
  });

  it('200 within a second of a budget that is raised, also for an order that waits', async () => {
    const { api, keyId } = await keyWith({ budget: ((await charge()) * 3n) / 2n });
    const finish = server.holdAnswers();
    const first = ask(api);
    await server.orders({ executing: 1 }, api);
    const second = ask(api);
    await server.orders({ executing: 1, queued: 1 }, api);
    await server.operator.keys.update(keyId, { budget: 1_000_000_000n }, COMMAND_LINE);
    await server.pass(1000);
    await server.orders({ executing: 2, queued: 0 }, api);
    finish();
    assert.deepEqual([(await first).status, (await second).status], [200, 200]);
    server.answer(cannedReply());
  });

  it('200 for detached orders that wait for the budget over a restart, as far as it goes', async () => {
    const amount = ((await charge()) * 5n) / 2n;
    const { id, keyId, key } = await keyWith({ budget: amount });
    const before = server.api.as(key);
    server.holdAnswers();
    for (let order = 0; order < 4; order++) (await ask(before, { detached: true })).body(202);
    await server.restart();
    server.answer(cannedReply());
    const api = server.api.as(key);
    await server.passTimeUntil(server.orders({ queued: 0, executing: 0 }, api));
    const { data } = (await api.call('listOrders')).body(200);
    const ended = data.map(({ status, error }) => error ?? status).sort();
    assert.deepEqual(ended, ['done', 'done', 'key_budget_exceeded', 'key_budget_exceeded']);
    const budget = (await server.operator.keys.list(id)).find((one) => one.id === keyId)?.budget;
    assert.ok(budget && budget.held === 0n && budget.spent <= amount);
  });

  it('200 with the secret before a rotation until the overlap ends, 401 after it, on one budget', async () => {
    const amount = ((await charge()) * 5n) / 2n;
    const { api, keyId } = await keyWith({ budget: amount });
    const { secret } = await server.operator.keys.rotate(keyId, { overlapMs: 10_000 }, COMMAND_LINE);
    const rotated = server.api.as(secret);
    (await ask(api)).body(200);
    (await ask(rotated)).body(200);
    (await ask(rotated)).refusal(402, 'key_budget_exceeded');
    (await ask(api)).refusal(402, 'key_budget_exceeded');
    await server.pass(10_000);
    (await ask(api)).refusal(401, 'invalid_api_key');
    (await ask(rotated)).refusal(402, 'key_budget_exceeded');
  });

  it('200 for lines of a batch as far as the budget and the models of its key go', async () => {
    const amount = ((await charge()) * 7n) / 2n;
    const { api, budget } = await keyWith({ budget: amount, models: ['tide'] });
    const lines = Array.from({ length: 8 }, (_, at) => line(`line ${at}`, { max_tokens: 8 }));
    const { id } = await batchOf(api, [...lines, line('other', { model: 'harbor' })]);
    const { output, errors } = await entriesOf(api, await ended(server, id, api));
    assert.ok(output.length > 0 && output.length <= 3, `${output.length} lines were answered`);
    const codes = errors.map(({ error }) => error?.code);
    assert.equal(codes.filter((code) => code === 'key_budget_exceeded').length, 8 - output.length);
    assert.equal(errors.find(({ custom_id }) => custom_id === 'other')?.error?.code, 'model_not_allowed');
    const after = await budget();
    assert.ok(after && after.held === 0n && after.spent <= amount);
  });

  it('200 usage is summed by key', async () => {
    const { api, id, keyId } = await keyWith({});
    const { usage } = (await ask(api)).body(200);
    const { key, secret } = await server.operator.keys.create(id, {}, COMMAND_LINE);
    for (let asked = 0; asked < 2; asked++) (await ask(server.api.as(secret))).body(200);
    const spent = await server.operator.keys.spent(id);
    const nano = BigInt(Math.round(usage.x_market.charged_usd * 1e9));
    assert.deepEqual(spent.get(keyId), { today: nano, month: nano });
    assert.ok((spent.get(key.id)?.today ?? 0n) > nano);
  });
});

describe('a budget that is set while a batch runs', () => {
  // Eight lines run, two wait; the others are submitted as room is made.
  const server = useServer({ limits: { queued_batch_orders_per_account: 2 } });

  it('200 the batch ends, and none of the lines that are submitted after it passes the budget', async () => {
    const account = await server.createAccount();
    const api = server.api.as(account.key);
    const finish = server.holdAnswers();
    const { id } = await batchOf(
      api,
      Array.from({ length: 14 }, (_, at) => line(`line ${at}`, { max_tokens: 8 })),
    );
    await server.orders({ executing: 8, queued: 2 }, api);
    await server.operator.keys.update(account.keyId, { budget: 1n }, COMMAND_LINE);
    await server.pass(1_000);
    finish();
    const { output, errors } = await entriesOf(api, await ended(server, id, api));
    assert.deepEqual([output.length, errors.length], [10, 4]);
    assert.ok(errors.every(({ error }) => error?.code === 'key_budget_exceeded'));
    const [key] = await server.operator.keys.list(account.id);
    assert.deepEqual([key?.budget?.spent, key?.budget?.held], [0n, 0n]);
  });
});

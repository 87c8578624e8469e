import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isSignedWith, type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';

describe('/settings/api/webhooks', () => {
  const server = useServer({ trust_proxy: 1, webhooks: { allow: ['127.0.0.1'] } });
  let receiver: WebhookReceiver;
  let made = 0;
  before(async () => {
    receiver = await webhookReceiver();
  });
  after(() => receiver.close());

  const newcomer = async () => {
    const { id, key } = await server.createAccount({ creditUsd: 10 });
    const token = await server.operator.invite(`hooks-${made++}@example.com`, { accountId: id, role: 'owner' });
    return { id, api: server.api.as(key), browser: await BrowserSession.open(server.api, token) };
  };
  const create = async (browser: BrowserSession, more: object = {}) => {
    const body = { url: receiver.url, events: ['order.done', 'order.canceled'], ...more };
    return (await browser.call('createWebhook', { body })).body(201);
  };
  /** Time passes until it has come: a second in which the gateway still looks because of the one before begins nothing. */
  const arrives = (holds: () => boolean) =>
    eventually(async () => {
      if (!holds()) await server.pass(1_000);
      return holds();
    }, 'a message');
  const deliveries = async (browser: BrowserSession, id: string) =>
    (await browser.call('listWebhookDeliveries', { params: { id } })).body(200).data;

  it('201 a webhook whose secret is shown once receives the end of a detached order', async () => {
    const { api, browser } = await newcomer();
    const { webhook, secret } = await create(browser, { description: 'Results' });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{32}$/);
    const { data, webhooks_max } = (await browser.call('listWebhooks')).body(200);
    assert.deepEqual([data, webhooks_max], [[webhook], 20]);
    assert.ok(!JSON.stringify(data).includes(secret));
    const { orderId } = await api.call('createChatCompletion', { body: chat({ detached: true }) });
    await eventually(async () => {
      const { status } = (await api.call('getOrder', { params: { id: orderId ?? '' } })).body(200);
      return status === 'done';
    }, 'the order');
    const of = () => receiver.came.find(({ body }) => body.data.id === orderId);
    await arrives(() => of() !== undefined);
    const message = of();
    assert.ok(message && isSignedWith(secret, message));
    const withUsage = { params: { id: orderId ?? '' }, query: { include: 'usage' } };
    const order = (await api.call('getOrder', withUsage)).body(200);
    assert.deepEqual(
      [message.body.type, message.body.data.status, message.body.data.charged_usd],
      ['order.done', 'done', order.usage?.charged_usd],
    );
    assert.ok(message.text.length < 20_000);
    assert.ok(!message.text.includes('messages'));
    await eventually(async () => (await deliveries(browser, webhook.webhook_id))[0]?.status === 'delivered', 'its end');
    const [delivery] = await deliveries(browser, webhook.webhook_id);
    assert.deepEqual([delivery?.subject, delivery?.last_status, delivery?.next_at], [orderId, 204, null]);
  });

  it('202 a test, which the list shows with the answer of the receiver', async () => {
    const { browser } = await newcomer();
    const { webhook } = await create(browser);
    const params = { id: webhook.webhook_id };
    receiver.answer = (_, response) => response.writeHead(503).end();
    const waiting = (await browser.call('testWebhook', { params })).body(202);
    assert.deepEqual([waiting.type, waiting.status, waiting.attempts], ['webhook.test', 'waiting', 0]);
    assert.deepEqual(await deliveries(browser, params.id), [waiting]);
    await arrives(() => receiver.came.some(({ id }) => id === waiting.event_id));
    await eventually(async () => (await deliveries(browser, params.id))[0]?.status === 'failing', 'the failure');
    receiver.answer = (_, response) => response.end();
    const [failing] = await deliveries(browser, params.id);
    assert.deepEqual([failing?.last_status, failing?.last_error], [503, 'It answered with 503.']);
  });

  it('202 a message that was delivered is sent again under the same name; 404 for one that never was', async () => {
    const { browser } = await newcomer();
    const { webhook } = await create(browser);
    const params = { id: webhook.webhook_id };
    const { event_id } = (await browser.call('testWebhook', { params })).body(202);
    const times = () => receiver.came.filter(({ id }) => id === event_id).length;
    await arrives(() => times() === 1);
    const state = async () => (await deliveries(browser, params.id))[0]?.status;
    await eventually(async () => (await state()) === 'delivered', 'its end');
    const again = { params: { ...params, event_id } };
    const waiting = (await browser.call('resendWebhookDelivery', again)).body(202);
    assert.deepEqual([waiting.status, waiting.attempts, waiting.event_id], ['waiting', 0, event_id]);
    await arrives(() => times() === 2);
    await eventually(async () => (await state()) === 'delivered', 'its second end');
    assert.equal((await deliveries(browser, params.id)).length, 1);
    const none = { params: { ...params, event_id: 'evt_none' } };
    (await browser.call('resendWebhookDelivery', none)).refusal(404, 'not_found');
  });

  it('200 a changed one; one that the gateway disabled says why, until it is enabled; 204 removed', async () => {
    const { browser } = await newcomer();
    const { webhook } = await create(browser);
    const params = { id: webhook.webhook_id };
    const prices = [{ model: 'tide', level_usd: 0.4 }];
    const body = { events: ['price.crossed'], prices, all_orders: true, description: 'Prices' };
    const changed = (await browser.call('updateWebhook', { params, body })).body(200);
    assert.deepEqual(changed, { ...webhook, ...body });
    receiver.answer = (_, response) => response.writeHead(410).end();
    (await browser.call('testWebhook', { params })).body(202);
    await server.pass(1_000);
    const one = async () => (await browser.call('listWebhooks')).body(200).data[0];
    await eventually(async () => (await one())?.enabled === false, 'the end of the endpoint');
    receiver.answer = (_, response) => response.end();
    const off = await one();
    assert.equal(off?.disabled_reason, 'It answered with 410, which refuses further messages.');
    assert.ok(off?.disabled_at);
    const alone = [{ model: 'tide', level_usd: 0.5 }];
    const repriced = (await browser.call('updateWebhook', { params, body: { prices: alone } })).body(200);
    assert.deepEqual(repriced.prices, alone, 'prices change without the rest');
    const on = (await browser.call('updateWebhook', { params, body: { enabled: true } })).body(200);
    assert.deepEqual([on.enabled, on.disabled_reason, on.disabled_at], [true, null, null]);
    assert.equal((await browser.call('removeWebhook', { params })).status, 204);
    assert.equal(await one(), undefined);
    const rows = await server.operator.database.knex('audit_log').where({ subject: params.id }).orderBy('id');
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['webhook.create', 'webhook.change', 'webhook.test', 'webhook.change', 'webhook.change', 'webhook.remove'],
    );
  });

  it('200 a new secret, beside the one of before for as long as asked', async () => {
    const { browser } = await newcomer();
    const { webhook, secret } = await create(browser);
    const params = { id: webhook.webhook_id };
    const rotated = (await browser.call('rotateWebhook', { params, body: { overlap_seconds: 3600 } })).body(200);
    assert.notEqual(rotated.secret, secret);
    const until = new Date(server.clock.nowMs() + 3_600_000).toISOString();
    assert.deepEqual(rotated.webhook, { ...webhook, previous_until: until });
    const { event_id } = (await browser.call('testWebhook', { params })).body(202);
    const of = () => receiver.came.find(({ id }) => id === event_id);
    await arrives(() => of() !== undefined);
    const message = of();
    assert.ok(message && isSignedWith(secret, message) && isSignedWith(rotated.secret, message));
  });

  it('400 for addresses that are not of the public internet, unknown events and models; 404 another account’s; 413', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const refused = async (body: object) =>
      (await mine.browser.call('createWebhook', { body })).refusal(400, 'invalid_request');
    const events = ['order.done'];
    for (const url of [
      ...['http://example.com/', 'https://localhost/', 'https://169.254.169.254/', 'https://[::ffff:a9fe:a9fe]/', 'x'],
      ...['https://metadata.google.internal/', 'https://10.0.0.1/', 'https://2130706434/', 'https://a:b@example.com/'],
    ])
      assert.equal((await refused({ url, events })).param, 'url', url);
    const url = 'https://example.com/hooks';
    for (const wrong of [{ url }, { url, events: [] }, { url, events: ['pod.down'] }, { url, events, secret: 'x' }])
      await refused(wrong);
    for (const model of ['harbor', 'nobody'])
      assert.equal((await refused({ url, events, prices: [{ model, level_usd: 1 }] })).param, 'prices');
    await refused({ url, events, prices: [{ model: 'tide', level_usd: 0.0000100000001 }] });
    const { webhook } = await create(mine.browser);
    const params = { id: webhook.webhook_id };
    const bad = await mine.browser.call('updateWebhook', { params, body: { url: 'https://127.0.0.2/' } });
    assert.equal(bad.refusal(400, 'invalid_request').param, 'url');
    (await mine.browser.call('updateWebhook', { params, body: {} })).refusal(400, 'invalid_request');
    (await mine.browser.call('rotateWebhook', { params, body: { overlap_seconds: -1 } })).refusal(
      400,
      'invalid_request',
    );
    for (const id of [params.id, NOBODY]) {
      const { browser } = theirs;
      const of = { params: { id } };
      (await browser.call('updateWebhook', { ...of, body: { enabled: false } })).refusal(404, 'not_found');
      (await browser.call('rotateWebhook', { ...of, body: { overlap_seconds: 0 } })).refusal(404, 'not_found');
      (await browser.call('testWebhook', of)).refusal(404, 'not_found');
      (await browser.call('listWebhookDeliveries', of)).refusal(404, 'not_found');
      const message = { params: { id, event_id: 'evt_none' } };
      (await browser.call('resendWebhookDelivery', message)).refusal(404, 'not_found');
      (await browser.call('removeWebhook', of)).refusal(404, 'not_found');
    }
    const long = { description: 'x'.repeat(65_536) };
    (await mine.browser.call('createWebhook', { body: { url, events, ...long } })).refusal(413, 'request_too_large');
    (await mine.browser.call('updateWebhook', { params, body: long })).refusal(413, 'request_too_large');
    const rotation = { overlap_seconds: 0, ...long };
    (await mine.browser.call('rotateWebhook', { params, body: rotation })).refusal(413, 'request_too_large');
  });

  it('400 for a fourth that receives all orders, new or changed', async () => {
    const { browser } = await newcomer();
    for (let count = 0; count < 3; count++) await create(browser, { all_orders: true });
    const body = { url: receiver.url, events: ['order.done'], all_orders: true };
    assert.equal((await browser.call('createWebhook', { body })).refusal(400, 'invalid_request').param, 'all_orders');
    const { webhook } = await create(browser);
    const params = { id: webhook.webhook_id };
    const changed = await browser.call('updateWebhook', { params, body: { all_orders: true } });
    assert.equal(changed.refusal(400, 'invalid_request').param, 'all_orders');
  });

  it('400 for a twenty-first', async () => {
    const { browser } = await newcomer();
    for (let count = 0; count < 20; count++) await create(browser);
    const body = { url: receiver.url, events: ['order.done'] };
    (await browser.call('createWebhook', { body })).refusal(400, 'invalid_request');
  });
});

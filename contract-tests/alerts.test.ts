/** Alerts from the call that makes one to Slack, mail and a webhook. The mail server is a real one, of `smtp-server`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMailServer } from '#testing/smtp-server.ts';
import { type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const mails = await startMailServer();
after(() => mails.close());

describe('alerts', () => {
  const mail = { server: mails.url, from: 'alerts@example.com', pages_url: 'https://gateway.example.com' };
  const server = useServer({ trust_proxy: 1, webhooks: { allow: ['127.0.0.1'] }, mail });
  let receiver: WebhookReceiver;
  let made = 0;
  before(async () => {
    receiver = await webhookReceiver();
  });
  after(() => receiver.close());

  const invited = async (place: Parameters<typeof server.operator.invite>[1]) =>
    BrowserSession.open(server.api, await server.operator.invite(`alerts-${made++}@example.com`, place));
  const newcomer = async () => {
    const { id, keyId } = await server.createAccount({ creditUsd: 10 });
    return { id, keyId, browser: await invited({ accountId: id, role: 'owner' }) };
  };
  const target = async (browser: BrowserSession, body: object) =>
    (await browser.call('createAlertTarget', { body })).body(201);
  const slack = (browser: BrowserSession) =>
    target(browser, { channel: 'slack', address: `${receiver.url}/slack-token` });
  const rule = async (browser: BrowserSession, body: object) =>
    (await browser.call('createAlertRule', { body })).body(201);
  /** Time passes until it has come. */
  const arrives = (holds: () => boolean | Promise<boolean>, what: string, stepMs = 15_000) =>
    eventually(async () => {
      if (await holds()) return true;
      await server.pass(stepMs);
      return holds();
    }, what);
  const balance = (id: string, usd: bigint) =>
    server.operator.database
      .knex('accounts')
      .where({ id })
      .update({ balance: (usd * 1_000_000_000n).toString() });
  const linkIn = (text = '') => /#\/mail\/(\S+)/.exec(text)?.[1] ?? '';
  const mailsTo = (address: string) => mails.came.filter(({ to }) => to === address);
  const confirmed = async (browser: BrowserSession, address: string) => {
    const made = await target(browser, { channel: 'mail', address });
    await arrives(() => mailsTo(address).length === 1, 'the question', 1_000);
    const link = linkIn(mailsTo(address)[0]?.text);
    const stranger = new BrowserSession(server.api);
    (await stranger.call('changeMailLink', { body: { link, subscribed: true } })).body(200);
    return { made, link, stranger };
  };

  it('201 a balance below its bound: one message to Slack, listed with its alert', async () => {
    const { id, browser } = await newcomer();
    const to = await slack(browser);
    assert.deepEqual([to.address.replace(/:\d+/, ''), to.confirmed, to.enabled], ['127.0.0.1 …oken', true, true]);
    const created = await rule(browser, { subject: 'balance', bound: 5, target_id: to.target_id });
    assert.deepEqual([created.direction, created.bound, created.firing, created.since], ['below', 5, false, null]);
    const texts = () => receiver.came.filter(({ path }) => path.includes('slack-token')).map(({ body }) => body);
    const stands = async () => (await browser.call('listAlertRules')).body(200).data[0]?.firing;
    await balance(id, 4n);
    await arrives(() => texts().length === 1, 'the message');
    assert.deepEqual(texts()[0], { text: '*Alert: balance below $5.00*\nThe balance is $4.00.' });
    assert.equal(await stands(), true);
    const params = { id: to.target_id };
    const sent = (await browser.call('listAlertDeliveries', { params })).body(200).data;
    assert.deepEqual(
      sent.map(({ type, subject, about }) => [type, subject, about]),
      [['alert.fired', created.alert_id, 'balance below $5.00']],
    );
    await balance(id, 10n);
  });

  it('201 a price above its bound goes to a webhook of the account, signed, with the facts', async () => {
    const { browser } = await newcomer();
    const body = { url: `${receiver.url}?price`, events: ['order.done'] };
    const { webhook } = (await browser.call('createWebhook', { body })).body(201);
    const price = { subject: 'price', model: 'tide-latest', direction: 'above', bound: 0.5 };
    const created = await rule(browser, { ...price, target_id: webhook.webhook_id });
    assert.equal(created.model, 'tide');
    const came = () => receiver.came.find(({ path }) => path.endsWith('?price'));
    await arrives(() => came() !== undefined, 'the message');
    const { type, data } = came()?.body ?? {};
    assert.equal(type, 'alert.fired');
    assert.deepEqual(data, {
      ...{ id: created.alert_id, object: 'alert', subject: 'price', model: 'tide', key: null },
      ...{ direction: 'above', bound: 0.5, value: 1 },
    });
  });

  it('200 mail: nothing but one question before its reader agrees, and nothing after it was stopped', async () => {
    const { browser } = await newcomer();
    const address = 'reader@example.com';
    const { target_id: targetId, ...added } = await target(browser, { channel: 'mail', address: ` ${address} ` });
    assert.deepEqual([added.address, added.confirmed], [address, false]);
    const watched = { subject: 'price', model: 'tide', direction: 'above', bound: 0.5 };
    const { alert_id: alertId } = await rule(browser, { ...watched, target_id: targetId });
    const params = { id: targetId };
    (await browser.call('testAlertTarget', { params })).refusal(400, 'invalid_request');
    await arrives(() => mailsTo(address).length === 1, 'the question', 1_000);
    await server.pass(30_000);
    const [question] = mailsTo(address);
    assert.ok(question && mailsTo(address).length === 1);
    assert.match(question.head, /^From: Sluice <alerts@example\.com>$/m);
    assert.match(question.head, /^Subject: Confirm this address for alerts$/m);
    const link = linkIn(question.text);
    assert.ok(question.text.includes(`https://gateway.example.com/settings#/mail/${link}`));
    const stranger = new BrowserSession(server.api);
    const answer = (subscribed: boolean, text = link) =>
      stranger.call('changeMailLink', { body: { link: text, subscribed } });
    (await answer(true, `${link}x`)).refusal(404, 'not_found');
    (await answer(true, `${NOBODY}.x`)).refusal(404, 'not_found');
    (await stranger.call('changeMailLink', { body: { link } })).refusal(400, 'invalid_request');
    const long = { link: 'x'.repeat(65_536), subscribed: true };
    (await stranger.call('changeMailLink', { body: long })).refusal(413, 'request_too_large');
    const crossSite = { body: { link, subscribed: true }, headers: { origin: 'https://evil.example' } };
    (await stranger.call('changeMailLink', crossSite)).refusal(403, 'forged_request');
    await server.withoutDatabase(async () => (await answer(true)).refusal(503, 'unavailable'));
    assert.deepEqual((await answer(true)).body(200), { object: 'mail_link', subscribed: true });
    const [known] = (await browser.call('listAlertTargets')).body(200).data;
    assert.equal(known?.confirmed, true);
    (await browser.call('testAlertTarget', { params })).body(202);
    await arrives(() => mailsTo(address).length === 2, 'the test', 1_000);
    for (const paused of [true, false])
      (await browser.call('updateAlertRule', { params: { id: alertId }, body: { paused } })).body(200);
    await arrives(() => mailsTo(address).length === 3, 'the alert');
    const before = mailsTo(address).length;
    assert.deepEqual((await answer(false)).body(200).subscribed, false);
    (await browser.call('testAlertTarget', { params })).refusal(400, 'invalid_request');
    assert.equal((await browser.call('renewAlertTarget', { params })).refusal(400, 'invalid_request').param, 'address');
    await server.pass(15_000);
    assert.equal(mailsTo(address).length, before);
    const rows = await server.operator.database.knex('audit_log').where({ subject: targetId }).orderBy('id');
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['webhook.create', 'mail.confirm', 'webhook.test', 'mail.stop'],
    );
    assert.ok(!rows.some((row) => `${row.before_json} ${row.after_json}`.includes(link.split('.')[1] ?? '')));
  });

  it('200 a target that no longer takes messages is off, says why, and is used again', async () => {
    const { browser } = await newcomer();
    const { made: to } = await confirmed(browser, 'gone@example.com');
    const params = { id: to.target_id };
    mails.refusal = () => '550 5.1.1 No such user in the office of 10.0.0.7';
    (await browser.call('testAlertTarget', { params })).body(202);
    const known = async () => (await browser.call('listAlertTargets')).body(200).data[0];
    await arrives(async () => (await known())?.enabled === false, 'the end of the target', 1_000);
    mails.refusal = () => null;
    assert.equal((await known())?.disabled_reason, 'It answered with 550. It takes no more messages.');
    const renewed = (await browser.call('renewAlertTarget', { params })).body(200);
    assert.deepEqual([renewed.enabled, renewed.disabled_reason], [true, null]);
    await arrives(() => mailsTo('gone@example.com').length === 2, 'the test that waited', 1_000);
  });

  it('200 paused, begun again as a new one, and 204 removed with its target', async () => {
    const { browser } = await newcomer();
    const to = await slack(browser);
    const created = await rule(browser, { subject: 'balance', bound: 20, target_id: to.target_id });
    const params = { id: created.alert_id };
    const set = async (paused: boolean) =>
      (await browser.call('updateAlertRule', { params, body: { paused } })).body(200);
    assert.deepEqual(await set(true), { ...created, paused: true });
    await server.pass(30_000);
    assert.deepEqual((await browser.call('listAlertRules')).body(200).data, [{ ...created, paused: true }]);
    assert.deepEqual(await set(false), created);
    const since = async () => (await browser.call('listAlertRules')).body(200).data[0]?.since;
    const dueMs = server.clock.nowMs();
    await arrives(async () => (await since()) !== null, 'its first check');
    assert.ok(Date.parse((await since()) ?? '') >= dueMs);
    const list = async () => (await browser.call('listAlertRules')).body(200).data;
    assert.equal((await browser.call('removeAlertRule', { params })).status, 204);
    assert.deepEqual(await list(), []);
    await rule(browser, { subject: 'errors', bound: 0.1, target_id: to.target_id });
    assert.equal((await browser.call('removeAlertTarget', { params: { id: to.target_id } })).status, 204);
    assert.deepEqual(await list(), []);
    assert.deepEqual((await browser.call('listAlertTargets')).body(200).data, []);
  });

  it('400 for what is no alert or target, 404 for what another account has, 413 for a long body', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const { browser } = mine;
    const to = await slack(browser);
    const refused = async (body: object) =>
      (await browser.call('createAlertRule', { body: { target_id: to.target_id, ...body } })).refusal(
        400,
        'invalid_request',
      ).param;
    const price = { subject: 'price', model: 'tide', direction: 'below', bound: 1 };
    assert.equal(await refused({ ...price, model: 'harbor' }), 'model');
    assert.equal(await refused({ ...price, bound: 1.0000000001 }), 'bound');
    assert.equal(await refused({ subject: 'price', model: 'tide', bound: 1 }), 'direction');
    assert.equal(await refused({ subject: 'balance', model: 'tide', bound: 1 }), 'model');
    assert.equal(await refused({ subject: 'budget', bound: 0.5 }), 'key_id');
    assert.equal(await refused({ subject: 'errors', bound: 5 }), 'bound');
    assert.equal(await refused({ subject: 'budget', key_id: mine.keyId, bound: 0.5 }), 'key_id');
    const notFound = async (body: object) =>
      (await browser.call('createAlertRule', { body })).refusal(404, 'not_found');
    await notFound({ ...price, target_id: NOBODY });
    await notFound({ subject: 'budget', key_id: theirs.keyId, bound: 0.5, target_id: to.target_id });
    const address = async (body: object) =>
      (await browser.call('createAlertTarget', { body })).refusal(400, 'invalid_request').param;
    for (const wrong of ['https://10.0.0.1/', 'http://hooks.slack.com/x', 'https://169.254.169.254/', 'x'])
      assert.equal(await address({ channel: 'slack', address: wrong }), 'address', wrong);
    const noHost = [
      'root@localhost',
      'a@127.0.0.1',
      'a@example..com',
      'a@example.com.',
      'a@b@example.com',
      'a@exa_mple.com',
    ];
    for (const wrong of ['nobody', 'a@b\r\nBcc: c@example.com', 'a b@example.com', 'a,b@example.com', ...noHost])
      assert.equal(await address({ channel: 'mail', address: wrong }), 'address', wrong);
    await target(browser, { channel: 'mail', address: 'once@example.com' });
    for (const spelling of [
      'once@example.com',
      'ONCE@Example.COM',
      'once+1@example.com',
      'once@\uff45xample\u3002com',
    ]) {
      const again = { channel: 'mail', address: spelling };
      (await theirs.browser.call('createAlertTarget', { body: again })).refusal(400, 'invalid_request');
    }
    const abroad = await target(browser, { channel: 'mail', address: 'jörg@bücher.example' });
    assert.equal(abroad.address, 'jörg@xn--bcher-kva.example');
    const { alert_id: alertId } = await rule(browser, { ...price, target_id: to.target_id });
    const ofRule = { params: { id: alertId } };
    (await theirs.browser.call('updateAlertRule', { ...ofRule, body: { paused: true } })).refusal(404, 'not_found');
    (await browser.call('updateAlertRule', { ...ofRule, body: {} })).refusal(400, 'invalid_request');
    (await theirs.browser.call('removeAlertRule', ofRule)).refusal(404, 'not_found');
    const ofTarget = { params: { id: to.target_id } };
    for (const id of ['removeAlertTarget', 'renewAlertTarget', 'testAlertTarget', 'listAlertDeliveries'] as const)
      (await theirs.browser.call(id, ofTarget)).refusal(404, 'not_found');
    // The secret of a mail is not one that a member may replace, and its address not one of a webhook.
    (await browser.call('rotateWebhook', { ...ofTarget, body: { overlap_seconds: 0 } })).refusal(404, 'not_found');
    (await browser.call('updateWebhook', { ...ofTarget, body: { enabled: false } })).refusal(404, 'not_found');
    assert.deepEqual((await browser.call('listWebhooks')).body(200).data, []);
    const long = 'x'.repeat(65_536);
    (await browser.call('createAlertRule', { body: { subject: long } })).refusal(413, 'request_too_large');
    (await browser.call('createAlertTarget', { body: { address: long } })).refusal(413, 'request_too_large');
    (await browser.call('updateAlertRule', { ...ofRule, body: { paused: long } })).refusal(413, 'request_too_large');
  });

  it('201 a target of the operator learns of pods, and of nothing of an account', async () => {
    const operator = await invited({ accountId: null, role: 'operator' });
    const { stranger, made: to } = await confirmed(operator, 'ops@example.com');
    const row = await server.operator.database.knex('webhook_endpoints').where({ id: to.target_id }).first();
    assert.deepEqual([row.account_id, row.events], ['', ' pod.down pod.up ']);
    const { browser } = await newcomer();
    assert.deepEqual((await browser.call('listAlertTargets')).body(200).data, []);
    for (let count = 0; count < 240; count++) {
      const reply = await stranger.call('changeMailLink', { body: { link: 'x', subscribed: false } });
      if (reply.status !== 429) continue;
      reply.refusal(429, 'rate_limit_error');
      return;
    }
    assert.fail('no attempt was refused');
  });
});

/** Automatic top-up over HTTP, from the saved card to the credit, with a stand-in of Stripe that refuses as Stripe does. */
import assert from 'node:assert/strict';
import { after, afterEach, describe, it } from 'node:test';
import { completed, paidIntent, type StripeIntent, signedEvent, startStripeServer } from '#testing/stripe-server.ts';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const stripe = await startStripeServer();
const PAGES = { success_url: 'https://example.com/paid', cancel_url: 'https://example.com/back' };
const WISHES = { enabled: true, threshold_usd: 50, amount_usd: 20, per_day_max: 2, month_max_usd: 100 };
let made = 0;
let events = 0;

describe('GET and PUT /settings/api/automatic-top-up, and DELETE /settings/api/automatic-top-up/card', () => {
  const server = useServer({ trust_proxy: 1, payments: { stripe: { ...PAGES, api_url: stripe.url } } });
  after(() => stripe.close());
  afterEach(() => stripe.card('pays'));

  const owner = async () => {
    const { id } = await server.createAccount({ creditUsd: 10 });
    const token = await server.operator.invite(`saver-${made++}@example.com`, { accountId: id, role: 'owner' });
    return { id, browser: await BrowserSession.open(server.api, token) };
  };
  const tell = async (type: string, object: object, id = `evt_${++events}`) => {
    const { body, signature } = signedEvent({ id, type, object }, server.clock.nowMs());
    const headers = { 'stripe-signature': signature, 'x-forwarded-for': `10.6.0.${made % 250}` };
    return (await server.api.as(null).call('receiveStripeEvent', { raw: body, headers })).body(200).outcome;
  };
  /** An owner who paid $20 at a checkout and let automatic top-up use the card. */
  const withCard = async () => {
    const { id, browser } = await owner();
    (await browser.call('startCheckout', { body: { amount_usd: 20, save_card: true } })).body(201);
    const session = stripe.sessions.at(-1);
    assert.ok(session);
    // Stripe reports the intent and the session in any order.
    assert.equal(await tell('payment_intent.succeeded', paidIntent(session, `pm_${made}`)), 'saved');
    assert.equal(await tell('checkout.session.completed', completed(session)), 'credited');
    return { id, browser, customer: session.customer };
  };
  const shown = async (browser: BrowserSession) => (await browser.call('getAutomaticTopUp')).body(200);
  const decide = (browser: BrowserSession, change: object = {}) =>
    browser.call('changeAutomaticTopUp', { body: { ...WISHES, ...change } });
  const balance = async (browser: BrowserSession) => (await browser.call('getBalance')).body(200).balance_usd;
  const chargesOf = (accountId: string) => stripe.intents.filter(({ metadata }) => metadata.account_id === accountId);
  /** The next charge of the account that Stripe gets. */
  const charged = async (accountId: string, before = 0): Promise<StripeIntent> => {
    await eventually(async () => {
      if (chargesOf(accountId).length > before) return true;
      await server.pass(10_000);
      return false;
    }, 'a charge');
    const intent = chargesOf(accountId).at(-1);
    assert.ok(intent);
    return intent;
  };
  const offOf = async (browser: BrowserSession) => {
    await eventually(async () => !(await shown(browser)).enabled, 'switched off');
    return (await shown(browser)).off_reason ?? '';
  };

  it('200 it is off without a card; 400 to switch it on', async () => {
    const { browser } = await owner();
    const before = await shown(browser);
    assert.deepEqual([before.enabled, before.card_saved, before.off_reason], [false, false, null]);
    assert.equal((await decide(browser)).refusal(400, 'invalid_request').param, 'enabled');
    assert.equal((await decide(browser, { enabled: false })).body(200).threshold_usd, 50);
  });

  it('200 with a saved card a low balance is charged once and credited when its event comes, however often', async () => {
    const { id, browser, customer } = await withCard();
    assert.deepEqual([(await shown(browser)).card_saved, await balance(browser)], [true, 30]);
    (await decide(browser)).body(200);
    const intent = await charged(id);
    assert.deepEqual([intent.amount, intent.customer, await balance(browser)], [2000, customer, 30]);
    await server.pass(120_000);
    assert.equal(chargesOf(id).length, 1);
    const told = [];
    for (let count = 0; count < 3; count++) told.push(await tell('payment_intent.succeeded', intent, `evt_auto_${id}`));
    told.push(await tell('payment_intent.succeeded', intent));
    assert.deepEqual(told, ['credited', 'repeated', 'repeated', 'repeated']);
    assert.equal(await balance(browser), 50);
    assert.equal((await shown(browser)).used_this_month_usd, 20);
    const [first] = (await browser.call('listPayments')).body(200).data;
    assert.deepEqual([first?.automatic, first?.status, first?.amount_usd], [true, 'paid', 20]);
  });

  it('200 a declined card is tried again later; a bank that requires a confirmation switches it off', async () => {
    const { id, browser } = await withCard();
    stripe.card('declined');
    (await decide(browser)).body(200);
    const declined = await charged(id);
    assert.equal(declined.last_payment_error?.decline_code, 'insufficient_funds');
    // Ignored, unless it is faster than the answer to the charge.
    assert.ok(['ignored', 'ended'].includes(await tell('payment_intent.payment_failed', declined)));
    assert.equal((await shown(browser)).enabled, true);
    const row = () => server.operator.database.knex('top_ups').where({ account_id: id });
    // Stripe has the charge a moment before the gateway has its answer, and with it the time of the next.
    await eventually(async () => Number((await row().first('failures'))?.failures) === 1, 'the answer to the charge');
    await row().update({ next_at_ms: 0 });
    stripe.card('authentication');
    await charged(id, 1);
    assert.match(await offOf(browser), /requires the holder of the card to confirm/);
    assert.equal(await balance(browser), 30);
    stripe.card('pays');
    (await decide(browser)).body(200);
    assert.equal((await shown(browser)).off_reason, null);
    assert.equal(await tell('payment_intent.succeeded', await charged(id, 2)), 'credited');
  });

  it('204 the card is removed at Stripe, too, and nothing is charged any more; 503 while Stripe does not answer', async () => {
    const { id, browser } = await withCard();
    (await decide(browser, { threshold_usd: 1 })).body(200);
    stripe.failNext({ status: 403 });
    (await browser.call('forgetCard')).refusal(503, 'unavailable');
    assert.equal((await shown(browser)).card_saved, true);
    const detached = stripe.detached.length;
    assert.equal((await browser.call('forgetCard')).status, 204);
    assert.equal((await browser.call('forgetCard')).status, 204);
    assert.equal(stripe.detached.length, detached + 1);
    const after = await shown(browser);
    assert.deepEqual([after.enabled, after.card_saved, chargesOf(id).length], [false, false, 0]);
    assert.equal((await decide(browser)).refusal(400, 'invalid_request').param, 'enabled');
    const logged = await server.operator.database.knex('audit_log').where({ account_id: id });
    const whats = logged.map(({ what }) => what).filter((what) => what.startsWith('top_up'));
    assert.deepEqual(whats.sort(), ['top_up.card.remove', 'top_up.change']);
  });

  it('400 for figures out of bounds or with parts of a cent, or a month that is less than once; 413', async () => {
    const { browser } = await withCard();
    for (const [param, value] of [
      ['threshold_usd', 0.99],
      ['threshold_usd', 10.001],
      ['amount_usd', 9.99],
      ['amount_usd', 10_000.01],
      ['amount_usd', 20.005],
      ['per_day_max', 0],
      ['per_day_max', 11],
      ['per_day_max', 1.5],
      ['month_max_usd', 19.99],
      ['month_max_usd', 100_001],
      ['enabled', 'yes'],
    ] as const)
      assert.equal((await decide(browser, { [param]: value })).refusal(400, 'invalid_request').param, param);
    (await decide(browser, { padding: 'x'.repeat(65_536) })).refusal(413, 'request_too_large');
    assert.equal((await shown(browser)).enabled, false);
  });
});

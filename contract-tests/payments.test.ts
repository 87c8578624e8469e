/** Payments by card over HTTP, with a stand-in of Stripe that checks its requests and signs its events. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  completed,
  type SignedEvent,
  type StripeSession,
  signedEvent,
  startStripeServer,
} from '#testing/stripe-server.ts';
import { BrowserSession } from './support/browser-session.ts';
import { useServer } from './support/server.ts';

const stripe = await startStripeServer();
const PAGES = { success_url: 'https://example.com/paid', cancel_url: 'https://example.com/back' };
let made = 0;
let events = 0;

describe('payments', () => {
  const server = useServer({ trust_proxy: 1, payments: { stripe: { ...PAGES, api_url: stripe.url } } });
  after(() => stripe.close());

  const owner = async (accountId?: string) => {
    const id = accountId ?? (await server.createAccount({ creditUsd: 10 })).id;
    const token = await server.operator.invite(`payer-${made++}@example.com`, { accountId: id, role: 'owner' });
    return { id, browser: await BrowserSession.open(server.api, token) };
  };
  const sign = (
    type: string,
    object: object,
    { id = `evt_${++events}`, agoMs = 0, secret = undefined as string | undefined } = {},
  ) => signedEvent({ id, type, object }, server.clock.nowMs() - agoMs, secret);
  const paid = (session: StripeSession, options = {}) =>
    sign('checkout.session.completed', completed(session), options);
  const send = ({ body, signature }: SignedEvent, headers: Record<string, string> = {}) =>
    server.api.as(null).call('receiveStripeEvent', {
      raw: body,
      headers: { 'stripe-signature': signature, 'x-forwarded-for': `10.8.0.${made % 250}`, ...headers },
    });
  const outcome = async (event: SignedEvent) => (await send(event)).body(200).outcome;
  const begun = async (amountUsd = 20) => {
    const { id, browser } = await owner();
    const { payment_id } = (await browser.call('startCheckout', { body: { amount_usd: amountUsd } })).body(201);
    const session = stripe.sessions.find((one) => one.client_reference_id === payment_id);
    assert.ok(session);
    return { id, browser, session, paymentId: payment_id };
  };
  const balance = async (browser: BrowserSession) => (await browser.call('getBalance')).body(200).balance_usd;

  it('201 a page to pay at; 200 its event credits the account, ten times delivered as once', async () => {
    const { id, browser } = await owner();
    const started = (await browser.call('startCheckout', { body: { amount_usd: 12.34 } })).body(201);
    const session = stripe.sessions.at(-1);
    assert.ok(session);
    assert.equal(started.url, `https://checkout.stripe.com/c/pay/${session.id}`);
    assert.deepEqual([session.amount_total, session.metadata.account_id], [1234, id]);
    assert.equal(await balance(browser), 10);
    const event = paid(session);
    assert.deepEqual((await send(event)).body(200), { object: 'payment_event', outcome: 'credited', reason: null });
    const again = await Promise.all(Array.from({ length: 9 }, () => outcome(event)));
    assert.deepEqual(new Set(again), new Set(['repeated']));
    assert.equal(await balance(browser), 22.34);
    const { enabled, data } = (await browser.call('listPayments')).body(200);
    assert.equal(enabled, true);
    const times = { created_at: new Date(server.clock.nowMs()).toISOString(), paid_at: data[0]?.paid_at ?? null };
    assert.deepEqual(data, [
      {
        ...{ object: 'payment', payment_id: started.payment_id, provider: 'stripe', automatic: false },
        ...{ status: 'paid', amount_usd: 12.34 },
        ...{ reversed_usd: 0, owed_usd: 0, ...times },
      },
    ]);
  });

  it('200 a refund and a dispute are taken, also before the payment is reported', async () => {
    const { browser, session } = await begun(20);
    const money = { currency: 'usd', payment_intent: session.payment_intent };
    const refund = { ...money, id: `re_${events}`, amount: 500, status: 'pending' };
    const dispute = { ...money, id: `dp_${events}`, amount: 1000 };
    assert.equal(await outcome(sign('refund.created', refund)), 'waiting');
    assert.equal(await outcome(paid(session)), 'credited');
    assert.equal(await balance(browser), 25);
    assert.equal(await outcome(sign('charge.dispute.funds_withdrawn', dispute)), 'taken');
    assert.equal(await outcome(sign('refund.updated', { ...refund, status: 'succeeded' })), 'repeated');
    assert.equal(await balance(browser), 15);
    assert.equal(await outcome(sign('charge.dispute.funds_reinstated', dispute)), 'returned');
    assert.equal(await balance(browser), 25);
    assert.equal((await browser.call('listPayments')).body(200).data[0]?.reversed_usd, 5);
  });

  it('200 events of other things of the same Stripe account are ignored', async () => {
    const { browser, session } = await begun();
    assert.equal(await outcome(sign('customer.created', { id: 'cus_1' })), 'ignored');
    assert.equal(await outcome(paid({ ...session, client_reference_id: 'of-a-shop' })), 'ignored');
    assert.equal(await outcome(sign('checkout.session.expired', session)), 'ended');
    assert.equal((await browser.call('listPayments')).body(200).data[0]?.status, 'expired');
  });

  it('400 an event that is forged, altered, unsigned or old; nothing is credited', async () => {
    const { browser, session } = await begun();
    const event = paid(session);
    const bad: readonly SignedEvent[] = [
      paid(session, { secret: 'whsec_guessed' }),
      paid(session, { agoMs: 301_000 }),
      { ...event, signature: '' },
      { ...event, signature: 't=1,v1=00' },
      { ...event, body: Buffer.from(event.body.toString().replace('2000', '9000')) },
      { ...event, body: Buffer.alloc(0) },
    ];
    for (const one of bad) {
      const refusal = (await send(one)).refusal(400, 'invalid_request');
      assert.equal(refusal.param, 'stripe-signature');
    }
    const unsigned = await server.api.as(null).call('receiveStripeEvent', { raw: event.body });
    unsigned.refusal(400, 'invalid_request');
    assert.equal(await balance(browser), 10);
    assert.equal(await outcome(event), 'credited');
  });

  it('200 from another host, without TLS and with a foreign Origin: only the signature counts', async () => {
    const { session } = await begun();
    const headers = { host: 'gateway.example', origin: 'https://stripe.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await send(paid(session), headers)).body(200).outcome, 'credited');
  });

  // Spec 8-37
  it('400 an amount outside $10 to $10,000, with parts of a cent, or that is no number', async () => {
    const { browser } = await owner();
    const sessions = stripe.sessions.length;
    for (const amount of [9.99, 10_000.01, 10.001, 0, -20, '20', null, 1e300]) {
      const refusal = (await browser.call('startCheckout', { body: { amount_usd: amount } })).refusal(
        400,
        'invalid_request',
      );
      assert.equal(refusal.param, 'amount_usd');
    }
    (await browser.call('startCheckout', { body: {} })).refusal(400, 'invalid_request');
    (await browser.call('startCheckout', { raw: '{' })).refusal(400, 'invalid_json');
    for (const amount of [10, 10_000])
      (await browser.call('startCheckout', { body: { amount_usd: amount } })).body(201);
    assert.equal(stripe.sessions.length, sessions + 2);
  });

  it('403 begins no payment for a suspended account', async () => {
    const { id, browser } = await owner();
    await server.operator.suspend(id);
    (await browser.call('startCheckout', { body: { amount_usd: 20 } })).refusal(403, 'account_suspended');
  });

  it('404 a member of one account does not see the payments of another', async () => {
    await begun();
    const { browser } = await owner();
    assert.deepEqual((await browser.call('listPayments')).body(200).data, []);
  });

  it('413 an event over 256 KiB, and a form over 64 KiB', async () => {
    const huge = sign('customer.created', { id: 'x'.repeat(256 * 1024) });
    (await send(huge)).refusal(413, 'request_too_large');
    const { browser } = await owner();
    const raw = JSON.stringify({ amount_usd: 20, padding: ' '.repeat(64 * 1024) });
    (await browser.call('startCheckout', { raw })).refusal(413, 'request_too_large');
  });

  it('429 the 21st payment that is begun and not paid, until the next day', async () => {
    const { browser } = await owner();
    const start = () => browser.call('startCheckout', { body: { amount_usd: 20 } });
    for (let count = 0; count < 20; count++) (await start()).body(201);
    const refused = await start();
    refused.refusal(429, 'rate_limit_error');
    assert.equal(refused.headers['retry-after'], '3600');
  });

  it('429 more than 600 events a minute from one address', async () => {
    const from = { 'x-forwarded-for': '10.9.9.9' };
    const event = { body: Buffer.from('{}'), signature: 't=1' };
    for (let count = 0; count < 600; count++) await send(event, from);
    (await send(event, from)).refusal(429, 'rate_limit_error');
  });

  it('503 when Stripe refuses a checkout, and when the database does not answer', async () => {
    const { browser, session } = await begun();
    stripe.failNext({ status: 403 });
    (await browser.call('startCheckout', { body: { amount_usd: 20 } })).refusal(503, 'unavailable');
    await server.withoutDatabase(async () => (await send(paid(session))).refusal(503, 'unavailable'));
    assert.equal(await outcome(paid(session)), 'credited');
  });
});

describe('a gateway without payments', () => {
  const server = useServer({ trust_proxy: 1 });

  it('404 begins none and takes no events', async () => {
    const { id } = await server.createAccount();
    const token = await server.operator.invite('nobody@example.com', { accountId: id, role: 'owner' });
    const browser = await BrowserSession.open(server.api, token);
    (await browser.call('startCheckout', { body: { amount_usd: 20 } })).refusal(404, 'not_found');
    const { body, signature } = signedEvent(
      { id: 'evt_1', type: 'customer.created', object: {} },
      server.clock.nowMs(),
    );
    const headers = { 'stripe-signature': signature };
    (await server.api.as(null).call('receiveStripeEvent', { raw: body, headers })).refusal(404, 'not_found');
    assert.deepEqual((await browser.call('listPayments')).body(200), { object: 'list', enabled: false, data: [] });
  });
});

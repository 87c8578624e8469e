/** The adapter of Stripe against a stand-in of its API, through the official library on both sides. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import Stripe from 'stripe';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import {
  completed,
  STRIPE_KEY,
  STRIPE_SECRET,
  type StripeServer,
  signedEvent,
  startStripeServer,
} from '#testing/stripe-server.ts';
import type { Payment, PaymentNews } from './provider.ts';
import { stripeProvider } from './stripe.ts';

const clock = new ManualClock(startMs);
const USD = 1_000_000_000n;
let number = 0;

describe('payments by Stripe', () => {
  let server: StripeServer;
  before(async () => {
    server = await startStripeServer();
  });
  after(() => server.close());

  const provider = ({ secretKey = STRIPE_KEY, url = server.url } = {}) =>
    stripeProvider(
      {
        ...{ secretKey, webhookSecret: STRIPE_SECRET, apiUrl: url },
        ...{ successUrl: 'https://example.com/paid?a=1&b=2', cancelUrl: 'https://example.com/back' },
      },
      clock,
    );

  test('a checkout names the payment, the account and the amount in cents', async () => {
    const payment = paymentOf({ amount: 12n * USD + 340_000_000n });
    const { sessionId, url } = await provider().checkout(payment);
    const session = server.sessions.at(-1);
    assert.equal(url, `https://checkout.stripe.com/c/pay/${sessionId}`);
    assert.deepEqual(
      [session?.id, session?.amount_total, session?.client_reference_id, session?.metadata],
      [sessionId, 1234, payment.id, { payment_id: payment.id, account_id: payment.accountId }],
    );
  });

  test('a request that was not answered is repeated, and makes one session', async () => {
    const [sessions, requests] = [server.sessions.length, server.requests];
    server.failNext('no-answer', { status: 500 });
    await provider().checkout(paymentOf());
    assert.deepEqual([server.sessions.length - sessions, server.requests - requests], [1, 3]);
  });

  test('the same payment asked for again gives the same session', async () => {
    const payment = paymentOf();
    const first = await provider().checkout(payment);
    assert.deepEqual(await provider().checkout(payment), first);
  });

  test('a wrong key, another amount for one payment and a lasting failure reject', async () => {
    await assert.rejects(provider({ secretKey: 'sk_test_wrong' }).checkout(paymentOf()), /Invalid API Key/);
    const payment = paymentOf();
    await provider().checkout(payment);
    await assert.rejects(provider().checkout({ ...payment, amount: 11n * USD }), /same parameters/);
    server.failNext({ status: 503 }, { status: 503 }, { status: 503 });
    await assert.rejects(provider().checkout(paymentOf()), /Try again/);
  });

  test('a card is saved only where the payer is asked, as the customer who is known', async () => {
    await provider().checkout(paymentOf());
    assert.equal(server.sessions.at(-1)?.customer, null);
    await provider().checkout(paymentOf(), { saveCard: true, customer: null });
    const customer = server.sessions.at(-1)?.customer ?? '';
    assert.match(customer, /^cus_\d+$/);
    await provider().checkout(paymentOf(), { saveCard: true, customer });
    assert.equal(server.sessions.at(-1)?.customer, customer);
  });

  describe('charges of a saved card', () => {
    const card = { customer: 'cus_1', method: 'pm_1' };
    const automatic = () => paymentOf({ automatic: true });

    test('are taken once, however often they are asked for and answers are lost', async () => {
      const intents = server.intents.length;
      const payment = automatic();
      server.failNext('no-answer', { status: 500 });
      assert.deepEqual(await provider().charge(payment, card), { kind: 'accepted' });
      assert.deepEqual(await provider().charge(payment, card), { kind: 'accepted' });
      const [intent] = server.intents.slice(intents);
      assert.equal(server.intents.length, intents + 1);
      const metadata = { payment_id: payment.id, account_id: payment.accountId, automatic: 'true' };
      assert.deepEqual([intent?.amount, intent?.payment_method, intent?.metadata], [1000, 'pm_1', metadata]);
    });

    test('are taken once when the card is replaced before the outcome of the first try is known', async () => {
      const intents = server.intents.length;
      const payment = automatic();
      server.failNext('no-answer', { status: 503 }, { status: 503 });
      await assert.rejects(provider().charge(payment, card), /Try again/);
      const other = { customer: 'cus_1', method: 'pm_2' };
      assert.deepEqual(await provider().charge(payment, other), { kind: 'accepted' });
      assert.deepEqual(
        server.intents.slice(intents).map((intent) => intent.payment_method),
        ['pm_1'],
      );
    });

    test('are refused by the bank for a while, until the holder confirms, or for good', async () => {
      for (const [behaves, outcome] of [
        ['declined', { kind: 'declined', code: 'insufficient_funds' }],
        ['authentication', { kind: 'unconfirmed' }],
        ['gone', { kind: 'gone' }],
      ] as const) {
        server.card(behaves);
        const payment = automatic();
        assert.deepEqual(await provider().charge(payment, card), outcome);
        // The refusal of a payment is final: another try is another payment.
        if (behaves !== 'gone') server.card('pays');
        assert.deepEqual(await provider().charge(payment, card), outcome);
      }
      server.card('pays');
    });

    test('reject when their outcome is not known', async () => {
      await assert.rejects(provider({ secretKey: 'sk_test_wrong' }).charge(automatic(), card), /Invalid API Key/);
      server.failNext({ status: 503 }, { status: 503 }, { status: 503 });
      await assert.rejects(provider().charge(automatic(), card), /Try again/);
    });

    test('end with the card, which is removed once', async () => {
      const gone = { customer: 'cus_1', method: 'pm_gone' };
      await provider().forget(gone);
      await provider().forget(gone);
      assert.deepEqual(server.detached, ['pm_gone']);
      assert.deepEqual(await provider().charge(automatic(), gone), { kind: 'gone' });
      server.failNext({ status: 503 }, { status: 503 }, { status: 503 });
      await assert.rejects(provider().forget(card), /Try again/);
    });
  });

  describe('events', () => {
    const session = {
      ...{ id: 'cs_1', payment_intent: 'pi_1', amount_total: 2000, currency: 'usd', client_reference_id: 'p1' },
      ...{ customer: null, metadata: { account_id: 'a1' } },
    };
    const paid: PaymentNews = {
      ...{ kind: 'paid', paymentId: 'p1', accountId: 'a1', sessionId: 'cs_1', intent: 'pi_1' },
      ...{ currency: 'usd', cents: 2000 },
    };
    const intended = {
      ...{ id: 'pi_2', amount_received: 2000, currency: 'usd', customer: 'cus_1', payment_method: 'pm_1' },
      ...{ metadata: { payment_id: 'p1', account_id: 'a1' }, setup_future_usage: 'off_session' },
    };
    const charged = { ...intended, metadata: { ...intended.metadata, automatic: 'true' }, setup_future_usage: null };
    const owner = { paymentId: 'p1', accountId: 'a1' };
    const money = { amount: 500, currency: 'usd', payment_intent: 'pi_1' };
    const taken = { kind: 'reversal', intent: 'pi_1', state: 'taken', currency: 'usd', cents: 500 } as const;
    const told: readonly (readonly [type: string, object: object, news: PaymentNews])[] = [
      ['checkout.session.completed', completed(session), paid],
      ['checkout.session.completed', completed(session, 'unpaid'), { kind: 'other' }],
      ['checkout.session.completed', { ...completed(session), client_reference_id: null }, { kind: 'other' }],
      ['checkout.session.completed', { ...completed(session), payment_intent: { id: 'pi_1' } }, paid],
      ['checkout.session.async_payment_succeeded', completed(session), paid],
      ['checkout.session.async_payment_failed', session, { kind: 'ended', paymentId: 'p1', status: 'failed' }],
      ['checkout.session.expired', session, { kind: 'ended', paymentId: 'p1', status: 'expired' }],
      ['refund.created', { ...money, id: 're_1', status: 'pending' }, { ...taken, reversalId: 're_1', of: 'refund' }],
      ['refund.updated', { ...money, id: 're_1', status: 'succeeded' }, { ...taken, reversalId: 're_1', of: 'refund' }],
      [
        'refund.failed',
        { ...money, id: 're_1', status: 'failed' },
        { ...taken, reversalId: 're_1', of: 'refund', state: 'returned' },
      ],
      ['refund.created', { ...money, id: 're_1', payment_intent: null }, { kind: 'other' }],
      ['charge.dispute.created', { ...money, id: 'dp_1' }, { kind: 'other' }],
      ['charge.dispute.funds_withdrawn', { ...money, id: 'dp_1' }, { ...taken, reversalId: 'dp_1', of: 'dispute' }],
      [
        'charge.dispute.funds_reinstated',
        { ...money, id: 'dp_1' },
        { ...taken, reversalId: 'dp_1', of: 'dispute', state: 'returned' },
      ],
      ['payment_intent.succeeded', intended, { kind: 'card', ...owner, customer: 'cus_1', method: 'pm_1' }],
      ['payment_intent.succeeded', { ...intended, setup_future_usage: null }, { kind: 'other' }],
      ['payment_intent.succeeded', { ...intended, metadata: {} }, { kind: 'other' }],
      ['payment_intent.succeeded', charged, { ...paid, sessionId: null, intent: 'pi_2' }],
      [
        'payment_intent.payment_failed',
        { ...charged, last_payment_error: { code: 'card_declined', decline_code: 'lost_card' } },
        { kind: 'declined', paymentId: 'p1', code: 'lost_card' },
      ],
      ['payment_intent.payment_failed', { ...intended, last_payment_error: { code: 'x' } }, { kind: 'other' }],
      ['customer.created', { id: 'cus_1' }, { kind: 'other' }],
    ];
    for (const [index, [type, object, news]] of told.entries()) {
      test(`${index}: ${type} says ${news.kind}`, async () => {
        const { body, signature } = signedEvent({ id: 'evt_1', type, object }, clock.nowMs());
        assert.deepEqual(await provider().read(body, signature), { id: 'evt_1', type, news });
      });
    }

    const refused = async (body: Uint8Array, signature: string | undefined) =>
      assert.rejects(provider().read(body, signature), { code: 'invalid_request', status: 400 });
    const event = (atMs = clock.nowMs(), secret?: string) =>
      signedEvent({ id: 'evt_1', type: 'checkout.session.completed', object: completed(session) }, atMs, secret);

    test('an event with another secret, without a signature or with a torn one is refused', async () => {
      const { body, signature } = event();
      await refused(body, event(clock.nowMs(), 'whsec_other').signature);
      for (const torn of [undefined, '', 'v1=00', 't=1', signature.slice(0, -1), signature.replace('v1=', 'v0=')])
        await refused(body, torn);
    });

    test('an event with one changed byte is refused', async () => {
      const { body, signature } = event();
      await refused(Buffer.from(body.toString().replace('2000', '9000')), signature);
      await refused(Buffer.concat([body, Buffer.from(' ')]), signature);
      await refused(Buffer.alloc(0), signature);
    });

    test('an event that was signed over five minutes ago is refused, one of five minutes is not', async () => {
      const atLimit = event(clock.nowMs() - 300_000);
      assert.equal((await provider().read(atLimit.body, atLimit.signature)).id, 'evt_1');
      const old = event(clock.nowMs() - 301_000);
      await refused(old.body, old.signature);
    });

    test('an event of more than five minutes ahead, or without one whole time, is refused', async () => {
      const ahead = event(clock.nowMs() + 300_000);
      assert.equal((await provider().read(ahead.body, ahead.signature)).id, 'evt_1');
      const tooFar = event(clock.nowMs() + 301_000);
      await refused(tooFar.body, tooFar.signature);
      const { body } = ahead;
      for (const time of ['NaN', '', '1e9', 'Infinity', `${clock.nowMs() / 1000}x`, '-1']) {
        const mac = createHmac('sha256', STRIPE_SECRET)
          .update(`${Number.parseInt(time, 10)}.${body}`)
          .digest('hex');
        await refused(body, `t=${time},v1=${mac}`);
        await refused(body, `t=${clock.nowMs() / 1000},t=${time},v1=${mac}`);
      }
    });

    test('a signed body of any other shape is refused', async () => {
      const types = ['checkout.session.completed', 'checkout.session.expired', 'payment_intent.succeeded'];
      types.push('payment_intent.payment_failed', 'refund.created', 'charge.dispute.funds_withdrawn');
      const signed = (body: string) => {
        const timestamp = Math.floor(clock.nowMs() / 1000);
        const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: STRIPE_SECRET, timestamp });
        return refused(Buffer.from(body), signature);
      };
      for (const body of ['{}', 'null', '[]', '1', '""', 'true', '{', '{"id":"evt_1"}', '{"id":"evt_1","type":1}'])
        await signed(body);
      for (const type of types)
        for (const data of ['null', '1', '{}', '{"object":null}'])
          await signed(`{"id":"evt_1","object":"event","type":"${type}","data":${data}}`);
    });

    test('a field of another kind is refused', async () => {
      const wrong = [undefined, 1.5, -1, Number.MAX_VALUE, '500', {}, [], true];
      for (const value of wrong) {
        const sent: [string, object][] = [
          ['refund.created', { ...money, id: 're_1', amount: value }],
          ['payment_intent.succeeded', { ...charged, amount_received: value }],
        ];
        if (typeof value !== 'string') {
          sent.push(['refund.created', { ...money, id: 're_1', currency: value }]);
          sent.push(['refund.created', { ...money, id: value }]);
          sent.push(['refund.created', { ...money, id: 're_1', payment_intent: value }]);
          sent.push(['checkout.session.completed', { ...completed(session), id: value }]);
        }
        for (const [type, object] of sent) {
          const { body, signature } = signedEvent({ id: 'evt_1', type, object }, clock.nowMs());
          await refused(body, signature);
        }
      }
    });

    test('a signed body that is no event is refused', async () => {
      for (const [id, type, object] of [
        ['', 'customer.created', {}],
        ['e'.repeat(201), 'customer.created', {}],
        ['evt_1', 'checkout.session.completed', { ...completed(session), id: 'c'.repeat(201) }],
        ['evt_1', 'refund.created', { ...money, id: '' }],
      ] as const) {
        const { body, signature } = signedEvent({ id, type, object }, clock.nowMs());
        await refused(body, signature);
      }
    });
  });
});

function paymentOf(change: Partial<Payment> = {}): Payment {
  return {
    ...{ id: `payment-${++number}`, accountId: 'a1', provider: 'stripe', status: 'open', amount: 10n * USD },
    ...{ automatic: false, sessionId: null, createdAtMs: startMs, paidAtMs: null, reversed: 0n, owed: 0n },
    ...change,
  };
}

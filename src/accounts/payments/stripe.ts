/**
 * Stripe Checkout, by the official library. It is loaded by the first request that needs it: a gateway that starts, or
 * that has no payments, does not pay for it. Only card data that Stripe sees exists; none passes through here.
 */
import type Stripe from 'stripe';
import type { Clock } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { NANO_PER_CENT } from '#base/money.ts';
import type {
  ChargeOutcome,
  CheckoutOptions,
  Payment,
  PaymentEvent,
  PaymentNews,
  PaymentProvider,
  SavedCard,
} from './provider.ts';

/** How a gateway reaches its Stripe account. */
export interface StripeSettings {
  /** `sk_…` or a restricted key that may write Checkout Sessions. */
  readonly secretKey: string;
  /** `whsec_…` of the endpoint at /payments/stripe/webhook. */
  readonly webhookSecret: string;
  /** Where the browser goes after paying, and after turning back. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** The address of Stripe, or of a stand-in for tests. */
  readonly apiUrl: string;
}

/**
 * How far an event's time may be from this clock, either way, as Stripe recommends: a copy that was caught is worth
 * nothing later, and none can be signed ahead.
 */
const TOLERANCE_S = 300;
const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const ID_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 64;

/** The provider. */
export function stripeProvider(settings: StripeSettings, clock: Clock): PaymentProvider {
  let loaded: Promise<Stripe> | null = null;
  const client = () => {
    // What could not be loaded is tried again by the next request.
    loaded ??= connect(settings).catch((error) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
  return {
    async checkout(payment, options) {
      const stripe = await client();
      const params = { ...sessionOf(payment, settings), ...(options?.saveCard ? saving(payment, options) : {}) };
      const session = await stripe.checkout.sessions.create(params, {
        idempotencyKey: payment.id,
      });
      if (session.url === null) throw new Error(`Stripe's session ${session.id} has no page.`);
      return { sessionId: session.id, url: session.url };
    },
    async charge(payment, card) {
      const stripe = await client();
      try {
        const intent = await stripe.paymentIntents.create(chargeParams(payment, card), { idempotencyKey: payment.id });
        return { kind: ['succeeded', 'processing'].includes(intent.status) ? 'accepted' : 'unconfirmed' };
      } catch (error) {
        return refusalOf(error);
      }
    },
    async forget({ method }) {
      const stripe = await client();
      try {
        await stripe.paymentMethods.detach(method);
      } catch (error) {
        if (refusalOf(error).kind !== 'gone') throw error;
      }
    },
    async read(body, signature) {
      const stripe = await client();
      const event = verified(stripe, { body, signature, secret: settings.webhookSecret, nowMs: clock.nowMs() });
      return readEvent(event);
    },
  };
}

async function connect({ secretKey, apiUrl }: StripeSettings): Promise<Stripe> {
  const { default: Client } = await import('stripe');
  const { hostname, port, protocol } = new URL(apiUrl);
  return new Client(secretKey, {
    host: hostname,
    ...(port === '' ? {} : { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: TIMEOUT_MS,
    // Safe to repeat: every request has an idempotency key.
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
}

/** The names in it come back in the events, and say whose payment it is. */
function sessionOf({ id, accountId, amount }: Payment, { successUrl, cancelUrl }: StripeSettings) {
  const metadata = { payment_id: id, account_id: accountId };
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(amount / NANO_PER_CENT),
          product_data: { name: 'Credit' },
        },
      },
    ],
    client_reference_id: id,
    metadata,
    payment_intent_data: { metadata },
    success_url: successUrl,
    cancel_url: cancelUrl,
  } satisfies Stripe.Checkout.SessionCreateParams;
}

/** The payer is asked to agree; only cards, because other ways to pay may take days to say no. */
function saving({ id, accountId }: Payment, { customer }: CheckoutOptions) {
  const metadata = { payment_id: id, account_id: accountId };
  return {
    ...(customer === null ? { customer_creation: 'always' } : { customer }),
    allowed_payment_method_types: ['card'],
    payment_intent_data: { metadata, setup_future_usage: 'off_session' },
  } satisfies Partial<Stripe.Checkout.SessionCreateParams>;
}

function chargeParams({ id, accountId, amount }: Payment, { customer, method }: SavedCard) {
  return {
    amount: Number(amount / NANO_PER_CENT),
    currency: 'usd',
    customer,
    payment_method: method,
    off_session: true,
    confirm: true,
    description: 'Credit',
    // No person is present who could be sent to another page.
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    allowed_payment_method_types: ['card'],
    metadata: { payment_id: id, account_id: accountId, automatic: 'true' },
  } satisfies Stripe.PaymentIntentCreateParams;
}

/** What Stripe says about the card. Rethrows what says nothing about it, such as an outage or a wrong key. */
function refusalOf(error: unknown): ChargeOutcome {
  const { type, code, decline_code: decline } = error as Partial<Stripe.errors.StripeError>;
  if (type === 'StripeCardError')
    return code === 'authentication_required'
      ? { kind: 'unconfirmed' }
      : { kind: 'declined', code: (decline ?? code ?? 'card_declined').slice(0, TEXT_LENGTH_MAX) };
  if (type === 'StripeInvalidRequestError' && code === 'resource_missing') return { kind: 'gone' };
  // An earlier try of this payment had another card. Its outcome stands, and an event reports it.
  if (type === 'StripeIdempotencyError' && code !== 'idempotency_key_in_use') return { kind: 'accepted' };
  throw error;
}

function verified(
  { webhooks }: Stripe,
  sent: { body: Uint8Array; signature: string | undefined; secret: string; nowMs: number },
): Stripe.Event {
  const { body, signature = '', secret, nowMs } = sent;
  try {
    // The library reads the time with `parseInt` and looks only at events that are too old.
    const [, seconds] = /^(?:(?!t=)[^,]*,)*t=(\d{1,12})(?:,(?!t=)[^,]*)*$/.exec(signature) ?? [];
    if (seconds === undefined || Number(seconds) - nowMs / 1000 > TOLERANCE_S) throw new Error(`signed at ${seconds}`);
    return webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, nowMs);
  } catch (cause) {
    throw new Fault('invalid_request', {
      param: 'stripe-signature',
      message: 'This is not an event that Stripe signed for this endpoint in the last five minutes.',
      cause,
    });
  }
}

/**
 * Whatever was signed is JSON, and no more is certain: every value that leaves here was read by `bounded`, `textOf` or
 * `centsOf`. Throws Fault invalid_request for a shape that cannot be read, which Stripe shows to the operator.
 */
function readEvent(event: Stripe.Event): PaymentEvent {
  try {
    return { id: bounded(event.id), type: textOf(event.type), news: newsOf(event) };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Fault('invalid_request', { message: 'This event does not have the fields of its type.', cause });
  }
}

/** What this gateway does about an event. Events of other products of the same Stripe account say nothing here. */
function newsOf(event: Stripe.Event): PaymentNews {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paid(event.data.object);
    case 'payment_intent.succeeded':
      return intentPaid(event.data.object);
    case 'payment_intent.payment_failed':
      return intentDeclined(event.data.object);
    case 'checkout.session.expired':
      return ended(event.data.object, 'expired');
    case 'checkout.session.async_payment_failed':
      return ended(event.data.object, 'failed');
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refund(event.data.object);
    case 'charge.dispute.funds_withdrawn':
      return dispute(event.data.object, 'taken');
    case 'charge.dispute.funds_reinstated':
      return dispute(event.data.object, 'returned');
    default:
      return { kind: 'other' };
  }
}

/** A session that waits for a slow way of payment is complete and not paid: another event follows. */
function paid(session: Stripe.Checkout.Session): PaymentNews {
  const { payment_status: status, payment_intent: intent, client_reference_id: paymentId } = session;
  if (status !== 'paid' || !paymentId || intent === null) return { kind: 'other' };
  return {
    kind: 'paid',
    paymentId: bounded(paymentId),
    accountId: textOf(session.metadata?.account_id ?? ''),
    sessionId: bounded(session.id),
    intent: idOf(intent),
    currency: textOf(session.currency ?? ''),
    cents: centsOf(session.amount_total ?? 0),
  };
}

/** Only the card of a checkout matters here: its session reports the payment. */
function intentPaid(intent: Stripe.PaymentIntent): PaymentNews {
  const { metadata, customer, payment_method: method } = intent;
  if (!metadata.payment_id) return { kind: 'other' };
  const of = { paymentId: bounded(metadata.payment_id), accountId: textOf(metadata.account_id ?? '') };
  if (metadata.automatic === 'true') {
    const money = { currency: textOf(intent.currency), cents: centsOf(intent.amount_received) };
    return { kind: 'paid', ...of, sessionId: null, intent: bounded(intent.id), ...money };
  }
  if (intent.setup_future_usage !== 'off_session' || customer === null || method === null) return { kind: 'other' };
  return { kind: 'card', ...of, customer: idOf(customer), method: idOf(method) };
}

/** The payer at a checkout tries another card there. */
function intentDeclined({ metadata, last_payment_error: error }: Stripe.PaymentIntent): PaymentNews {
  if (metadata.automatic !== 'true' || !metadata.payment_id) return { kind: 'other' };
  const code = error?.decline_code ?? error?.code ?? 'card_declined';
  return { kind: 'declined', paymentId: bounded(metadata.payment_id), code: textOf(code) };
}

function ended({ client_reference_id: id }: Stripe.Checkout.Session, status: 'expired' | 'failed'): PaymentNews {
  return id ? { kind: 'ended', paymentId: bounded(id), status } : { kind: 'other' };
}

/** The money of a refund leaves at once, also while it is pending, and comes back when it fails. */
function refund({ id, amount, currency, status, payment_intent: intent }: Stripe.Refund): PaymentNews {
  if (intent === null) return { kind: 'other' };
  const state = status === 'failed' || status === 'canceled' ? 'returned' : 'taken';
  const money = { currency: textOf(currency), cents: centsOf(amount) };
  return { kind: 'reversal', reversalId: bounded(id), of: 'refund', intent: idOf(intent), state, ...money };
}

function dispute(
  { id, amount, currency, payment_intent: intent }: Stripe.Dispute,
  state: 'taken' | 'returned',
): PaymentNews {
  if (intent === null) return { kind: 'other' };
  const money = { currency: textOf(currency), cents: centsOf(amount) };
  return { kind: 'reversal', reversalId: bounded(id), of: 'dispute', intent: idOf(intent), state, ...money };
}

function idOf(named: string | { readonly id: string }): string {
  return bounded(typeof named === 'string' ? named : named.id);
}

/** Stripe's ids are far shorter. Any other id would be cut off by its column, and could then be another payment's. */
function bounded(id: unknown): string {
  if (typeof id === 'string' && id.length > 0 && id.length <= ID_LENGTH_MAX) return id;
  throw invalidRequest(null, 'The event has an id that is not one of Stripe.');
}

/** Its first characters, as many as a column takes. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, TEXT_LENGTH_MAX);
  throw new TypeError('a text is missing');
}

function centsOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError('an amount is missing');
}

/**
 * A stand-in of Stripe's API for tests: it checks requests for Checkout Sessions and PaymentIntents as Stripe does
 * (authorization, version, form encoding, parameters, idempotency keys), keeps what it made, and signs events with the
 * official library's own test helper. It sends no events by itself: a test delivers them as often and as late as it likes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Stripe from 'stripe';
import { listening } from './listening.ts';

export const STRIPE_KEY = 'sk_test_sluice';
export const STRIPE_SECRET = 'whsec_sluice';

/** A session as the stand-in keeps it. */
export interface StripeSession {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount_total: number;
  readonly currency: string;
  readonly client_reference_id: string;
  /** Null where no card is saved. */
  readonly customer: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An event and how Stripe would send it. */
export interface SignedEvent {
  readonly body: Buffer;
  readonly signature: string;
}

/** What is wrong with the next request: an answer of this status, or none although the work was done. */
export type StripeFault = { readonly status: number } | 'no-answer';

/** A charge of a saved card as the stand-in keeps it. */
export interface StripeIntent {
  readonly id: string;
  readonly status: 'succeeded' | 'requires_payment_method';
  readonly amount: number;
  readonly amount_received: number;
  readonly currency: string;
  readonly customer: string;
  readonly payment_method: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly last_payment_error: { readonly code: string; readonly decline_code?: string } | null;
}

/** What the bank says to a charge; `gone`: the card was removed at Stripe. */
export type StripeCard = 'pays' | 'declined' | 'authentication' | 'gone';

/** The stand-in. */
export interface StripeServer {
  readonly url: string;
  /** Every session, oldest first. */
  readonly sessions: readonly StripeSession[];
  /** Every charge of a saved card, also those that were declined, oldest first. */
  readonly intents: readonly StripeIntent[];
  /** Saved cards that were removed through the API. */
  readonly detached: readonly string[];
  /** What the bank says from now on. */
  card(behaves: StripeCard): void;
  /** How many requests arrived. */
  readonly requests: number;
  /** The next requests fail so, in this order. */
  failNext(...faults: readonly StripeFault[]): void;
  close(): Promise<void>;
}

const ALLOWED =
  /^(mode|client_reference_id|success_url|cancel_url|customer|customer_creation|allowed_payment_method_types\[0\]|payment_intent_data\[setup_future_usage\]|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|(payment_intent_data\[)?metadata\]?\[(payment_id|account_id)\])$/;
const ALLOWED_OF_INTENTS =
  /^(amount|currency|customer|payment_method|off_session|confirm|description|allowed_payment_method_types\[0\]|automatic_payment_methods\[(enabled|allow_redirects)\]|metadata\[(payment_id|account_id|automatic)\])$/;

/** Starts it on a port of its own. */
export async function startStripeServer(): Promise<StripeServer> {
  const state = new Sessions();
  const server = createServer((request, response) => void state.answer(request, response));
  const { url, close } = await listening(server);
  return {
    url,
    sessions: state.sessions,
    intents: state.intents,
    detached: state.detached,
    card(behaves) {
      state.behaves = behaves;
    },
    get requests() {
      return state.requests;
    },
    failNext: (...faults) => void state.faults.push(...faults),
    close,
  };
}

/** An event of this type about `object`, signed at `atMs`. */
export function signedEvent(
  { id, type, object }: { readonly id: string; readonly type: string; readonly object: object },
  atMs: number,
  secret = STRIPE_SECRET,
): SignedEvent {
  const payload = JSON.stringify({
    ...{ id, object: 'event', api_version: Stripe.API_VERSION, type, livemode: false },
    ...{ created: Math.floor(atMs / 1000), data: { object }, pending_webhooks: 1 },
  });
  const timestamp = Math.floor(atMs / 1000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return { body: Buffer.from(payload), signature };
}

/** A session as an event has it once it is complete. */
export function completed(session: StripeSession, paymentStatus: 'paid' | 'unpaid' = 'paid'): object {
  return { ...session, object: 'checkout.session', status: 'complete', payment_status: paymentStatus };
}

/** What an operation answers. */
interface Answer {
  readonly status: number;
  readonly body: object;
}

class Sessions {
  readonly sessions: StripeSession[] = [];
  readonly intents: StripeIntent[] = [];
  readonly detached: string[] = [];
  readonly faults: StripeFault[] = [];
  behaves: StripeCard = 'pays';
  requests = 0;
  readonly #byKey = new Map<string, { readonly form: string; readonly answer: Answer }>();

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const fault = this.faults.shift();
    if (typeof fault === 'object') return reply(response, refused(fault.status, 'api_error', 'Try again.'));
    const made = this.#answerTo(request, Buffer.concat(chunks).toString('utf8'));
    if (fault === 'no-answer') request.socket.destroy();
    else reply(response, made);
  }

  #answerTo(request: IncomingMessage, form: string): Answer {
    const { method, url = '', headers } = request;
    if (headers.authorization !== `Bearer ${STRIPE_KEY}`)
      return refused(401, 'invalid_request_error', 'Invalid API Key provided.');
    const operation = method === 'POST' ? this.#operation(url) : null;
    if (!operation) return refused(404, 'invalid_request_error', 'Unrecognized request URL.');
    if (headers['stripe-version'] !== Stripe.API_VERSION) return invalid('Stripe-Version is not this library’s.');
    if (form !== '' && headers['content-type'] !== 'application/x-www-form-urlencoded') return invalid('Send a form.');
    const key = headers['idempotency-key'];
    if (typeof key !== 'string' || key.length > 255)
      return invalid('Send an Idempotency-Key of at most 255 characters.');
    const earlier = this.#byKey.get(key);
    if (earlier && earlier.form !== url + form)
      return refused(400, 'idempotency_error', 'Keys can only be used with the same parameters.');
    // Also a refusal by the bank is answered again: another try needs another key.
    const answer = earlier?.answer ?? operation(new URLSearchParams(form));
    if (answer.status !== 400) this.#byKey.set(key, { form: url + form, answer });
    return answer;
  }

  #operation(url: string): ((fields: URLSearchParams) => Answer) | null {
    if (url === '/v1/checkout/sessions') return (fields) => this.#checkout(fields);
    if (url === '/v1/payment_intents') return (fields) => this.#charge(fields);
    const [, method] = /^\/v1\/payment_methods\/(\w+)\/detach$/.exec(url) ?? [];
    if (method === undefined) return null;
    return () => {
      if (this.behaves === 'gone' || this.detached.includes(method)) return missing(method);
      this.detached.push(method);
      return { status: 200, body: { id: method, object: 'payment_method', customer: null } };
    };
  }

  #checkout(fields: URLSearchParams): Answer {
    const problem = problemOf(fields);
    if (problem !== null) return invalid(problem);
    const session = this.#session(fields);
    this.sessions.push(session);
    return { status: 200, body: { ...session, ...OPEN, url: pageOf(session) } };
  }

  #charge(fields: URLSearchParams): Answer {
    const problem = problemOfIntent(fields);
    if (problem !== null) return invalid(problem);
    const method = fields.get('payment_method') ?? '';
    if (this.behaves === 'gone' || this.detached.includes(method)) return missing(method);
    const error = DECLINES[this.behaves];
    const amount = Number(fields.get('amount'));
    const intent: StripeIntent = {
      ...{ id: `pi_auto_${this.intents.length + 1}`, amount, currency: 'usd', payment_method: method },
      ...{ customer: fields.get('customer') ?? '', last_payment_error: error },
      status: error === null ? 'succeeded' : 'requires_payment_method',
      amount_received: error === null ? amount : 0,
      metadata: {
        payment_id: fields.get('metadata[payment_id]') ?? '',
        account_id: fields.get('metadata[account_id]') ?? '',
        automatic: fields.get('metadata[automatic]') ?? '',
      },
    };
    this.intents.push(intent);
    const payment_intent = { ...intent, object: 'payment_intent', setup_future_usage: null };
    if (error === null) return { status: 200, body: payment_intent };
    const said = { type: 'card_error', message: 'Your card was declined.', ...error, payment_intent };
    return { status: 402, body: { error: said } };
  }

  #session(fields: URLSearchParams): StripeSession {
    const number = this.sessions.length + 1;
    return {
      id: `cs_test_${number}`,
      payment_intent: `pi_${number}`,
      amount_total: Number(fields.get('line_items[0][price_data][unit_amount]')),
      currency: fields.get('line_items[0][price_data][currency]') ?? '',
      client_reference_id: fields.get('client_reference_id') ?? '',
      customer: fields.get('customer_creation') === 'always' ? `cus_${number}` : fields.get('customer'),
      metadata: {
        payment_id: fields.get('metadata[payment_id]') ?? '',
        account_id: fields.get('metadata[account_id]') ?? '',
      },
    };
  }
}

const OPEN = { object: 'checkout.session', status: 'open', payment_status: 'unpaid', payment_intent: null };

/** What a bank says, as `last_payment_error` has it. */
const DECLINES = {
  pays: null,
  gone: null,
  declined: { code: 'card_declined', decline_code: 'insufficient_funds' },
  authentication: { code: 'authentication_required', decline_code: 'authentication_required' },
} as const;

/** The intent of a checkout as its event has it, with the card that the payer let automatic payments use. */
export function paidIntent(session: StripeSession, method: string): object {
  return {
    ...{ id: session.payment_intent, object: 'payment_intent', status: 'succeeded', metadata: session.metadata },
    ...{ amount: session.amount_total, amount_received: session.amount_total, currency: session.currency },
    ...{ customer: session.customer, payment_method: method, last_payment_error: null },
    setup_future_usage: session.customer === null ? null : 'off_session',
  };
}

function pageOf({ id }: StripeSession): string {
  return `https://checkout.stripe.com/c/pay/${id}`;
}

/** What Stripe would refuse in the form; null if nothing. */
function problemOf(fields: URLSearchParams): string | null {
  const unknown = [...fields.keys()].find((name) => !ALLOWED.test(name));
  if (unknown !== undefined) return `Received unknown parameter: ${unknown}`;
  const amount = fields.get('line_items[0][price_data][unit_amount]') ?? '';
  if (!/^\d{1,8}$/.test(amount) || Number(amount) < 50) return `Invalid integer: ${amount}`;
  if (fields.get('mode') !== 'payment') return 'You must provide mode.';
  if (fields.get('line_items[0][quantity]') !== '1') return 'Missing quantity.';
  if (fields.get('line_items[0][price_data][currency]') !== 'usd') return 'Missing currency.';
  if (!fields.get('line_items[0][price_data][product_data][name]')) return 'Missing product_data.';
  const pages = [fields.get('success_url'), fields.get('cancel_url')];
  return pages.every((page) => URL.canParse(page ?? '')) ? null : 'Not a valid URL.';
}

/** The same for a charge of a saved card. */
function problemOfIntent(fields: URLSearchParams): string | null {
  const unknown = [...fields.keys()].find((name) => !ALLOWED_OF_INTENTS.test(name));
  if (unknown !== undefined) return `Received unknown parameter: ${unknown}`;
  const amount = fields.get('amount') ?? '';
  if (!/^\d{1,8}$/.test(amount) || Number(amount) < 50) return `Invalid integer: ${amount}`;
  if (fields.get('currency') !== 'usd') return 'Missing required param: currency.';
  if (fields.get('confirm') !== 'true') return 'off_session can only be used with confirm=true.';
  if (fields.get('off_session') !== 'true') return 'Nobody is there to authenticate: send off_session.';
  if (!fields.get('customer')?.startsWith('cus_')) return 'The payment method belongs to a customer: send it.';
  // Otherwise a page to return to is needed.
  return fields.get('automatic_payment_methods[allow_redirects]') === 'never' ? null : 'You must provide a return_url.';
}

function missing(method: string): Answer {
  return refused(400, 'invalid_request_error', `No such PaymentMethod: '${method}'`, 'resource_missing');
}

function invalid(message: string): Answer {
  return refused(400, 'invalid_request_error', message);
}

function refused(status: number, type: string, message: string, code?: string): Answer {
  return { status, body: { error: { type, message, ...(code === undefined ? {} : { code }) } } };
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' })
    .end(JSON.stringify(body));
}

/**
 * A stand-in of Stripe's API for tests: it checks requests for Checkout Sessions and PaymentIntents as Stripe does
 * (authorization, version, form encoding, parameters, idempotency keys), keeps what it made, and signs events with the
 * official library's own test helper. It sends no events by itself: a test delivers them as often and as late as it likes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
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

/** At least fifty cents. */
const AMOUNT = /^(?:[5-9]\d|\d{3,8})$/;
const PAGE = /^https?:\/\/\S+$/;

/** A field, what its value must match, and what Stripe says of any other. */
type Rule = readonly [name: string, pattern: RegExp, problem: string];
const RULES: readonly Rule[] = [
  ['line_items[0][price_data][unit_amount]', AMOUNT, 'Invalid integer.'],
  ['mode', /^payment$/, 'You must provide mode.'],
  ['line_items[0][quantity]', /^1$/, 'Missing quantity.'],
  ['line_items[0][price_data][currency]', /^usd$/, 'Missing currency.'],
  ['line_items[0][price_data][product_data][name]', /./, 'Missing product_data.'],
  ['success_url', PAGE, 'Not a valid URL.'],
  ['cancel_url', PAGE, 'Not a valid URL.'],
];
const RULES_OF_INTENTS: readonly Rule[] = [
  ['amount', AMOUNT, 'Invalid integer.'],
  ['currency', /^usd$/, 'Missing required param.'],
  ['confirm', /^true$/, 'off_session can only be used with confirm=true.'],
  ['off_session', /^true$/, 'Nobody is there to authenticate: send off_session.'],
  ['customer', /^cus_/, 'The payment method belongs to a customer: send it.'],
  ['automatic_payment_methods[allow_redirects]', /^never$/, 'You must provide a return_url.'],
];

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
    const form = await text(request);
    const fault = this.faults.shift();
    if (typeof fault === 'object') return reply(response, refused(fault.status, 'api_error', 'Try again.'));
    const made = this.#answerTo(request, form);
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
    const problem = problemOf(fields, ALLOWED, RULES);
    if (problem !== null) return invalid(problem);
    const session = this.#session(fields);
    this.sessions.push(session);
    return { status: 200, body: { ...session, ...OPEN, url: `https://checkout.stripe.com/c/pay/${session.id}` } };
  }

  #charge(fields: URLSearchParams): Answer {
    const problem = problemOf(fields, ALLOWED_OF_INTENTS, RULES_OF_INTENTS);
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
      metadata: metadataOf(fields, 'payment_id', 'account_id', 'automatic'),
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
      metadata: metadataOf(fields, 'payment_id', 'account_id'),
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

/** What Stripe would refuse in a form: any other field, and a field of these that does not look so; null if nothing. */
function problemOf(fields: URLSearchParams, allowed: RegExp, rules: readonly Rule[]): string | null {
  const unknown = [...fields.keys()].find((name) => !allowed.test(name));
  if (unknown !== undefined) return `Received unknown parameter: ${unknown}`;
  const broken = rules.find(([name, pattern]) => !pattern.test(fields.get(name) ?? ''));
  return broken ? `${broken[2]} (${broken[0]})` : null;
}

function metadataOf(fields: URLSearchParams, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, fields.get(`metadata[${name}]`) ?? '']));
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

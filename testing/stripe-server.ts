/**
 * A stand-in of Stripe's API for tests: it checks requests for Checkout Sessions as Stripe does (authorization, version,
 * form encoding, parameters, idempotency keys), keeps the sessions, and signs events with the official library's own
 * test helper. It sends no events by itself: a test delivers them as often and as late as it likes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

export const STRIPE_KEY = 'sk_test_sluice';
export const STRIPE_SECRET = 'whsec_sluice';

/** A session as the stand-in keeps it. */
export interface StripeSession {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount_total: number;
  readonly currency: string;
  readonly client_reference_id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An event and how Stripe would send it. */
export interface SignedEvent {
  readonly body: Buffer;
  readonly signature: string;
}

/** What is wrong with the next request: an answer of this status, or none although the work was done. */
export type StripeFault = { readonly status: number } | 'no-answer';

/** The stand-in. */
export interface StripeServer {
  readonly url: string;
  /** Every session, oldest first. */
  readonly sessions: readonly StripeSession[];
  /** How many requests arrived. */
  readonly requests: number;
  /** The next requests fail so, in this order. */
  failNext(...faults: readonly StripeFault[]): void;
  close(): Promise<void>;
}

const ALLOWED =
  /^(mode|client_reference_id|success_url|cancel_url|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|(payment_intent_data\[)?metadata\]?\[(payment_id|account_id)\])$/;

/** Starts it on a port of its own. */
export async function startStripeServer(): Promise<StripeServer> {
  const state = new Sessions();
  const server = createServer((request, response) => void state.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions: state.sessions,
    get requests() {
      return state.requests;
    },
    failNext: (...faults) => void state.faults.push(...faults),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
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

class Sessions {
  readonly sessions: StripeSession[] = [];
  readonly faults: StripeFault[] = [];
  requests = 0;
  readonly #byKey = new Map<string, { readonly form: string; readonly session: StripeSession }>();

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const fault = this.faults.shift();
    if (typeof fault === 'object') return refuse(response, fault.status, { type: 'api_error', message: 'Try again.' });
    const made = this.#create(request, Buffer.concat(chunks).toString('utf8'));
    if (fault === 'no-answer') request.socket.destroy();
    else if ('session' in made) reply(response, 200, { ...made.session, ...OPEN, url: pageOf(made.session) });
    else refuse(response, made.status, made.error);
  }

  #create(request: IncomingMessage, form: string): { session: StripeSession } | { status: number; error: object } {
    const { method, url, headers } = request;
    if (headers.authorization !== `Bearer ${STRIPE_KEY}`)
      return { status: 401, error: { type: 'invalid_request_error', message: 'Invalid API Key provided.' } };
    if (method !== 'POST' || url !== '/v1/checkout/sessions')
      return { status: 404, error: { type: 'invalid_request_error', message: 'Unrecognized request URL.' } };
    if (headers['stripe-version'] !== Stripe.API_VERSION) return invalid('Stripe-Version is not this library’s.');
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') return invalid('Send a form.');
    const key = headers['idempotency-key'];
    if (typeof key !== 'string' || key.length > 255)
      return invalid('Send an Idempotency-Key of at most 255 characters.');
    const earlier = this.#byKey.get(key);
    if (earlier && earlier.form !== form)
      return {
        status: 400,
        error: { type: 'idempotency_error', message: 'Keys can only be used with the same parameters.' },
      };
    if (earlier) return { session: earlier.session };
    const fields = new URLSearchParams(form);
    const problem = problemOf(fields);
    if (problem !== null) return invalid(problem);
    const session = this.#session(fields);
    this.#byKey.set(key, { form, session });
    this.sessions.push(session);
    return { session };
  }

  #session(fields: URLSearchParams): StripeSession {
    const number = this.sessions.length + 1;
    return {
      id: `cs_test_${number}`,
      payment_intent: `pi_${number}`,
      amount_total: Number(fields.get('line_items[0][price_data][unit_amount]')),
      currency: fields.get('line_items[0][price_data][currency]') ?? '',
      client_reference_id: fields.get('client_reference_id') ?? '',
      metadata: {
        payment_id: fields.get('metadata[payment_id]') ?? '',
        account_id: fields.get('metadata[account_id]') ?? '',
      },
    };
  }
}

const OPEN = { object: 'checkout.session', status: 'open', payment_status: 'unpaid', payment_intent: null };

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

function invalid(message: string): { status: number; error: object } {
  return { status: 400, error: { type: 'invalid_request_error', message } };
}

function refuse(response: ServerResponse, status: number, error: object): void {
  reply(response, status, { error });
}

function reply(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' })
    .end(JSON.stringify(body));
}

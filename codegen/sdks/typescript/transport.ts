/**
 * Retries, idempotency and errors for every request, of the layer and of the generated core alike: both send with the
 * `fetch` of this file. It is handwritten and copied into the client as it is: the generator sends each request once.
 */
import { InvalidRequestError, NotFoundError } from './error-classes.js';
import { ConnectionError, type ErrorFacts, type SluiceError, TimeoutError, UnexpectedAnswerError } from './errors.js';
import { classOf, faultIn } from './faults.js';

/** What a call may change. */
export interface CallOptions {
  /** Milliseconds after which the call ends, with all its attempts and waits; never when absent. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** How often it is tried again; the client's number when absent. */
  readonly maxRetries?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The key of a call that makes an order. With the key of an earlier call it gets that order. */
  readonly idempotencyKey?: string;
  /** Fields of the body that this client does not know. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** One attempt of a call, for a log. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  /** Null when no answer came. */
  readonly status: number | null;
  /** Counts the attempts of a call from 1. */
  readonly attempt: number;
  readonly ms: number;
  readonly requestId: string | null;
}

/** What all calls of a client have. */
export interface TransportOptions {
  readonly apiKey: string | undefined;
  readonly maxRetries: number;
  readonly timeout: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly onAttempt: ((attempt: Attempt) => void) | undefined;
}

type Init = RequestInit & { readonly callOptions?: CallOptions & { readonly asksForCharge?: boolean } };

/** The second argument of a method of the core: `sluice.api.orders.getOrder({ id }, withOptions({ timeout: 5000 }))`. */
export function withOptions(callOptions: CallOptions = {}): RequestInit {
  return { callOptions } as RequestInit;
}

/** A request with wire names, of one whose own names have capitals instead: `priceLimit` is `price_limit`. */
export function wireNames<Request>(params: object): Request {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const named = given.map(([name, value]) => [name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`), value]);
  return Object.fromEntries(named) as Request;
}

/** A message of the gateway about a misspelt field, with the name that the field has in `orders.place`, too. */
function withOwnNames(message: string): string {
  const ownName = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return message.replace(
    /did you mean (price_limit|max_charge_usd|price_lock|max_wait|retention_days)\?/g,
    (question, name: string) => `${question} In orders.place it is ${ownName(name)}.`,
  );
}

/** The `fetch` that all calls of a client use. It answers with a success, and throws everything else. */
export function transport(options: TransportOptions): typeof fetch {
  return async (input, init = {}) => new Call(options, String(input), init as Init).run();
}

/** One signal for several requests: the time of a call is that of all of them. */
export function withEnd({ timeout, signal, ...options }: CallOptions = {}): CallOptions {
  const ends = [...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)]), ...(signal ? [signal] : [])];
  return ends.length > 0 ? { ...options, signal: AbortSignal.any(ends) } : options;
}

/** Waits; true unless the signal ended the wait. */
export function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (whole: boolean) => () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      resolve(whole);
    };
    const timer = setTimeout(() => end(true)(), ms);
    const leave = end(false);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave);
  });
}

/** Milliseconds before the attempt after so many failures, at most: half a second, doubled up to eight. */
export function backoffMs(failures: number): number {
  return Math.min(500 * 2 ** Math.min(failures, 10), 8000);
}

const CREATES_ORDER = /\/v1\/(chat\/completions|completions|responses|messages)$/;
const PATH_ORDER = /\/v1\/orders\/([0-9a-f-]{36})(?=\/|$)/;
/** The statuses that the operations of these fragments describe; the others describe 200. */
const DESCRIBED: Readonly<Record<string, number>> = { '#detached': 202, '#dry-run': 203 };
const STREAM = 'text/event-stream';
/** When Retry-After asks for more, the call ends with its error. */
const LONGEST_PAUSE_MS = 60_000;
/** Failures of a connection before anything was sent. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** One call: all its attempts have the same body and the same Idempotency-Key. */
class Call {
  readonly #options: TransportOptions;
  readonly #own: NonNullable<Init['callOptions']>;
  readonly #url: URL;
  readonly #method: string;
  readonly #init: RequestInit;
  readonly #headers: Headers;
  readonly #signal: AbortSignal | undefined;
  readonly #creates: boolean;
  /** A second batch would run all lines again, so `batches.run` looks whether the first exists. */
  readonly #repeatable: boolean;
  readonly #wantsStream: boolean;
  #attempts = 0;
  /** Those that count against the retries; to wait for an order does not. */
  #failures = 0;
  /** Whether an attempt since the last answer about an order may have made one. */
  #mayHaveOrder = false;

  constructor(options: TransportOptions, url: string, { callOptions: own = {}, ...init }: Init) {
    this.#options = options;
    this.#own = own;
    this.#url = new URL(url);
    this.#method = init.method ?? 'GET';
    this.#headers = new Headers(init.headers);
    for (const [name, value] of Object.entries({ ...options.headers, ...own.headers })) this.#set(name, value);
    if (options.apiKey && !this.#headers.has('authorization')) this.#set('authorization', `Bearer ${options.apiKey}`);
    this.#wantsStream = this.#headers.get('accept') === STREAM;
    const isDry = this.#headers.get('x-dry-run') === 'true';
    this.#creates = this.#method === 'POST' && CREATES_ORDER.test(this.#url.pathname) && !isDry;
    this.#repeatable = !(this.#method === 'POST' && this.#url.pathname.endsWith('/v1/batches'));
    if (this.#creates) {
      const key = own.idempotencyKey ?? this.#headers.get('idempotency-key') ?? crypto.randomUUID();
      this.#set('idempotency-key', key);
    }
    const isJson = own.extraBody !== undefined && typeof init.body === 'string';
    this.#init = isJson
      ? { ...init, body: JSON.stringify({ ...JSON.parse(String(init.body)), ...own.extraBody }) }
      : init;
    const timeout = own.timeout ?? options.timeout;
    const signals = [init.signal, own.signal, timeout === undefined ? null : AbortSignal.timeout(timeout)];
    const present = signals.filter((signal) => signal !== null && signal !== undefined);
    this.#signal = present.length > 0 ? AbortSignal.any(present) : undefined;
  }

  #set(name: string, value: string): void {
    if (/[^\t -~\x80-\xff]/.test(value)) {
      const message = `The request was not sent: no header may have a character that ${name} has.`;
      throw new InvalidRequestError(message, { code: 'invalid_request' });
    }
    this.#headers.set(name, value);
  }

  async run(): Promise<Response> {
    const retries = this.#own.maxRetries ?? this.#options.maxRetries;
    for (;;) {
      const response = await this.#attempt();
      if (response instanceof Error) {
        this.#failures++;
        const { code } = (response.cause ?? {}) as { code?: string };
        const isUnsent = UNSENT.includes(code ?? '');
        this.#mayHaveOrder ||= !isUnsent;
        if ((this.#repeatable || isUnsent) && this.#failures <= retries && (await this.#pause())) continue;
        const facts = { retryable: true, cause: response };
        throw await this.#failed(ConnectionError, `No answer came (${reasonOf(response)}).`, facts);
      }
      if (response.status < 400) return this.#described(response);
      const text = await response.text();
      const fault = faultIn(text);
      const { headers, status } = response;
      // Only the gateway's own answers say anything about an order.
      if (!fault) this.#mayHaveOrder = true;
      else if (headers.has('x-service-order-id')) this.#mayHaveOrder = false;
      // The order lives, so this is waiting and not a failure.
      const isWaiting = fault?.code === 'result_pending' && headers.has('retry-after');
      if (!isWaiting) this.#failures++;
      const retryable = isWaiting || this.#isRetryable(response);
      if (retryable && (isWaiting || this.#failures <= retries) && (await this.#pause(headers))) continue;
      const told = fault ?? { message: `${status} from something before the gateway: ${text.slice(0, 200)}` };
      throw await this.#failed(classOf(status, told), withOwnNames(told.message), {
        ...told,
        status,
        headers,
        retryable,
      });
    }
  }

  /** Sends the request once. A body that is no stream is read to its end, because it may be cut. */
  async #attempt(): Promise<Response | Error> {
    const attempt = ++this.#attempts;
    const begin = Date.now();
    let status: number | null = null;
    let requestId: string | null = null;
    try {
      // A redirect would send an order elsewhere, or as a GET.
      const init: RequestInit = { ...this.#init, headers: this.#headers, redirect: 'manual' };
      if (this.#signal) init.signal = this.#signal;
      const response = await this.#options.fetch(this.#url, init);
      status = response.status;
      requestId = response.headers.get('x-request-id');
      if (response.ok && (this.#wantsStream || typeOf(response) === STREAM)) return response;
      const body = [204, 205, 304].includes(status) ? null : await response.arrayBuffer();
      // Throws when it is cut.
      if (response.ok && typeOf(response) === 'application/json')
        JSON.parse(new TextDecoder().decode(body ?? undefined));
      return new Response(body, { status, headers: response.headers });
    } catch (error) {
      status = null;
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      const path = this.#url.pathname;
      this.#options.onAttempt?.({ method: this.#method, path, status, attempt, ms: Date.now() - begin, requestId });
    }
  }

  /** A success, unless the operation does not describe it: then an order may exist whose answer is lost. */
  async #described(response: Response): Promise<Response> {
    const { status, headers } = response;
    const [type, isHead] = [typeOf(response), this.#method === 'HEAD'];
    const isWanted = this.#wantsStream ? type === STREAM : isHead || /^application\/jsonl?$/.test(type);
    if (isWanted && status === (DESCRIBED[this.#url.hash] ?? 200)) return response;
    this.#mayHaveOrder = !headers.has('x-service-order-id');
    const isUnread = this.#wantsStream || type === STREAM;
    const text = isUnread ? '' : (await response.text()).slice(0, 200);
    if (isUnread) await response.body?.cancel();
    const message = `The answer ${status} ${type} is not described for this call: ${headers.get('location') ?? text}`;
    throw await this.#failed(UnexpectedAnswerError, message, { status, headers });
  }

  #isRetryable({ status, headers }: Response): boolean {
    const said = headers.get('x-should-retry');
    if (said !== null) return said === 'true' && this.#repeatable;
    return status === 429 || (this.#repeatable && (status === 408 || status >= 500));
  }

  /** As long as Retry-After says, or for a random time that doubles with each failure. False when that is too long. */
  async #pause(headers?: Headers): Promise<boolean> {
    const said = headers?.get('retry-after') ?? '';
    const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
    const random = (drawn / 2 ** 32) * backoffMs(Math.max(this.#failures - 1, 0));
    const at = Date.parse(said) || 0;
    const ms = /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1000 : Math.max(at - Date.now(), random);
    return ms <= LONGEST_PAUSE_MS && sleep(ms, this.#signal);
  }

  /** The error of the call: its order's own state says whether it was charged, and the message how to find it. */
  async #failed(Class: typeof SluiceError, message: string, facts: ErrorFacts): Promise<SluiceError> {
    const orderId = facts.headers?.get('x-service-order-id') ?? PATH_ORDER.exec(this.#url.pathname)?.[1] ?? null;
    const isOver = facts.retryable === true && this.#signal?.aborted === true;
    const cannotAsk = isOver || this.#own.asksForCharge;
    const charged = orderId === null ? false : cannotAsk ? null : await this.#chargeOf(orderId);
    // An order that ended without a charge frees its key: a later attempt may have made another one.
    const isOpen = this.#creates && this.#mayHaveOrder && charged !== true;
    const key = this.#headers.get('idempotency-key');
    const found = ` There may be an order: the same call with idempotencyKey ${key} finds it and pays only once.`;
    const text = `${isOver ? 'The call was ended before an answer came. ' : ''}${message}${isOpen ? found : ''}`;
    const cause = isOver ? this.#signal?.reason : facts.cause;
    return new (isOver ? TimeoutError : Class)(text, { ...facts, orderId, charged: isOpen ? null : charged, cause });
  }

  /** Asks the gateway, with retries of its own. */
  async #chargeOf(orderId: string): Promise<boolean | null> {
    const url = new URL(this.#url);
    url.pathname = `${url.pathname.slice(0, url.pathname.lastIndexOf('/v1/'))}/v1/orders/${orderId}`;
    url.search = '';
    url.hash = '';
    const { signal, headers } = this.#own;
    const callOptions = { asksForCharge: true, ...(signal && { signal }), ...(headers && { headers }) };
    try {
      const response = await new Call(this.#options, String(url), { callOptions }).run();
      return chargedOf(((await response.json()) as { status: string }).status);
    } catch (error) {
      return error instanceof NotFoundError && error.type !== null ? false : null;
    }
  }
}

/** Whether an order in this state was charged; null when it may still be. */
export function chargedOf(status: string): boolean | null {
  if (status === 'done') return true;
  return ['error', 'canceled', 'expired'].includes(status) ? false : null;
}

function typeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const why = (cause as { message?: string } | undefined)?.message;
  return why ? `${message}: ${why}` : message;
}

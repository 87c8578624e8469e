/** The client of every run: it sends requests to gateways that may be dead or deaf, and records in the ledger what came back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Agent, type Dispatcher, FormData } from 'undici';
import { contentOf, meaningOf, type WholeAnswer } from './answers.ts';
import type { KnownReceipt, Ledger } from './ledger.ts';
import type { OrderRequest } from './requests.ts';

/** Who asks. */
export interface Caller {
  /** The name of the account. */
  readonly account: string;
  readonly apiKey: string;
}

/** When a caller closes its connection. */
export type Leaving = { readonly afterMs: number } | { readonly afterPieces: number };

/** An answer that was read to its end. */
export type Answered = { readonly kind: 'answer'; readonly retryAfter: boolean } & WholeAnswer;

/** The outcome of a request: an answer, or the caller left, the connection broke, or nobody listened. */
export type Exchange = Answered | { readonly kind: 'left' | 'broken' | 'down'; readonly orderId: string | null };

/** An exchange as an observer sees it; times in milliseconds since the epoch. */
export interface Observed {
  /** The method and the path, or the label that the call was given. */
  readonly route: string;
  readonly exchange: Exchange;
  readonly beginMs: number;
  readonly endMs: number;
}

/** The outcome of an order. */
export interface OrderOutcome {
  readonly kind: Exchange['kind'] | 'malformed';
  readonly status: number;
  readonly code: string | null;
  readonly orderId: string | null;
  readonly receipt: KnownReceipt | null;
}

/** A request. */
export interface Call {
  /** Default: GET, and POST with a body. */
  readonly method?: Dispatcher.HttpMethod;
  /** A form, bytes as they are, or an object that is sent as JSON. */
  readonly body?: FormData | Uint8Array | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly leaving?: Leaving | null;
  /** At any of the gateways instead of that of this client. */
  readonly elsewhere?: boolean;
  /** For the observer. */
  readonly label?: string;
}

/** How an order is sent. */
export interface Sending extends Pick<Call, 'leaving' | 'elsewhere'> {
  /** Who sends it. */
  readonly lane: string;
  readonly key?: string;
  /** Answers beyond the common ones that are expected. */
  readonly allowed?: readonly string[];
}

/** The gateways, and how patient a client is. */
export interface ClientOptions {
  /** The first is that of this client; gateways may restart. */
  readonly urls: readonly [string, ...string[]];
  /** After how long an answer that has not ended is a finding. Default: three minutes; null: never. */
  readonly hungMs?: number | null;
  observe?(observed: Observed): void;
}

const HUNG_MS = 180_000;
const DOWN_PAUSE_MS = 150;
/** Suspended for now, and not available for now. */
const PASSING = [403, 503];
/** Errors that any order may end with, in a body and in a stream. */
const COMMON_CODES = {
  context_length_exceeded: 400,
  model_refused: 400,
  insufficient_balance: 402,
  order_expired: 408,
  order_canceled: 409,
  capacity_unavailable: 429,
  settlement_uncertain: 500,
  backend_error: 502,
  unavailable: 503,
  gateway_restarted: 503,
};
/** What a stream of responses says instead. */
const RESPONSES_CODES = ['invalid_prompt', 'insufficient_quota', 'rate_limit_exceeded', 'server_error'];
const COMMON = new Set([
  ...['200', '202'],
  ...Object.entries(COMMON_CODES).map(([code, status]) => `${status} ${code}`),
  ...[...Object.keys(COMMON_CODES), ...RESPONSES_CODES].map(inStream),
]);

/** A client of one gateway, which can also ask the others. */
export class Client {
  readonly #ledger: Ledger;
  readonly #options: ClientOptions;
  // Orders wait for minutes, and a busy gateway may take long to accept a connection.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } });
  #asked = 0;

  constructor(ledger: Ledger, options: ClientOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  /** Sends an order once, and records it in the ledger. */
  async order(caller: Caller, request: OrderRequest, sending: Sending): Promise<OrderOutcome> {
    const { lane, key, allowed = [], ...more } = sending;
    const headers = {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(request.isZipped ? { 'content-encoding': 'gzip' } : {}),
    };
    const body = request.isZipped ? gzipSync(JSON.stringify(request.body)) : request.body;
    const label = `POST ${request.path} (${lane})`;
    const exchange = await this.call(caller, request.path, { body, headers, label, ...more });
    const told = { account: caller.account, lane };
    if (exchange.kind === 'answer') return this.#read(request, exchange, { told, allowed, isKeyed: key !== undefined });
    const { kind, orderId } = exchange;
    // A key is repeated until its answer is final, so that nothing about it stays unknown.
    const meaning = kind === 'down' || key !== undefined ? 'nothing' : 'unknown';
    this.#ledger.tell({ ...told, answer: kind, orderId, receipt: null, meaning });
    return { kind, status: 0, code: null, orderId, receipt: null };
  }

  /**
   * Any other request, again and again until it is answered: by default with something other than what passes by
   * itself. Null once `isOver`.
   */
  async ask(
    caller: Caller,
    path: string,
    { passing = PASSING, isOver = () => false }: { passing?: readonly number[]; isOver?: () => boolean } = {},
  ): Promise<Answered | null> {
    for (;;) {
      const exchange = await this.call(caller, path, { elsewhere: true });
      if (exchange.kind === 'answer' && !passing.includes(exchange.status)) return exchange;
      if (isOver()) return null;
      await sleep(DOWN_PAUSE_MS);
    }
  }

  /** Sends any request once. */
  async call(caller: Caller, path: string, call: Call = {}): Promise<Exchange> {
    const { body, method = body === undefined ? 'GET' : 'POST', label = `${method} ${path}` } = call;
    const beginMs = performance.timeOrigin + performance.now();
    const exchange = await this.#exchange(caller, path, { ...call, method });
    const endMs = performance.timeOrigin + performance.now();
    if (method === 'GET' && exchange.kind === 'answer') this.#ledger.waited(endMs - beginMs);
    this.#options.observe?.({ route: label, exchange, beginMs, endMs });
    if (exchange.kind === 'down') await sleep(DOWN_PAUSE_MS);
    return exchange;
  }

  /** Breaks what has not been answered. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #exchange(
    { apiKey }: Caller,
    path: string,
    { method, body, headers, leaving = null, elsewhere }: Call & { readonly method: Dispatcher.HttpMethod },
  ): Promise<Exchange> {
    const abort = new AbortController();
    const { hungMs = HUNG_MS } = this.#options;
    const hung = hungMs === null ? null : setTimeout(() => this.#hung(path, abort, hungMs), hungMs);
    const left = leaving && 'afterMs' in leaving ? setTimeout(() => abort.abort('left'), leaving.afterMs) : null;
    let orderId: string | null = null;
    try {
      const answer = await this.#agent.request({
        ...{ origin: this.#urlOf(elsewhere), path, method, signal: abort.signal },
        headers: { ...headersOf(apiKey, body), ...headers },
        body: !body || body instanceof FormData || body instanceof Uint8Array ? (body ?? null) : JSON.stringify(body),
      });
      const { 'x-service-order-id': id, 'content-type': type, 'retry-after': retryAfter } = answer.headers;
      orderId = id === undefined ? null : String(id);
      const text = await readAll(answer.body, leaving && 'afterPieces' in leaving ? leaving.afterPieces : Infinity);
      if (text === null) return { kind: 'left', orderId };
      const isStream = String(type).startsWith('text/event-stream');
      const { statusCode: status } = answer;
      return { kind: 'answer', status, orderId, text, isStream, retryAfter: retryAfter !== undefined };
    } catch (error) {
      if (abort.signal.reason === 'left') return { kind: 'left', orderId };
      if ((error as { code?: string }).code === 'ECONNREFUSED') return { kind: 'down', orderId };
      this.#ledger.broke(path, error);
      return { kind: 'broken', orderId };
    } finally {
      if (hung) clearTimeout(hung);
      if (left) clearTimeout(left);
    }
  }

  /** The others are asked in turn. */
  #urlOf(elsewhere = false): string {
    const { urls } = this.#options;
    return (elsewhere ? urls[++this.#asked % urls.length] : null) ?? urls[0];
  }

  #read(
    request: OrderRequest,
    answer: Answered,
    of: { told: { account: string; lane: string }; allowed: readonly string[]; isKeyed: boolean },
  ): OrderOutcome {
    const { status } = answer;
    const { told, allowed, isKeyed } = of;
    try {
      const content = contentOf(request.shape, answer);
      const { receipt, code } = content;
      const orderId = answer.orderId ?? content.id;
      const label =
        status === 200 && code !== null ? inStream(code) : code === null ? `${status}` : `${status} ${code}`;
      this.#ledger.tell({
        ...told,
        answer: label,
        orderId,
        receipt,
        meaning: meaningOf(request, answer, content, isKeyed),
      });
      if (!COMMON.has(label) && !allowed.includes(label))
        this.#ledger.found(`${told.lane}: order ${orderId} was answered ${label}: ${content.message}`);
      if (label === '200' && receipt === null)
        this.#ledger.found(`${told.lane}: order ${orderId} was answered 200 without a receipt`);
      return { kind: 'answer', status, code, orderId, receipt };
    } catch (error) {
      const { orderId } = answer;
      const start = answer.text.slice(0, 300);
      this.#ledger.found(`${told.lane}: the answer ${status} of order ${orderId} is malformed: ${error}: ${start}`);
      this.#ledger.tell({ ...told, answer: `${status} malformed`, orderId, receipt: null, meaning: 'unknown' });
      return { kind: 'malformed', status, code: null, orderId, receipt: null };
    }
  }

  #hung(path: string, abort: AbortController, ms: number): void {
    this.#ledger.hung(path, ms);
    abort.abort('hung');
  }
}

/** The label of an error that came in a stream. */
function inStream(code: string): string {
  return `200 in stream: ${code}`;
}

/** A caller without a key asks what anybody may ask. */
function headersOf(apiKey: string, body: Call['body']): Record<string, string> {
  return {
    ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
  };
}

/** The whole body; null once the caller has left after this many pieces. */
async function readAll(body: Dispatcher.ResponseData['body'], piecesMax: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let pieces = 0;
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    // Leaving the loop closes the connection.
    if (++pieces >= piecesMax) return null;
  }
  return text + decoder.decode();
}

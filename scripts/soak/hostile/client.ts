/** Sends requests to a gateway that may be dead or deaf, and tells the ledger what came back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownReceipt } from '../../books/receipt.ts';
import { contentOf, meaningOf, type WholeAnswer } from './answers.ts';
import type { Ledger } from './ledger.ts';
import type { OrderRequest } from './requests.ts';

/** Who asks. */
export interface Caller {
  /** The name of the account. */
  readonly account: string;
  readonly apiKey: string;
}

/** When a caller closes its connection. */
export type Leaving = { readonly afterMs: number } | { readonly afterPieces: number };

/** What came of a request: an answer, or the caller left, the connection broke, or nobody listened. */
export type Exchange =
  | ({ readonly kind: 'answer' } & WholeAnswer)
  | { readonly kind: 'left' | 'broken' | 'down'; readonly orderId: string | null };

/** What came of an order. */
export interface OrderOutcome {
  readonly kind: Exchange['kind'] | 'malformed';
  readonly status: number;
  readonly code: string | null;
  readonly orderId: string | null;
  readonly receipt: KnownReceipt | null;
}

/** How an order is sent. */
export interface Sending {
  readonly lane: string;
  readonly key?: string;
  readonly leaving?: Leaving | null;
  /** Answers beyond the common ones that are expected. */
  readonly allowed?: readonly string[];
}

interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly leaving?: Leaving | null;
}

const HUNG_MS = 180_000;
const DOWN_PAUSE_MS = 150;
/** Suspended for now, and not available for now. */
const PASSING = [403, 503];
/** Errors that any order may end with, in a body and in a stream. */
const COMMON_CODES = {
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

/** A client of the gateway at `url`, which may restart. */
export class Client {
  readonly #url: string;
  readonly #ledger: Ledger;

  constructor(url: string, ledger: Ledger) {
    this.#url = url;
    this.#ledger = ledger;
  }

  /** Sends an order once, and tells the ledger. */
  async order(caller: Caller, request: OrderRequest, sending: Sending): Promise<OrderOutcome> {
    const { lane, key, leaving = null, allowed = [] } = sending;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const exchange = await this.call(caller, request.path, { method: 'POST', body: request.body, headers, leaving });
    const told = { account: caller.account, lane, ...(key === undefined ? {} : { key }) };
    if (exchange.kind !== 'answer') {
      const { kind, orderId } = exchange;
      const meaning = kind === 'down' || key !== undefined ? 'nothing' : 'unknown';
      this.#ledger.tell({ ...told, answer: kind, orderId, receipt: null, meaning });
      return { kind, status: 0, code: null, orderId, receipt: null };
    }
    return this.#read(request, exchange, { told, allowed, isKeyed: key !== undefined });
  }

  /**
   * Any other request, again and again until it is answered: by default with something other than what passes by
   * itself. Null once `isOver`.
   */
  async ask(
    caller: Caller,
    path: string,
    { passing = PASSING, isOver = () => false }: { passing?: readonly number[]; isOver?: () => boolean } = {},
  ): Promise<Extract<Exchange, { kind: 'answer' }> | null> {
    for (;;) {
      const exchange = await this.call(caller, path);
      if (exchange.kind === 'answer' && !passing.includes(exchange.status)) return exchange;
      if (isOver()) return null;
      await sleep(DOWN_PAUSE_MS);
    }
  }

  /** Sends any request once. */
  async call(
    { apiKey }: Caller,
    path: string,
    { method = 'GET', body, headers = {}, leaving = null }: Call = {},
  ): Promise<Exchange> {
    const abort = new AbortController();
    const hung = setTimeout(() => this.#hung(path, abort), HUNG_MS);
    const left = leaving && 'afterMs' in leaving ? setTimeout(() => abort.abort('left'), leaving.afterMs) : null;
    const beganAtMs = performance.now();
    let orderId: string | null = null;
    try {
      const response = await fetch(this.#url + path, {
        method,
        signal: abort.signal,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
      orderId = response.headers.get('x-service-order-id');
      const text = await readAll(
        response,
        leaving && 'afterPieces' in leaving ? leaving.afterPieces : Number.POSITIVE_INFINITY,
      );
      if (text === null) return { kind: 'left', orderId };
      if (method === 'GET') this.#ledger.waited(performance.now() - beganAtMs);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      return { kind: 'answer', status: response.status, orderId, text, isStream };
    } catch (error) {
      if (abort.signal.reason === 'left') return { kind: 'left', orderId };
      if (!isRefused(error)) {
        this.#ledger.broke(path, error);
        return { kind: 'broken', orderId };
      }
      await sleep(DOWN_PAUSE_MS);
      return { kind: 'down', orderId };
    } finally {
      clearTimeout(hung);
      if (left) clearTimeout(left);
    }
  }

  #read(
    request: OrderRequest,
    answer: Extract<Exchange, { kind: 'answer' }>,
    {
      told,
      allowed,
      isKeyed,
    }: { told: { account: string; lane: string }; allowed: readonly string[]; isKeyed: boolean },
  ): OrderOutcome {
    const { status } = answer;
    try {
      const content = contentOf(request.shape, answer);
      const { receipt, code } = content;
      const orderId = answer.orderId ?? content.id;
      const label =
        status === 200 && code !== null ? inStream(code) : [status, ...(code === null ? [] : [code])].join(' ');
      const meaning = meaningOf(request, answer, content, isKeyed);
      this.#ledger.tell({ ...told, answer: label, orderId, receipt, meaning });
      if (!COMMON.has(label) && !allowed.includes(label))
        this.#ledger.found(`${told.lane}: order ${orderId} was answered ${label}: ${content.message}`);
      if (label === '200' && receipt === null)
        this.#ledger.found(`${told.lane}: order ${orderId} was answered 200 without a receipt`);
      return { kind: 'answer', status, code, orderId, receipt };
    } catch (error) {
      this.#ledger.found(
        `${told.lane}: the answer ${status} of order ${answer.orderId} is malformed: ${error}: ${answer.text.slice(0, 300)}`,
      );
      this.#ledger.tell({
        ...told,
        answer: `${status} malformed`,
        orderId: answer.orderId,
        receipt: null,
        meaning: 'unknown',
      });
      return { kind: 'malformed', status, code: null, orderId: answer.orderId, receipt: null };
    }
  }

  #hung(path: string, abort: AbortController): void {
    this.#ledger.found(`${path} had no whole answer after ${HUNG_MS / 1000} s`);
    abort.abort('hung');
  }
}

/** The label of an error that came in a stream. */
function inStream(code: string): string {
  return `200 in stream: ${code}`;
}

/** The whole body; null once the caller has left after this many pieces. */
async function readAll({ body }: Response, piecesMax: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let pieces = 0;
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    // Leaving the loop cancels the body, which closes the connection.
    if (++pieces >= piecesMax) return null;
  }
  return text + decoder.decode();
}

function isRefused(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
}

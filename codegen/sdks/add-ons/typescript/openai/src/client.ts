/** The official client of OpenAI for a gateway where an order may wait for its price. */
import type { OrderReceipt } from '@sluice/client';
import Official, { type APIPromise, type ClientOptions } from 'openai';
import { type Bid, bodyWith, placesOrder } from './bid.js';
import { LONGEST_MS, patient } from './patient-fetch.js';
import { type Answered, type MarketReceipt, receiptOf, remembered } from './receipts.js';

export { OrderReceipt, ReceiptError } from '@sluice/client';
export type { Answered, Bid, MarketReceipt };

declare module 'openai/client' {
  interface ClientOptions extends Bid {}
  interface OpenAI {
    /** The signed receipt of a finished answer or stream; `verify()` checks it. */
    receipt(answered: Answered): Promise<OrderReceipt>;
  }
}
declare module 'openai/resources/chat/completions/completions' {
  interface ChatCompletionCreateParamsBase extends Bid {}
}
declare module 'openai/resources/completions' {
  interface CompletionCreateParamsBase extends Bid {}
  interface CompletionUsage {
    x_market?: MarketReceipt;
  }
}
declare module 'openai/resources/responses/responses' {
  interface ResponseCreateParamsBase extends Bid {}
  interface ResponseUsage {
    x_market?: MarketReceipt;
  }
}

type Request = Parameters<Official['request']>[0];
type FinalRequest = Awaited<Request>;

/** All attempts of a call have one Idempotency-Key, so that it is paid once, and none ends while its order waits. */
export class OpenAI extends Official {
  readonly #defaults: Bid;

  /** `SLUICE_KEY` and `SLUICE_BASE_URL` (without `/v1`) come before the variables of OpenAI. There is no timeout by default. */
  constructor(options: ClientOptions = {}) {
    const { SLUICE_KEY: key, SLUICE_BASE_URL: root, OPENAI_BASE_URL } = globalThis.process?.env ?? {};
    const address = root ? `${root.replace(/\/+$/, '')}/v1` : OPENAI_BASE_URL || 'http://127.0.0.1:8080/v1';
    super({
      ...options,
      ...(options.apiKey === undefined && key && { apiKey: key }),
      baseURL: options.baseURL ?? address,
      timeout: options.timeout ?? LONGEST_MS,
      fetch: patient(options.fetch),
    });
    this.idempotencyHeader = 'Idempotency-Key';
    this.#defaults = options;
  }

  override request<Answer>(options: Request, remainingRetries: number | null = null): APIPromise<Answer> {
    const placed = Promise.resolve(options).then((each) => this.#placed(each));
    const answer = super.request<Answer>(placed, remainingRetries);
    return answer._thenUnwrap((data, { response }) => remembered(data, response)) as APIPromise<Answer>;
  }

  override receipt(answered: Answered): Promise<OrderReceipt> {
    return receiptOf(answered, this.baseURL, (url) => this.get(url));
  }

  protected override async prepareRequest(
    ...[request, context]: Parameters<Official['prepareRequest']>
  ): Promise<void> {
    await super.prepareRequest(request, context);
    const headers = new Headers(request.headers as HeadersInit);
    if (!headers.has('x-strict')) headers.set('x-strict', 'true');
    request.headers = headers;
  }

  #placed(options: FinalRequest): FinalRequest {
    const { method, path, body } = options;
    if (placesOrder(method, path)) return { ...options, body: bodyWith(body, this.#defaults) };
    // A repeated batch would run all its lines twice.
    return method === 'post' && path === '/batches' ? { ...options, maxRetries: 0 } : options;
  }
}

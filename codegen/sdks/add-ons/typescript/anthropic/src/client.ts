/** The official client of Anthropic for a gateway where an order may wait for its price. */
import Official, { type APIPromise, type ClientOptions } from '@anthropic-ai/sdk';
import type { OrderReceipt } from '@sluice/client';
import { type Bid, bodyWith, placesOrder } from './bid.js';
import { LONGEST_MS, patient } from './patient-fetch.js';
import { type Answered, type MarketReceipt, receiptOf, remembered } from './receipts.js';

export { OrderReceipt, ReceiptError } from '@sluice/client';
export type { Answered, Bid, MarketReceipt };

declare module '@anthropic-ai/sdk/client' {
  interface ClientOptions extends Bid {}
  interface BaseAnthropic {
    /** The signed receipt of a finished answer or stream; `verify()` checks it. */
    receipt(answered: Answered): Promise<OrderReceipt>;
  }
}
declare module '@anthropic-ai/sdk/resources/messages/messages' {
  interface MessageCreateParamsBase extends Bid {}
  interface Usage {
    x_market?: MarketReceipt;
  }
  interface MessageDeltaUsage {
    x_market?: MarketReceipt;
  }
}
declare module '@anthropic-ai/sdk/resources/beta/messages/messages' {
  interface MessageCreateParamsBase extends Bid {}
  interface BetaUsage {
    x_market?: MarketReceipt;
  }
  interface BetaMessageDeltaUsage {
    x_market?: MarketReceipt;
  }
}

type Request = Parameters<Official['request']>[0];
type FinalRequest = Awaited<Request>;

/** All attempts of a call have one Idempotency-Key, so that it is paid once, and none ends while its order waits. */
export class Anthropic extends Official {
  readonly #defaults: Bid;
  /** Of calls that place an order, by the options that all attempts of a call share. */
  readonly #keys = new WeakMap<object, string>();

  /** `SLUICE_KEY` and `SLUICE_BASE_URL` come before the variables of Anthropic. There is no timeout by default. */
  constructor(options: ClientOptions = {}) {
    const { SLUICE_KEY: key, SLUICE_BASE_URL: root, ANTHROPIC_BASE_URL } = globalThis.process?.env ?? {};
    const hasKey = options.apiKey !== undefined || options.authToken !== undefined;
    super({
      ...options,
      ...(!hasKey && key && { apiKey: key, authToken: null }),
      baseURL: options.baseURL ?? (root || ANTHROPIC_BASE_URL || 'http://127.0.0.1:8080'),
      timeout: options.timeout ?? LONGEST_MS,
      fetch: patient(options.fetch),
    });
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
    const key = this.#keys.get(context.options);
    if (key !== undefined && !headers.has('idempotency-key')) headers.set('idempotency-key', key);
    request.headers = headers;
  }

  #placed(options: FinalRequest): FinalRequest {
    if (!placesOrder(options.method, options.path)) return options;
    const placed = { ...options, body: bodyWith(options.body, this.#defaults) };
    this.#keys.set(placed, crypto.randomUUID());
    return placed;
  }
}

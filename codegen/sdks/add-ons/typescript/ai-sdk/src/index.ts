/** A provider of the AI SDK for a gateway where an order may wait for its price. */
import { createOpenAICompatible, type MetadataExtractor } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { OrderReceipt } from '@sluice/client';
import { type Bid, bodyWith, fieldsOf } from './bid.js';
import { type Answered, type MarketReceipt, receiptOf } from './receipts.js';
import { repeating } from './repeating-fetch.js';

export { OrderReceipt, ReceiptError } from '@sluice/client';
export type { Answered, Bid, MarketReceipt };

/** Where the gateway is, who calls, and the bid of every call. */
export interface SluiceProviderOptions extends Bid {
  /** The environment's SLUICE_KEY when absent. */
  readonly apiKey?: string;
  /** The address with `/v1`; that of SLUICE_BASE_URL, or else of this machine, when absent. */
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** How often a call is tried again; 2 when absent. The SDK's own `maxRetries` does not apply: it would place new orders. */
  readonly maxRetries?: number;
}

/** Makes models, with another bid than the provider's if one is given. */
export interface SluiceProvider {
  (modelId: string, bid?: Bid): LanguageModelV4;
  /** The signed receipt of an order, such as that of `providerMetadata.sluice.order_id`; `verify()` checks it. */
  receipt(orderId: string): Promise<OrderReceipt>;
}

/** The bid of one call, for its `providerOptions`. */
export function bid(terms: Bid): { sluice: Record<string, string | number | boolean> } {
  return { sluice: JSON.parse(JSON.stringify(fieldsOf(terms))) };
}

/** `createSluice({ priceLimit: '2' })('tide-70b')` is a model. Its receipt is in `providerMetadata.sluice`. */
export function createSluice(options: SluiceProviderOptions = {}): SluiceProvider {
  const { SLUICE_KEY, SLUICE_BASE_URL: root } = globalThis.process?.env ?? {};
  const { apiKey = SLUICE_KEY ?? '', maxRetries = 2, headers, fetch: given, ...defaults } = options;
  const baseURL = options.baseURL ?? `${(root || 'http://127.0.0.1:8080').replace(/\/+$/, '')}/v1`;
  const model = (modelId: string, own: Bid = {}) =>
    createOpenAICompatible({
      name: 'sluice',
      baseURL,
      apiKey,
      headers: { 'X-Strict': 'true', ...headers },
      fetch: repeating(maxRetries, given) as typeof fetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
      metadataExtractor,
      transformRequestBody: (body) => bodyWith(bodyWith(body, own), defaults) as Record<string, unknown>,
    })(modelId);
  const get = async (url: string) => {
    const answer = await (given ?? fetch)(url, { headers: { authorization: `Bearer ${apiKey}` } });
    if (!answer.ok) throw new Error(`The receipt could not be fetched: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return Object.assign(model, { receipt: (orderId: string) => receiptOf(orderId, baseURL, get) });
}

/** The receipt in a body or a chunk, as the metadata of this provider. */
function metadataIn(json: unknown) {
  const receipt = (json as { usage?: { x_market?: MarketReceipt } | null }).usage?.x_market;
  return receipt ? { sluice: { ...receipt } } : undefined;
}

const metadataExtractor: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => metadataIn(parsedBody),
  createStreamExtractor: () => {
    let found: ReturnType<typeof metadataIn>;
    return {
      processChunk: (chunk) => {
        found = metadataIn(chunk) ?? found;
      },
      buildMetadata: () => found,
    };
  },
};

/**
 * The terms of an order: price, hold, output cap and retention, from request, account and listing. Pure, so each rule
 * can be read and tested alone. They are decided here once and stored with the order; how long it waits (max_wait, a
 * lock's window) is in `expiry-timer.ts`. Spec 4.2; docs/understand/lifecycle.md.
 */
import { Fault } from '#base/fault.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import { outputWithin, priceAtMix, type Tariff, worstCaseOf } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { QuoteSnapshot } from '#market/ports.ts';
import { maxChargeOf, outputCapAt, type RunBounds } from './max-charge.ts';
import type { OrderKind, OrderRow } from './order.ts';
import type { OverfullContext } from './ports.ts';
import type { Customer, GenerationRequest, InferenceRequest } from './request.ts';
import { promptBoundFor, promptEstimateFor, textEstimateOf } from './token-estimate.ts';

/** Throws invalid_request for an image that the listing does not take. Spec 4.5. */
export function checkImages(
  { id, acceptsImages }: Listing,
  { imageAt = null }: Pick<InferenceRequest, 'imageAt'>,
): void {
  if (imageAt === null || acceptsImages) return;
  throw new Fault('invalid_request', {
    param: imageAt,
    message: `${imageAt}: ${id} takes no images in messages. Nothing was charged.`,
  });
}

/**
 * A prompt whose text is estimated at this many times the context cannot fit: the estimate is up to 30 % above what
 * tokenizers count, and more for those that pack a language more densely. docs/decisions/0008, 0063.
 */
const KNOWN_OVERFLOW = 1.5;

/**
 * Throws context_length_exceeded for a prompt whose text is estimated at over `times` the context. In case of doubt the
 * pod decides, which counts exactly.
 */
export function checkContext(
  request: Pick<InferenceRequest, 'generation' | 'kind'>,
  listing: Listing,
  times = KNOWN_OVERFLOW,
): void {
  const { contextLength: limit } = listing;
  if (textEstimateOf(request.generation) <= times * limit) return;
  throw overfullContext({ prompt: promptEstimateFor(request.generation, listing), output: null, limit }, request.kind);
}

/** Where each shape has its prompt. */
const PROMPT_FIELD = { chat: 'messages', completion: 'prompt', responses: 'input', messages: 'messages' } as const;

/**
 * The refusal of a prompt that exceeds the context. Its first words are Anthropic's, by which agents of all shapes know
 * that they have to compact, or to lower their cap: they read the numbers. Spec 7; docs/buy/errors.md.
 */
export function overfullContext({ prompt, output, limit }: OverfullContext, kind: OrderKind): Fault {
  const words =
    output !== null && prompt <= limit
      ? `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${limit}`
      : `prompt is too long: ${Math.max(prompt, limit + 1)} tokens > ${limit} maximum`;
  const message = `${words}. This model's maximum context length is ${limit} tokens. Nothing was charged.`;
  return new Fault('context_length_exceeded', { param: PROMPT_FIELD[kind], message });
}

/** The price at which an order rests, as in its row. */
export type OrderPrice = Pick<OrderRow, 'bid' | 'limit' | 'priceLock' | 'quoteAtSubmission' | 'quoteSeq'>;

/**
 * The order's price. On a market listing: the price limit of the request, else the key's or the account's default; a
 * lock bids the lower of that and the quote. The account's default lock is for callers who wait on their connection, so
 * a detached order does not have it. Throws missing_price_limit (missing_bid on Messages) when there is none.
 * Spec 1.6.
 */
export function priceOf(
  request: InferenceRequest,
  customer: Customer,
  listing: Listing,
  standingQuote: () => Pick<QuoteSnapshot, 'price' | 'quoteSeq'>,
): OrderPrice {
  if (listing.type === 'fixed')
    return { bid: priceAtMix(listing.tariff), limit: null, priceLock: false, quoteAtSubmission: null };
  const limit = request.extensions.limit ?? customer.limitFor(listing.id);
  if (limit === null) {
    throw request.kind === 'messages'
      ? new Fault('missing_bid', { param: 'max_price' })
      : new Fault('missing_price_limit', { param: 'price_limit' });
  }
  const { detached, deadline, priceLock: wanted } = request.extensions;
  // A deadline is the caller's word on when to start; the account's setting gives way to it.
  const priceLock = wanted ?? (customer.priceLock && !detached && !deadline);
  if (!priceLock) return { bid: limit, limit, priceLock, quoteAtSubmission: null };
  const { price, quoteSeq } = standingQuote();
  return { bid: Math.min(price, limit), limit, priceLock, quoteAtSubmission: price, quoteSeq };
}

/** What it would pay if it ran now; `level` is undefined where there is none. */
export function priceNow({ bid }: Pick<OrderPrice, 'bid'>, level: PriceNano | undefined): PriceNano {
  return Math.min(bid, level ?? bid);
}

/** Retention in days: the account's setting, which a request can only shorten; `store: false` keeps nothing. */
export function retentionDaysOf(request: InferenceRequest, customer: Customer): number {
  if (request.extensions.store === false) return 0;
  return Math.min(request.extensions.retentionDays ?? customer.retentionDays, customer.retentionDays);
}

/** A default cap is never lowered below this for lack of money. */
const LOWERED_CAP_MIN = 1024;

/**
 * The output cap, and whether the balance covers the worst case at `price`. A cap from the caller is clamped to the
 * model's and never lowered. The default is the model's, lowered to what the balance covers, not under 1,024 tokens. A
 * worst case of 0 always passes. With `balance` null only the cap is computed.
 */
export function capOf(
  request: InferenceRequest,
  listing: Listing,
  price: PriceNano,
  balance: NanoUsd | null,
): { cap: number; covered: boolean } {
  const { tariff, outputLengthMax } = listing;
  const run = { promptBound: promptBoundFor(request.generation, listing), maxCharge: maxChargeOf(request) };
  const cap = Math.min(request.outputCap ?? outputLengthMax, outputLengthMax);
  const worst = holdOf(tariff, price, { ...run, outputCap: cap });
  if (balance === null || worst === 0n || balance >= worst) return { cap, covered: true };
  if (request.outputCap !== null) return { cap, covered: false };
  const least = Math.min(cap, LOWERED_CAP_MIN);
  const paid = outputWithin(tariff, price, { uncached: run.promptBound, amount: balance, most: cap });
  return { cap: Math.max(least, paid), covered: paid >= least };
}

/** The hold: the worst case of an order at `price`, set aside when it is admitted. At most its bound of the charge. */
export function holdOf(tariff: Tariff, price: PriceNano, run: RunBounds): NanoUsd {
  return worstCaseOf(tariff, price, { uncached: run.promptBound, cached: 0, output: outputCapAt(tariff, price, run) });
}

/**
 * Whether a pod gets the output cap of its attempt. One that the caller sent, or that the balance or a bound of the charge
 * lowered, is always passed on: a pod that is stopped at a low cap reports no usage, and its prompt would cost a caller who
 * chose that bound less. The model's maximum is passed on only where it certainly fits beside the prompt: engines refuse one
 * that does not, and without one they fill the rest of the context, which they alone know exactly. The gateway stops the
 * pod at the cap in either case. docs/decisions/0063.
 */
export function passesCapOn(
  { body }: Pick<GenerationRequest, 'body'>,
  { promptBound, outputCap }: Pick<OrderRow, 'promptBound' | 'outputCap'>,
  { contextLength, outputLengthMax }: Pick<Listing, 'contextLength' | 'outputLengthMax'>,
): boolean {
  const isChosen = body.max_tokens !== undefined || outputCap < outputLengthMax;
  return isChosen || promptBound + outputCap <= contextLength;
}

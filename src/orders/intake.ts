/**
 * From a request to an order that can be taken: the checks in their fixed order, then the row. Nothing is written and no
 * slot is asked for here. The order of refusals is that of docs/errors.md; the rest is in docs/lifecycle.md.
 */
import assert from 'node:assert';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { PriceNano } from '#base/money.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import type { FundsBook } from './funds.ts';
import type { BatchLine } from './line-port.ts';
import { type CallerEvents, LiveOrder } from './live-order.ts';
import type { OrderRow } from './order.ts';
import type { Customer, GenerationRequest, InferenceRequest } from './request.ts';
import { capOf, type Price, priceOf, retentionDaysOf, type WaitBounds, waitMsOf } from './terms.ts';
import { promptBoundFor } from './token-estimate.ts';

/** What the intake needs to know. */
export interface IntakeParts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly listings: Listings;
  readonly market: MarketView;
  readonly funds: FundsBook;
  readonly waits: WaitBounds;
  readonly bootEpoch: number;
  readonly callerEvents: CallerEvents;
  /** Whether the account has as many queued orders as it may: lines of batches, or all others. */
  readonly queueFull: (accountId: string, lines: boolean) => boolean;
}

/** What is settled before the balance is looked at. */
export interface Terms {
  readonly listing: Listing;
  readonly price: Price;
  readonly retentionDays: number;
  /** The line of a batch that the order is; null outside any batch. */
  readonly line: BatchLine | null;
}

/** Resolves terms and makes orders. */
export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Model, deprecated, preview, prices changed since the batch was created, and price, in this order. */
  terms(customer: Customer, request: InferenceRequest, line: BatchLine | null): Terms {
    const listing = this.#parts.listings.forInference(request.model);
    if (line && line.tariffIds[listing.id] !== listing.tariff.id) throw new Fault('prices_changed');
    const price = priceOf(request, customer, listing, () => this.#quote(listing));
    return { listing, price, retentionDays: retentionDaysOf(request, customer), line };
  }

  /** The order, not yet in the database. Throws queue_full before insufficient_balance where both hold. */
  async order(customer: Customer, request: InferenceRequest, terms: Terms): Promise<LiveOrder> {
    const outputCap = await this.#affordableCap(customer, request, terms);
    return new LiveOrder({
      row: this.#row(customer, request, terms, outputCap),
      listing: terms.listing,
      tariff: terms.listing.tariff,
      generation: generationFor(terms.listing, request.generation),
      callerEvents: this.#parts.callerEvents,
    });
  }

  /** Nothing is taken before every market has its first one. */
  #quote(listing: Listing): PriceNano {
    const quote = this.#parts.market.quote(listing.id);
    assert(quote, `no quote for ${listing.id}`);
    return quote.price;
  }

  async #affordableCap(customer: Customer, request: InferenceRequest, terms: Terms): Promise<number> {
    const { listing, price, line } = terms;
    const { funds, market } = this.#parts;
    const nowPrice = Math.min(price.bid, market.current(listing.id)?.level ?? price.bid);
    if (customer.house) return capOf(request, listing, nowPrice, null).cap;
    const known = capOf(request, listing, nowPrice, await funds.balance(customer.accountId));
    if (known.covered && request.outputCap !== null) return known.cap;
    const whole = capOf(request, listing, nowPrice, null).cap;
    if (known.covered && known.cap === whole) return whole;
    const fresh = capOf(request, listing, nowPrice, await funds.freshBalance(customer.accountId));
    if (fresh.covered) return fresh.cap;
    const isFull = this.#parts.queueFull(customer.accountId, line !== null);
    throw new Fault(isFull ? 'queue_full' : 'insufficient_balance');
  }

  #row(customer: Customer, request: InferenceRequest, terms: Terms, outputCap: number): OrderRow {
    const { clock, ids, waits, bootEpoch } = this.#parts;
    const { listing, price, retentionDays, line } = terms;
    const createdAtMs = clock.nowMs();
    const kept = retentionDays > 0 && (request.extensions.detached || request.idempotency !== null);
    return {
      id: ids.uuid(),
      accountId: customer.accountId,
      keyId: customer.keyId,
      kind: request.kind,
      model: listing.id,
      status: 'queued',
      bid: price.bid,
      priceLimit: price.limit,
      priceLock: price.lock,
      quoteAtSubmission: price.quote,
      tariffId: listing.tariff.id,
      createdAtMs,
      admittedAtMs: null,
      finishedAtMs: null,
      expiresAtMs: line?.expiresAtMs ?? createdAtMs + waitMsOf(price, request, customer, waits),
      levelAtExecution: null,
      levelSeq: null,
      priceCap: null,
      attempt: 0,
      failures: 0,
      hold: 0n,
      restedSeq: null,
      pod: null,
      error: null,
      errorMessage: null,
      detached: request.extensions.detached,
      outlives: request.extensions.detached || kept || line !== null,
      house: customer.house,
      batchId: line?.batchId ?? null,
      customId: null,
      promptBound: promptBoundFor(request.generation, listing.imageTokens),
      promptEstimate: request.generation.promptEstimate,
      outputCap,
      resultState: retentionDays > 0 ? 'promised' : 'none',
      resultExpiresAtMs: null,
      retentionDays,
      bootEpoch,
    };
  }
}

/** The input with the effort it asks for, where the listing knows that one. */
function generationFor(listing: Listing, generation: GenerationRequest): GenerationRequest {
  const { reasoningEffort: effort, ...measured } = generation;
  if (effort === undefined || !listing.reasoningEfforts.includes(effort)) return measured;
  return { ...measured, body: { ...measured.body, reasoning_effort: effort } };
}

/**
 * From a request to an order: the checks in their fixed order, then the row. Nothing is written and no slot is
 * requested here. The checks before these are in `http/api.ts`; docs/buy/errors.md has them all in their order.
 */
import type { Clock } from '#base/clock.ts';
import { requireRoom, type StorageRoom } from '#base/disk-space.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { budgetLeft } from '#base/key-budget.ts';
import type { NanoUsd } from '#base/money.ts';
import type { Listing, Listings } from '#market/listing.ts';
import { type MarketView, standingQuote } from '#market/ports.ts';
import { deadlineMsOf, type WaitBounds, waitMsOf } from './expiry-timer.ts';
import type { FundsBook } from './funds.ts';
import { LiveOrder, type LiveOrderEvents } from './live-order.ts';
import { checkMaxCharge, maxChargeOf } from './max-charge.ts';
import { NEW_ORDER, type OrderRow } from './order.ts';
import type { BatchLine } from './order-port.ts';
import type { Rendering } from './order-stream.ts';
import { waitingInput, withFields } from './packed-input.ts';
import type { Customer, GenerationRequest, InferenceRequest, PackedInput, RequestTrace } from './request.ts';
import { capOf, checkContext, checkImages, type OrderPrice, priceNow, priceOf, retentionDaysOf } from './terms.ts';
import { promptBoundFor, promptEstimateFor } from './token-estimate.ts';

/** What the intake is built from. */
export interface IntakeOptions {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly listings: Listings;
  readonly market: MarketView;
  readonly funds: FundsBook;
  readonly disk: StorageRoom;
  /** Throws rate_limit_error for a key whose results would push out what it may not delete; absent where none are kept. */
  readonly requireOwnRoom?: (customer: Customer) => Promise<void>;
  readonly waits: WaitBounds;
  readonly bootEpoch: number;
  readonly events: LiveOrderEvents;
  /** The trace of an order that no HTTP request asks for; absent where none are kept. */
  readonly newTrace?: () => RequestTrace;
  /** An order was refused because the budget of its key does not cover it. */
  readonly onBudgetSpent?: (accountId: string, keyId: string) => void;
  /** Why the account may queue no more lines of batches, or no more of all others; null when it may. */
  readonly queueRefusal: (accountId: string, lines: boolean) => Fault | null;
}

/** What is decided before the balance is checked. */
export interface Terms {
  readonly listing: Listing;
  readonly price: OrderPrice;
  readonly retentionDays: number;
  /** When it must have started; null without a deadline. */
  readonly deadlineMs: number | null;
  /** The batch line that the order is for; null outside any batch. */
  readonly line: BatchLine | null;
}

/** Resolves terms and makes orders. */
export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Checks model, deprecated, preview, the key's models, images, prices of its batch, and price, in this order. */
  terms(customer: Customer, request: InferenceRequest, line: BatchLine | null): Terms {
    const listing = this.#options.listings.forInference(request.model);
    checkAllowed(listing, customer);
    checkImages(listing, request);
    if (line && line.tariffIds[listing.id] !== listing.tariff.id) throw new Fault('prices_changed');
    const price = priceOf(request, customer, listing, () => standingQuote(this.#options.market, listing.id));
    const { clock, waits } = this.#options;
    const deadlineMs = line ? (line.deadlineMs ?? null) : deadlineMsOf(request, waits, clock.nowMs());
    return { listing, price, retentionDays: retentionDaysOf(request, customer), deadlineMs, line };
  }

  /**
   * Creates the order, not yet in the database. Throws context_length_exceeded, max_charge_too_low, for a promised result
   * what `requireRoom` and `requireOwnRoom` throw, queue_full, key_budget_exceeded and insufficient_balance, the first of these
   * that applies.
   */
  async order(
    customer: Customer,
    request: InferenceRequest,
    terms: Terms,
    onBudgetSpent = this.#options.onBudgetSpent,
  ): Promise<LiveOrder> {
    this.#check(customer, request, terms);
    if (promisesResult(request, terms)) await this.#options.requireOwnRoom?.(customer);
    const outputCap = await this.#affordableCap(customer, request, terms, onBudgetSpent);
    return this.#order(customer, request, terms, outputCap);
  }

  /** The order as it would be now, without any event. A repeat creates none, so nothing is refused. */
  async dryOrder(customer: Customer, request: InferenceRequest, terms: Terms, repeats: boolean): Promise<LiveOrder> {
    if (!repeats) return this.order(customer, request, terms, () => {});
    const { listing, price } = terms;
    const nowPrice = priceNow(price, this.#options.market.current(listing.id)?.level);
    return this.#order(customer, request, terms, capOf(request, listing, nowPrice, null).cap);
  }

  /** The order, where the balance that is known now covers it; null where it has to be read. */
  orderNow(customer: Customer, request: InferenceRequest, terms: Terms): LiveOrder | null {
    const balance = customer.house ? null : this.#options.funds.knownBalance(customer.accountId);
    if (balance === undefined || (customer.evictsOwn && promisesResult(request, terms))) return null;
    this.#check(customer, request, terms);
    const outputCap = this.#coveredCap(request, terms, lower(balance, this.#budgetLeft(customer)));
    return outputCap === null ? null : this.#order(customer, request, terms, outputCap);
  }

  #order(customer: Customer, request: InferenceRequest, terms: Terms, outputCap: number): LiveOrder {
    return new LiveOrder({
      row: this.#row(customer, request, terms, outputCap),
      listing: terms.listing,
      tariff: terms.listing.tariff,
      ...inputFor(terms.listing, request.generation),
      events: this.#options.events,
      rendering: renderingOf(request),
      trace: request.trace ?? (customer.house ? undefined : this.#options.newTrace?.()),
    });
  }

  #check(customer: Customer, request: InferenceRequest, terms: Terms): void {
    checkContext(request, terms.listing);
    checkMaxCharge(request, terms.listing, terms.price.bid);
    if (promisesResult(request, terms)) requireRoom(this.#options.disk, customer.accountId);
  }

  async #affordableCap(
    customer: Customer,
    request: InferenceRequest,
    terms: Terms,
    onBudgetSpent: IntakeOptions['onBudgetSpent'],
  ): Promise<number> {
    const { listing, price, line } = terms;
    const { funds, market } = this.#options;
    const left = this.#budgetLeft(customer);
    const known = this.#coveredCap(request, terms, lower(await funds.balance(customer.accountId), left));
    if (known !== null) return known;
    const nowPrice = priceNow(price, market.current(listing.id)?.level);
    const covered = (most: NanoUsd | null) => capOf(request, listing, nowPrice, most);
    const fresh = covered(lower(await funds.freshBalance(customer.accountId), left));
    if (fresh.covered) return fresh.cap;
    const refusal = this.#options.queueRefusal(customer.accountId, line !== null);
    if (refusal) throw refusal;
    // More money would not help a prompt that seems too long.
    checkContext(request, listing, 1);
    if (covered(left).covered) throw new Fault('insufficient_balance');
    if (customer.keyId !== null) onBudgetSpent?.(customer.accountId, customer.keyId);
    throw new Fault('key_budget_exceeded');
  }

  /** What is left of the key's budget, without what its running orders hold; null where that is not known here. */
  #budgetLeft({ budget }: Customer): NanoUsd | null {
    return budget && budget !== 'counted' ? budgetLeft(budget, this.#options.clock.nowMs()) : null;
  }

  /** The cap of an order that `balance` covers whole, null for any; null for one that it does not cover. */
  #coveredCap(request: InferenceRequest, { listing, price }: Terms, balance: NanoUsd | null): number | null {
    const nowPrice = priceNow(price, this.#options.market.current(listing.id)?.level);
    const { cap, covered } = capOf(request, listing, nowPrice, balance);
    if (!covered) return null;
    // A default cap may have been lowered, and not be covered whole.
    const isWhole =
      balance === null || request.outputCap !== null || cap === capOf(request, listing, nowPrice, null).cap;
    return isWhole ? cap : null;
  }

  #row(customer: Customer, request: InferenceRequest, terms: Terms, outputCap: number): OrderRow {
    const { clock, ids, waits, bootEpoch } = this.#options;
    const { listing, price, retentionDays, deadlineMs, line } = terms;
    const createdAtMs = clock.nowMs();
    const promptBound = promptBoundFor(request.generation, listing);
    return {
      ...NEW_ORDER,
      id: ids.uuid(),
      accountId: customer.accountId,
      keyId: customer.keyId,
      kind: request.kind,
      model: listing.id,
      ...price,
      maxCharge: maxChargeOf(request),
      tariffId: listing.tariff.id,
      createdAtMs,
      expiresAtMs: line?.expiresAtMs ?? deadlineMs ?? createdAtMs + waitMsOf(price, request, customer, waits),
      ...(deadlineMs === null || listing.type === 'fixed' ? {} : { deadlineMs }),
      budgetFromMs: customer.budget ? 0 : null,
      detached: request.extensions.detached,
      outlives: outlives(request, terms),
      house: customer.house,
      batchId: line?.batchId ?? null,
      customId: null,
      promptBound,
      promptEstimate: Math.min(promptEstimateFor(request.generation, listing), promptBound),
      outputCap,
      resultState: retentionDays > 0 ? 'promised' : 'none',
      retentionDays,
      bootEpoch,
      requestId: request.trace?.requestId ?? null,
      tags: request.extensions.tags ?? null,
    };
  }
}

/** A large one stays JSON, as it came from the thread that read it. */
function renderingOf({ repeated, rendering }: InferenceRequest): Rendering {
  return repeated instanceof Uint8Array ? repeated : (rendering ?? NOTHING);
}

const NOTHING = () => null;

/** Throws model_not_allowed for a model that the key may not use. */
function checkAllowed({ id }: Listing, { models }: Customer): void {
  if (!models || models.includes(id)) return;
  const message = `This API key may not use ${id}; it may use ${models.join(', ')}. Nothing was charged.`;
  throw new Fault('model_not_allowed', { param: 'model', message });
}

/** The lower of two amounts, where null is any. */
function lower(one: NanoUsd | null, other: NanoUsd | null): NanoUsd | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Whether the order goes on without its caller. */
function outlives({ extensions, idempotency }: InferenceRequest, { retentionDays, line }: Terms): boolean {
  return extensions.detached || line !== null || (retentionDays > 0 && idempotency !== null);
}

/** Whether its caller relies on finding the result later. */
function promisesResult(request: InferenceRequest, terms: Terms): boolean {
  return terms.retentionDays > 0 && outlives(request, terms);
}

/** The input as the order has it first, with the requested reasoning effort where the listing knows that effort. */
function inputFor(
  listing: Listing,
  { reasoningEffort: effort, ...measured }: GenerationRequest | PackedInput,
): Pick<LiveOrder, 'generation' | 'input'> {
  const more = effort !== undefined && listing.reasoningEfforts.includes(effort) ? { reasoning_effort: effort } : null;
  if ('body' in measured) {
    const generation = more ? { ...measured, body: { ...measured.body, ...more } } : measured;
    return { generation, input: null };
  }
  const { json } = measured;
  return { generation: null, input: waitingInput(more ? Buffer.from(withFields(json.toString(), more)) : json) };
}

/**
 * Payments by card: an account begins one and pays it at the provider; the provider's signed events credit it. Nothing a
 * browser says moves money: the page that it returns to is not asked. Decision 47.
 */
import { TOP_UP_USD } from '#base/bounds.ts';
import { type Clock, RepeatedWork } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { NANO_PER_CENT, type NanoUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import type { PaymentStore } from './payment-store.ts';
import type { CheckoutOptions, HandledEvent, Payment, PaymentProvider, SavedCard } from './provider.ts';
import type { TopUpStore } from './top-up-store.ts';
import { TopUps } from './top-ups.ts';

/** How many payments of an account may be begun in 24 hours and not paid. */
const OPEN_MAX = 20;
const COLLECT_INTERVAL_MS = 10_000;
/** The page of a payment is open for a day, and a bank may take a week. By then an event of its end was lost. */
const OPEN_MS_MAX = 8 * DAY_MS;
/** When a caller may try again after the provider failed. */
const RETRY_S = 10;

/** What payments need. */
export interface PaymentsOptions {
  readonly provider: PaymentProvider;
  readonly store: PaymentStore;
  /** Whose payments are begun by the gateway; none when absent. */
  readonly topUps?: TopUpStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Payments at one provider. */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #collections: RepeatedWork;
  readonly #topUps: TopUps | null;

  /** Collects what is owed and tops up from time to time, until it is closed. */
  constructor(options: PaymentsOptions) {
    this.#options = options;
    const { provider, store, topUps, clock, log } = options;
    this.#topUps = topUps ? new TopUps({ provider, store: topUps, clock, log }) : null;
    this.#collections = new RepeatedWork(clock, COLLECT_INTERVAL_MS, async () => {
      await store.collect().catch((error: unknown) => {
        log.error({ err: error }, 'What accounts owe of refunded payments could not be collected.');
      });
      await store.expire(clock.nowMs() - OPEN_MS_MAX).catch((error: unknown) => {
        log.error({ err: error }, 'Payments that nobody made could not be ended; trying again in ten seconds.');
      });
    });
  }

  /**
   * Begins a payment and returns the page where it is paid. Throws Fault invalid_request (not whole cents, or outside $10
   * to $10,000), not_found, rate_limit_error, unavailable (the provider failed; nothing was charged).
   */
  async checkout(
    accountId: string,
    amount: NanoUsd,
    options?: CheckoutOptions,
  ): Promise<{ payment: Payment; url: string }> {
    const { provider, store, clock, log } = this.#options;
    assertTopUp(amount);
    const bounds = { openMax: OPEN_MAX, sinceMs: clock.nowMs() - DAY_MS };
    const payment = await store.open({ accountId, amount, provider: 'stripe' }, bounds);
    try {
      const { sessionId, url } = await provider.checkout(payment, options);
      await store.opened(payment.id, sessionId);
      return { payment: { ...payment, sessionId }, url };
    } catch (cause) {
      log.error({ err: cause, payment: payment.id }, 'A checkout could not be created.');
      // A payment that can no longer be paid does not count towards the number that an account may begin.
      await store.notOpened(payment.id).catch((error: unknown) => {
        log.error({ err: error, payment: payment.id }, 'A payment that could not be begun stays open.');
      });
      const message = 'Payments cannot be taken now. Try again shortly.';
      throw new Fault('unavailable', { message, retryAfterS: RETRY_S, cause });
    }
  }

  /** Handles an event as it was sent. Throws Fault invalid_request when it is forged, altered or old. */
  async receive(body: Uint8Array, signature: string | undefined): Promise<HandledEvent> {
    const { provider, store, log } = this.#options;
    const event = await provider.read(body, signature);
    const handled = await store.handle(event);
    const about = { event: event.id, type: event.type, ...handled };
    if (handled.outcome === 'refused') log.error(about, 'A payment event was refused; sluice payments lists it.');
    else log.info(about, 'A payment event was handled.');
    return handled;
  }

  /** Removes a saved card at the provider. Throws Fault unavailable. */
  async forget(card: SavedCard): Promise<void> {
    const { provider, log } = this.#options;
    try {
      await provider.forget(card);
    } catch (cause) {
      log.error({ err: cause }, 'A saved card could not be removed.');
      throw new Fault('unavailable', {
        message: 'The card cannot be removed now. Try again shortly.',
        retryAfterS: RETRY_S,
        cause,
      });
    }
  }

  /** Resolves when nothing of it uses the database any more. */
  async close(): Promise<void> {
    await Promise.all([this.#collections.close(), this.#topUps?.close()]);
  }
}

/** Throws Fault invalid_request unless it is $10 to $10,000 in whole cents. */
export function assertTopUp(amount: NanoUsd): void {
  const cents = amount / NANO_PER_CENT;
  const isWhole = cents * NANO_PER_CENT === amount;
  if (!isWhole || cents < TOP_UP_USD.min * 100 || cents > TOP_UP_USD.max * 100)
    throw invalidRequest('amount_usd', 'A payment is $10 to $10,000, in whole cents.');
}

/**
 * Automatic top-up: a balance below what its owner chose is topped up with the card that its owner saved. The provider is
 * asked here; that it was paid is learned from its events alone, as of every payment. Decision 49.
 */
import { type Clock, RepeatedWork } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { PaymentProvider } from './provider.ts';
import type { DueCharge, TopUpStore } from './top-up-store.ts';

const INTERVAL_MS = 10_000;
/** How many accounts with automatic top-up are looked at in one go. */
const LOOKED_AT_MAX = 500;

/** Why it is switched off. */
export const OFF = {
  unconfirmed:
    'The bank requires the holder of the card to confirm payments. Top up by card once more and save the card.',
  gone: 'The card was removed. Top up by card once more and save the card.',
} as const;

interface TopUpParts {
  readonly provider: Pick<PaymentProvider, 'charge'>;
  readonly store: TopUpStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tops up from time to time, until it is closed. */
export class TopUps extends RepeatedWork {
  readonly #parts: TopUpParts;
  #after = '';

  constructor(parts: TopUpParts) {
    super(parts.clock, INTERVAL_MS, () =>
      this.#lookAtSome().catch((error) => parts.log.error({ err: error }, 'Accounts could not be topped up.')),
    );
    this.#parts = parts;
  }

  async #lookAtSome(): Promise<void> {
    const { store, log } = this.#parts;
    const { accountIds, next } = await store.due(this.#after, LOOKED_AT_MAX);
    this.#after = next ?? '';
    for (const accountId of accountIds) {
      try {
        const due = await store.take(accountId);
        if (due) await this.#charge(due);
      } catch (error) {
        if (store.isOutage(error)) throw error;
        // Its idempotency key makes another try safe: it is sent again in a minute.
        log.error({ err: error, account: accountId }, 'An automatic payment could not be sent.');
      }
    }
  }

  async #charge({ payment, card }: DueCharge): Promise<void> {
    const { provider, store, log } = this.#parts;
    const outcome = await provider.charge(payment, card);
    log.info({ payment: payment.id, account: payment.accountId, ...outcome }, 'An automatic payment was sent.');
    if (outcome.kind === 'accepted') await store.accepted(payment);
    else if (outcome.kind === 'declined') await store.declined(payment, outcome.code);
    else await store.refused(payment, OFF[outcome.kind]);
  }
}

/**
 * How often members and strangers may ask. Signing in is counted by address, and a password by e-mail, too, so that
 * neither many addresses on one member nor one address on many get far. A browser that a member has used is counted
 * apart, so that nobody can lock its owner out of it. Counted in this process: each gateway of several allows as much,
 * and a restart forgets.
 */

import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { TokenBuckets } from './token-bucket.ts';

/** The buckets by what is counted. */
const RATES = {
  /** Reading the document, by address. */
  document: { tokens: 60, perMs: MINUTE_MS },
  /** Requests without a session, by address: each costs a look-up. */
  stranger: { tokens: 120, perMs: MINUTE_MS },
  /** Attempts to sign in, by address. */
  'sign-in': { tokens: 30, perMs: 15 * MINUTE_MS },
  /** Attempts with a password: by address and e-mail, or by a browser that the member has used, or by member. */
  password: { tokens: 10, perMs: 15 * MINUTE_MS },
  /** Attempts with a password from browsers that the member has not used, by e-mail. */
  email: { tokens: 100, perMs: HOUR_MS },
  /** Events of a payment provider, by address: it sends the others again. */
  webhook: { tokens: 600, perMs: MINUTE_MS },
  /** Requests of a member. */
  member: { tokens: 240, perMs: MINUTE_MS },
} as const;

/** Counts requests. */
export class ConsoleRates {
  readonly #buckets: Readonly<Record<keyof typeof RATES, TokenBuckets>>;

  constructor(clock: Clock) {
    const bucketsOf = (name: keyof typeof RATES) => new TokenBuckets(RATES[name], clock);
    this.#buckets = {
      document: bucketsOf('document'),
      stranger: bucketsOf('stranger'),
      'sign-in': bucketsOf('sign-in'),
      password: bucketsOf('password'),
      email: bucketsOf('email'),
      webhook: bucketsOf('webhook'),
      member: bucketsOf('member'),
    };
  }

  /** Counts one. Throws rate_limit_error with the time until the next is allowed. */
  count(what: keyof typeof RATES, subject: string): void {
    const waitMs = this.#buckets[what].take(subject);
    if (waitMs > 0) throw new Fault('rate_limit_error', { retryAfterS: Math.ceil(waitMs / 1000) });
  }
}

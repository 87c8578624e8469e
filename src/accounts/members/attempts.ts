/**
 * What a browser was asked and has not answered yet: the challenge of a passkey, or the state of a visit to an identity
 * provider. It is kept here, found by a secret that only that browser has, and used once, so that an answer is worth
 * nothing in another browser, a second time, or later.
 */
import type { Clock } from '#base/clock.ts';
import { MINUTE_MS } from '#base/time.ts';
import { hashSecret, isSecret } from './secrets.ts';

/** How long an answer may take. */
export const ATTEMPT_MS_MAX = 10 * MINUTE_MS;

/** What may be begun; an answer to one is none to another. */
export type AttemptPurpose = 'add-passkey' | 'use-passkey' | 'visit-provider';

/** The attempts in storage. */
export interface AttemptStore {
  /** Keeps it, in place of an earlier one with this hash. When too many are kept, the oldest end. */
  keep(attempt: { readonly hash: string; readonly expected: string; readonly expiresAtMs: number }): Promise<void>;
  /** Uses it up: what was kept, or null when there is no such attempt, or it ended or was used. */
  take(hash: string): Promise<string | null>;
}

/** Keeps and takes attempts. */
export class Attempts {
  readonly #store: AttemptStore;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: AttemptStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Keeps what is expected of the browser with this secret, in place of what it was asked before. */
  async begin(purpose: AttemptPurpose, secret: string, expected: object): Promise<void> {
    const expiresAtMs = this.#clock.nowMs() + ATTEMPT_MS_MAX;
    await this.#store.keep({ hash: hashOf(purpose, secret), expected: JSON.stringify(expected), expiresAtMs });
  }

  /** What was expected of this browser, only this once; null for nothing. */
  async take(purpose: AttemptPurpose, secret: string | null): Promise<Readonly<Record<string, unknown>> | null> {
    if (secret === null || !isSecret(secret)) return null;
    const expected = await this.#store.take(hashOf(purpose, secret));
    return expected === null ? null : JSON.parse(expected);
  }
}

function hashOf(purpose: AttemptPurpose, secret: string): string {
  return hashSecret(`${purpose} ${secret}`);
}

/**
 * What a browser was asked and has not answered yet: the challenge of a passkey, or the state of a visit to an identity
 * provider. It is kept here, found by a secret that only that browser has, and used once, so that an answer is worth
 * nothing in another browser, a second time, or later.
 */
import { MINUTE_MS } from '#base/time.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, type Row, text } from '#storage/database/values.ts';
import { hashSecret, isSecret } from './secrets.ts';

/** How long an answer may take. */
export const ATTEMPT_MS_MAX = 10 * MINUTE_MS;

/** The kinds of attempts; an answer to one kind is no answer to another. */
export type AttemptPurpose = 'add-passkey' | 'use-passkey' | 'visit-provider';

/**
 * How many are kept. Strangers can begin attempts, so the oldest make room: a person who signs in answers within
 * seconds.
 */
const ATTEMPTS_MAX = 10_000;

/** Keeps and takes attempts, in the database, so that the gateway that gets the answer need not be the one that asked. */
export class Attempts {
  readonly #parts: Pick<OperatorOptions, 'db' | 'clock'>;
  readonly #max: number;

  constructor(parts: Pick<OperatorOptions, 'db' | 'clock'>, max = ATTEMPTS_MAX) {
    this.#parts = parts;
    this.#max = max;
  }

  /** Keeps what is expected of the browser with this secret, in place of what it was asked before. */
  async begin(purpose: AttemptPurpose, secret: string, expected: object): Promise<void> {
    const hash = hashOf(purpose, secret);
    await writing(this.#parts.db, async (trx) => {
      const nowMs = this.#parts.clock.nowMs();
      await trx('sign_in_attempts').where({ hash }).delete();
      await trx('sign_in_attempts').where('expires_at_ms', '<=', nowMs).delete();
      const kept: Row = await trx('sign_in_attempts').first(trx.raw('COUNT(*) AS number'));
      const over = int(kept.number) - this.#max + 1;
      if (over > 0) {
        const oldest: string[] = await trx('sign_in_attempts').orderBy('expires_at_ms').limit(over).pluck('hash');
        await trx('sign_in_attempts').whereIn('hash', oldest).delete();
      }
      const row = { hash, expected: JSON.stringify(expected), expires_at_ms: nowMs + ATTEMPT_MS_MAX };
      await trx('sign_in_attempts').insert(row);
    });
  }

  /** Takes the attempt of this browser, which works once; null if there is none. */
  async take(purpose: AttemptPurpose, secret: string | null): Promise<Readonly<Record<string, unknown>> | null> {
    if (secret === null || !isSecret(secret)) return null;
    const hash = hashOf(purpose, secret);
    return writing(this.#parts.db, async (trx) => {
      // The first transaction that moves its end has it, as with a link.
      const live = trx('sign_in_attempts').where({ hash }).where('expires_at_ms', '>', this.#parts.clock.nowMs());
      if ((await live.update({ expires_at_ms: 0 })) === 0) return null;
      const row: Row = await trx('sign_in_attempts').where({ hash }).first();
      await trx('sign_in_attempts').where({ hash }).delete();
      return JSON.parse(text(row.expected));
    });
  }
}

function hashOf(purpose: AttemptPurpose, secret: string): string {
  return hashSecret(`${purpose} ${secret}`);
}

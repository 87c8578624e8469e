/** Attempts to sign in over a database, so that the gateway that gets the answer need not be the one that asked. */

import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, type Row, text } from '#storage/database/values.ts';
import type { AttemptStore } from './attempts.ts';

/** How many are kept. Strangers begin them, so the oldest make room: who needs one answers within seconds. */
export const ATTEMPTS_MAX = 10_000;

/** The store. */
export function createAttemptStore({ db, clock }: OperatorOptions, attemptsMax = ATTEMPTS_MAX): AttemptStore {
  return {
    async keep({ hash, expected, expiresAtMs }) {
      await writing(db, async (trx) => {
        await trx('sign_in_attempts').where({ hash }).delete();
        await trx('sign_in_attempts').where('expires_at_ms', '<=', clock.nowMs()).delete();
        const kept: Row = await trx('sign_in_attempts').first(trx.raw('COUNT(*) AS number'));
        const over = int(kept.number) - attemptsMax + 1;
        if (over > 0) {
          const oldest: string[] = await trx('sign_in_attempts').orderBy('expires_at_ms').limit(over).pluck('hash');
          await trx('sign_in_attempts').whereIn('hash', oldest).delete();
        }
        await trx('sign_in_attempts').insert({ hash, expected, expires_at_ms: expiresAtMs });
      });
    },

    async take(hash) {
      return writing(db, async (trx) => {
        // Whoever moves its end has it, as with a link.
        const live = trx('sign_in_attempts').where({ hash }).where('expires_at_ms', '>', clock.nowMs());
        if ((await live.update({ expires_at_ms: 0 })) === 0) return null;
        const row: Row = await trx('sign_in_attempts').where({ hash }).first();
        await trx('sign_in_attempts').where({ hash }).delete();
        return text(row.expected);
      });
    },
  };
}

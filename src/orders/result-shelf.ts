/** Results as bodies that are swept. The row says first that a result is gone; then its body goes. */
import type { JournalPort } from './journal-port.ts';
import type { ResultIndex, ResultStore, Shelf } from './ports.ts';

/** What the shelf needs. */
export interface ResultShelfParts {
  readonly index: ResultIndex;
  readonly journal: Pick<JournalPort, 'write'>;
  readonly results: Pick<ResultStore, 'delete'>;
}

/** The stored results. */
export function resultShelf({ index, journal, results }: ResultShelfParts): Shelf {
  return {
    expired: (nowMs, limit) => index.expired(nowMs, limit),
    oldest: (accountId, limit) => index.oldest(accountId, limit),
    async remove({ id: orderId, accountId }) {
      await journal.write({ kind: 'result-removed', orderId, accountId });
      await results.delete(orderId);
    },
  };
}

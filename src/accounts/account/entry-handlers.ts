/** The books of any account, and what was credited and given back in all of them. */

import { nanoToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { cursorPage, timeBefore, timeKey } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { AccountTransfer, AllTransfers } from '../ledger/all-transfers.ts';
import type { AccountBooks } from '../ledger/book-types.ts';
import { entriesReply } from '../ledger/handlers.ts';
import type { OperatorAccounts } from './operator-ports.ts';

/** What these handlers need. */
export interface EntriesOptions {
  readonly operatorAccounts: Pick<OperatorAccounts, 'show'>;
  readonly accountBooks: Pick<AccountBooks, 'entries'>;
  readonly transfers: AllTransfers;
}

/** listAccountEntries and listTransfers. */
export function entriesHandlers(options: EntriesOptions): HandlersFor<'listAccountEntries' | 'listTransfers'> {
  const { operatorAccounts, accountBooks, transfers } = options;
  return {
    async listAccountEntries({ call }) {
      const { id } = await operatorAccounts.show(call.params.id);
      return entriesReply(accountBooks, id, call.query);
    },

    async listTransfers({ call: { query } }) {
      const { limit } = query;
      const scope = 'transfers';
      const found = await transfers.list({ limit: limit + 1, after: timeBefore(scope, query.cursor) });
      const { page, more } = cursorPage(found, { limit, scope }, timeKey);
      return { status: 200, json: { object: 'list', data: page.map(transferObject), ...more } };
    },
  };
}

function transferObject({ id, accountId, kind, amount, orderId, reason, createdAtMs }: AccountTransfer) {
  return {
    object: 'entry',
    entry_id: id,
    account_id: accountId,
    kind,
    amount_usd: nanoToUsd(amount),
    order_id: orderId,
    reason,
    created_at: iso(createdAtMs),
  };
}

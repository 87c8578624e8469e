/** The books of any account, and what was credited and given back in all of them. */
import { decodeCursor, encodeCursor } from '#base/cursor.ts';
import { nanoToUsd } from '#base/money.ts';
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
export function entriesHandlers({
  operatorAccounts,
  accountBooks,
  transfers,
}: EntriesOptions): HandlersFor<'listAccountEntries' | 'listTransfers'> {
  return {
    async listAccountEntries({ call }) {
      const { id } = await operatorAccounts.show(call.params.id);
      return entriesReply(accountBooks, id, call.query);
    },

    async listTransfers({ call: { query } }) {
      const { limit, cursor } = query;
      const [createdAtMs, id] = cursor === null ? [] : decodeCursor('transfers', cursor);
      const after = id === undefined ? null : { createdAtMs: Number(createdAtMs), id: String(id) };
      const found = await transfers.list({ limit: limit + 1, after });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const json = {
        object: 'list',
        data: page.map(transferObject),
        has_more: last !== undefined,
        next_cursor: last ? encodeCursor('transfers', [last.createdAtMs, last.id]) : null,
      };
      return { status: 200, json };
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
    created_at: new Date(createdAtMs).toISOString(),
  };
}

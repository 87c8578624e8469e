/** Orders of all accounts, found by id or by account. */

import type { OperatorAccounts } from '#accounts/account/operator-ports.ts';
import type { ChangeNotes } from '#accounts/change-log.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { iso } from '#base/time.ts';
import type { AccountHandlers, HandlersFor } from '#contract/handlers.ts';
import { operatorOrder } from '#handlers/operator-order.ts';
import type { LoggedRequest } from '#storage/orders/request-logs.ts';

/** What these handlers need. */
export interface SoldOrdersOptions {
  readonly operatorAccounts: Pick<OperatorAccounts, 'show'>;
  readonly operatorOrders: Parameters<typeof operatorOrder>[1];
  /** The handlers of /v1. */
  readonly calls: AccountHandlers<'listOrders'>;
  readonly requests: { find(orderId: string): Promise<LoggedRequest | null> };
  readonly changeNotes: ChangeNotes;
}

/** listAccountOrders, showOrder and showOrderRequest. */
export function soldOrdersHandlers(
  options: SoldOrdersOptions,
): HandlersFor<'listAccountOrders' | 'showOrder' | 'showOrderRequest'> {
  const { operatorAccounts, operatorOrders, calls, requests, changeNotes } = options;
  return {
    async listAccountOrders({ call: { query } }) {
      const id = query.account;
      if (id === null) throw invalidRequest('account', 'account is required: the id of an account.');
      return calls.listOrders({ principal: { account: await operatorAccounts.show(id) }, query });
    },

    showOrder: ({ call }) => operatorOrder(call.params, operatorOrders),

    async showOrderRequest({ call, signedIn }) {
      const found = await requests.find(call.params.id.toLowerCase());
      if (!found) throw new Fault('not_found', { message: 'No request of an order with this id is kept.' });
      const { orderId, accountId, expiresAtMs, body } = found;
      // Somebody's own words: who reads them is on record.
      const what = { what: 'order.read', subject: orderId, accountId, before: null, after: null };
      await changeNotes.note(signedIn.member, what);
      const expires_at = iso(expiresAtMs);
      return {
        status: 200,
        json: { object: 'order_request', order_id: orderId, account_id: accountId, expires_at, body: { ...body } },
      };
    },
  };
}

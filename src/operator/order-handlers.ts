/** Orders of all accounts, found by id or by account. */

import type { Account } from '#access/principal.ts';
import type { ChangeLog } from '#accounts/change-log.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { type AccountHandler, handlersOf } from '#contract/call.ts';
import { operatorOrder } from '#handlers/operator-order.ts';
import type { FindOrder } from '#orders/ports.ts';
import type { LoggedRequest } from '#storage/orders/store.ts';

/** listAccountOrders, showOrder and showOrderRequest. */
export function soldOrdersHandlers(options: {
  /** Throws Fault not_found. */
  readonly findAccount: (id: string) => Promise<Account>;
  readonly findOrder: FindOrder;
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler<'listOrders'>;
  readonly requests: { find(orderId: string): Promise<LoggedRequest | null> };
  readonly changes: Pick<ChangeLog, 'note'>;
}) {
  const { findAccount, findOrder, listOrders, requests, changes } = options;
  return handlersOf({
    async listAccountOrders({ call: { query } }) {
      const id = query.account;
      if (id === null) throw invalidRequest('account', 'account is required: the id of an account.');
      const account = await findAccount(id);
      return listOrders({ principal: { account, reach: wholeAccount(account.id) }, query });
    },

    showOrder: ({ call }) => operatorOrder(call.params, findOrder),

    async showOrderRequest({ call, signedIn }) {
      const found = await requests.find(call.params.id.toLowerCase());
      if (!found) throw new Fault('not_found', { message: 'No request of an order with this id is kept.' });
      const { orderId, accountId, expiresAtMs, body } = found;
      // These are a person's own words, so each view is recorded.
      const what = { what: 'order.read', subject: orderId, accountId, before: null, after: null };
      await changes.note(signedIn.member, what);
      const expires_at = new Date(expiresAtMs).toISOString();
      return {
        status: 200,
        json: { object: 'order_request', order_id: orderId, account_id: accountId, expires_at, body: { ...body } },
      };
    },
  });
}

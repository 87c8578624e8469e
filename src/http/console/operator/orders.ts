/** Orders of all accounts, found by id or by account. */
import { Fault } from '#base/fault.ts';
import type { AccountHandler } from '#handlers/call.ts';
import { operatorOrder } from '#handlers/operator-order.ts';
import { textParam } from '#handlers/query.ts';
import type { OperatorAccounts } from '#members/operator-ports.ts';
import type { MemberHandler } from '../call.ts';

/** What these handlers need. */
export interface SoldOrdersOptions {
  readonly operatorAccounts: Pick<OperatorAccounts, 'show'>;
  readonly operatorOrders: Parameters<typeof operatorOrder>[1];
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler;
}

/** listAccountOrders and showOrder. */
export function soldOrdersHandlers({ operatorAccounts, operatorOrders, listOrders }: SoldOrdersOptions): {
  readonly listAccountOrders: MemberHandler;
  readonly showOrder: MemberHandler;
} {
  return {
    async listAccountOrders({ call: { query } }) {
      const id = textParam(query, 'account');
      if (id === null)
        throw new Fault('invalid_request', { param: 'account', message: 'account is required: the id of an account.' });
      return listOrders({ principal: { account: await operatorAccounts.show(id) }, query });
    },

    showOrder: ({ call }) => operatorOrder(call.params, operatorOrders),
  };
}

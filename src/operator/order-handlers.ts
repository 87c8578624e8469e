/** Orders of all accounts, found by id or by account. */

import type { Account } from '#access/principal.ts';
import type { ChangeLog } from '#accounts/change-log.ts';
import { invalidRequest } from '#base/fault.ts';
import { nanoToUsd } from '#base/money.ts';
import { wholeAccount } from '#base/reach.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { type AccountHandler, handlersOf } from '#contract/call.ts';
import { encodeCursor, idBefore } from '#contract/cursor-page.ts';
import { operatorOrder, requestObject } from '#handlers/operator-order.ts';
import type { Listings } from '#market/listing.ts';
import type { FindOrder, LoggedRequest } from '#orders/ports.ts';
import type { ListedOrder, listSold as listSoldIn, SoldFilter } from '#storage/orders/sold.ts';

/** listAccountOrders, listSoldOrders, showOrder and showOrderRequest. */
export function soldOrdersHandlers(options: {
  /** Throws Fault not_found. */
  readonly findAccount: (id: string) => Promise<Account>;
  readonly findOrder: FindOrder;
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler<'listOrders'>;
  readonly listSold: (
    filter: SoldFilter,
    page: { readonly after: string | null; readonly limit: number },
  ) => ReturnType<typeof listSoldIn>;
  readonly listings: Listings;
  readonly requests: { find(orderId: string): Promise<LoggedRequest | null> };
  readonly changes: Pick<ChangeLog, 'note'>;
}) {
  const { findAccount, findOrder, listOrders, listSold, listings, requests, changes } = options;
  return handlersOf({
    async listAccountOrders({ call: { query } }) {
      const id = query.account;
      if (id === null) throw invalidRequest('account', 'account is required: the id of an account.');
      const account = await findAccount(id);
      return listOrders({ principal: { account, reach: wholeAccount(account.id) }, query });
    },

    async listSoldOrders({ call: { query } }) {
      const { status, model, id, tag, limit, cursor } = query;
      const filter = {
        statuses: status && [...status],
        model: listings.named(model)?.id ?? null,
        idPrefix: id,
        anyId: query.any_id,
        tag,
      };
      const scope = `sold orders ${JSON.stringify(filter)}`;
      const { orders, next } = await listSold(filter, { after: idBefore(scope, cursor), limit });
      const next_cursor = next === null ? null : encodeCursor(scope, [next]);
      return { status: 200, json: { object: 'list', data: orders.map(listed), has_more: next !== null, next_cursor } };
    },

    showOrder: ({ call }) => operatorOrder(call.params, findOrder),

    async showOrderRequest({ call, signedIn }) {
      const found = await requests.find(call.params.id.toLowerCase());
      const json = requestObject(found);
      // These are a person's own words, so each view is recorded.
      const { order_id: subject, account_id: accountId } = json;
      await changes.note(signedIn.member, { what: 'order.read', subject, accountId, before: null, after: null });
      return { status: 200, json };
    },
  });
}

function listed({ id, accountId, accountName, model, kind, status, charged, ...times }: ListedOrder) {
  return {
    ...{ id, account_id: accountId, account_name: accountName, model, kind, status },
    created_at: iso(times.createdAtMs),
    finished_at: isoOrNull(times.finishedAtMs),
    charged_usd: charged === null ? null : nanoToUsd(charged),
  };
}

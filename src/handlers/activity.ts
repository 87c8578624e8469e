/**
 * What the member's account asked for: its orders, batches and usage. What /v1 does for a key is done here by the same
 * handlers. A change is noted in the audit log first: it is not in one transaction with its row, and there must be none
 * without one.
 */

import assert from 'node:assert';
import type { Principal } from '#access/principal.ts';
import type { ChangeLog } from '#accounts/change-log.ts';
import type { AccessStore } from '#accounts/keys/key-lookup.ts';
import type { UsageStore } from '#accounts/ledger/usage-store.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { wholeAccount } from '#base/reach.ts';
import { DAY_MS, iso } from '#base/time.ts';
import { type AccountHandlers, accountIdOf, handlersOf, type MemberVisit } from '#contract/call.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import type { FindOrder } from '#orders/ports.ts';
import { orderDetails, orderWithin } from './operator-order.ts';

/** What these handlers need. */
export interface ActivityOptions {
  readonly access: Pick<AccessStore, 'account'>;
  /** The handlers of /v1. */
  readonly calls: AccountHandlers<
    | ('listOrders' | 'getOrder' | 'getOrderReceipt' | 'cancelOrder' | 'repriceOrders')
    | ('listBatches' | 'getBatch' | 'cancelBatch')
  >;
  readonly findOrder: FindOrder;
  readonly usage: Pick<UsageStore, 'days'>;
  readonly changes: Pick<ChangeLog, 'note'>;
  readonly clock: Clock;
}

/** Everything that an order on the wire may have. */
const EVERYTHING = { include: new Set(['usage', 'pricing', 'storage', 'batch'] as const) };
const USAGE_DAYS = 30;
const USAGE_ROWS_MAX = 5000;
const ACTIVE = ['validating', 'in_progress'];

/** The operations of the tag `activity`. */
export function activityHandlers(options: ActivityOptions) {
  const principalOf: PrincipalOf = async (call) => {
    const account = await options.access.account(accountIdOf(call));
    assert(account, 'the account of a member is gone');
    return { account, reach: wholeAccount(account.id) };
  };
  return handlersOf({
    ...orderHandlers(options, principalOf),
    ...batchHandlers(options, principalOf),
    listMemberUsage: (call) => usageReply(options, accountIdOf(call), call.call.query),
  });
}

type PrincipalOf = (call: MemberVisit) => Promise<Pick<Principal, 'account' | 'reach'>>;

function orderHandlers({ calls, findOrder, changes }: ActivityOptions, principalOf: PrincipalOf) {
  return handlersOf({
    async listMemberOrders(call) {
      return calls.listOrders({ principal: await principalOf(call), query: call.call.query });
    },

    async showMemberOrder(call) {
      const { params } = call.call;
      const { order, settlement } = await orderWithin(params, wholeAccount(accountIdOf(call)), findOrder);
      const principal = await principalOf(call);
      const { json: shown } = await calls.getOrder({ principal, params, query: EVERYTHING });
      return { status: 200, json: { object: 'order_details', order: shown, ...orderDetails(order, settlement) } };
    },

    async showMemberReceipt(call) {
      return calls.getOrderReceipt({ principal: await principalOf(call), params: call.call.params });
    },

    async cancelMemberOrder(call) {
      const { params } = call.call;
      const { order } = await orderWithin(params, wholeAccount(accountIdOf(call)), findOrder);
      if (order.status === 'queued')
        await changes.note(call.signedIn.member, {
          ...{ what: 'order.cancel', subject: order.id },
          ...{ before: { status: order.status, model: order.model }, after: { status: 'canceled' } },
        });
      return calls.cancelOrder({ principal: await principalOf(call), params });
    },

    async repriceMemberOrders(call) {
      const body = call.call.body;
      const principal = await principalOf(call);
      if (principal.account.status !== 'active') throw new Fault('account_suspended');
      for (const id of new Set(body.ids.map((one) => one.toLowerCase()))) {
        const found = await findOrder(id);
        if (found?.order.accountId !== principal.account.id || found.order.status !== 'queued') continue;
        await changes.note(call.signedIn.member, {
          ...{ what: 'order.reprice', subject: id },
          ...{ before: { bid: priceToUsd(found.order.bid) }, after: { price_limit: body.price_limit } },
        });
      }
      return calls.repriceOrders({ principal, body });
    },
  });
}

function batchHandlers({ calls, changes }: ActivityOptions, principalOf: PrincipalOf) {
  return handlersOf({
    async listMemberBatches(call) {
      return calls.listBatches({ principal: await principalOf(call), query: call.call.query });
    },

    async cancelMemberBatch(call) {
      const { params } = call.call;
      const principal = await principalOf(call);
      const { id, status } = (await calls.getBatch({ principal, params })).json;
      if (ACTIVE.includes(status))
        await changes.note(call.signedIn.member, {
          ...{ what: 'batch.cancel', subject: id, before: { status }, after: { status: 'cancelling' } },
        });
      return calls.cancelBatch({ principal, params });
    },
  });
}

async function usageReply(
  { usage, clock }: Pick<ActivityOptions, 'usage' | 'clock'>,
  accountId: string,
  { from: fromMs, to: toMs }: QueryOf<'listMemberUsage'>,
): Promise<JsonReply<JsonOf<'listMemberUsage'>, 200>> {
  const last = dayOf(toMs ?? clock.nowMs());
  const first = fromMs === null ? last - USAGE_DAYS + 1 : dayOf(fromMs);
  const rows = await usage.days(accountId, { first, last, limit: USAGE_ROWS_MAX + 1 });
  const data = rows.slice(0, USAGE_ROWS_MAX).map(({ day, model, keyId, keyName, requests, charged }) => ({
    day: dateOf(day),
    model,
    key_id: keyId,
    key_name: keyName,
    requests,
    charged_usd: nanoToUsd(charged),
  }));
  const truncated = rows.length > data.length;
  return { status: 200, json: { object: 'list', from: dateOf(first), to: dateOf(last), truncated, data } };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function dateOf(day: number): string {
  return iso(day * DAY_MS).slice(0, 10);
}

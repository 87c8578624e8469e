/**
 * What the member's account asked for: its orders, batches and usage. What /v1 does for a key is done here by the same
 * handlers. A change is noted in the audit log first: it is not in one transaction with its row, and there must be none
 * without one.
 */

import assert from 'node:assert';
import type { Principal } from '#access/principal.ts';
import type { ReceiptLinks } from '#accounts/account/receipt-links.ts';
import type { ChangeLog } from '#accounts/change-log.ts';
import type { AccessStore } from '#accounts/keys/key-lookup.ts';
import type { UsageStore } from '#accounts/ledger/usage-store.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { nanoToUsd, priceFromUsd, priceToUsd } from '#base/money.ts';
import { wholeAccount } from '#base/reach.ts';
import { DAY_MS, HOUR_MS, iso, isoOrNull } from '#base/time.ts';
import { type AccountHandlers, accountActorOf, accountIdOf, handlersOf, type MemberVisit } from '#contract/call.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import type { Listings } from '#market/listing.ts';
import type { FindOrder, LoggedRequest, OrderSums, ReportedRun, SumsAsked } from '#orders/ports.ts';
import type { filesHandlers } from './files.ts';
import { orderDetails, orderWithin, requestObject } from './operator-order.ts';

/** What these handlers need. */
export interface ActivityOptions {
  readonly access: Pick<AccessStore, 'account'>;
  /** The handlers of /v1. */
  readonly calls: AccountHandlers<
    | ('listOrders' | 'getOrder' | 'getOrderReceipt' | 'cancelOrder' | 'repriceOrders')
    | ('listBatches' | 'getBatch' | 'cancelBatch')
  > &
    Pick<ReturnType<typeof filesHandlers>, 'getFileContent'>;
  readonly findOrder: FindOrder;
  readonly findRuns: (ids: readonly string[]) => Promise<ReadonlyMap<string, ReportedRun>>;
  readonly findRequest: (orderId: string) => Promise<LoggedRequest | null>;
  readonly sumOrders: (asked: SumsAsked) => Promise<OrderSums>;
  readonly links: Pick<ReceiptLinks, 'share' | 'revoke' | 'of'>;
  readonly listings: Listings;
  readonly usage: Pick<UsageStore, 'days'>;
  readonly changes: Pick<ChangeLog, 'note'>;
  readonly clock: Clock;
}

/** Everything that an order on the wire may have. */
const EVERYTHING = { include: new Set(['usage', 'pricing', 'storage', 'batch'] as const) };
const USAGE_DAYS = 30;
const USAGE_ROWS_MAX = 5000;
/** How often one page of a list by charge asks for orders. */
const ASKED_MAX = 20;
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
    ...receiptHandlers(options, principalOf),
    ...batchHandlers(options, principalOf),
    listMemberUsage: (call) => usageReply(options, accountIdOf(call), call.call.query),
  });
}

type PrincipalOf = (call: MemberVisit) => Promise<Pick<Principal, 'account' | 'reach'>>;

function orderHandlers(options: ActivityOptions, principalOf: PrincipalOf) {
  const { calls, findOrder, findRuns, findRequest, links, changes } = options;
  return handlersOf({
    async listMemberOrders(call) {
      const { account } = await principalOf(call);
      const { query } = call.call;
      const { key: keyId, charged_min: usd } = query;
      const asked = { principal: { account, reach: { accountId: account.id, keyId } }, query };
      const found = await (usd === null ? calls.listOrders(asked) : listCharged(options, asked, priceFromUsd(usd)));
      const runs = await findRuns(found.json.data.map(({ id }) => id));
      const json = {
        object: 'member_orders',
        list: found.json,
        runs: found.json.data.map(({ id }) => runOf(runs.get(id))),
      };
      return { status: 200, json };
    },

    async sumMemberOrders(call) {
      return sumsReply(options, accountIdOf(call), call.call.query);
    },

    async showMemberOrder(call) {
      const { params } = call.call;
      const { order, settlement } = await orderWithin(params, wholeAccount(accountIdOf(call)), findOrder);
      const principal = await principalOf(call);
      const { json: shown } = await calls.getOrder({ principal, params, query: EVERYTHING });
      const run = runOf((await findRuns([order.id])).get(order.id));
      const receipt_token = (await links.of(order.id))?.token ?? null;
      const json = { object: 'order_details', order: shown, run, receipt_token, ...orderDetails(order, settlement) };
      return { status: 200, json };
    },

    async showMemberRequest(call) {
      const { order } = await orderWithin(call.call.params, wholeAccount(accountIdOf(call)), findOrder);
      return { status: 200, json: requestObject(await findRequest(order.id)) };
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

/** Public links to receipts. */
function receiptHandlers({ calls, findOrder, links }: ActivityOptions, principalOf: PrincipalOf) {
  return handlersOf({
    async showMemberReceipt(call) {
      return calls.getOrderReceipt({ principal: await principalOf(call), params: call.call.params });
    },

    async shareMemberReceipt(call) {
      const { order, settlement } = await orderWithin(call.call.params, wholeAccount(accountIdOf(call)), findOrder);
      if (!settlement) throw new Fault('order_not_settled', { orderId: order.id });
      const { token, createdAtMs } = await links.share(order.id, accountActorOf(call));
      return { status: 200, json: { object: 'receipt_link', token, created_at: iso(createdAtMs) } };
    },

    async revokeMemberReceipt(call) {
      const { order } = await orderWithin(call.call.params, wholeAccount(accountIdOf(call)), findOrder);
      await links.revoke(order.id, accountActorOf(call));
      return { status: 204 };
    },
  });
}

function runOf(run: ReportedRun | undefined): JsonOf<'showMemberOrder'>['run'] {
  const { keyId = null, keyName = null, firstOutputAtMs = null, charged = null, atBid = null } = run ?? {};
  return {
    key_id: keyId,
    key_name: keyName,
    first_token_at: isoOrNull(firstOutputAtMs),
    charged_usd: charged === null ? null : nanoToUsd(charged),
    at_bid_usd: atBid === null ? null : nanoToUsd(atBid),
  };
}

type ListAsked = Parameters<ActivityOptions['calls']['listOrders']>[0];

/** No index has orders by their charge: it asks for more until the page is full, a bounded number of times. */
async function listCharged(
  { calls, findRuns }: ActivityOptions,
  { principal, query }: ListAsked,
  chargedMin: number,
): ReturnType<ActivityOptions['calls']['listOrders']> {
  const data: JsonOf<'listOrders'>['data'][number][] = [];
  // A query reads each parameter when it is asked for it: it cannot be spread.
  const { status: statuses, model, kind, batch, id: prefix, from, to, include, tag, limit } = query;
  const filter = { status: statuses, model, kind, batch, id: prefix, from, to, include, tag };
  let { cursor } = query;
  for (let asked = 1; ; asked++) {
    const more = { ...filter, cursor, limit: limit - data.length };
    const { status, json } = await calls.listOrders({ principal, query: more });
    const runs = await findRuns(json.data.map(({ id }) => id));
    data.push(...json.data.filter(({ id }) => (runs.get(id)?.charged ?? -1n) >= chargedMin));
    cursor = json.next_cursor;
    if (cursor === null || data.length === limit || asked === ASKED_MAX) return { status, json: { ...json, data } };
  }
}

async function sumsReply(
  { sumOrders: sum, listings, clock }: ActivityOptions,
  accountId: string,
  { from, to, step, status, model, tag, key: keyId, charged_min: usd }: QueryOf<'sumMemberOrders'>,
): Promise<JsonReply<JsonOf<'sumMemberOrders'>, 200>> {
  const stepMs = step === 'day' ? DAY_MS : HOUR_MS;
  const toMs = to ?? clock.nowMs();
  const fromMs = from ?? toMs - DAY_MS;
  const { sums, truncated } = await sum({
    filter: {
      ...{ accountId, keyId, statuses: status && [...status], model: listings.named(model)?.id ?? null },
      ...{ kind: null, batchId: null, idPrefix: null, tag, fromMs, toMs },
    },
    chargedMin: usd === null ? null : priceFromUsd(usd),
    step: step === 'day' ? 'day' : 'hour',
    limit: USAGE_ROWS_MAX,
  });
  const data = sums.map(
    ({ unit, model: name, keyId: key_id, keyName: key_name, tags, orders, charged, atBid, ...of }) => ({
      ...{ at: iso(unit * stepMs), model: name, key_id, key_name, tags, status: of.status, orders },
      ...{ charged_usd: nanoToUsd(charged), at_bid_usd: nanoToUsd(atBid) },
    }),
  );
  const begin = iso(fromMs - (fromMs % stepMs));
  return { status: 200, json: { object: 'list', from: begin, to: iso(toMs), step_s: stepMs / 1000, truncated, data } };
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

    async getMemberFile(call) {
      const { params, headersOnly } = call.call;
      const onSent = call.call.onSent.bind(call.call);
      return calls.getFileContent({ params, headersOnly, onSent, principal: await principalOf(call) });
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

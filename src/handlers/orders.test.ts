import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { type Reach, reaches } from '#base/reach.ts';
import type { Reply } from '#contract/reply.ts';
import type { OrderWithUsage } from '#orders/order.ts';
import type { OrderFilter, OrderTotals } from '#orders/ports.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { orderRow } from '#testing/order-fixtures.ts';
import { principalWith } from '#testing/principals.ts';
import { type OrdersOptions, ordersHandlers } from './orders.ts';

const id = (n: number) => `019b76da-a800-7000-8000-00000000000${n}`;
const START_MS = Date.UTC(2026, 0, 1);

function order(n: number, more: Partial<OrderWithUsage> = {}): OrderWithUsage {
  const row = orderRow({
    id: id(n),
    accountId: 'acc_1',
    keyId: 'key_1',
    status: 'done',
    bid: 500_000_000,
    limit: 500_000_000,
    createdAtMs: START_MS + n,
    admittedAtMs: START_MS + 10,
    finishedAtMs: START_MS + 20,
    expiresAtMs: START_MS + 600_000,
    price: 420_000_000,
    levelSeq: 1,
    attempt: 1,
    retentionDays: 30,
  });
  return {
    ...row,
    usage: { promptTokens: 1000, cachedTokens: 700, outputTokens: 50, charged: 841_463n, estimated: false },
    ...more,
  };
}

const QUEUED = {
  status: 'queued',
  admittedAtMs: null,
  finishedAtMs: null,
  price: null,
  usage: null,
} as const;
const FIXED = { limit: null, tariffId: 'fixed:100000000:1250000000:4000000000', model: 'rock-8b' } as const;
const TOTALS: OrderTotals = {
  orders: 3,
  failed: 1,
  marketOrders: 2,
  charged: 841_463n,
  atBid: 1_000_000n,
  saved: 158_537n,
};

/** An order service, store and exchange with these rows, newest first; records the calls. */
function fixture(rows: readonly OrderWithUsage[], totals = TOTALS) {
  const filters: OrderFilter[] = [];
  const asked: [string, readonly string[]][] = [];
  const canceled: string[] = [];
  const deps: OrdersOptions = {
    listings: someListings(),
    orders: {
      cancel: async (reach, orderId) => {
        const row = rows.find((each) => each.id === orderId && reaches(reach, each));
        if (!row) throw new Fault('not_found');
        if (row.status !== 'queued') throw new Fault('order_not_cancelable');
        canceled.push(orderId);
      },
    },
    store: {
      find: async (reach, orderId) => rows.find((each) => each.id === orderId && reaches(reach, each)) ?? null,
      list: async (filter, { limit, after }) => {
        filters.push(filter);
        return rows.filter((each) => after === null || each.id < after).slice(0, limit);
      },
      totals: async () => totals,
      counts: async () => ({ queued: 2, executing: 1, oldestQueuedAtMs: START_MS }),
    },
    exchange: {
      positions: async (model, orders) => {
        asked.push([model, orders]);
        return orders.map((_, index) => (index === 1 ? null : index + 1));
      },
    },
  };
  const handlers = ordersHandlers(deps);
  const json = async (reply: Promise<Reply>) => jsonOf(await reply);
  return {
    ...{ filters, asked, canceled },
    list: async (query: Record<string, string> = {}, accountId = 'acc_1') => {
      const call = testCall('listOrders', { query, principal: principalWith({ account: { id: accountId } }) });
      return conforming('listOrders 200', await json(handlers.listOrders(call))) as Page;
    },
    get: async (orderId: string, query: Record<string, string> = {}, accountId = 'acc_1') => {
      const caller = principalWith({ account: { id: accountId } });
      const call = testCall('getOrder', { params: { id: orderId }, query, principal: caller });
      return conforming('getOrder 200', await json(handlers.getOrder(call)));
    },
    cancel: async (orderId: string) =>
      conforming(
        'cancelOrder 200',
        await json(handlers.cancelOrder(testCall('cancelOrder', { params: { id: orderId } }))),
      ),
  };
}

/** Handlers without orders, and the ids that were looked up. */
function counted() {
  const looked: string[] = [];
  const none = async (_reach: Reach, orderId: string) => {
    looked.push(orderId);
    return null;
  };
  const handlers = ordersHandlers({
    listings: someListings(),
    orders: {
      cancel: async (reach, orderId) => {
        await none(reach, orderId);
        throw new Fault('not_found');
      },
    },
    store: { find: none, list: async () => [], totals: async () => TOTALS, counts: () => Promise.reject(new Error()) },
    exchange: { positions: async () => [] },
  });
  return { handlers, looked };
}

interface Page {
  readonly data: { id: string; queue_position: number | null }[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

test('a settled order has these fields and no others', async () => {
  assert.deepEqual(await fixture([order(1)]).get(id(1)), {
    id: id(1),
    status: 'done',
    bid: 0.5,
    kind: 'chat',
    model: 'tide-70b',
    created_at: '2026-01-01T00:00:00.001Z',
    admitted_at: '2026-01-01T00:00:00.010Z',
    finished_at: '2026-01-01T00:00:00.020Z',
    expires_at: '2026-01-01T00:10:00.000Z',
    level_at_execution: 0.42,
    queue_position: null,
    error: null,
    tags: ['search', 'team:blue'],
  });
});

test('a queued order has its position in the book and no fields of an execution', async () => {
  assert.partialDeepStrictEqual(await fixture([order(1, QUEUED)]).get(id(1)), {
    status: 'queued',
    admitted_at: null,
    finished_at: null,
    level_at_execution: null,
    queue_position: 1,
  });
});

test('a queued order on a fixed-price model has no position', async () => {
  const { get, asked } = fixture([order(1, { ...QUEUED, ...FIXED })]);
  assert.partialDeepStrictEqual(await get(id(1)), { queue_position: null });
  assert.deepEqual(asked, []);
});

test('a failed order has the reason', async () => {
  const failed = order(1, { status: 'expired', error: 'order_expired', usage: null });
  assert.partialDeepStrictEqual(await fixture([failed]).get(id(1)), { status: 'expired', error: 'order_expired' });
});

test('an order with a charge of 0 at a level of 0 shows zeros', async () => {
  const usage = { promptTokens: 0, cachedTokens: 0, outputTokens: 0, charged: 0n, estimated: false };
  const shown = await fixture([order(1, { bid: 0, price: 0, usage })]).get(id(1), { include: 'usage' });
  assert.partialDeepStrictEqual(shown, {
    bid: 0,
    level_at_execution: 0,
    usage: { prompt_tokens: 0, cached_tokens: 0, output_tokens: 0, charged_usd: 0 },
  });
});

/** [rows, include, what it adds] */
const includes: [string, OrderWithUsage, object][] = [
  [
    'usage',
    order(1),
    { usage: { prompt_tokens: 1000, cached_tokens: 700, output_tokens: 50, charged_usd: 0.000841463 } },
  ],
  ['usage', order(1, QUEUED), { usage: null }],
  ['pricing', order(1, { priceLock: true }), { price_lock: true, pricing: 'market', max_charge_usd: 9000 }],
  [
    'pricing',
    order(1, FIXED),
    {
      price_lock: false,
      pricing: 'fixed',
      max_charge_usd: 9000,
      usd_per_million: { cached: 0.1, uncached: 1.25, output: 4 },
    },
  ],
  ['storage', order(1), { result_stored: false, result_expires_at: null }],
  [
    'storage',
    order(1, { resultState: 'stored', resultExpiresAtMs: START_MS }),
    { result_stored: true, result_expires_at: '2026-01-01T00:00:00.000Z' },
  ],
  [
    'storage',
    order(1, { resultState: 'deleted', resultExpiresAtMs: START_MS }),
    { result_stored: false, result_expires_at: null },
  ],
  ['batch', order(1), { batch_id: null, custom_id: null }],
  ['batch', order(1, { batchId: 'batch_x', customId: 'a' }), { batch_id: 'batch_x', custom_id: 'a' }],
];
for (const [include, row, adds] of includes)
  test(`include=${include} adds ${JSON.stringify(adds)}`, async () => {
    const { get, list } = fixture([row]);
    const bare = (await get(id(1))) as object;
    assert.deepEqual(await get(id(1), { include }), { ...bare, ...adds });
    assert.deepEqual((await list({ include })).data, [{ ...bare, ...adds }]);
  });

test('a malformed id is looked up as often as an unknown one', async () => {
  const { handlers, looked } = counted();
  for (const operation of ['getOrder', 'cancelOrder'] as const) {
    for (const each of ['nonsense', '', "' OR '1'='1", '\u0000', 'x'.repeat(5000), id(9)]) {
      looked.length = 0;
      const call = testCall('getOrder', { params: { id: each } });
      await assert.rejects(async () => handlers[operation](call), { code: 'not_found' });
      assert.equal(looked.length, 1, `${operation} of ${each}`);
      assert.match(looked[0] ?? '', /^[0-9a-f-]{36}$/);
    }
  }
});

test('an id may be in upper or lower case; malformed, unknown and foreign ones are 404', async () => {
  const { get } = fixture([order(1)]);
  assert.partialDeepStrictEqual(await get(id(1).toUpperCase()), { id: id(1) });
  const missing = { code: 'not_found', status: 404 };
  await assert.rejects(get('nonsense'), missing);
  await assert.rejects(get(id(2)), missing);
  await assert.rejects(get(id(1), {}, 'acc_2'), missing);
});

test('only the list takes totals and counts as includes', async () => {
  const { get } = fixture([order(1)]);
  for (const include of ['totals', 'counts', 'everything'])
    await assert.rejects(get(id(1), { include }), { status: 400, param: 'include' });
});

test('a list without includes has neither totals nor counts', async () => {
  const { data, ...envelope } = await fixture([order(2), order(1)]).list();
  assert.deepEqual(
    data.map((each) => each.id),
    [id(2), id(1)],
  );
  assert.deepEqual(envelope, {
    object: 'list',
    has_more: false,
    next_cursor: null,
    total_orders: null,
    total_failed: null,
    total_charged_usd: null,
    total_at_bid_usd: null,
    total_saved_usd: null,
    counts: null,
  });
});

test('each market is asked once for the positions of its queued orders', async () => {
  const rows = [order(4, QUEUED), order(3, QUEUED), order(2, { ...QUEUED, model: 'soon-1b' }), order(1)];
  const { list, asked } = fixture(rows);
  const { data } = await list();
  assert.deepEqual(
    data.map((each) => each.queue_position),
    [1, null, 1, null],
  );
  assert.deepEqual(asked, [
    ['tide-70b', [id(4), id(3)]],
    ['soon-1b', [id(2)]],
  ]);
});

test('totals are on the first page and null on the next, counts are on both', async () => {
  const { list } = fixture([order(2), order(1)]);
  const query = { limit: '1', include: 'totals,counts' };
  const counts = { counts: { queued: 2, executing: 1, oldest_queued_at: '2026-01-01T00:00:00.000Z' } };
  const first = await list(query);
  assert.partialDeepStrictEqual(first, {
    ...counts,
    has_more: true,
    total_orders: 3,
    total_failed: 1,
    total_charged_usd: 0.000841463,
    total_at_bid_usd: 0.001,
    total_saved_usd: 0.000158537,
  });
  assert.ok(first.next_cursor);
  const second = await list({ ...query, cursor: first.next_cursor });
  assert.deepEqual(
    second.data.map((each) => each.id),
    [id(1)],
  );
  const none = { total_orders: null, total_failed: null, total_charged_usd: null };
  assert.partialDeepStrictEqual(second, { ...counts, ...none, total_at_bid_usd: null, total_saved_usd: null });
});

test('figures at bid are null without a market order, and 0 without any order', async () => {
  const nothing = { ...TOTALS, marketOrders: 0, atBid: 0n, saved: 0n };
  const fixedOnly = await fixture([], nothing).list({ include: 'totals' });
  assert.partialDeepStrictEqual(fixedOnly, { total_orders: 3, total_at_bid_usd: null, total_saved_usd: null });
  const empty = await fixture([], { ...nothing, orders: 0, failed: 0, charged: 0n }).list({ include: 'totals' });
  assert.partialDeepStrictEqual(empty, { total_orders: 0, total_at_bid_usd: 0, total_saved_usd: 0 });
});

test('every filter reaches the store', async () => {
  const { list, filters } = fixture([]);
  await list({
    status: 'queued,executing',
    model: 'tide',
    kind: 'chat',
    batch: 'none',
    id: '019B76DA',
    from: '2026-01-01',
    to: '2026-01-01',
  });
  assert.deepEqual(filters, [
    {
      accountId: 'acc_1',
      keyId: null,
      statuses: ['queued', 'executing'],
      model: 'tide-70b',
      kind: 'chat',
      batchId: 'none',
      idPrefix: '019b76da',
      fromMs: START_MS,
      toMs: START_MS + 86_399_999,
    },
  ]);
});

for (const [query, param, code] of [
  [{ status: 'queued,lost' }, 'status', 'invalid_request'],
  [{ kind: 'poem' }, 'kind', 'invalid_request'],
  [{ include: 'usage,everything' }, 'include', 'invalid_request'],
  [{ id: '019' }, 'id', 'invalid_request'],
  [{ model: 'nobody' }, 'model', 'unknown_model'],
  [{ limit: '0' }, 'limit', 'invalid_request'],
  [{ limit: '1.5' }, 'limit', 'invalid_request'],
  [{ from: 'then' }, 'from', 'invalid_request'],
  [{ to: '2026-02-30' }, 'to', 'invalid_request'],
  [{ cursor: 'nonsense' }, 'cursor', 'invalid_cursor'],
] as const)
  test(`the list refuses ${JSON.stringify(query)}`, async () => {
    await assert.rejects(fixture([]).list({ ...query }), { status: 400, param, code });
  });

test('a cursor of another filter or another account is refused', async () => {
  const { list } = fixture([order(2), order(1)]);
  const { next_cursor: cursor } = await list({ limit: '1' });
  assert.ok(cursor);
  await assert.rejects(list({ cursor, status: 'done' }), { code: 'invalid_cursor' });
  await assert.rejects(list({ cursor }, 'acc_2'), { code: 'invalid_cursor' });
});

test('a queued order is canceled, any other is not', async () => {
  const { cancel, canceled } = fixture([order(2, QUEUED), order(1)]);
  assert.deepEqual(await cancel(id(2)), { id: id(2), status: 'canceled' });
  assert.deepEqual(canceled, [id(2)]);
  await assert.rejects(cancel(id(1)), { code: 'order_not_cancelable', status: 409 });
  await assert.rejects(cancel('nonsense'), { status: 404 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UsageFilter, UsageRow, UsageStore } from '#accounts/ledger/usage-store.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { accountWith, principalWith } from '#testing/principals.ts';
import { usageHandlers } from './account.ts';

const row = (n: number): UsageRow => ({
  id: `usage_${n}`,
  orderId: `order_${n}`,
  model: 'tide-70b',
  createdAtMs: Date.UTC(2026, 0, 1) + n,
  promptTokens: 1000,
  cachedTokens: 700,
  outputTokens: 50,
  price: 420_000_000,
  charged: 841_463n,
  pricing: 'market',
  tags: null,
});

/** Rows from 3 down to 1, as a store would page them. */
class FakeUsage implements Pick<UsageStore, 'list' | 'totals'> {
  readonly filters: UsageFilter[] = [];
  async list(...[filter, { limit, after }]: Parameters<UsageStore['list']>): Promise<UsageRow[]> {
    this.filters.push(filter);
    return [row(3), row(2), row(1)].filter((each) => !after || each.createdAtMs < after.createdAtMs).slice(0, limit);
  }
  async totals() {
    return { requests: 3, charged: 2_524_389n };
  }
}

interface Page {
  readonly data: { id: string }[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

async function list(query: Record<string, string> = {}, accountId = 'acc_1', usage = new FakeUsage()): Promise<Page> {
  const access = {
    account: async (id: string) => accountWith({ id, balance: 10_000_000_000n }),
    budgetOf: async () => null,
  };
  const { listUsage } = usageHandlers({ usage, access, listings: someListings(), clock: new ManualClock() });
  const call = testCall('listUsage', { query, principal: principalWith({ account: { id: accountId } }) });
  return conforming('listUsage 200', jsonOf(await listUsage(call))) as Page;
}

test('a page with all fields', async () => {
  const { data, ...envelope } = await list();
  assert.deepEqual(envelope, {
    object: 'list',
    balance_usd: 10,
    total_charged_usd: 0.002524389,
    total_requests: 3,
    has_more: false,
    next_cursor: null,
  });
  assert.deepEqual(data[0], {
    id: 'usage_3',
    order_id: 'order_3',
    created_at: '2026-01-01T00:00:00.003Z',
    model: 'tide-70b',
    prompt_tokens: 1000,
    cached_tokens: 700,
    output_tokens: 50,
    level_at_execution: 0.42,
    charged_usd: 0.000841463,
    pricing: 'market',
  });
});

test('pages follow one another, and totals are null after the first', async () => {
  const first = await list({ limit: '2' });
  assert.deepEqual(
    first.data.map((each) => each.id),
    ['usage_3', 'usage_2'],
  );
  assert.ok(first.has_more && first.next_cursor);
  const second = await list({ limit: '2', cursor: first.next_cursor });
  assert.deepEqual(
    second.data.map((each) => each.id),
    ['usage_1'],
  );
  assert.partialDeepStrictEqual(second, {
    has_more: false,
    next_cursor: null,
    balance_usd: null,
    total_charged_usd: null,
    total_requests: null,
  });
});

test('the filter has the real id of the model and inclusive bounds', async () => {
  const usage = new FakeUsage();
  await list({ model: 'tide', from: '2026-01-01', to: '2026-01-01' }, 'acc_1', usage);
  const startMs = Date.UTC(2026, 0, 1);
  assert.deepEqual(usage.filters, [
    { accountId: 'acc_1', keyId: null, model: 'tide-70b', fromMs: startMs, toMs: startMs + 86_399_999 },
  ]);
});

test('a cursor of another filter, another account or of nobody is refused', async () => {
  const { next_cursor: cursor } = await list({ limit: '1' });
  assert.ok(cursor);
  await assert.rejects(list({ cursor, model: 'tide' }), { code: 'invalid_cursor', status: 400 });
  await assert.rejects(list({ cursor }, 'acc_2'), { code: 'invalid_cursor' });
  await assert.rejects(list({ cursor: 'nonsense' }), { code: 'invalid_cursor' });
});

for (const [query, code] of [
  [{ limit: '0' }, 'invalid_request'],
  [{ from: 'then' }, 'invalid_request'],
  [{ model: 'nobody' }, 'unknown_model'],
] as const)
  test(`${JSON.stringify(query)} is refused with ${code}`, async () => {
    await assert.rejects(list({ ...query }), { code, status: 400 });
  });

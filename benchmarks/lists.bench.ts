/**
 * The lists of an account with a million orders in thirty days: how long each page and each kind of totals takes,
 * including JSON, and how long it blocks the event loop at most. Targets: a page within 20 ms, totals within 1 s. Runs
 * on SQLite, and on MariaDB if one is given (`scripts/with-mariadb npm run bench …`).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { AccessStore } from '#accounts/keys/key-lookup.ts';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { Reply } from '#contract/reply.ts';
import { usageHandlers } from '#handlers/account.ts';
import { ordersHandlers } from '#handlers/orders.ts';
import { Listings } from '#market/listing.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import type { Database } from '#storage/database/database.ts';
import { createOrderStore } from '#storage/orders/store.ts';
import { type TestCall, testCall } from '#testing/calls.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { fixedListing, marketListing } from '#testing/listings.ts';
import { principalWith } from '#testing/principals.ts';
import { type Filled, fillOrders, sumOrders } from './lists/fill.ts';
import { median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

const quick = process.argv.includes('--quick');
const ORDERS = quick ? 100_000 : 1_000_000;
const FEW = 500;
const PAGE_MS_MAX = 20;
const TOTALS_MS_MAX = 1000;
const PAGE_ROUNDS = quick ? 10 : 20;
const TOTALS_ROUNDS = quick ? 2 : 3;

const listings = new Listings(
  [...['tide-70b', 'brook-8b', 'rare-1b'].map((id) => marketListing({ id })), fixedListing({ id: 'rock-8b' })],
  'tide-70b',
);

for (const tested of testedDatabases) {
  if (tested.skip) continue;
  const opened = await openTested(tested);
  try {
    await measure(tested.name, opened.db);
  } finally {
    await opened.drop();
  }
}

async function measure(name: string, db: Database): Promise<void> {
  const beginMs = performance.now();
  const accounts = new Accounts({ db, clock: systemClock, ids: idSource(systemClock) });
  const { id: accountId } = await accounts.create({ name: 'many' }, COMMAND_LINE);
  const { id: otherId } = await accounts.create({ name: 'few' }, COMMAND_LINE);
  const endMs = systemClock.nowMs();
  const many = await fillOrders(db, { accountId, orders: ORDERS, endMs, mark: 1 });
  await fillOrders(db, { accountId: otherId, orders: FEW, endMs, mark: 2 });
  await sumOrders(db);
  console.log(`${name}: ${ORDERS} orders filled in within ${((performance.now() - beginMs) / 1000).toFixed(0)} s.\n`);

  const ask = questions(db);
  const rows: string[][] = [];
  let slowestPageMs = 0;
  const time = async (question: string, query: Query, of: 'orders' | 'usage' = 'orders', owner = accountId) => {
    const first = await ask[of](owner, query);
    const sums = first.json.total_orders ?? first.json.total_requests ?? null;
    const isTotals = (query.include ?? '').includes('totals') || (of === 'usage' && !query.cursor);
    const times: number[] = [];
    let blockedMsMax = 0;
    for (let round = 0; round < (isTotals ? TOTALS_ROUNDS : PAGE_ROUNDS); round++) {
      const { ms, blockedMs } = await timed(() => ask[of](owner, query));
      times.push(ms);
      blockedMsMax = Math.max(blockedMsMax, blockedMs);
    }
    const target = isTotals ? TOTALS_MS_MAX : PAGE_MS_MAX;
    if (!isTotals) slowestPageMs = Math.max(slowestPageMs, median(times));
    const held = median(times) <= target ? 'yes' : 'NO';
    const found = isTotals ? `${sums}` : `${first.json.data.length}${first.json.has_more ? '+' : ''}`;
    const figures = [median(times), p95(times), Math.max(...times), blockedMsMax].map((ms) => ms.toFixed(1));
    rows.push([question, found, ...figures, `${target}`, held]);
  };
  for (const [question, query] of Object.entries(await pages(many, ask.orders))) await time(question, query);
  for (const [question, query] of Object.entries(sums(many))) await time(question, query);
  await time('an account with few: page', {}, 'orders', otherId);
  await time('an account with few: totals', { include: 'totals,counts' }, 'orders', otherId);
  await time('usage: whole', {}, 'usage');
  await time('usage: one model', { model: 'rare-1b' }, 'usage');
  await time('usage: 11 days and two parts', parts(many, 11), 'usage');
  await time('usage: part of a day', parts(many, 0), 'usage');
  const { json } = await ask.usage(accountId, parts(many, 11));
  await time('usage: page after the first', { ...parts(many, 11), limit: '200', cursor: json.next_cursor }, 'usage');
  if (name === 'SQLite') tellFigure('lists: slowest page ms', slowestPageMs);
  const names = [name, 'found', 'median ms', 'p95 ms', 'worst ms', 'blocked ms', 'target ms', 'within'];
  console.log(`${markdownTable(names, rows)}\n`);
}

type Query = Record<string, string>;
interface Answer {
  readonly json: {
    data: { id: string }[];
    has_more: boolean;
    next_cursor: string;
    total_orders?: number | null;
    total_requests?: number | null;
  };
}
type Ask = (accountId: string, query: Query) => Promise<Answer>;

/** The two lists as their handlers answer them, including JSON text. */
function questions(db: Database): { readonly orders: Ask; readonly usage: Ask } {
  const { listOrders } = ordersHandlers({
    orders: { cancel: () => Promise.reject(new Error('nothing is canceled here')) },
    store: createOrderStore(db),
    exchange: { positions: async (_model, ids) => ids.map(() => null) },
    listings,
  });
  const { listUsage } = usageHandlers({
    usage: new UsageStore(db),
    access: new AccessStore(db),
    listings,
    clock: systemClock,
  });
  const asking =
    <Id extends 'listOrders' | 'listUsage'>(
      operation: Id,
      handler: (call: TestCall<Id>) => Promise<Reply> | Reply,
    ): Ask =>
    async (id, query) => {
      const reply = await handler(testCall(operation, { principal: principalWith({ account: { id } }), query }));
      return { json: JSON.parse(JSON.stringify('json' in reply ? reply.json : null)) };
    };
  return { orders: asking('listOrders', listOrders), usage: asking('listUsage', listUsage) };
}

/** Every kind of page: each filter, combinations, deep pages, and filters that match little or nothing. */
async function pages(many: Filled, ask: Ask): Promise<Record<string, Query>> {
  const middle = { to: atShare(many, 0.5) };
  const deep = async (query: Query) => {
    const { json } = await ask(many.accountId, { ...query, ...middle });
    return { ...query, ...middle, cursor: json.next_cursor };
  };
  const [newest] = (await ask(many.accountId, middle)).json.data;
  const id = newest?.id ?? '';
  return {
    newest: {},
    'newest 500, all includes': { limit: '500', include: 'usage,pricing,storage,batch' },
    'with counts': { include: 'counts' },
    'deep in the list': await deep({}),
    'deep, 500': await deep({ limit: '500' }),
    done: { status: 'done' },
    'done, deep': await deep({ status: 'done' }),
    'canceled, deep': await deep({ status: 'canceled' }),
    queued: { status: 'queued' },
    'queued, before there were any': { status: 'queued', ...middle },
    executing: { status: 'executing' },
    'error (1 in 10,000)': { status: 'error' },
    'error, deep': { status: 'error', ...middle },
    'done and error, deep': await deep({ status: 'done,error' }),
    'queued and error': { status: 'queued,error' },
    model: { model: 'tide-70b' },
    'rare model': { model: 'rare-1b' },
    'rare model, deep': await deep({ model: 'rare-1b' }),
    'rare model, error': { model: 'rare-1b', status: 'error' },
    'rare model, done, deep': await deep({ model: 'rare-1b', status: 'done' }),
    'rare model, outside batches': { model: 'rare-1b', batch: 'none' },
    kind: { kind: 'responses' },
    'rare kind': { kind: 'completion' },
    'rare kind, deep': await deep({ kind: 'completion' }),
    'model and kind': { model: 'brook-8b', kind: 'messages' },
    'rare model and rare kind': { model: 'rare-1b', kind: 'completion' },
    batch: { batch: 'batch_43' },
    'batch, done, deep': await deep({ batch: 'batch_43', status: 'done' }),
    'batch, error': { batch: 'batch_43', status: 'error' },
    'batch and rare model': { batch: 'batch_43', model: 'rare-1b' },
    'batch of nobody': { batch: 'batch_none' },
    'outside batches': { batch: 'none' },
    'outside batches, where a batch lies': { batch: 'none', to: atShare(many, 0.4399) },
    'outside batches, done, where a batch lies': { batch: 'none', status: 'done', to: atShare(many, 0.4399) },
    'outside batches, model, where a batch lies': { batch: 'none', model: 'tide-70b', to: atShare(many, 0.4399) },
    'outside batches, kind, where a batch lies': { batch: 'none', kind: 'responses', to: atShare(many, 0.4399) },
    'whole id': { id },
    'id, 4 characters': { id: id.slice(0, 4) },
    'id, 6 characters': { id: id.slice(0, 6) },
    'id, 8 characters': { id: id.slice(0, 8) },
    'id, 4 of nobody': { id: '1234' },
    'id, 12 of nobody': { id: `${id.slice(0, 10)}zz` },
    'id, 4 characters and rare model': { id: id.slice(0, 4), model: 'rare-1b' },
    'id, 4 characters, error': { id: id.slice(0, 4), status: 'error' },
    'id, 5 characters, batch': { id: id.slice(0, 5), batch: 'batch_43' },
    '11 days and two parts': parts(many, 11),
    'part of a day': parts(many, 0),
    'before the first order': { to: '2020-01-01' },
    'part of a day, rare model': { ...parts(many, 0), model: 'rare-1b' },
    'part of a day, done': { ...parts(many, 0), status: 'done' },
  };
}

/** Totals and counts: of everything, of periods with partial days, of id prefixes, of batches. */
function sums(many: Filled): Record<string, Query> {
  const id = idAt(atShareMs(many, 0.5));
  const queries: Record<string, Query> = {
    'totals: whole': {},
    'totals: done': { status: 'done' },
    'totals: model': { model: 'tide-70b' },
    'totals: rare kind': { kind: 'completion' },
    'totals: outside batches': { batch: 'none' },
    'totals: batch': { batch: 'batch_43' },
    'totals: batch, error': { batch: 'batch_43', status: 'error' },
    'totals: 11 days and two parts': parts(many, 11),
    'totals: 11 days and two parts, model, done': { ...parts(many, 11), model: 'brook-8b', status: 'done' },
    'totals: part of a day': parts(many, 0),
    'totals: whole days': {
      from: parts(many, 11).from?.slice(0, 10) ?? '',
      to: parts(many, 11).to?.slice(0, 10) ?? '',
    },
    'totals: id, 4 characters': { id: id.slice(0, 4) },
    'totals: id, 5 characters': { id: id.slice(0, 5) },
    'totals: id, 6 characters': { id: id.slice(0, 6) },
    'totals: id, 8 characters': { id: id.slice(0, 8) },
    'totals: id, 5 characters and days': { id: id.slice(0, 5), ...parts(many, 11) },
  };
  return Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [name, { include: 'totals,counts', ...query }]),
  );
}

/** A period of `days` whole days plus most of a day on each side; for 0 days, most of one day. */
function parts(many: Filled, days: number): Query {
  const dayMs = 86_400_000;
  const firstMs = Math.ceil(atShareMs(many, 0.3) / dayMs) * dayMs;
  const [fromMs, toMs] = [firstMs + 1_234_567, firstMs + (days + (days > 0 ? 1 : 0)) * dayMs + 84_567_890];
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

function atShareMs({ orders, firstMs, stepMs }: Filled, share: number): number {
  return firstMs + Math.floor(orders * share) * stepMs;
}

function atShare(many: Filled, share: number): string {
  return new Date(atShareMs(many, share)).toISOString();
}

function idAt(atMs: number): string {
  const hex = atMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The value that nineteen of twenty values do not exceed. */
function p95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}

/** The duration of `work`, and the longest time for which it blocked the event loop. */
async function timed(work: () => Promise<unknown>): Promise<{ ms: number; blockedMs: number }> {
  let [blockedMs, running] = [0, true];
  const watching = (async () => {
    for (let last = performance.now(); running; ) {
      await nextTurn();
      const now = performance.now();
      blockedMs = Math.max(blockedMs, now - last);
      last = now;
    }
  })();
  const beginMs = performance.now();
  await work();
  const ms = performance.now() - beginMs;
  running = false;
  await watching;
  return { ms, blockedMs };
}

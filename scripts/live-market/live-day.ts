/**
 * Plays a day in a gateway of its own, over HTTP and in real time, and measures it as anybody could: prices from the
 * public routes, and what orders did and paid from the lists of their accounts.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf } from '#simulations/measures.ts';
import type { AttackedFigures } from '#simulations/requirements.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { selling } from '#testing/test-config.ts';
import type { KnownReceipt } from '../harness/ledger.ts';
import { Caller } from './caller.ts';
import { type Day, type LiveMarket, startAttack, startCrowd } from './days.ts';
import { type ListedOrder, measure, nothingIn, ordersOf, type Period } from './listed-orders.ts';
import { LiveFloor } from './live-floor.ts';
import { MODEL, PRICING_RATIO } from './live-order.ts';

/** What was published at one moment, USD. */
interface PriceSample {
  readonly atMs: number;
  readonly level: number;
  readonly quote: number;
}

/** The outcome of a day. */
export interface LiveDay {
  readonly day: Day;
  readonly figures: AttackedFigures;
  /** For how many milliseconds each order that the attacker started held its slot, in the order of their starts. */
  readonly heldMs: readonly number[];
  /** Level and quote, second by second. */
  readonly prices: readonly PriceSample[];
  /** Sentences about answers that nobody should get, and receipts that differ from the books; empty without any. */
  readonly findings: readonly string[];
}

/** Opened accounts: their keys by name, and the database that has them. */
export interface Opened {
  readonly keys: ReadonlyMap<string, string>;
  readonly site: Site;
}

/** Windows of the quote end at multiples of this, in simulated and in real time. */
const WINDOW_MS = 10_000;
const DRAIN_MS_MAX = 300_000;
const EVERY_MS = 1000;
/** The largest credit that needs no confirmation. */
const CREDIT_USD = '10000';
/** Commands that run at once; each waits for its process more than it works. */
const AT_ONCE = 4;

/** A site with all accounts, to begin each day with. Remove it in the end. */
export async function openMarket(market: LiveMarket): Promise<Opened> {
  const site = await siteOf(market);
  return { site, keys: await openAccounts(site, market) };
}

/** The accounts of the simulated traders, by the same names. Returns their keys. */
async function openAccounts(site: Site, { traders, attackers }: LiveMarket): Promise<ReadonlyMap<string, string>> {
  const waiting = [
    ...Array.from({ length: traders }, (_, at) => `account ${at}`),
    ...Array.from({ length: attackers }, (_, at) => `attacker ${at}`),
  ];
  const keys = new Map<string, string>();
  const open = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      keys.set(name, (await site.openAccount(name, CREDIT_USD)).apiKey);
  };
  await site.command('migrate');
  await Promise.all(Array.from({ length: AT_ONCE }, open));
  return keys;
}

/** Plays a day. */
export async function playLive(day: Day, market: LiveMarket, { keys, site: opened }: Opened): Promise<LiveDay> {
  const site = await siteOf(market);
  try {
    copyFileSync(databaseOf(opened), databaseOf(site));
    const gateway = await site.start();
    const caller = new Caller(gateway.url);
    try {
      return await play(day, market, { caller, keys });
    } finally {
      await caller.close();
      await gateway.kill();
    }
  } finally {
    site.remove();
  }
}

async function play(
  day: Day,
  market: LiveMarket,
  { caller, keys }: { caller: Caller; keys: ReadonlyMap<string, string> },
): Promise<LiveDay> {
  const startMs = Math.ceil(Date.now() / WINDOW_MS) * WINDOW_MS;
  const beginMs = startMs + market.warmUpMs;
  const period = { beginMs, endMs: beginMs + market.measuredMs };
  const floor = new LiveFloor(caller, { keys, seed: market.seed, startMs, allDetached: day === 'leaves' });
  await sleep(startMs - Date.now());
  startCrowd(floor, day, market);
  await floor.run(beginMs);
  const reading = readPrices(caller, period.endMs);
  startAttack(floor, day, market);
  await floor.run(period.endMs);
  await untilEnded(caller, { keys, period });
  // What ends while the lists are read may be missing from them.
  const receipts = [...floor.receipts];
  const prices = await reading;
  const { figures, heldMs, orders } = await measured(market, { caller, keys, floor, period, prices });
  const findings = [...caller.findings(), ...unlikeReceipts(receipts, orders)];
  return { day, figures, heldMs, prices, findings };
}

/** Reads level and quote once a second, as a dashboard does, until a moment of this machine's clock. */
async function readPrices(caller: Caller, untilMs: number): Promise<readonly PriceSample[]> {
  const samples: PriceSample[] = [];
  for (let dueMs = Date.now(); dueMs < untilMs; dueMs += EVERY_MS) {
    await sleep(Math.max(0, dueMs - Date.now()));
    const [level, quote] = await Promise.all([
      caller.call(`/v1/market?model=${MODEL}`),
      caller.call(`/v1/market/price-lock?model=${MODEL}`),
    ]);
    if (level && quote) samples.push({ atMs: Date.now(), level: level.body.level, quote: quote.body.price });
  }
  return samples;
}

/** Waits until nothing runs that started in the period, so that all it paid is known. */
async function untilEnded(
  caller: Caller,
  { keys, period }: { keys: ReadonlyMap<string, string>; period: Period },
): Promise<void> {
  const startedInTime = ({ admitted_at }: ListedOrder) => Date.parse(admitted_at ?? '') < period.endMs;
  for (const key of keys.values()) {
    while ((await ordersOf(caller, key, '&status=executing')).some(startedInTime)) {
      if (Date.now() > period.endMs + DRAIN_MS_MAX) throw new Error('orders still run long after their time');
      await sleep(500);
    }
  }
}

async function measured(
  { slots }: LiveMarket,
  day: {
    caller: Caller;
    keys: ReadonlyMap<string, string>;
    floor: LiveFloor;
    period: Period;
    prices: readonly PriceSample[];
  },
): Promise<Pick<LiveDay, 'figures' | 'heldMs'> & { orders: readonly ListedOrder[] }> {
  const { caller, keys, floor, period, prices } = day;
  const measures = nothingIn(period);
  const all: ListedOrder[] = [];
  const attack: ListedOrder[] = [];
  for (const [name, key] of keys) {
    const orders = await ordersOf(caller, key);
    for (const order of orders) all.push(order);
    if (name.startsWith('attacker')) attack.push(...orders);
    else measure(measures, orders, { period, wishes: floor.wishes, byAttacker: false });
  }
  attack.sort((one, two) => (one.admitted_at ?? '').localeCompare(two.admitted_at ?? ''));
  const heldMs = measure(measures, attack, { period, wishes: floor.wishes, byAttacker: true });
  measures.levelArea = area(prices, period, ({ level }) => level);
  measures.quoteArea = area(prices, period, ({ quote }) => quote);
  const quoteMax = Math.max(...prices.map(({ quote }) => quote));
  return { figures: { ...figuresOf(measures, slots), quoteMax }, heldMs, orders: all };
}

/** The integral of a price in nano-dollars over the period; each sample holds until the next. */
function area(prices: readonly PriceSample[], { beginMs, endMs }: Period, of: (sample: PriceSample) => number): number {
  let sum = 0;
  for (const [at, sample] of prices.entries()) {
    const fromMs = at === 0 ? beginMs : sample.atMs;
    sum += of(sample) * 1e9 * Math.max(0, Math.min(endMs, prices[at + 1]?.atMs ?? endMs) - fromMs);
  }
  return sum;
}

/** Receipts whose charge is not that of the list. */
function unlikeReceipts(receipts: readonly KnownReceipt[], orders: readonly ListedOrder[]): string[] {
  const charges = new Map(orders.map(({ id, usage }) => [id, usage?.charged_usd]));
  return receipts
    .filter(({ orderId, chargedUsd }) => charges.get(orderId) !== chargedUsd)
    .map(({ orderId, chargedUsd }) => `order ${orderId}: receipt ${chargedUsd}, list ${charges.get(orderId)}`);
}

async function siteOf({ slots }: LiveMarket): Promise<Site> {
  const pods = [{ id: 'pod-1', simulated: true, slots, seed: 1 }];
  const lengths = { context_length: 131_072, max_output_length: 65_536 };
  const prices = { pricing_ratio: PRICING_RATIO, floor: 0, ceiling: 100 };
  const site = await makeSite(selling([{ id: MODEL, type: 'market', ...lengths, ...prices, pods }]));
  // Each command loads the same modules.
  site.environment.NODE_COMPILE_CACHE ??= join(site.folder, 'compiled');
  site.environment.DATABASE_URL = `sqlite:${databaseOf(site)}`;
  return site;
}

function databaseOf({ folder }: Site): string {
  return join(folder, 'sluice.sqlite');
}

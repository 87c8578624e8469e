/**
 * The orders of the past: accepted, admitted, settled, failed or closed through the journal, as the gateway writes them, so that
 * usage, bills, budgets and statistics follow and the audit agrees.
 */
import assert from 'node:assert';
import { catalogue } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { JournalPort } from '#base/journal.ts';
import { normal, type Random } from '#base/random.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { chargeOf, priceAtMix, type Tokens, worstCaseOf } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { StatisticsUnits } from '#observe/ports.ts';
import { RunCounts } from '#observe/run-counts.ts';
import { NEW_ORDER, type OrderRow, orderKinds } from '#orders/order.ts';
import type { Admission, OrderUnits, SettleUnit } from '#orders/units.ts';
import type { DemoAccount, DemoKey } from './accounts.ts';
import type { DemoModel } from './models.ts';
import { PAST_BOOT, type Past, type PastClock } from './past.ts';
import type { PastLoad } from './past-load.ts';

/** A model with its listing. */
export interface SoldModel {
  readonly model: DemoModel;
  readonly listing: Listing;
}

interface PastOrdersOptions {
  readonly ids: IdSource;
  /** Of `ids`: it is set to the time of each order. */
  readonly clock: PastClock;
  readonly journal: JournalPort<OrderUnits & StatisticsUnits>;
  readonly past: Past;
  readonly load: PastLoad;
  readonly random: Random;
  readonly sold: readonly SoldModel[];
  readonly accounts: readonly DemoAccount[];
}

/** How an order ends, and all that is written for it. */
interface Drawn {
  readonly order: OrderRow;
  readonly admission: Admission | null;
  readonly end: (journal: PastOrdersOptions['journal']) => Promise<{ readonly result: string }>;
}

/** Orders that are written together; all of them hold money at once. */
const TOGETHER = 200;
/** Of a hundred orders that start, this many fail. */
const FAILED_SHARE = 0.02;
const LOCK_SHARE = 0.25;
/** Prompts are longer than those of the live traders, who send far more orders: charts of money show the past beside the present. */
const PROMPT_BOUND = 120_000;
const OUTPUT_CAP = 4_000;
const RETENTION_DAYS = 30;
/** How long an order waits that does not start, and a lock. */
const PATIENCE_MS = 10 * MINUTE_MS;
const LOCK_MS = 10_000;
/** No run of the past takes longer. */
const RUN_MS_MAX = 2 * MINUTE_MS;

/** Writes the orders of one demo. */
export class PastOrders {
  readonly #options: PastOrdersOptions;
  readonly #runs = new Map<string, { model: string; hourMs: number; counts: RunCounts }>();

  constructor(options: PastOrdersOptions) {
    this.#options = options;
  }

  /** Writes an order for each of these times, which rise. */
  async write(times: readonly number[]): Promise<void> {
    const { journal } = this.#options;
    for (let at = 0; at < times.length; at += TOGETHER) {
      const drawn = times.slice(at, at + TOGETHER).map((atMs) => this.#draw(atMs));
      const accepted = await Promise.all(drawn.map(({ order, admission }) => this.#accept(order, admission)));
      assert(
        accepted.every(({ result }, index) => result === (drawn[index]?.admission ? 'executing' : 'queued')),
        'an order of the past was refused',
      );
      await Promise.all(drawn.map(({ end }) => end(journal)));
    }
  }

  /** Writes how long the runs took. Call once, after the orders. */
  async writeRuns(): Promise<void> {
    const hours = [...this.#runs.values()].map(({ counts, ...hour }) => ({ ...hour, counts: counts.pack() }));
    await this.#options.journal.write({ kind: 'run-hours', boot: PAST_BOOT, hours });
  }

  #accept(order: OrderRow, admission: Admission | null) {
    const nothing = { idempotency: null, line: null, lineWarning: null, body: null, requestLog: null };
    return this.#options.journal.write({ kind: 'accept', order, admission, ...nothing });
  }

  #draw(atMs: number): Drawn {
    const { random, accounts, sold, clock } = this.#options;
    clock.set(atMs);
    const one = chosen(random, sold, ({ model }) => model.weight);
    const account = chosen(random, accounts, (_, index) => 1 / (1 + index));
    const key = chosen(random, account.keys, (_, index) => 1 / (1 + index));
    const order = this.#order(one, account, key);
    const startMs = atMs + Math.round(200 + 4000 * random.next() ** 3);
    const level = this.#levelAt(one, order, startMs);
    if (order.bid < level.price) return this.#unstarted(order);
    return this.#started({ order, one, startMs, level });
  }

  /** The level of a market when an order starts; fixed prices are the bid. */
  #levelAt({ model }: SoldModel, order: OrderRow, startMs: number) {
    const { id, middle } = model;
    return middle === null
      ? { number: 0, price: order.bid }
      : this.#options.past.level({ id, middle }, Math.min(startMs, this.#options.past.untilMs - 1));
  }

  #order({ model, listing }: SoldModel, account: DemoAccount, key: DemoKey): OrderRow {
    const { random, clock, ids } = this.#options;
    const createdAtMs = clock.nowMs();
    const kind = orderKinds[Math.floor(random.next() ** 2 * orderKinds.length)] ?? 'chat';
    const detached = random.next() < 0.1;
    return {
      ...NEW_ORDER,
      ...{ id: ids.uuid(), accountId: account.id, keyId: key.id, kind, model: listing.id },
      ...this.#bid(model, listing),
      ...{ tariffId: listing.tariff.id, createdAtMs, expiresAtMs: createdAtMs + PATIENCE_MS },
      ...{ detached, outlives: detached, house: false, batchId: null, customId: null },
      ...{ promptBound: PROMPT_BOUND, promptEstimate: PROMPT_BOUND / 2, outputCap: OUTPUT_CAP },
      ...{ resultState: 'none', retentionDays: RETENTION_DAYS, bootEpoch: PAST_BOOT },
      budgetFromMs: key.budgeted ? 0 : null,
      requestId: ids.uuid(),
    };
  }

  /** A bid around the level, or a lock at the quote. */
  #bid({ id, middle }: DemoModel, listing: Listing) {
    const { random, past, clock } = this.#options;
    const noQuote = { priceLock: false, quoteAtSubmission: null, quoteSeq: null };
    if (middle === null) return { bid: priceAtMix(listing.tariff), limit: null, ...noQuote };
    const { price: level } = past.level({ id, middle }, clock.nowMs());
    const limit = Math.round(level * Math.exp(0.45 + 0.35 * normal(random)));
    if (random.next() > LOCK_SHARE) return { bid: limit, limit, ...noQuote };
    const { number, price } = past.quote({ id, middle }, clock.nowMs());
    return { bid: Math.min(limit, price), limit, priceLock: true, quoteAtSubmission: price, quoteSeq: number };
  }

  /** It waits in vain, or its caller gives up. */
  #unstarted(order: OrderRow): Drawn {
    const { random, past } = this.#options;
    const { id: orderId, accountId, createdAtMs, priceLock } = order;
    const gaveUp = random.next() < 0.4;
    const waitedMs = priceLock ? LOCK_MS : Math.round(PATIENCE_MS * (gaveUp ? random.next() : 1));
    const error = gaveUp ? 'order_canceled' : priceLock ? 'capacity_unavailable' : 'order_expired';
    const why = { status: gaveUp ? 'canceled' : 'expired', error, errorMessage: catalogue[error].message } as const;
    const unit = { kind: 'close', orderId, accountId, ...why } as const;
    const finishedAtMs = Math.min(createdAtMs + waitedMs, past.untilMs);
    return { order, admission: null, end: (journal) => journal.write({ ...unit, finishedAtMs }) };
  }

  #started({ order, one, startMs, level }: Started): Drawn {
    const { random, load } = this.#options;
    const { tariff } = one.listing;
    const { createdAtMs, kind, outlives, batchId } = order;
    const price = Math.min(level.price, order.bid);
    const hold = worstCaseOf(tariff, price, { uncached: PROMPT_BOUND, cached: 0, output: OUTPUT_CAP });
    const admission = {
      ...{ attempt: 1, atMs: startMs, pod: one.model.pods[0] ?? one.model.down ?? '', price, levelSeq: level.number },
      ...{ restedSeq: 1, hold, ...(order.budgetFromMs === null ? {} : { budgetKey: order.keyId ?? '' }) },
    };
    const firstTokenMs = Math.round(150 * Math.exp(0.4 * normal(random)));
    const ends = { orderId: order.id, accountId: order.accountId, attempt: 1 };
    if (random.next() < FAILED_SHARE) {
      const why = { error: 'backend_error', errorMessage: catalogue.backend_error.message };
      const unit = { kind: 'fail', ...ends, ...why, finishedAtMs: startMs + firstTokenMs } as const;
      load.failed(unit.finishedAtMs);
      return { order, admission, end: (journal) => journal.write(unit) };
    }
    const tokens = this.#tokens();
    const tokenMs = 10 + 12 * random.next();
    const settled: SettleUnit = {
      ...{ kind: 'settle', ...ends, keyId: order.keyId, budgeted: order.budgetFromMs !== null },
      running: { createdAtMs, kind, outlives, batchId, market: order.limit !== null, hold },
      finishedAtMs: Math.round(startMs + firstTokenMs + tokenMs * tokens.output),
      ...{ model: order.model, pricing: tariff.type, price, tokens, estimated: false },
      charge: chargeOf(tariff, price, tokens),
      atBid: chargeOf(tariff, order.bid, tokens),
      firstOutputAtMs: startMs + firstTokenMs,
      ...{ resultBytes: null, resultText: null, resultExpiresAtMs: null },
    };
    load.settled(settled.finishedAtMs, settled.charge, firstTokenMs);
    const times = { waitMs: startMs - order.createdAtMs, firstTokenMs, tokensPerSecond: 1000 / tokenMs };
    this.#countRun(order.model, startMs, { ...times, bidOverLevel: order.bid / level.price });
    return { order, admission, end: (journal) => journal.write(settled) };
  }

  #tokens(): Tokens {
    const { random } = this.#options;
    const prompt = Math.min(PROMPT_BOUND, Math.round(30_000 * Math.exp(0.8 * normal(random))));
    const cached = Math.floor(prompt * 0.8 * random.next());
    const output = Math.min(OUTPUT_CAP, Math.round(1 + 1500 * Math.exp(0.7 * normal(random))));
    return { uncached: prompt - cached, cached, output };
  }

  #countRun(model: string, atMs: number, times: Parameters<RunCounts['add']>[0]): void {
    const hourMs = atMs - (atMs % HOUR_MS);
    const name = `${model} ${hourMs}`;
    const hour = this.#runs.get(name) ?? { model, hourMs, counts: new RunCounts() };
    this.#runs.set(name, hour);
    hour.counts.add(times);
  }
}

/** The times of this many orders of the past, as they rise: ever more of them towards the end. */
export function timesOfOrders(count: number, { fromMs, untilMs }: Past, random: Random): readonly number[] {
  const endMs = untilMs - RUN_MS_MAX;
  const times = Array.from({ length: count }, () => Math.floor(endMs - (endMs - fromMs) * random.next() ** 1.6));
  return times.sort((one, other) => one - other);
}

interface Started {
  readonly order: OrderRow;
  readonly one: SoldModel;
  readonly startMs: number;
  readonly level: { readonly number: number; readonly price: number };
}

/** One of `all`, with a chance in proportion to its weight. */
function chosen<Item>(random: Random, all: readonly Item[], weightOf: (item: Item, index: number) => number): Item {
  let left = random.next() * all.reduce((sum, item, index) => sum + weightOf(item, index), 0);
  const found = all.find((item, index) => {
    left -= weightOf(item, index);
    return left < 0;
  });
  const [first] = all;
  const item = found ?? first;
  assert(item !== undefined, 'there is something to choose from');
  return item;
}

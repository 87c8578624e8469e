/** What the parts of the benchmark have in common: orders, exchanges, and how memory and rates are measured. */
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { Random } from '#base/random.ts';
import { Exchange } from '#market/exchange/exchange.ts';
import type { Command, ExchangeEvent } from '#market/ports.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';

export const SLOTS = 512;
const ACCOUNTS = 2_000;

/** What a part needs: a row of the table to report, and ids for twice as many orders as rest. */
export interface Part {
  readonly resting: number;
  readonly ids: readonly string[];
  readonly report: (what: string, figure: string, target?: string) => void;
}

/** One market, all of whose slots are free. */
export function openExchange(emit: (event: ExchangeEvent) => void = () => {}): Exchange {
  const listings = [marketListing()];
  const exchange = new Exchange({
    listings,
    levelTimeConstantMs: 20_000,
    recovered: [],
    ...someQuotes(),
    emit,
    nowMs: 0,
  });
  exchange.handle({ type: 'capacity', model: marketListing().id, pod: 'pod', slots: SLOTS, healthy: true }, 0);
  return exchange;
}

/** An order that comes; as many accounts as `ACCOUNTS` send in turn. */
export function rest(order: string, index: number, bid: number): Command {
  return {
    type: 'rest',
    model: 'tide-70b',
    order,
    account: `account ${index % ACCOUNTS}`,
    bid,
    lockLimit: null,
    restedSeq: null,
    attempt: 1,
    avoidPod: null,
    house: false,
  };
}

/** Prices from 0.10 to 10 USD in steps of 0.0001, log-uniformly distributed. */
export function price(random: Random): number {
  return Math.round(10 ** (3 + 2 * random.next())) * 100_000;
}

/** Ids as from a request or the database: flat strings. */
export function makeIds(count: number): string[] {
  const source = idSource(systemClock);
  return Array.from({ length: count }, () => Buffer.from(source.uuid(), 'latin1').toString('latin1'));
}

/** Measured separately, because the ids exist before the book. */
export function bytesOfAnId(): number {
  const before = memory();
  const sample = makeIds(10_000);
  return (memory() - before) / sample.length;
}

/** Bytes in use, after the garbage was collected. */
export function memory(): number {
  // Some of what the first collection finds to be garbage is freed only by the next.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** How often a second this ran. */
export function rate(count: number, run: (index: number) => unknown): string {
  const startMs = performance.now();
  for (let index = 0; index < count; index++) run(index);
  return perSecondText((count * 1000) / (performance.now() - startMs));
}

export function perSecondText(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`;
}

export function bytes(count: number): string {
  return Math.round(count).toString();
}

export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}

/** The ordinary traders of a simulated floor, who send orders with random valuations at random moments. */
import { normal, normalQuantile, type Random } from '#base/random.ts';
import type { TraderOrder } from './floor.ts';
import type { Venue } from './venue.ts';

/** Ordinary traders. What changes with time is a function of the milliseconds since their start. */
export interface OrdinaryTraders {
  /** Demand as a multiple of the capacity of the slots. */
  readonly load: (sinceStartMs: number) => number;
  readonly slots: number;
  readonly lockShare: number;
  /** How many accounts they have. Default: 50. */
  readonly accounts?: number;
  /** What the names of their accounts begin with. Default: `account`. */
  readonly names?: string;
  /** The mean time that an order runs. Default: 20 seconds. */
  readonly runsMs?: number;
  /** The exponent of Pareto-distributed run times, above 1. Default: they are exponentially distributed. */
  readonly tail?: number;
  /** Each order is sent as this many at once, at the same bid, each running for the corresponding part. Default: 1. */
  readonly split?: number;
  /** Orders come in batches of 1 to this many, each of one account. Default: 1. */
  readonly batchMax?: number;
  /** What the values of orders are multiplied by. Default: 1. */
  readonly values?: (sinceStartMs: number) => number;
  /** The share of orders that pay any price. Default: none. */
  readonly unlimitedShare?: number;
  /** How long each order waits, unless it is a lock. Default: exponentially distributed around two minutes. */
  readonly patienceMs?: number;
  /** Canceled after `patienceMs`, an order is sent again while its owner has the default patience. Default: it is not. */
  readonly sendsAgain?: boolean;
  /** The limit of an order with this value, in whole nano-dollars; null sends none. Default: the value. */
  readonly bid?: (value: number) => number | null;
}

const RUNS_MS = 20_000;
/** The values of orders are log-normally distributed around one dollar. */
const VALUE_SPREAD = 0.5;
const ACCOUNTS = 50;
const PATIENCE_MS = 120_000;
/** The price limit of those who pay any price. */
const UNLIMITED = 1e18;

/** Keeps sending orders for as long as the floor runs. */
export function startTraders(floor: Venue, traders: OrdinaryTraders): void {
  const { load, slots, names = 'account', accounts = ACCOUNTS, runsMs = RUNS_MS, batchMax = 1 } = traders;
  const startMs = floor.nowMs;
  const { random } = floor;
  const batchMean = (1 + batchMax) / 2;
  const next = () => {
    const perMs = (Math.max(1e-6, load(floor.nowMs - startMs)) * (slots / runsMs)) / batchMean;
    floor.agenda.after(exponential(random.next(), 1 / perMs), () => {
      const account = `${names} ${Math.floor(random.next() * accounts)}`;
      const count = batchMax === 1 ? 1 : 1 + Math.floor(random.next() * batchMax);
      for (let at = 0; at < count; at++) sendOrder(floor, traders, account, floor.nowMs - startMs);
      next();
    });
  };
  next();
}

function sendOrder(floor: Venue, traders: OrdinaryTraders, account: string, sinceMs: number): void {
  const { lockShare, runsMs = RUNS_MS, tail, values, unlimitedShare = 0, split = 1 } = traders;
  const { random } = floor;
  const value = 1e9 * Math.exp(VALUE_SPREAD * normal(random)) * (values?.(sinceMs) ?? 1);
  const order = {
    account,
    limit: unlimitedShare > 0 && random.next() < unlimitedShare ? UNLIMITED : Math.round(value),
    lock: random.next() < lockShare,
    runsMs: Math.ceil((tail ? pareto(random, runsMs, tail) : exponential(random.next(), runsMs)) / split),
    patienceMs: Math.ceil(exponential(random.next(), PATIENCE_MS)),
  };
  for (let part = 0; part < split; part++) sendFor(floor, traders, order);
}

/** Sends an order as these traders bid and wait, and again if they do. */
function sendFor(floor: Venue, traders: OrdinaryTraders, order: TraderOrder): void {
  const { patienceMs, sendsAgain = false, bid } = traders;
  const limit = bid ? bid(order.limit) : order.limit;
  if (limit === null) return;
  const sent = floor.send({ ...order, limit, patienceMs: patienceMs ?? order.patienceMs });
  const leftMs = order.patienceMs - (patienceMs ?? order.patienceMs);
  if (!patienceMs || !sendsAgain || leftMs <= 0) return;
  // It is gone when its patience ends, and nobody could tell whether it ran.
  floor.agenda.after(patienceMs - 1, () => {
    if (!floor.isWaiting(sent)) return;
    floor.agenda.after(1, () => sendFor(floor, traders, { ...order, patienceMs: leftMs }));
  });
}

/** The price at which the flow of values is just as large as the slots, in USD. */
export function clearingPrice(load: number): number {
  return Math.exp(VALUE_SPREAD * normalQuantile(1 - 1 / load));
}

/** Exponentially distributed with this mean, from a draw. */
export function exponential(draw: number, mean: number): number {
  return -mean * Math.log(1 - draw);
}

/** Pareto-distributed with this mean; at most an hour. */
function pareto(random: Random, mean: number, tail: number): number {
  const least = (mean * (tail - 1)) / tail;
  return Math.min(3_600_000, least / (1 - random.next()) ** (1 / tail));
}

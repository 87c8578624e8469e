/** The traders of a simulated floor: ordinary ones with random valuations, and attackers who try to move its prices. */
import { normal } from '#base/random.ts';
import type { TraderOrder, TradingFloor } from './floor.ts';

/** Ordinary traders, who send orders at random moments. */
export interface OrdinaryTraders {
  /** Demand as a multiple of the capacity of the slots; may change with time. */
  readonly load: (sinceStartMs: number) => number;
  readonly slots: number;
  readonly lockShare: number;
  /** The mean time that an order runs. Default: 20 seconds. */
  readonly runsMs?: number;
}

const RUNS_MS = 20_000;
/** The values of orders are log-normally distributed around one dollar. */
const VALUE_SPREAD = 0.5;

/** Keeps sending orders for as long as the floor runs. */
export function startTraders(floor: TradingFloor, { load, slots, lockShare, runsMs = RUNS_MS }: OrdinaryTraders): void {
  const startMs = floor.nowMs;
  const { random } = floor;
  const next = () => {
    const perMs = Math.max(1e-6, load(floor.nowMs - startMs)) * (slots / runsMs);
    floor.agenda.after(exponential(random.next(), 1 / perMs), () => {
      floor.send(randomOrder(floor, lockShare, runsMs));
      next();
    });
  };
  next();
}

function randomOrder({ random }: TradingFloor, lockShare: number, runsMs: number): TraderOrder {
  return {
    account: `account ${Math.floor(random.next() * 50)}`,
    limit: Math.round(1e9 * Math.exp(VALUE_SPREAD * normal(random))),
    lock: random.next() < lockShare,
    runsMs: Math.ceil(exponential(random.next(), runsMs)),
    patienceMs: Math.ceil(exponential(random.next(), 120_000)),
  };
}

function exponential(draw: number, mean: number): number {
  return -mean * Math.log(1 - draw);
}

/** Attacks a floor for as long as it runs. */
export type Attack = (floor: TradingFloor, slots: number) => void;

const attacker = { account: 'attacker', lock: false, patienceMs: 600_000, unmeasured: true } as const;

/** The attackers; each spends little. */
export const attacks: Readonly<Record<string, Attack>> = {
  /** A constant few orders with absurd bids. */
  whale: (floor) => {
    every(floor, 30_000, () => floor.send({ ...attacker, limit: 1e18, runsMs: 1000 }));
  },
  /** A wall of bids, shown for 25 ms around each tick. */
  'bids around ticks': (floor, slots) => {
    every(floor, 1000, () => flash(floor, slots, 25), 987);
  },
  /** The same around each start of a quote window. */
  'bids around latches': (floor, slots) => {
    every(floor, 10_000, () => flash(floor, slots, 25), 9987);
  },
  /** Followers who always bid 0.9 of the level, and so never mean to outbid anyone. */
  followers: (floor) => {
    every(floor, 5000, () => {
      floor.send({ ...attacker, limit: Math.round(0.9 * floor.level), runsMs: 1000, patienceMs: 10_000 });
    });
  },
  /** A bidder who raises its bid by one per cent each second until it is served. */
  escalating: (floor) => {
    every(floor, 60_000, () => {
      let bid = Math.max(1, Math.round(0.5 * floor.level));
      const order = floor.send({ ...attacker, limit: bid, runsMs: 1000 });
      for (let second = 1; second < 60; second++) {
        floor.agenda.after(second * 1000, () => {
          bid = Math.round(bid * 1.01);
          floor.reprice(order, bid);
        });
      }
    });
  },
  /** Orders of a single token: many starts that hold no slot, at a bid that starts them at once. */
  'one-token flood': (floor, slots) => {
    every(floor, 1000, () => {
      for (let order = 0; order < slots / 16; order++)
        floor.send({ ...attacker, limit: 3 * floor.level, runsMs: 20, patienceMs: 5000 });
    });
  },
  /** A wall of absurd bids without money: they leave the book as soon as they are in it. */
  'bids without money': (floor, slots) => {
    every(floor, 10_000, () => {
      const account = `poor ${floor.nowMs}`;
      for (let order = 0; order < slots; order++)
        floor.send({ ...attacker, account, limit: 1e18, runsMs: 50, patienceMs: 60_000 });
      floor.park(account, true);
    });
  },
  /** An eighth of the slots is up for three seconds and down for the next three. */
  'flapping pod': (floor, slots) => {
    floor.pod('pod-1', slots - slots / 8);
    every(floor, 6000, () => floor.pod('pod-2', slots / 8));
    every(floor, 6000, () => floor.pod('pod-2', 0), 3000);
  },
};

/** Shows more high bids than the target considers, and withdraws them before they cost anything. */
function flash(floor: TradingFloor, slots: number, ms: number): void {
  const orders = Array.from({ length: 2 * slots }, () => floor.send({ ...attacker, limit: 1e18, runsMs: 50 }));
  floor.agenda.after(ms, () => {
    for (const order of orders) floor.cancel(order);
  });
}

function every(floor: TradingFloor, ms: number, run: () => void, firstMs = ms): void {
  floor.agenda.after(firstMs, () => {
    every(floor, ms, run);
    run();
  });
}

/**
 * Attackers who try to move the prices of a market for little money. Each plays from the moment it is started for as
 * long as the floor runs. Their orders are not measured with those of the others.
 */
import { MINUTE_MS } from '#base/time.ts';
import type { MarketTerms } from '#market/listing.ts';
import type { TradingFloor } from './floor.ts';
import type { Venue } from './venue.ts';

/** Plays an attack on a floor of this many slots. */
export type Attack = (floor: TradingFloor, slots: number) => void;

/** An attack with its name in tables, and what its listing must have. */
export interface NamedAttack {
  readonly name: string;
  readonly play: Attack;
  readonly listing?: Partial<MarketTerms>;
  /** It uses more than a hundred accounts that never ran an order before. */
  readonly freshAccounts?: boolean;
}

/** The highest bid that an API takes. */
const HIGHEST = 1e18;
/** One token takes about this long. */
const TOKEN_MS = 20;
/** As many accounts as one attacker can fund and register without being noticed. */
const ACCOUNTS = 20;
const TEN_MINUTES_MS = 10 * MINUTE_MS;

const order = { account: 'attacker', lock: false, patienceMs: 600_000, unmeasured: true } as const;

/** Every attack, those that were once cheap first. */
export const attacks: readonly NamedAttack[] = [
  ...[4, 16, 100, 200].map((perSecond) => ({ name: `${perSecond} one-token orders a second`, play: flood(perSecond) })),
  { name: '200 one-token orders a second from 20 accounts', play: flood(200, ACCOUNTS) },
  ...(
    [
      [100, 20, 200, 1],
      [100, 70, 200, 1],
      [150, 95, 200, 1],
      [150, 150, 250, 1],
      [500, 150, 250, ACCOUNTS],
      [500, 4900, 5000, ACCOUNTS],
      [500, 6000, 6500, ACCOUNTS],
    ] as const
  ).map(([orders, upMs, everyMs, accounts]) => ({
    name: `a wall of ${orders} repriced up for ${upMs} of ${everyMs} ms`,
    play: wall({ orders, upMs, everyMs, accounts }),
  })),
  { name: 'a wall of 300 that is cancelled and sent again every 4.9 s', play: resent(300, 4900) },
  { name: 'stairs of 1,000 bids, each above the one before', play: stairs(1000) },
  { name: 'bids above the largest share', play: overShare, listing: { accountShareMax: 0.05 } },
  { name: '300 locks a minute that cannot all start', play: missedLocks(300) },
  { name: '300 locks a minute from 20 accounts', play: missedLocks(300, ACCOUNTS) },
  { name: 'a shelf of 1,000 single tokens just above the level', play: shelf(1000, 1.05) },
  { name: 'a shelf of 1,000 single tokens just below the level', play: shelf(1000, 0.95) },
  { name: 'single tokens from accounts that once ran long orders', play: sleepers },
  { name: 'one bid of any height every half minute', play: whale },
  {
    name: 'a wall for 25 ms around each tick',
    play: (floor, slots) => every(floor, 1000, () => flash(floor, slots), 987),
  },
  {
    name: 'a wall for 25 ms around each latch',
    play: (floor, slots) => every(floor, 10_000, () => flash(floor, slots), 9987),
  },
  {
    name: 'a wall for the last 2 s of each window',
    play: (floor, slots) => every(floor, 10_000, () => flash(floor, slots, 2000), 7999),
  },
  {
    name: 'a wall of two orders of 5.2 s for each slot, canceled after 7.5 s, every ten minutes',
    play: holdingWall({ orders: 2, runsMs: 5200, accounts: ACCOUNTS, everyMs: TEN_MINUTES_MS }),
  },
  {
    name: 'the same wall, 30 % above the level',
    play: holdingWall({ orders: 2, runsMs: 5200, accounts: ACCOUNTS, everyMs: TEN_MINUTES_MS, bid: above }),
  },
  {
    name: 'a wall of sixteen orders of 0.3 s for each slot, each from a new account',
    play: holdingWall({ orders: 16, runsMs: 300, accounts: null, everyMs: TEN_MINUTES_MS }),
    freshAccounts: true,
  },
  {
    name: 'the same wall of new accounts, 30 % above the level',
    play: holdingWall({ orders: 16, runsMs: 300, accounts: null, everyMs: TEN_MINUTES_MS, bid: above }),
    freshAccounts: true,
  },
  { name: 'followers at 0.9 of the level', play: followers },
  { name: 'a bid that rises until it is served', play: escalating },
  { name: 'bids without money', play: withoutMoney },
  { name: 'a pod that comes and goes', play: flappingPod },
];

/** Orders of a single token at a bid that starts them at once: many starts that hold no slot. */
export function flood(perSecond: number, accounts = 1): (venue: Venue) => void {
  return (floor) => {
    let sent = 0;
    every(floor, 1000 / perSecond, () => {
      const account = `attacker ${sent++ % accounts}`;
      floor.send({ ...order, account, limit: HIGHEST, runsMs: TOKEN_MS, patienceMs: 5000 });
    });
  };
}

/** Queued orders at a price of 0 that all bid the ceiling for a part of each period. Those that ran are sent again. */
function wall(shape: { orders: number; upMs: number; everyMs: number; accounts: number }): Attack {
  return (floor) => {
    const place = (at: number) =>
      floor.send({ ...order, account: `attacker ${at % shape.accounts}`, limit: 0, runsMs: TOKEN_MS });
    const orders = Array.from({ length: shape.orders }, (_, at) => place(at));
    every(floor, shape.everyMs, () => {
      for (const [at, one] of orders.entries()) {
        if (!floor.isWaiting(one)) orders[at] = place(at);
        floor.reprice(orders[at] ?? '', HIGHEST);
      }
      floor.agenda.after(shape.upMs, () => {
        for (const one of orders) floor.reprice(one, 0);
      });
    });
  };
}

/** High bids that leave before they are five seconds old, and come again as new ones. */
function resent(count: number, everyMs: number): Attack {
  return (floor) => {
    let orders: string[] = [];
    every(floor, everyMs, () => {
      for (const one of orders) floor.cancel(one);
      orders = Array.from({ length: count }, (_, at) =>
        floor.send({ ...order, account: `attacker ${at % ACCOUNTS}`, limit: HIGHEST, runsMs: TOKEN_MS }),
      );
    });
  };
}

/** Bids that rise from the level to three times that, so that each is the best of its account; gone before most could run. */
function stairs(steps: number): Attack {
  return (floor) => {
    every(floor, 30_000, () => {
      const bid = (at: number) => Math.round(floor.level * (1 + (2 * at) / steps));
      const place = (at: number) =>
        floor.send({ ...order, account: `attacker ${at % ACCOUNTS}`, limit: bid(at), runsMs: TOKEN_MS });
      const orders = Array.from({ length: steps }, (_, at) => place(at));
      floor.agenda.after(9000, () => {
        for (const one of orders) floor.cancel(one);
      });
    });
  };
}

/** One account rests many absurd bids; only its share of the slots may run at a time. */
function overShare(floor: TradingFloor, slots: number): void {
  const place = () => floor.send({ ...order, limit: HIGHEST, runsMs: 20_000 });
  const orders = Array.from({ length: 3 * slots }, place);
  every(floor, 1000, () => {
    for (const [at, one] of orders.entries()) if (!floor.isWaiting(one)) orders[at] = place();
  });
}

/** Locks sent together at the beginning of a window, more than can start in it. */
function missedLocks(perMinute: number, accounts = 1): Attack {
  return (floor) => {
    every(floor, 10_000, () => {
      for (let at = 0; at < perMinute / 6; at++) {
        const account = `attacker ${at % accounts}`;
        floor.send({ ...order, account, lock: true, limit: HIGHEST, runsMs: TOKEN_MS });
      }
    });
  };
}

/** Many waiting single tokens at one price near the level; those that ran are sent again. */
function shelf(count: number, factor: number): Attack {
  return (floor) => {
    const place = (at: number) => {
      const limit = Math.round(factor * floor.level);
      return floor.send({ ...order, account: `attacker ${at % ACCOUNTS}`, limit, runsMs: TOKEN_MS });
    };
    const orders = Array.from({ length: count }, (_, at) => place(at));
    every(floor, 1000, () => {
      for (const [at, one] of orders.entries()) if (!floor.isWaiting(one)) orders[at] = place(at);
    });
  };
}

/** Accounts whose orders were long until now, so that their next ones are taken for long. */
function sleepers(floor: TradingFloor): void {
  let turn = 0;
  every(floor, MINUTE_MS, () => {
    const account = `attacker ${turn++ % ACCOUNTS}`;
    floor.send({ ...order, account, limit: HIGHEST, runsMs: 5000 });
    floor.agenda.after(30_000, () => {
      for (let at = 0; at < 200; at++) floor.send({ ...order, account, limit: HIGHEST, runsMs: TOKEN_MS });
    });
  });
}

/** A constant few orders with absurd bids. */
function whale(floor: TradingFloor): void {
  every(floor, 30_000, () => floor.send({ ...order, limit: HIGHEST, runsMs: 1000 }));
}

/** A wall of orders that hold a slot for a while. */
interface HoldingWall<Place> {
  /** For each slot. */
  readonly orders: number;
  readonly runsMs: number;
  /** Null: each order comes from an account of its own. */
  readonly accounts: number | null;
  readonly everyMs: number;
  /** Default: the highest that an API takes. */
  readonly bid?: (place: Place) => number;
}

/** Orders that would hold a slot, sent together again and again; what still waits after 7.5 s is canceled. */
export function holdingWall<Place extends Venue>(shape: HoldingWall<Place>): (floor: Place, slots: number) => void {
  const { orders, runsMs, accounts, everyMs, bid = () => HIGHEST } = shape;
  return (floor, slots) => {
    let sent = 0;
    every(floor, everyMs, () => {
      const limit = bid(floor);
      const wall = Array.from({ length: orders * slots }, () =>
        floor.send({ ...order, account: `attacker ${accounts ? sent++ % accounts : sent++}`, limit, runsMs }),
      );
      floor.agenda.after(7500, () => {
        for (const one of wall) floor.cancel(one);
      });
    });
  };
}

/** A bid 30 % above the level. */
function above(floor: TradingFloor): number {
  return Math.round(1.3 * floor.level);
}

/** Followers who always bid 0.9 of the level, and so never mean to outbid anyone. */
function followers(floor: TradingFloor): void {
  every(floor, 5000, () => {
    floor.send({ ...order, limit: Math.round(0.9 * floor.level), runsMs: 1000, patienceMs: 10_000 });
  });
}

/** A bidder who raises its bid by one per cent each second until it is served. */
function escalating(floor: TradingFloor): void {
  every(floor, 60_000, () => {
    let bid = Math.max(1, Math.round(0.5 * floor.level));
    const one = floor.send({ ...order, limit: bid, runsMs: 1000 });
    for (let second = 1; second < 60; second++) {
      floor.agenda.after(second * 1000, () => {
        bid = Math.round(bid * 1.01);
        floor.reprice(one, bid);
      });
    }
  });
}

/** A wall of absurd bids without money: they leave the book as soon as they are in it. */
function withoutMoney(floor: TradingFloor, slots: number): void {
  every(floor, 10_000, () => {
    const account = `poor ${floor.nowMs}`;
    const wall = Array.from({ length: slots }, () =>
      floor.send({ ...order, account, limit: HIGHEST, runsMs: 50, patienceMs: 60_000 }),
    );
    for (const one of wall) floor.waitForMoney(one);
  });
}

/** An eighth of the slots is up for three seconds and down for the next three. */
function flappingPod(floor: TradingFloor, slots: number): void {
  floor.pod('pod-1', slots - slots / 8);
  every(floor, 6000, () => floor.pod('pod-2', slots / 8));
  every(floor, 6000, () => floor.pod('pod-2', 0), 3000);
}

/** Shows more high bids than there are slots, and withdraws them before they cost anything. */
function flash(floor: TradingFloor, slots: number, ms = 25): void {
  const orders = Array.from({ length: 2 * slots }, () => floor.send({ ...order, limit: HIGHEST, runsMs: TOKEN_MS }));
  floor.agenda.after(ms, () => {
    for (const one of orders) floor.cancel(one);
  });
}

function every(floor: Pick<Venue, 'agenda'>, ms: number, run: () => void, firstMs = ms): void {
  floor.agenda.after(firstMs, () => {
    every(floor, ms, run);
    run();
  });
}

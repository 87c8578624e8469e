/**
 * The days of a live market, and what they are played with. Each is played twice: in a running gateway, and on a
 * simulated floor with the same orders at the same times.
 */
import { flood, holdingWall } from '#simulations/attacks.ts';
import { TradingFloor } from '#simulations/floor.ts';
import { figuresOf } from '#simulations/measures.ts';
import type { AttackedFigures } from '#simulations/requirements.ts';
import { startTraders } from '#simulations/traders.ts';
import type { Venue } from '#simulations/venue.ts';
import { rounded } from './live-order.ts';

/** A market and its traders. */
export interface LiveMarket {
  /** How many accounts of each kind. */
  readonly traders: number;
  readonly attackers: number;
  readonly slots: number;
  /** Demand as a multiple of capacity. */
  readonly load: number;
  /** The mean time that a trader's order runs. */
  readonly runsMs: number;
  readonly seed: number;
  /** Before the attack begins; not measured. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** The crowd alone, the same beside an attacker, and a crowd that does not wait. */
export const days = ['crowd', 'wall', 'flood', 'leaves'] as const;
export type Day = (typeof days)[number];

const LOCK_SHARE = 0.3;
/** Who leaves cancels what has not started by then. */
const LEAVES_AFTER_MS = 4000;

/** Starts those who trade all day. */
export function startCrowd(venue: Venue, day: Day, { slots, load, runsMs, traders }: LiveMarket): void {
  const crowd = { load: () => load, slots, runsMs, lockShare: LOCK_SHARE, accounts: traders };
  if (day === 'leaves') startTraders(leavingEarly(venue), { ...crowd, lockShare: 0 });
  else startTraders(venue, crowd);
}

/** Starts the attacker of a day, if it has one. A wall stands five times. */
export function startAttack(venue: Venue, day: Day, { attackers: accounts, slots, measuredMs }: LiveMarket): void {
  if (day === 'wall') holdingWall({ orders: 2, runsMs: 5200, accounts, everyMs: measuredMs / 5 })(venue, slots);
  if (day === 'flood') flood(150, accounts)(venue);
}

/** A place where every order is canceled when it has not started soon. */
function leavingEarly(venue: Venue): Venue {
  return sendingAs(venue, (wish) => {
    const order = venue.send(wish);
    venue.agenda.after(LEAVES_AFTER_MS, () => venue.cancel(order));
    return order;
  });
}

/** The same place with another way to send. */
function sendingAs(venue: Venue, send: Venue['send']): Venue {
  return {
    agenda: venue.agenda,
    random: venue.random,
    get nowMs() {
      return venue.nowMs;
    },
    send,
    isWaiting: (order) => venue.isWaiting(order),
    cancel: (order) => venue.cancel(order),
  };
}

/**
 * The figures of a simulated day. A gateway takes some milliseconds to begin and to end an order, which is much of a
 * single token. So the attacker's orders hold their slots for `heldMs` in turn, as long as they did live, and pay for
 * their tokens.
 */
export function simulated(day: Day, market: LiveMarket, heldMs: readonly number[]): AttackedFigures {
  const floor = new TradingFloor({ seed: market.seed, slots: market.slots });
  const attack = { wishedMs: 0, heldMs: 0, sent: 0 };
  const venue = sendingAs(floor, (wish) => {
    const order = rounded(wish);
    if (!wish.unmeasured) return floor.send(order);
    const runsMs = heldMs[attack.sent++ % heldMs.length] ?? order.runsMs;
    attack.wishedMs += order.runsMs;
    attack.heldMs += runsMs;
    return floor.send({ ...order, runsMs });
  });
  startCrowd(venue, day, market);
  floor.run(market.warmUpMs);
  floor.resetMeasures();
  floor.samples.length = 0;
  startAttack(venue, day, market);
  floor.run(market.measuredMs);
  if (attack.sent > 0) floor.measures.attackCost *= attack.wishedMs / attack.heldMs;
  const quoteMax = Math.max(...floor.samples.map(({ quote }) => quote)) / 1e9;
  return { ...figuresOf(floor.measures, market.slots), quoteMax };
}

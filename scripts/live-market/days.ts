/**
 * The days of a live market, and what they are played with. Each is played twice: in a running gateway, and on a
 * simulated floor with the same orders at the same times.
 */
import { flood, wall } from '#simulations/attacks.ts';
import { type TraderOrder, TradingFloor } from '#simulations/floor.ts';
import { figuresOf } from '#simulations/measures.ts';
import type { AttackedFigures } from '#simulations/requirements.ts';
import { startTraders } from '#simulations/traders.ts';
import type { Venue } from '#simulations/venue.ts';
import { rounded, TOKEN_MS } from './live-order.ts';

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

/** The crowd alone, and with one attacker. */
export const days = ['crowd', 'wall', 'flood'] as const;
export type Day = (typeof days)[number];

const LOCK_SHARE = 0.3;

/** Starts those who trade all day. */
export function startCrowd(venue: Venue, { slots, load, runsMs, traders }: LiveMarket): void {
  startTraders(venue, { load: () => load, slots, runsMs, lockShare: LOCK_SHARE, accounts: traders });
}

/** Starts the attacker of a day, if it has one. */
export function startAttack(venue: Venue, day: Day, { attackers: accounts }: LiveMarket): void {
  if (day === 'wall') wall({ orders: 150, upMs: 95, everyMs: 250, accounts })(venue);
  if (day === 'flood') flood(150, accounts)(venue);
}

/**
 * The figures of a simulated day. A gateway takes some milliseconds to begin and to end an order, which is much of a
 * single token. So the attacker's orders hold their slots for `heldMs` in turn, as long as they did live, and pay for
 * their tokens.
 */
export function simulated(day: Day, market: LiveMarket, heldMs: readonly number[]): AttackedFigures {
  const floor = new TradingFloor({ seed: market.seed, slots: market.slots });
  const venue = takingRounded(floor, heldMs);
  startCrowd(venue, market);
  floor.run(market.warmUpMs);
  floor.resetMeasures();
  floor.samples.length = 0;
  startAttack(venue, day, market);
  floor.run(market.measuredMs);
  floor.measures.attackCost *= TOKEN_MS / meanOf(heldMs);
  const quoteMax = Math.max(...floor.samples.map(({ quote }) => quote)) / 1e9;
  return { ...figuresOf(floor.measures, market.slots), quoteMax };
}

/** The floor as it would be behind HTTP. */
function takingRounded(floor: TradingFloor, heldMs: readonly number[]): Venue {
  let started = 0;
  const runsMs = () => heldMs[started++ % heldMs.length] ?? TOKEN_MS;
  return {
    agenda: floor.agenda,
    random: floor.random,
    get nowMs() {
      return floor.nowMs;
    },
    send: (wish: TraderOrder) => floor.send({ ...rounded(wish), ...(wish.unmeasured && { runsMs: runsMs() }) }),
    isWaiting: (order) => floor.isWaiting(order),
    reprice: (order, limit) => floor.reprice(order, limit),
  };
}

/** The time of a token without any. */
function meanOf(heldMs: readonly number[]): number {
  return heldMs.length === 0 ? TOKEN_MS : heldMs.reduce((sum, ms) => sum + ms, 0) / heldMs.length;
}

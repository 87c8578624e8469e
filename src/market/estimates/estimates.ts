/**
 * When orders are expected to start, from the odds of their market. The odds of a market are read at most once a second,
 * and a chance is computed once for everyone who asks for the same price in that second.
 */
import type { Clock } from '#base/clock.ts';
import { FairShare } from '#base/fair-share.ts';
import { lowest } from '#base/lowest.ts';
import type { PriceNano } from '#base/money.ts';
import { chancesAt, HORIZON_S, type MarketOdds, type OddsSource, pointOf } from './odds.ts';
import type { Reliability } from './reliability.ts';
import { type ChanceByTime, chanceWithin } from './start-chance.ts';

/** A picture of a market is used for this long. */
const AGE_MS = 1_000;
/**
 * Chances that are computed in a second, for everyone: strangers may ask, and each costs a fifth of a millisecond or more.
 * A caller may have as many computed as it leaves.
 */
export const COMPUTED_MAX = 200;

/** Orders that are sent together. */
export interface SentOrders {
  readonly orders: number;
  /** Beyond the horizon only where it is asked for. */
  readonly withinS: number;
  /** The caller that asks: an address or an account. */
  readonly caller?: string;
}

/** The estimates of every market. */
export class Estimates {
  readonly #source: OddsSource;
  readonly #clock: Clock;
  readonly #take: (caller: string) => void;
  readonly #pictures = new Map<string, { readonly atMs: number; readonly estimate: Promise<Estimate | null> }>();

  constructor(source: OddsSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#take = computingBudget(clock);
  }

  /** The market as it is now, or was a second ago. Null as `OddsSource.odds`. The caller bounds the names. */
  async of(model: string): Promise<Estimate | null> {
    const nowMs = this.#clock.nowMs();
    const known = this.#pictures.get(model);
    if (known && Math.abs(nowMs - known.atMs) < AGE_MS) return known.estimate;
    const estimate = this.#source.odds(model).then((odds) => odds && new Estimate(odds, { take: this.#take }));
    this.#pictures.set(model, { atMs: nowMs, estimate });
    return estimate;
  }
}

/** Counts one chance for the caller. Throws rate_limit_error when it has no share left of this second. */
function computingBudget(clock: Clock): (caller: string) => void {
  let [second, computed] = [0, new FairShare(COMPUTED_MAX)];
  return (caller) => {
    const now = Math.floor(clock.nowMs() / 1000);
    if (now !== second) computed = new FairShare(COMPUTED_MAX);
    second = now;
    computed.take(caller, TOO_MANY);
  };
}

const TOO_MANY = { message: 'This address has asked for too many estimates in this second.', retryAfterS: 1 };

/** The chances that follow from the odds of one market at one moment. */
export class Estimate {
  readonly #odds: MarketOdds;
  readonly #budget: { take(caller: string): void } | null;
  readonly #curves = new Map<string, ChanceByTime | null>();

  /** Without a budget nothing bounds what is computed. */
  constructor(odds: MarketOdds, budget: { take(caller: string): void } | null = null) {
    this.#odds = odds;
    this.#budget = budget;
  }

  get atMs(): number {
    return this.#odds.atMs;
  }

  /** How well estimates of this market did, by horizon. */
  get reliability(): readonly Reliability[] {
    return this.#odds.reliability;
  }

  /**
   * The chance by time that all of them start at this bid; null while nobody knows how long an order runs. Throws
   * rate_limit_error when too much was computed in this second, as the next does.
   */
  chances(bid: PriceNano, sent: SentOrders): ChanceByTime | null {
    return this.#at(pointOf(this.#odds, bid), sent);
  }

  /** The lowest bid with which all of them start in time with this chance; null for none, or where it is not known. */
  lowestBid(chance: number, sent: SentOrders): PriceNano | null {
    const { points } = this.#odds;
    const suffices = (at: number) => chanceWithin(this.#at(at, sent) ?? [], sent.withinS) >= chance;
    return points[lowest(points.length, suffices)]?.price ?? null;
  }

  #at(point: number, { orders, withinS, caller = '' }: SentOrders): ChanceByTime | null {
    const horizonS = Math.max(HORIZON_S, withinS);
    const name = `${point} ${orders} ${horizonS}`;
    const known = this.#curves.get(name);
    if (known !== undefined) return known;
    this.#budget?.take(caller);
    const curve = chancesAt(this.#odds, point, orders, horizonS);
    this.#curves.set(name, curve);
    return curve;
  }
}

/**
 * Imagined orders, by which a market learns how right its estimates are. Every five seconds one is placed behind a real
 * order that just came, at its bid. It takes no slot. It would have started when a slot is free, or when a slot goes to an
 * order behind it. So an outcome is always known in the end: nobody can cancel a shadow order, and what a real order's
 * owner does with it says nothing. Outcomes correct later estimates (`correction.ts`). docs/decisions/0057.
 */
import type { PriceNano } from '#base/money.ts';
import { type Random, seededRandom } from '#base/random.ts';
import type { Ranked } from '../book/order-book.ts';
import { type Correction, type CorrectionState, CountedOutcomes, correctedCurve, HORIZONS_S } from './correction.ts';
import { HORIZON_S, type MarketOdds, queueingAt } from './odds.ts';
import { ForecastScores, type Reliability, type ReliabilityState } from './reliability.ts';
import { chanceWithin, startChances } from './start-chance.ts';

/** Between two shadow orders: a chance costs a fifth of a millisecond. */
const EVERY_S = 5;
const LONGEST_S = Math.max(...HORIZONS_S);
/** If ticks are further apart than this, the time between them was not observed. */
const TICK_MS_MAX = 5_000;

/** Where an order stands in the queue. */
type Rank = Pick<Ranked, 'price' | 'seq'>;

interface ShadowOrder extends Rank {
  readonly tick: number;
  /** By horizon, the chance of the walk and the chance that was stated. */
  readonly walk: readonly number[];
  readonly said: readonly number[];
  started: boolean;
}

const NONE: Rank = { price: Number.POSITIVE_INFINITY, seq: 0 };

/** What a restart continues from, by horizon. Shadow orders that stand are forgotten. */
export interface EstimateState {
  readonly outcomes: readonly CorrectionState[];
  readonly scores: readonly ReliabilityState[];
}

/** The shadow orders of one market. Call `tick` once a second. */
export class ShadowOrders {
  readonly #outcomes: readonly CountedOutcomes[];
  readonly #scores: readonly ForecastScores[];
  /** The oldest first. */
  #standing: ShadowOrder[] = [];
  /** The rank of the last in the queue that a slot went to since the last tick; before all others for none. */
  #last: Rank = NONE;
  /** One of the orders that came since the last shadow order, and how many these were. */
  #arrived: Rank | null = null;
  #arrivals = 0;
  /** Draws which one, so that it does not help to send the last. Seeded, so that a replay draws the same. */
  readonly #random: Random = seededRandom(1);
  #ticks = 0;
  #tickMs: number;
  #state: EstimateState | null = null;

  constructor(nowMs: number, recovered?: EstimateState) {
    this.#tickMs = nowMs;
    this.#outcomes = HORIZONS_S.map((_, at) => new CountedOutcomes(recovered?.outcomes[at]));
    this.#scores = HORIZONS_S.map((_, at) => new ForecastScores(recovered?.scores[at]));
  }

  /** By horizon. */
  get corrections(): readonly Correction[] {
    return this.#outcomes.map(({ correction }) => correction);
  }

  /** By horizon. */
  get reliability(): readonly Reliability[] {
    return HORIZONS_S.flatMap((withinS, at) => this.#scores[at]?.of(withinS) ?? []);
  }

  /** The same object until an outcome is known. */
  state(): EstimateState {
    const [outcomes, scores] = [this.#outcomes, this.#scores];
    this.#state ??= { outcomes: outcomes.map((each) => each.state()), scores: scores.map((each) => each.state()) };
    return this.#state;
  }

  /** A new order came. */
  arrives({ price, seq }: Rank): void {
    if (this.#random.next() * ++this.#arrivals < 1) this.#arrived = { price, seq };
  }

  /** An order of this rank was given a slot, or one would have been. */
  starts(price: PriceNano, seq: number): void {
    const last = this.#last;
    if (price < last.price || (price === last.price && seq > last.seq)) this.#last = { price, seq };
  }

  /** A second has passed. `oddsFor` reads the odds at one price. */
  tick(nowMs: number, oddsFor: (price: PriceNano) => MarketOdds): void {
    this.#ticks++;
    if (Math.abs(nowMs - this.#tickMs) > TICK_MS_MAX) this.#standing = [];
    this.#tickMs = nowMs;
    for (const shadow of this.#standing) this.#follow(shadow);
    this.#last = NONE;
    while (this.#ticks - (this.#standing[0]?.tick ?? this.#ticks) >= LONGEST_S) this.#standing.shift();
    if (this.#ticks % EVERY_S === 0) this.#place(oddsFor);
  }

  #follow(shadow: ShadowOrder): void {
    const { price, seq } = this.#last;
    if (price < shadow.price || (price === shadow.price && seq > shadow.seq)) shadow.started = true;
    const ageS = this.#ticks - shadow.tick;
    const at = (HORIZONS_S as readonly number[]).indexOf(ageS);
    if (at >= 0) this.#state = null;
    this.#outcomes[at]?.learn(shadow.walk[at] ?? 0, shadow.started);
    this.#scores[at]?.learn(shadow.said[at] ?? 0, shadow.started);
  }

  /** Orders that start at once or never teach nothing, nor do orders without an estimate. */
  #place(oddsFor: (price: PriceNano) => MarketOdds): void {
    const arrived = this.#arrived;
    [this.#arrived, this.#arrivals] = [null, 0];
    if (!arrived) return;
    const queueing = queueingAt(oddsFor(arrived.price), 0, 1);
    if (queueing === null || typeof queueing === 'number') return;
    const curve = startChances(queueing, HORIZON_S, LONGEST_S);
    const said = correctedCurve(curve, this.corrections);
    this.#standing.push({
      ...arrived,
      tick: this.#ticks,
      walk: HORIZONS_S.map((withinS) => chanceWithin(curve, withinS)),
      said: HORIZONS_S.map((withinS) => chanceWithin(said, withinS)),
      started: false,
    });
  }
}

/**
 * What a market would do with more slots, or fewer. The exchange itself goes on from how the market stands, as after a
 * restart, for some simulated minutes: once with the present slots, and once with the other number. Orders arrive as
 * often and bid as they did during the last minute, and run as long as orders did lately. Nobody leaves, reprices or
 * comes because of the price. Both are played several times, from the same seeds, and averaged.
 */
import type { PriceNano } from '#base/money.ts';
import { type Random, seededRandom } from '#base/random.ts';
import { MINUTE_MS } from '#base/time.ts';
import { claimedIn } from '#market/book/held-times.ts';
import type { PricedRate } from '#market/estimates/order-flow.ts';
import { Exchange } from '#market/exchange/exchange.ts';
import { priceStateFrom } from '#market/exchange/market-prices.ts';
import type { MarketSituation, StandingOrder } from '#market/exchange/situation.ts';
import type { MarketTerms } from '#market/listing.ts';
import type { Admit, ExchangeEvent } from '#market/ports.ts';
import type { QuoteSettings } from '#market/price/quote.ts';

/** What is asked. Numbers and texts alone, so that another thread can answer it. */
export interface WhatIf {
  readonly terms: MarketTerms;
  readonly levelTimeConstantMs: number;
  readonly quotes: QuoteSettings;
  readonly situation: MarketSituation;
  /** How many slots there would be, from 0. */
  readonly slots: number;
}

/** How the level would go, and what would wait in the end. */
export interface PlayedMarket {
  /** One value for each point in time. */
  readonly levels: readonly PriceNano[];
  readonly waiting: number;
}

/** The answer. */
export interface WhatIfAnswer {
  /** The points of time: this far apart, the last one at the end. */
  readonly everyMs: number;
  /** With the present slots, and with the other number. */
  readonly asItIs: PlayedMarket;
  readonly changed: PlayedMarket;
  /** What was assumed. */
  readonly runMs: number;
  readonly arrivalsPerMinute: number;
}

const HORIZON_MS = 10 * MINUTE_MS;
const POINTS = 30;
const PLAYS = 4;
/** A play has about this many orders at most: a busy market is played for less time. About half a second in all. */
const ORDERS_MAX = 10_000;
/** With fewer orders that ended lately, nobody knows how long one runs. */
const ENDED_MIN = 5;
const TICK_MS = 1_000;
const POD = 'all';

/** Plays it; null when too few orders have ended lately to know how long one runs. The same question has one answer. */
export function whatIf(question: WhatIf): WhatIfAnswer | null {
  const { situation } = question;
  const { heldMs, ended } = situation.turnover;
  if (ended < ENDED_MIN) return null;
  const runMs = Math.max(1, heldMs / ended);
  const rates = situation.arrivals;
  const arrivals = { rates, perMs: rates.reduce((sum, { perSecond }) => sum + perSecond, 0) / 1000 };
  const endsPerMs = Math.max(situation.slots, question.slots) / runMs;
  const horizonMs = Math.min(HORIZON_MS, ORDERS_MAX / (arrivals.perMs + endsPerMs || 1));
  const everyMs = horizonMs / POINTS;
  const played = (slots: number) => {
    const plays = Array.from({ length: PLAYS }, (_, seed) => {
      return new Play({ ...question, slots }, { arrivals, runMs }, seededRandom(seed + 1)).levels(everyMs);
    });
    return averaged(plays);
  };
  const asItIs = played(situation.slots);
  const changed = question.slots === situation.slots ? asItIs : played(question.slots);
  return { everyMs, asItIs, changed, runMs, arrivalsPerMinute: arrivals.perMs * MINUTE_MS };
}

function averaged(plays: readonly PlayedMarket[]): PlayedMarket {
  const mean = (values: readonly number[]) => Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
  const levels = Array.from({ length: POINTS }, (_, point) => mean(plays.map(({ levels }) => levels[point] ?? 0)));
  return { levels, waiting: mean(plays.map(({ waiting }) => waiting)) };
}

interface Assumed {
  readonly arrivals: {
    readonly rates: readonly PricedRate[];
    readonly perMs: number;
  };
  /** Run times are exponentially distributed, so how long an order has run says nothing. */
  readonly runMs: number;
}

class Play {
  readonly #model: string;
  readonly #assumed: Assumed;
  readonly #random: Random;
  readonly #exchange: Exchange;
  readonly #running: Pick<Admit, 'order' | 'attempt'>[] = [];
  /** The accounts that send simulated orders, each with its share of them. */
  readonly #accounts: readonly (readonly [account: string, weight: number])[];
  #nowMs: number;
  #tickMs: number;
  #level: PriceNano;
  #sent = 0;

  constructor({ situation, slots, terms, levelTimeConstantMs, quotes }: WhatIf, assumed: Assumed, random: Random) {
    const { id: model } = terms;
    const { atMs, level, quote } = situation;
    this.#model = model;
    this.#assumed = assumed;
    this.#random = random;
    this.#accounts = accountsOf(situation);
    this.#nowMs = atMs;
    this.#tickMs = atMs + TICK_MS;
    this.#level = level;
    this.#exchange = new Exchange({
      listings: [terms],
      ...{ levelTimeConstantMs, quotes, random, nowMs: atMs },
      recovered: [{ model, levelSeq: 0, level, atMs }],
      recoveredQuotes: [{ model, quoteSeq: 0, price: quote.price, state: quote.state || null, lockMinutes: [] }],
      emit: (event) => this.#takeEvent(event),
    });
    for (const order of situation.executing) this.#holds(order);
    for (const order of situation.waiting) this.#rests(order, ++this.#sent);
    this.#exchange.handle({ type: 'capacity', model, pod: POD, slots, healthy: true }, atMs);
  }

  /** The level after each of these periods. */
  levels(everyMs: number): PlayedMarket {
    const startMs = this.#nowMs;
    const levels = Array.from({ length: POINTS }, (_, point) => {
      this.#playTo(startMs + everyMs * (point + 1));
      return this.#level;
    });
    return { levels, waiting: this.#exchange.find(this.#model)?.book.waiting ?? 0 };
  }

  /** Arrivals and ends have no memory, so the next one is drawn again after each tick. */
  #playTo(untilMs: number): void {
    for (;;) {
      const { arrivals, runMs } = this.#assumed;
      const perMs = arrivals.perMs + this.#running.length / runMs;
      const nextMs = this.#nowMs - Math.log(1 - this.#random.next()) / perMs;
      const stopMs = Math.min(untilMs, this.#tickMs);
      if (nextMs >= stopMs) {
        this.#nowMs = stopMs;
        if (stopMs === this.#tickMs) {
          this.#exchange.tick(stopMs);
          this.#tickMs += TICK_MS;
        }
        if (stopMs === untilMs) return;
        continue;
      }
      this.#nowMs = nextMs;
      if (this.#random.next() * perMs < arrivals.perMs) this.#arrives();
      else this.#ends();
    }
  }

  #arrives(): void {
    const { price } = drawn(this.#assumed.arrivals.rates, ({ perSecond }) => perSecond, this.#random);
    const [account] = drawn(this.#accounts, ([, weight]) => weight, this.#random);
    this.#sent++;
    this.#rests({ account, bid: price, house: false }, null);
  }

  #ends(): void {
    const at = Math.floor(this.#random.next() * this.#running.length);
    const ended = this.#running[at];
    const last = this.#running.pop();
    if (!ended || !last) return;
    if (last !== ended) this.#running[at] = last;
    const { order, attempt } = ended;
    const release = { type: 'release', model: this.#model, order, attempt, pod: POD, reason: 'finished' } as const;
    this.#exchange.handle(release, this.#nowMs);
  }

  #holds(standing: StandingOrder): void {
    const order = `runs ${this.#running.length}`;
    this.#running.push({ order, attempt: 1 });
    const held = { model: this.#model, order, attempt: 1, pod: POD, restedSeq: 0 };
    this.#exchange.handle({ type: 'hold', ...held, ...standing }, this.#nowMs);
  }

  /** Adds a waiting order. Orders that wait now keep their places: they have rested before. */
  #rests(standing: StandingOrder, restedSeq: number | null): void {
    const order = { model: this.#model, order: `order ${this.#sent}`, lockLimit: null, attempt: 1, avoidPod: null };
    this.#exchange.handle({ type: 'rest', ...order, ...standing, restedSeq }, this.#nowMs);
  }

  #takeEvent(event: ExchangeEvent): void {
    if (event.type === 'level') this.#level = event.level;
    else if (event.type === 'admit') this.#running.push({ order: event.order, attempt: event.attempt });
  }
}

/** Accounts that started orders lately, weighted by the slot time these orders claimed; else accounts with orders now. */
function accountsOf({ quote, executing, waiting }: MarketSituation): readonly (readonly [string, number])[] {
  const runs = priceStateFrom(quote.state || null)?.runs;
  const known = runs ? claimedIn(runs).filter(([, claimed]) => claimed > 0) : [];
  if (known.length > 0) return known;
  const here = [...executing, ...waiting].map(({ account }) => [account, 1] as const);
  return here.length > 0 ? here : [['somebody', 1]];
}

/** One of these, each as likely as its weight says. There is at least one. */
function drawn<Item>(items: readonly Item[], weightOf: (item: Item) => number, random: Random): Item {
  let left = random.next() * items.reduce((sum, item) => sum + weightOf(item), 0);
  const found = items.find((item) => {
    left -= weightOf(item);
    return left < 0;
  });
  const last = found ?? items.at(-1);
  if (last === undefined) throw new Error('nothing to draw from');
  return last;
}

/** The level of random stories of the exchange, against a model of the rule that keeps lists and reads all of them each time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from '../exchange/exchange.ts';
import type { Admit, ExchangeEvent } from '../ports.ts';
import { SlotTurnover } from './slot-turnover.ts';

const START_MS = 1_000_000;
const { ceiling } = marketListing();

/** An order in the model. */
interface Told {
  readonly account: string;
  bid: number;
  readonly limit: number | null;
  readonly cameMs: number;
  readonly levelThen: number;
  looks: { atMs: number; again: boolean } | null;
  startedMs: number | null;
  asked: number;
  above: boolean;
  payer: Payer | null;
}

interface Payer {
  readonly means: number[];
  mean: number;
  /** Credit as steps: what was added or spent, when. */
  credit: number;
  creditMs: number;
  held: number;
}

/** The rule as the decision describes it, with no care for speed. */
class NaiveLevel {
  level = 0;
  high = 0;
  readonly orders = new Map<string, Told>();
  readonly payers = new Map<string, Payer>();
  readonly unknown: Payer = payer();
  readonly starts: { bid: number; ms: number; atMs: number }[] = [];
  readonly turnover = new SlotTurnover({ target: 0.95, windowMs: 10_000 }, START_MS);
  readonly slots: number;
  free: number;
  sums = { above: 0, below: 0, idle: 0, unserved: 0 };
  smooth = { served: 0, unserved: 0 };
  nowMs = START_MS;
  uncredited = 0;

  constructor(slots: number) {
    this.slots = slots;
    this.free = slots;
  }

  passTo(nowMs: number): void {
    for (;;) {
      const due = [...this.orders.values()]
        .filter(({ looks, startedMs }) => startedMs === null && looks !== null && looks.atMs <= nowMs)
        .sort(
          (one, two) => (one.looks?.atMs ?? 0) - (two.looks?.atMs ?? 0) || +!!one.looks?.again - +!!two.looks?.again,
        )[0];
      if (!due?.looks) break;
      const { atMs } = due.looks;
      due.looks = this.count(due, atMs) ? { atMs: atMs + 10_000, again: true } : null;
    }
    this.sums.idle += this.free * (nowMs - this.nowMs);
    this.turnover.count(this.slots, nowMs);
    this.nowMs = nowMs;
  }

  comes(id: string, account: string, bid: number, limit: number | null): void {
    const looks = { atMs: this.nowMs + 2500, again: false };
    const place = { cameMs: this.nowMs, levelThen: Math.round(this.level), looks, startedMs: null };
    this.orders.set(id, { account, bid, limit, ...place, asked: 0, above: false, payer: null });
  }

  leaves(id: string): void {
    const order = this.orders.get(id);
    assert.ok(order);
    const waitedMs = this.nowMs - order.cameMs;
    if (waitedMs >= 500 && order.asked === 0) this.count(order, this.nowMs, 0);
    this.back(order, order.asked * Math.max(0, 1 - waitedMs / 6000));
    this.orders.delete(id);
  }

  reprices(id: string, bid: number): void {
    const order = this.orders.get(id);
    assert.ok(order);
    if (bid > order.bid) order.looks = { atMs: this.nowMs + 2500, again: false };
    order.bid = bid;
  }

  admits(id: string): void {
    const order = this.orders.get(id);
    assert.ok(order);
    this.back(order, order.asked);
    const own = this.payers.get(order.account);
    order.asked = own?.mean ?? 1000;
    order.above = worth(order) >= Math.min(order.levelThen, Math.round(this.level));
    this.sums[order.above ? 'above' : 'below'] += order.asked;
    if (this.nowMs > order.cameMs) this.starts.push({ bid: order.bid, ms: order.asked, atMs: this.nowMs });
    order.startedMs = this.nowMs;
    order.payer = own ?? this.unknown;
    this.credit(order.payer, this.nowMs);
    order.payer.held++;
    this.free--;
    this.turnover.starts();
  }

  ends(id: string): void {
    const order = this.orders.get(id);
    assert.ok(order?.payer && order.startedMs !== null);
    this.orders.delete(id);
    const heldMs = this.nowMs - order.startedMs;
    this.credit(order.payer, this.nowMs);
    order.payer.held--;
    const own = this.payers.get(order.account);
    if ((own?.means.length ?? 0) < 5) this.sums[order.above ? 'above' : 'below'] += heldMs - order.asked;
    const learnt = own ?? { ...payer(), mean: heldMs, creditMs: this.nowMs };
    this.payers.set(order.account, learnt);
    learnt.mean = Math.max(1, 0.8 * learnt.mean + 0.2 * heldMs);
    learnt.means.push(heldMs);
    this.free++;
    this.turnover.ends(heldMs);
  }

  tick(): void {
    const { heldMs, ended } = this.turnover.state();
    const perSecond = (this.slots * 1000) / (ended < 1 ? 20_000 : heldMs / ended);
    const slowness = Math.max(1, 3.2 / perSecond);
    const spare = Math.min(0.15, 0.05 * Math.sqrt(slowness - 1));
    const { above, below, idle, unserved } = this.sums;
    const weight = 1 - Math.exp(-1 / Math.max(1, 12 / perSecond));
    const whole = this.slots * 1000;
    this.smooth.served += weight * ((spare * above - (1 - spare) * (below + idle)) / whole - this.smooth.served);
    this.smooth.unserved += weight * ((0.8 * unserved) / whole - this.smooth.unserved);
    this.sums = { above: 0, below: 0, idle: 0, unserved: 0 };
    const x = Math.max(-1, Math.min(1, this.smooth.served + Math.max(-0.5, Math.min(0.7, this.smooth.unserved))));
    const moved = this.level * Math.exp((x * (0.25 + 0.8 * Math.abs(x))) / Math.sqrt(slowness) / 20);
    const paid = this.free > 0 ? null : this.paid();
    this.uncredited = paid !== null && paid >= 1.25 * Math.round(this.level) ? 1 / slowness : 0;
    let next = moved;
    if (paid !== null && paid >= 1.25 * moved) {
      const isCold = moved < 0.25 * Math.max(this.high, Math.min(paid, ceiling / 100));
      const speed = isCold ? Number(x > 0.05) : Math.max(0, Math.min(1, (x - 0.3) / 0.2)) / Math.sqrt(slowness);
      const most = Math.max(1.3 * moved, this.high / 2, moved + ceiling / 1000);
      next += (Math.min(paid / 1.25, most) - moved) * (1 - Math.exp(-speed / 3));
    }
    this.high = Math.max(moved, this.high * Math.exp(-1 / 86_400));
    this.level = Math.min(ceiling, next);
  }

  private count(order: Told, atMs: number, uncredited = this.uncredited): boolean {
    if (worth(order) < Math.round(this.level)) return false;
    const own = this.payers.get(order.account);
    const from = own ?? this.unknown;
    this.credit(from, atMs);
    const ofAccount = [...this.orders.values()].filter(({ account }) => account === order.account);
    const waiting = ofAccount.filter(({ startedMs }) => startedMs === null);
    const asked = waiting.reduce((sum, other) => sum + other.asked, 0);
    const room = 4000 * (ofAccount.length - waiting.length + 1) - asked;
    if (!own && room <= 0) return false;
    const wanted = own?.mean ?? Math.min(4000, room);
    const spent = Math.min(wanted, from.credit);
    const counted = spent + uncredited * (wanted - spent);
    from.credit -= spent;
    order.asked += counted;
    this.sums.unserved += counted;
    return spent > 0;
  }

  private back(order: Told, ms: number): void {
    const from = this.payers.get(order.account) ?? this.unknown;
    this.credit(from, this.nowMs);
    from.credit += ms;
    order.asked -= ms;
    this.sums.unserved -= ms;
  }

  private credit(own: Payer, atMs: number): void {
    const left = Math.exp((own.creditMs - atMs) / 60_000);
    own.credit = own.credit * left + own.held * 60_000 * (1 - left);
    own.creditMs = atMs;
  }

  /** The lower end of the 3 % step in which nine tenths of the slot time started from the queue are reached. */
  private paid(): number | null {
    const steps = new Map<number, number>();
    for (const { bid, ms, atMs } of this.starts) {
      const step = 1 + Math.floor(Math.log(bid) / Math.log(1.03));
      steps.set(step, (steps.get(step) ?? 0) + ms * Math.exp((atMs - this.nowMs) / 5000));
    }
    const all = [...steps.values()].reduce((sum, ms) => sum + ms, 0);
    if (all < 1) return null;
    let sum = 0;
    for (const [step, ms] of [...steps].sort(([one], [two]) => two - one)) {
      sum += ms;
      if (sum >= 0.9 * all * (1 - 1e-12)) return Math.ceil(1.03 ** (step - 1));
    }
    return null;
  }
}

function payer(): Payer {
  return { means: [], mean: 0, credit: 0, creditMs: START_MS, held: 0 };
}

function worth({ bid, limit }: Told): number {
  return limit === null ? bid : Math.max(bid, limit);
}

/** A story of so many seconds on four slots, and the levels of exchange and model after each. */
function levelsOf(seed: number, seconds: number): readonly (readonly [exchange: number, model: number])[] {
  const random = seededRandom(seed);
  const model = new NaiveLevel(4);
  const events: ExchangeEvent[] = [];
  const listing = marketListing();
  const common = { listings: [listing], levelTimeConstantMs: 20_000, recovered: [], ...someQuotes() };
  const exchange = new Exchange({ ...common, emit: (event) => void events.push(event), nowMs: START_MS });
  const where = { model: listing.id };
  exchange.handle({ type: 'capacity', ...where, pod: 'pod', slots: 4, healthy: true }, START_MS);
  const running = new Map<string, Admit>();
  const levels: [number, number][] = [];
  let [nowMs, level, heard] = [START_MS, 0, 0];
  const hear = () => {
    for (; heard < events.length; heard++) {
      const event = events[heard];
      if (event?.type === 'level') level = event.level;
      if (event?.type !== 'admit') continue;
      running.set(event.order, event);
      model.admits(event.order);
    }
  };
  for (let second = 1; second <= seconds; second++) {
    for (let acts = random.next() * 4; acts > 1; acts--) {
      nowMs = Math.min(START_MS + second * 1000 - 1, nowMs + Math.ceil(random.next() * 400));
      model.passTo(nowMs);
      act({ exchange, model, running, random, nowMs, where });
      hear();
    }
    nowMs = START_MS + second * 1000;
    model.passTo(nowMs);
    exchange.tick(nowMs);
    hear();
    model.tick();
    levels.push([level, Math.round(model.level)]);
  }
  return levels;
}

let orders = 0;

function act(story: {
  exchange: Exchange;
  model: NaiveLevel;
  running: Map<string, Admit>;
  random: Random;
  nowMs: number;
  where: { model: string };
}): void {
  const { exchange, model, running, random, nowMs, where } = story;
  const one = <Item>(items: readonly Item[]) => items[Math.floor(random.next() * items.length)];
  const bid = () => Math.round(1e9 * Math.exp(random.next() * 2 - 1));
  const waiting = [...model.orders].filter(([, { startedMs }]) => startedMs === null).map(([id]) => id);
  const draw = random.next();
  if (draw < 0.5) {
    const [order, account, price] = [`order ${orders++}`, `account ${Math.floor(random.next() * 6)}`, bid()];
    const lockLimit = random.next() < 0.3 ? 2 * price : null;
    const first = { restedSeq: null, attempt: 1, avoidPod: null, house: false };
    model.comes(order, account, price, lockLimit);
    exchange.handle({ type: 'rest', ...where, order, account, bid: price, lockLimit, ...first }, nowMs);
  } else if (draw < 0.8) {
    const admit = one([...running.values()]);
    if (!admit) return;
    const { order, attempt, pod } = admit;
    running.delete(order);
    model.ends(order);
    exchange.handle({ type: 'release', ...where, order, attempt, pod, reason: 'finished' }, nowMs);
  } else {
    const order = one(waiting);
    if (!order) return;
    const isLeaving = draw < 0.9;
    const price = bid();
    if (isLeaving) model.leaves(order);
    else model.reprices(order, price);
    if (isLeaving) exchange.handle({ type: 'withdraw', ...where, order, expired: false }, nowMs);
    else exchange.handle({ type: 'reprice', ...where, order, bid: price }, nowMs);
  }
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`the exchange moves the level as the model of the rule does, story ${seed}`, () => {
    const levels = levelsOf(seed, 400);
    assert.ok(
      levels.some(([level]) => level > 1e8),
      'the story has a price',
    );
    for (const [second, [exchange, model]] of levels.entries())
      assert.ok(Math.abs(exchange - model) <= 2 + 1e-6 * model, `second ${second}: ${exchange} instead of ${model}`);
  });
}

/**
 * Seeded runs of random commands, valid and invalid, against an order service with its own plain books. After every
 * command both must agree on who executes, who waits and where.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from './exchange/exchange.ts';
import type { Listing } from './listing.ts';
import type { Admit, Command, ExchangeEvent, LevelMoved, Release, Rest } from './ports.ts';

interface Known {
  readonly order: string;
  readonly account: string;
  bid: number;
  seq: number;
  attempt: number;
  state: 'waiting' | 'executing' | 'gone';
  pod: string;
}

const PODS = ['north', 'south'];
const ACCOUNTS = ['ann', 'ben', 'cid', 'dan'];

class Oracle {
  readonly orders = new Map<string, Known>();
  readonly pods = new Map(PODS.map((id) => [id, { slots: 0, healthy: false }]));
  readonly listing: Listing;
  readonly #exchange: Exchange;
  readonly #random: Random;
  #events: ExchangeEvent[] = [];
  #eventSeq = 0;
  #restedSeq = 0;
  #level: LevelMoved | null = null;
  nowMs = 0;

  constructor(listing: Listing, random: Random) {
    this.listing = listing;
    this.#random = random;
    const emit = (event: ExchangeEvent) => void this.#events.push(event);
    this.#exchange = new Exchange({
      listings: [listing],
      levelTimeConstantMs: 5000,
      recovered: [],
      ...someQuotes(),
      emit,
      nowMs: 0,
    });
    this.#hear();
  }

  in(state: Known['state']): Known[] {
    return [...this.orders.values()].filter((known) => known.state === state);
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random.next() * items.length)];
  }

  rest(kept: Known | null): void {
    const order = kept?.order ?? `order ${this.orders.size}`;
    const account = kept?.account ?? this.pick(ACCOUNTS) ?? '';
    const bid = kept?.bid ?? Math.floor(this.#random.next() * 6) * 1e9;
    const seq = kept?.seq ?? this.#restedSeq + 1;
    this.#restedSeq = Math.max(this.#restedSeq, seq);
    const attempt = (kept?.attempt ?? 0) + 1;
    this.orders.set(order, { order, account, bid, seq, attempt, state: 'waiting', pod: '' });
    const where = { model: this.listing.id, lockLimit: null, house: this.#random.next() < 0.1 };
    const rest: Rest = {
      type: 'rest',
      order,
      account,
      bid,
      attempt,
      restedSeq: kept?.seq ?? null,
      avoidPod: null,
      ...where,
    };
    const answers = this.say(rest).filter((event) => 'order' in event && event.order === order);
    assert.deepEqual(
      answers.map((event) => event.type),
      [this.orders.get(order)?.state === 'executing' ? 'admit' : 'rested'],
    );
    assert.deepEqual(this.say(rest), [], 'a repeated rest changes nothing');
  }

  withdraw(known: Known): void {
    if (known.state !== 'executing') known.state = 'gone';
    assert.deepEqual(
      this.say({ type: 'withdraw', model: this.listing.id, order: known.order, expired: this.#random.next() < 0.5 }),
      [],
    );
  }

  waitForMoney(known: Known): void {
    known.state = 'gone';
    const left = { model: this.listing.id, order: known.order, expired: false, waitsForMoney: true } as const;
    assert.deepEqual(this.say({ type: 'withdraw', ...left }), []);
  }

  reprice(known: Known, bid: number): void {
    const may = this.listing.type === 'market' && known.state === 'waiting';
    if (may) {
      known.bid = bid;
      known.seq = ++this.#restedSeq;
    }
    const [answer, ...more] = this.say({ type: 'reprice', model: this.listing.id, order: known.order, bid });
    assert.equal(answer?.type, may ? 'repriced' : 'not-resting');
    assert.equal(more.length, 0);
  }

  release(known: Known, reason: Release['reason']): void {
    const command: Release = {
      type: 'release',
      model: this.listing.id,
      order: known.order,
      attempt: known.attempt,
      pod: known.pod,
      reason,
    };
    assert.deepEqual(this.say({ ...command, attempt: known.attempt + 1 }), [], 'a false attempt changes nothing');
    known.state = 'gone';
    this.say(command);
    assert.deepEqual(this.say(command), [], 'a repeated release changes nothing');
  }

  capacity(pod: string, slots: number, healthy: boolean): void {
    this.pods.set(pod, { slots, healthy });
    this.say({ type: 'capacity', model: this.listing.id, pod, slots, healthy });
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.#exchange.tick(this.nowMs);
    this.#hear();
  }

  say(command: Command): ExchangeEvent[] {
    this.#exchange.handle(command, this.nowMs);
    // Quote windows end when they are due, whatever the command.
    return this.#hear().filter(({ type }) => type !== 'quote');
  }

  /** Checks the events, then that no order waits beside a free slot and that every position is right. */
  #hear(): ExchangeEvent[] {
    const events = this.#events;
    this.#events = [];
    for (const event of events) {
      assert.equal(event.seq, ++this.#eventSeq);
      if (event.type === 'level') this.#moved(event);
      if (event.type === 'admit') this.#admitted(event);
      if (event.type === 'rested') assert.equal(event.restedSeq, this.orders.get(event.order)?.seq);
    }
    if (this.in('waiting').length > 0) assert.ok(PODS.every((pod) => this.#freeAt(pod) <= 0));
    const places = this.#exchange.positions(this.listing.id, [...this.orders.keys()]);
    assert.deepEqual(
      places,
      [...this.orders.values()].map((known) => this.#place(known)),
    );
    return events;
  }

  #moved(event: LevelMoved): void {
    assert.equal(event.levelSeq, (this.#level?.levelSeq ?? 0) + 1);
    assert.ok(event.level >= this.listing.floor && event.level <= this.listing.ceiling);
    assert.equal(
      event.degraded,
      PODS.every((pod) => !this.pods.get(pod)?.healthy || this.pods.get(pod)?.slots === 0),
    );
    if (event.degraded && this.#level) assert.equal(event.level, this.#level.level);
    this.#level = event;
  }

  #admitted(event: Admit): void {
    const known = this.orders.get(event.order);
    assert.ok(known?.state === 'waiting', `${event.order} was not waiting`);
    assert.ok(this.#freeAt(event.pod) > 0, `${event.pod} had no slot`);
    assert.deepEqual([event.attempt, event.restedSeq], [known.attempt, known.seq]);
    if (this.listing.type === 'market') {
      assert.equal(this.#place(known), 1, 'a better order was passed over');
      assert.deepEqual([event.level, event.levelSeq], [this.#level?.level, this.#level?.levelSeq]);
    } else {
      assert.ok(!this.in('waiting').some((other) => other.account === known.account && other.seq < known.seq));
    }
    known.state = 'executing';
    known.pod = event.pod;
  }

  #place(known: Known): number | null {
    if (known.state !== 'waiting' || this.listing.type === 'fixed') return null;
    const ahead = (other: Known) => other.bid > known.bid || (other.bid === known.bid && other.seq < known.seq);
    return this.in('waiting').filter(ahead).length + 1;
  }

  #freeAt(id: string): number {
    const pod = this.pods.get(id);
    if (!pod?.healthy) return 0;
    return pod.slots - this.in('executing').filter((known) => known.pod === id).length;
  }
}

function step(oracle: Oracle, random: Random): void {
  // Also between ticks: levels go wrong in the middle of a second.
  oracle.nowMs += Math.floor(random.next() * 300);
  const dice = random.next();
  const running = oracle.pick(oracle.in('executing'));
  const any = oracle.pick([...oracle.orders.values()].slice(-40));
  if (dice < 0.4 || !any) oracle.rest(null);
  else if (dice < 0.5) oracle.withdraw(any);
  else if (dice < 0.6) oracle.reprice(any, Math.floor(random.next() * 6) * 1e9);
  else if (dice < 0.8 && running) {
    oracle.release(running, oracle.pick(['finished', 'finished', 'refused'] as const) ?? 'finished');
    if (running.state === 'gone' && random.next() < 0.3) oracle.rest(running);
  } else if (dice < 0.84 && any.state === 'waiting') oracle.waitForMoney(any);
  else if (dice < 0.88 && any.state === 'gone') oracle.rest(any);
  else if (dice < 0.94) oracle.capacity(oracle.pick(PODS) ?? '', Math.floor(random.next() * 4), random.next() < 0.7);
  else oracle.pass(Math.floor(random.next() * 3000));
}

for (const listing of [marketListing({ floor: 1e9, ceiling: 4e9 }), fixedListing()]) {
  for (const seed of [1, 2, 3, 4]) {
    test(`a ${listing.type} listing keeps every promise over a random run (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const oracle = new Oracle(listing, random);
      for (let count = 0; count < 400; count++) step(oracle, random);
      assert.ok(oracle.orders.size > 100);
    });
  }
}

/** The owner's side of a market: when it begins, what it counts as taken, and what it sends to whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import type { Written } from '#market/exchange/event-writer.ts';
import type { Listing } from '#market/listing.ts';
import type { Command, HeldSlot, MarketEvent, Rest } from '#market/ports.ts';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { FromOwner, GatewayId, Resync, ToOwner } from '../messages.ts';
import { MarketHost } from './market-host.ts';

const MODEL = 'tide-70b';
const EPOCH = 50;
const SELF = 1;

/** A market at its owner, gateway 1; the test plays the others, the network and the database. */
class HostBench {
  readonly clock = new ManualClock();
  readonly said: { readonly to: GatewayId; readonly message: FromOwner }[] = [];
  readonly asked: GatewayId[][] = [];
  readonly host: MarketHost;
  /** Slots by the rows. */
  rows: (HeldSlot & { gateway: GatewayId })[] = [];
  lost = 0;
  opened = 0;
  reads = 0;
  failures: number;
  /** While set, nothing commits. */
  #paused: (() => void)[] | null = null;
  outcome: Written = 'committed';
  readonly written: MarketEvent[] = [];

  /** `failures`: how often the past cannot be read. */
  constructor(failures = 0, listing: Listing = marketListing()) {
    this.failures = failures;
    this.host = new MarketHost({
      ...{ self: SELF, listing, epoch: EPOCH, clock: this.clock, log: silentLog },
      exchange: { quotes: someQuotes().quotes, random: someQuotes().random, levelTimeConstantMs: 20_000 },
      past: async () => {
        this.reads++;
        if (this.failures-- > 0) throw new Error('planted');
        const level = { model: MODEL, levelSeq: 7, level: 4e9, atMs: 0 };
        return { levels: [level, { ...level, model: 'other', levelSeq: 9 }], quotes: [] };
      },
      store: {
        slotsHeld: async (_model, reported) => {
          this.asked.push([...reported]);
          return this.rows.filter(({ gateway }) => !reported.includes(gateway));
        },
      },
      write: (event) => {
        this.written.push(event);
        const { promise, resolve } = Promise.withResolvers<Written>();
        const commit = () => resolve(this.outcome);
        if (this.#paused) this.#paused.push(commit);
        else commit();
        return promise;
      },
      send: (to, message) => void this.said.push({ to, message }),
      opened: () => {
        this.opened++;
        this.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 2, healthy: true });
      },
      onLost: () => this.lost++,
    });
  }

  pause(): void {
    this.#paused = [];
  }

  async resume(): Promise<void> {
    const commits = this.#paused ?? [];
    this.#paused = null;
    for (const commit of commits) commit();
    await this.clock.advance(0);
  }

  /** What the gateways received about orders, and the levels. */
  told(to: GatewayId): string[] {
    return this.said.flatMap((each) => {
      if (each.to !== to || each.message.type !== 'event') return [];
      const { event } = each.message;
      if (event.type === 'quote' || event.type === 'locks') return [];
      return [event.type === 'level' ? `level ${event.levelSeq}` : `${event.type} ${event.order}`];
    });
  }

  orders(to: GatewayId): string[] {
    return this.told(to).filter((what) => !what.startsWith('level'));
  }

  command(from: GatewayId, command: Command, epoch = EPOCH): void {
    this.host.take(from, { type: 'command', epoch, model: MODEL, command });
  }

  rest(from: GatewayId, order: string, change: Partial<Rest> = {}): void {
    this.command(from, restOf(order, change));
  }

  release(from: GatewayId, order: string): void {
    this.command(from, { type: 'release', model: MODEL, order, attempt: 1, pod: 'pod', reason: 'finished' });
  }

  report(from: GatewayId, has: Partial<Resync> = {}): void {
    this.host.take(from, resyncOf(has));
  }

  /** Opens with these gateways, which have nothing. */
  async open(...others: GatewayId[]): Promise<void> {
    this.host.alive([SELF, ...others], [SELF, ...others]);
    for (const gateway of [SELF, ...others]) {
      this.host.join(gateway);
      this.report(gateway);
    }
    await this.clock.advance(0);
  }

  async positions(from: GatewayId, ...orders: string[]): Promise<readonly (number | null)[]> {
    this.host.take(from, { type: 'positions?', id: 1, model: MODEL, orders });
    await this.clock.advance(0);
    const answer = this.said.findLast(({ message }) => message.type === 'positions')?.message;
    assert.ok(answer?.type === 'positions');
    return answer.places;
  }
}

/** A new order of an account of its own. */
function restOf(order: string, change: Partial<Rest> = {}): Rest {
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  return { type: 'rest', model: MODEL, order, account: order, bid: 3e9, ...first, ...change };
}

/** A slot that an order holds. */
function held(order: string, change: Partial<HeldSlot> = {}): HeldSlot {
  const slot = { model: MODEL, order, account: order, attempt: 1, pod: 'pod', bid: 3e9, restedSeq: 5, house: false };
  return { ...slot, ...change };
}

/** What a gateway has, by default nothing. */
function resyncOf(has: Partial<Resync>): Resync {
  return { type: 'resync', model: MODEL, epoch: EPOCH, rests: [], holds: [], last: true, ...has };
}

test('nothing runs before every gateway that beats has said what it has; then the best order does', async () => {
  const bench = new HostBench();
  for (const gateway of [SELF, 2, 3]) bench.host.join(gateway);
  bench.host.alive([SELF, 2, 3, 4], [SELF, 2, 3]);
  bench.report(SELF, { rests: [restOf('own', { bid: 1e9 })] });
  bench.report(2, { holds: [held('runs')] });
  bench.rest(2, 'second', { bid: 2e9 });
  await bench.clock.advance(2_000);
  assert.deepEqual([bench.opened, bench.asked], [0, []]);
  bench.report(3, { rests: [restOf('third', { bid: 5e9 })], last: false });
  await bench.clock.advance(100);
  assert.equal(bench.opened, 0, 'the last part has not come');
  bench.report(3);
  await bench.clock.advance(0);
  assert.deepEqual([bench.opened, bench.asked], [1, [[SELF, 2, 3]]]);
  assert.deepEqual(bench.orders(3), ['rested third', 'admit third'], 'one slot of two was free');
  assert.deepEqual([bench.orders(2), bench.orders(SELF)], [['rested second'], ['rested own']]);
  bench.host.close();
});

test('after three seconds it begins without the silent, whose slots are those of the rows', async () => {
  const bench = new HostBench();
  bench.rows = [{ ...held('silent'), gateway: 3 }];
  for (const gateway of [SELF, 2, 3]) bench.host.join(gateway);
  bench.host.alive([SELF, 2, 3], [SELF, 2, 3]);
  for (const gateway of [SELF, 2]) bench.report(gateway);
  await bench.clock.advance(2_999);
  assert.equal(bench.opened, 0);
  await bench.clock.advance(1);
  assert.deepEqual([bench.opened, bench.asked], [1, [[SELF, 2]]]);
  bench.rest(2, 'one');
  bench.rest(2, 'two');
  assert.deepEqual(bench.orders(2), ['admit one', 'rested two']);
  bench.report(3);
  assert.deepEqual(bench.orders(2), ['admit one', 'rested two', 'admit two'], 'it holds nothing, as it says');
  bench.host.close();
});

test('the database is asked again until it answers', async () => {
  const bench = new HostBench(2);
  await bench.open();
  assert.equal(bench.opened, 0);
  await bench.clock.advance(1_000);
  assert.deepEqual([bench.reads, bench.opened], [3, 1]);
  assert.deepEqual(bench.told(SELF).slice(0, 1), ['level 8'], 'levels go on from the row of this market');
  bench.host.close();
});

test('a session that breaks takes the waiting orders out of the book, and keeps the slots until the next says', async () => {
  const bench = new HostBench();
  await bench.open(2);
  for (const order of ['one', 'two', 'three', 'four']) bench.rest(2, order);
  bench.host.leave(2);
  assert.deepEqual(await bench.positions(SELF, 'three', 'four'), [null, null]);
  bench.rest(SELF, 'own');
  assert.deepEqual(bench.orders(SELF), ['rested own'], 'both slots are still held');
  bench.rest(2, 'late');
  assert.deepEqual(await bench.positions(SELF, 'late'), [null], 'nothing is heard without a session');
  bench.host.join(2);
  bench.report(2, { holds: [held('one')], rests: [restOf('three', { restedSeq: 3, bid: 1e9 })] });
  assert.deepEqual(bench.orders(SELF), ['rested own', 'admit own'], 'two has ended');
  assert.deepEqual(await bench.positions(SELF, 'three', 'four'), [1, null]);
  assert.ok(!bench.orders(2).slice(4).includes('rested three'), 'its place is known');
  bench.host.close();
});

test('an order that waits, and that the owner took for running, waits', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.rest(2, 'one');
  bench.host.leave(2);
  bench.host.join(2);
  bench.report(2, { rests: [restOf('one', { restedSeq: 1 })] });
  assert.deepEqual(bench.orders(2), ['admit one', 'admit one'], 'it had not heard of the first');
  bench.release(2, 'one');
  bench.rest(SELF, 'a');
  bench.rest(SELF, 'b');
  assert.deepEqual(bench.orders(SELF), ['admit a', 'admit b']);
  bench.host.close();
});

test('others receive a level and what follows when it has committed; this gateway at once', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.pause();
  bench.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 0, healthy: true });
  bench.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 2, healthy: true });
  const before = bench.told(2).length;
  bench.rest(2, 'theirs');
  bench.rest(SELF, 'own');
  assert.deepEqual([bench.told(2).length, bench.told(SELF).slice(-1)], [before, ['admit own']]);
  await bench.resume();
  assert.deepEqual(bench.told(2).slice(before), ['level 10', 'level 11', 'admit theirs']);
  bench.host.close();
});

test('what was held back is not sent on the next session, in which the gateway has said that it does not know', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.pause();
  bench.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 0, healthy: true });
  bench.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 2, healthy: true });
  bench.rest(2, 'one', { restedSeq: 1 });
  bench.host.leave(2);
  bench.host.join(2);
  bench.report(2);
  await bench.resume();
  assert.deepEqual(bench.orders(2), []);
  bench.host.close();
});

test('a level or a quote that finds another owner ends it, and it says nothing more', async () => {
  for (const outcome of ['stale', 'failed'] as const) {
    const bench = new HostBench();
    await bench.open(2);
    bench.outcome = outcome;
    bench.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 0, healthy: true });
    const before = bench.told(2).length;
    await bench.clock.advance(0);
    bench.rest(2, 'late');
    assert.deepEqual([bench.lost, bench.told(2).length, bench.clock.pending], [1, before, 0]);
  }
});

test('quotes are sent when they have committed, without what only an owner needs', async () => {
  const bench = new HostBench();
  bench.pause();
  await bench.open(2);
  const quotes = () => bench.said.filter(({ message }) => message.type === 'event' && message.event.type === 'quote');
  assert.deepEqual(quotes(), []);
  await bench.resume();
  assert.deepEqual(
    quotes().map(({ to, message }) => [
      to,
      message.type === 'event' && 'state' in message.event && message.event.state,
    ]),
    [
      [SELF, null],
      [2, null],
    ],
  );
  bench.host.join(3);
  const welcome = bench.said.at(-1)?.message;
  assert.ok(welcome?.type === 'welcome' && welcome.quote && !('state' in welcome.quote));
  assert.ok(welcome.level && welcome.level.levelSeq >= 8);
  bench.host.close();
});

test('messages of another epoch change nothing', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.command(2, restOf('old'), EPOCH - 1);
  bench.host.take(2, resyncOf({ epoch: EPOCH + 1, rests: [restOf('new')] }) as ToOwner);
  assert.deepEqual(bench.orders(2), []);
  bench.host.close();
});

test('a gateway changes only its own orders, until their own is gone', async () => {
  const bench = new HostBench();
  await bench.open(2, 3);
  for (const order of ['one', 'two', 'three']) bench.rest(2, order);
  bench.release(3, 'one');
  bench.command(3, { type: 'withdraw', model: MODEL, order: 'three', expired: false });
  bench.command(3, { type: 'reprice', model: MODEL, order: 'three', bid: 9e9 });
  bench.command(3, { type: 'capacity', model: MODEL, pod: 'pod', slots: 9, healthy: true });
  assert.deepEqual(bench.orders(2), ['admit one', 'admit two', 'rested three']);
  assert.deepEqual(bench.orders(3), ['not-resting three']);
  bench.host.leave(2);
  bench.release(3, 'one');
  bench.rest(3, 'two', { attempt: 2, restedSeq: 2 });
  bench.rest(3, 'four');
  assert.deepEqual(bench.orders(3), ['not-resting three', 'admit two', 'admit four'], 'adopted: one ended, two again');
  bench.host.close();
});

test('the slots of a gateway that the database knows no longer are free at the second beat', async () => {
  const bench = new HostBench();
  bench.rows = [{ ...held('dead'), gateway: 9 }];
  await bench.open(2);
  for (const order of ['one', 'two']) bench.rest(2, order);
  assert.deepEqual(bench.orders(2), ['admit one', 'rested two']);
  bench.host.alive([SELF, 2, 9], [SELF, 2]);
  bench.host.alive([SELF, 2], [SELF, 2]);
  assert.equal(bench.orders(2).length, 2);
  bench.host.alive([SELF, 2], [SELF, 2]);
  assert.deepEqual(bench.orders(2).slice(2), ['admit two']);
  bench.host.close();
});

test('it finishes when its last level, quote and lock outcomes have been written, and decides nothing after', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.rest(2, 'lock', { lockLimit: 5e9 });
  bench.pause();
  let finished = false;
  void bench.host.finish().then(() => {
    finished = true;
  });
  bench.rest(2, 'late');
  await bench.clock.advance(5_000);
  assert.deepEqual([finished, bench.written.at(-1)?.type], [false, 'locks']);
  await bench.resume();
  assert.deepEqual([finished, bench.orders(2), bench.lost], [true, ['admit lock'], 0]);
  assert.equal(bench.clock.pending, 0);
});

test('a hundred parts of a report enter in the order of the places, with others served meanwhile', async () => {
  const bench = new HostBench();
  bench.host.join(SELF);
  bench.host.alive([SELF], [SELF]);
  const many = Array.from({ length: 5_000 }, (_, index) => restOf(`${index}`, { restedSeq: 5_000 - index }));
  for (let at = 0; at < many.length; at += 50) bench.report(SELF, { rests: many.slice(at, at + 50), last: false });
  bench.report(SELF);
  bench.rest(SELF, 'after', { bid: 4e9 });
  await bench.clock.advance(10);
  assert.deepEqual(bench.orders(SELF), ['rested after', 'admit after', 'admit 4999']);
  assert.deepEqual(await bench.positions(SELF, '4998', '0'), [1, 4_999]);
  bench.host.close();
});

test('a fixed listing has no level to wait for, and its orders take turns by gateway or not', async () => {
  const bench = new HostBench(0, fixedListing({ id: MODEL }));
  await bench.open(2);
  bench.pause();
  for (const order of ['one', 'two', 'three']) bench.rest(2, order);
  bench.release(2, 'one');
  assert.deepEqual(bench.orders(2), ['admit one', 'admit two', 'rested three', 'admit three']);
  assert.deepEqual(await bench.positions(2, 'three'), [null]);
  bench.host.close();
});

test('a preview has its level and its quote, and no orders', async () => {
  const bench = new HostBench(0, marketListing({ preview: true }));
  await bench.open(2);
  await bench.clock.advance(20_000);
  assert.ok(bench.told(2).length > 3);
  assert.deepEqual(bench.orders(2), []);
  bench.host.close();
});

test('the gateway of an order with a deadline receives the bid that the market chose, and each move of it', async () => {
  const bench = new HostBench();
  await bench.open(2);
  bench.rest(2, 'runs');
  bench.rest(2, 'also');
  const deadline = { limit: 9e9, byMs: bench.clock.nowMs() + 60_000 };
  bench.rest(2, 'patient', { bid: 1e9, restedSeq: 3, deadline });
  await bench.clock.advance(0);
  for (let second = 0; second < 20; second++) await bench.clock.advance(1000);
  assert.deepEqual(
    bench.orders(2).filter((what) => what.endsWith('patient')),
    ['rested patient', 'moved patient'],
  );
  const last = bench.said.findLast(({ message }) => message.type === 'event' && message.event.type === 'moved');
  assert.ok(last?.message.type === 'event' && last.message.event.type === 'moved');
  assert.deepEqual([last.to, last.message.event.bid], [2, 9e9]);
});

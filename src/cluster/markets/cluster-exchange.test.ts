/** The gateway's side: where commands go, what is sent to an owner, and which events count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import type { Admit, Command, ExchangeEvent, LevelMoved, Rest } from '#market/ports.ts';
import type { Standing } from '#orders/market-standing.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { GatewayId, PeerMessage } from '../messages.ts';
import type { PeerSession } from '../ports.ts';
import { ClusterExchange } from './cluster-exchange.ts';

const MODEL = 'tide-70b';
const SELF = 1;

class FakeSession implements PeerSession {
  readonly gateway: GatewayId;
  readonly sent: PeerMessage[] = [];
  closed = false;

  constructor(gateway: GatewayId) {
    this.gateway = gateway;
  }

  send(message: PeerMessage): void {
    if (!this.closed) this.sent.push(message);
  }

  close(): void {
    this.closed = true;
  }

  /** What was sent, in short. */
  get said(): string[] {
    return this.sent.map((message) => {
      if (message.type === 'resync') return `${message.holds.length} holds ${message.rests.length} rests`;
      return message.type === 'command' ? message.command.type : message.type;
    });
  }
}

class ExchangeBench {
  readonly clock = new ManualClock();
  readonly heard: ExchangeEvent[] = [];
  readonly lost: number[] = [];
  readonly asked: string[] = [];
  standing: Standing = { rests: [], holds: [] };
  readonly exchange = new ClusterExchange({
    ...{ self: SELF, clock: this.clock, log: silentLog },
    listings: [marketListing(), marketListing({ id: 'other' })],
    exchange: () => ({ quotes: someQuotes().quotes, random: someQuotes().random, levelTimeConstantMs: 20_000 }),
    past: async () => ({ levels: [], quotes: [] }),
    store: { slotsHeld: async () => [] },
    write: async () => 'committed',
    standing: (model) => (model === MODEL ? this.standing : { rests: [], holds: [] }),
    askCapacity: (model) => void this.asked.push(model),
    onLost: (_model, epoch) => void this.lost.push(epoch),
  });

  constructor() {
    this.exchange.listen((event) => void this.heard.push(event));
  }

  session(gateway: GatewayId): FakeSession {
    const session = new FakeSession(gateway);
    this.exchange.opened(session);
    return session;
  }

  /** A session with the owner of the market. */
  async owner(gateway: GatewayId, epoch: number): Promise<FakeSession> {
    const session = this.session(gateway);
    await this.say(session, { type: 'welcome', model: MODEL, epoch, kind: 'market', level: null, quote: null });
    return session;
  }

  async say(session: FakeSession, message: PeerMessage): Promise<void> {
    this.exchange.message(session, message);
    await this.clock.advance(0);
  }
}

function rest(order: string, restedSeq: number | null = null): Rest {
  const first = { lockLimit: null, attempt: 1, avoidPod: null, house: false, restedSeq };
  return { type: 'rest', model: MODEL, order, account: 'ann', bid: 3e9, ...first };
}

const reprice = (order: string): Command => ({ type: 'reprice', model: MODEL, order, bid: 4e9 });
const admit: Admit = {
  ...{ type: 'admit', model: MODEL, seq: 4, order: 'one', attempt: 1, restedSeq: 1, pod: 'pod' },
  ...{ level: 2e9, levelSeq: 3 },
};
const level: LevelMoved = { type: 'level', model: MODEL, seq: 1, level: 1, levelSeq: 2, degraded: false, atMs: 0 };

test('commands go to the owner, after all that the gateway has', async () => {
  const bench = new ExchangeBench();
  bench.exchange.send(rest('dropped'));
  bench.standing = { rests: [rest('one', 1), rest('two')], holds: [] };
  const session = await bench.owner(2, 10);
  bench.exchange.send(rest('three'));
  assert.deepEqual(session.said, ['0 holds 2 rests', '0 holds 0 rests', 'rest']);
  const last = session.sent[1];
  assert.ok(last?.type === 'resync' && last.last && last.epoch === 10);
  assert.equal(bench.exchange.ownerOf(MODEL), 2);
});

test('what it has is sent in parts of two thousand, in turns, and commands wait for the last', async () => {
  const bench = new ExchangeBench();
  const rests = Array.from({ length: 4_500 }, (_, index) => rest(`${index}`, index));
  bench.standing = { rests, holds: [] };
  const session = bench.session(2);
  bench.exchange.message(session, {
    type: 'welcome',
    model: MODEL,
    epoch: 10,
    kind: 'market',
    level: null,
    quote: null,
  });
  bench.exchange.send(rest('after'));
  assert.deepEqual(session.said, ['0 holds 2000 rests']);
  await bench.clock.advance(5);
  assert.deepEqual(session.said.slice(1), ['0 holds 2000 rests', '0 holds 500 rests', '0 holds 0 rests', 'rest']);
});

test('a report that is under way ends with its session, and starts again on the next', async () => {
  const bench = new ExchangeBench();
  bench.standing = {
    rests: Array.from({ length: 4_500 }, (_, index) => rest(`${index}`, index)),
    holds: [],
  };
  const first = bench.session(2);
  bench.exchange.message(first, { type: 'welcome', model: MODEL, epoch: 10, kind: 'market', level: null, quote: null });
  bench.exchange.closed(first);
  bench.standing = { rests: [], holds: [] };
  const second = await bench.owner(2, 10);
  await bench.clock.advance(5);
  assert.deepEqual([first.said, second.said], [['0 holds 2000 rests'], ['0 holds 0 rests']]);
});

test('an unanswered reprice is sent to each next owner until one answers it', async () => {
  const bench = new ExchangeBench();
  bench.exchange.send(reprice('one'));
  const first = await bench.owner(2, 10);
  bench.exchange.send(reprice('two'));
  assert.deepEqual(first.said, ['0 holds 0 rests', 'reprice', 'reprice']);
  const event = { type: 'repriced', model: MODEL, seq: 1, order: 'one', bid: 4e9, restedSeq: 9 } as const;
  await bench.say(first, { type: 'event', epoch: 10, event });
  const second = await bench.owner(3, 11);
  assert.deepEqual(second.said, ['0 holds 0 rests', 'reprice']);
  assert.deepEqual(bench.heard, [event]);
});

test('more reprices than may wait for an owner are answered at once', async () => {
  const bench = new ExchangeBench();
  for (let sent = 0; sent < 10_001; sent++) bench.exchange.send(reprice(`${sent}`));
  await bench.clock.advance(0);
  assert.deepEqual(
    bench.heard.map((event) => event.type === 'not-resting' && event.order),
    ['10000'],
  );
});

test('events are heard from the present owner only, admissions with their epoch', async () => {
  const bench = new ExchangeBench();
  const old = await bench.owner(2, 10);
  const owner = await bench.owner(3, 20);
  await bench.say(old, { type: 'event', epoch: 10, event: admit });
  await bench.say(owner, { type: 'event', epoch: 10, event: admit });
  await bench.say(old, { type: 'welcome', model: MODEL, epoch: 10, kind: 'market', level, quote: null });
  await bench.say(old, { type: 'left', model: MODEL, epoch: 20 });
  assert.deepEqual([bench.heard, bench.exchange.ownerOf(MODEL)], [[], 3]);
  await bench.say(owner, { type: 'event', epoch: 20, event: admit });
  assert.deepEqual(bench.heard, [{ ...admit, epoch: 20 }]);
  await bench.say(owner, { type: 'left', model: MODEL, epoch: 20 });
  assert.equal(bench.exchange.ownerOf(MODEL), null);
});

test('a welcome says the level and the quote, which are heard like others', async () => {
  const bench = new ExchangeBench();
  const session = bench.session(2);
  const figures = { previousPrice: null, clearRate: null, scarceClearRate: null, attainable: null };
  const quote = {
    type: 'quote',
    model: MODEL,
    seq: 2,
    quoteSeq: 1,
    price: 3,
    atMs: 0,
    untilMs: 9,
    ...figures,
  } as const;
  await bench.say(session, { type: 'welcome', model: MODEL, epoch: 10, kind: 'market', level, quote });
  assert.deepEqual(bench.heard, [level, { ...quote, state: null }]);
});

test('positions are unknown without an owner, and when it does not answer within two seconds', async () => {
  const bench = new ExchangeBench();
  assert.deepEqual(await bench.exchange.positions(MODEL, ['one']), [null]);
  const session = await bench.owner(2, 10);
  const silent = bench.exchange.positions(MODEL, ['one', 'two']);
  const answered = bench.exchange.positions(MODEL, ['one', 'two']);
  const question = session.sent.at(-1);
  assert.ok(question?.type === 'positions?');
  await bench.say(session, { type: 'positions', id: question.id, places: [3, null] });
  assert.deepEqual(await answered, [3, null]);
  await bench.clock.advance(2_000);
  assert.deepEqual([await silent, bench.clock.pending], [[null, null], 0]);
});

test('an own market works as one of another gateway does, and asks for capacity when it opens', async () => {
  const bench = new ExchangeBench();
  bench.exchange.gatewaysAlive([SELF], [SELF]);
  bench.exchange.send({ type: 'capacity', model: MODEL, pod: 'pod', slots: 1, healthy: true });
  bench.standing = { rests: [rest('one', 7)], holds: [] };
  bench.exchange.owns(MODEL, 30);
  await bench.clock.advance(0);
  assert.deepEqual([bench.asked, bench.exchange.ownerOf(MODEL)], [[MODEL], SELF]);
  assert.deepEqual(await bench.exchange.positions(MODEL, ['one']), [1]);
  bench.exchange.send({ type: 'capacity', model: MODEL, pod: 'pod', slots: 1, healthy: true });
  const heardInside = bench.heard.length;
  bench.exchange.send(rest('two'));
  assert.equal(bench.heard.length, heardInside, 'never from inside send');
  await bench.clock.advance(0);
  const orders = bench.heard.flatMap((event) => ('order' in event ? [`${event.type} ${event.order}`] : []));
  assert.deepEqual(orders, ['admit one', 'rested two']);
  assert.equal(bench.heard.find((event) => event.type === 'admit')?.epoch, 30);
  bench.exchange.close();
  assert.equal(bench.clock.pending, 0);
});

test('the owner goes by its own file: other terms count where it owns the market, now or later', async () => {
  const bench = new ExchangeBench();
  bench.exchange.gatewaysAlive([SELF], [SELF]);
  const levels = (model: string) =>
    bench.heard.flatMap((event) => (event.type === 'level' && event.model === model ? [event.level] : []));
  bench.exchange.owns(MODEL, 30);
  await bench.clock.advance(0);
  bench.standing = { rests: [], holds: [] };
  bench.exchange.send(rest('waits'));
  const lifted = { floor: 7e9, ceiling: 9e9 };
  for (const id of [MODEL, 'other']) bench.exchange.renew({ ...marketListing({ id }), ...lifted });
  await bench.clock.advance(0);
  assert.deepEqual([levels(MODEL).at(-1), levels('other')], [7e9, []]);
  assert.deepEqual(await bench.exchange.positions(MODEL, ['waits']), [1]);
  bench.exchange.owns('other', 31);
  await bench.clock.advance(0);
  assert.deepEqual(levels('other'), [7e9]);
  bench.exchange.close();
});

test('a gateway that does not sell a model says that it has nothing there, and what it has once it sells it', async () => {
  const bench = new ExchangeBench();
  const session = bench.session(2);
  const welcome = { type: 'welcome', model: 'new', epoch: 10, kind: 'market', level: null, quote: null } as const;
  await bench.say(session, welcome);
  assert.deepEqual(session.sent, [{ type: 'resync', model: 'new', epoch: 10, rests: [], holds: [], last: true }]);
  bench.exchange.renew(marketListing({ id: 'new' }));
  assert.deepEqual(
    [session.sent.at(-1), bench.exchange.models.includes('new')],
    [{ type: 'sells', model: 'new' }, true],
  );
  await bench.say(session, welcome);
  bench.exchange.send({ ...rest('one'), model: 'new' });
  assert.deepEqual([session.said.at(-1), bench.exchange.ownerOf('new')], ['rest', 2]);
});

test('an owner welcomes a gateway again that sells its model from now on', async () => {
  const bench = new ExchangeBench();
  bench.exchange.owns(MODEL, 30);
  const session = bench.session(2);
  await bench.say(session, { type: 'sells', model: MODEL });
  await bench.say(session, { type: 'sells', model: 'unknown' });
  assert.deepEqual(session.said, ['welcome', 'welcome']);
  bench.exchange.close();
});

test('nothing is sent to an owner that has the market as another kind, until both agree', async () => {
  const bench = new ExchangeBench();
  bench.standing = { rests: [rest('one', 1)], holds: [] };
  const session = bench.session(2);
  const welcome = { type: 'welcome', model: MODEL, epoch: 10, level, quote: null } as const;
  await bench.say(session, { ...welcome, kind: 'preview' });
  bench.exchange.send(rest('two'));
  assert.deepEqual([session.said, bench.exchange.ownerOf(MODEL), bench.heard], [[], 2, [level]]);
  await bench.say(session, { ...welcome, kind: 'market' });
  assert.deepEqual(session.said, ['0 holds 1 rests', '0 holds 0 rests']);
  bench.exchange.renew({ ...marketListing({ preview: true }), id: MODEL });
  bench.exchange.send(rest('three'));
  await bench.say(session, { ...welcome, kind: 'market' });
  assert.deepEqual(session.said.slice(2), ['sells']);
});

test('a preview that opens at its owner takes what waits at others', async () => {
  const bench = new ExchangeBench();
  bench.exchange.renew(marketListing({ preview: true }));
  bench.exchange.gatewaysAlive([SELF], [SELF]);
  bench.exchange.owns(MODEL, 30);
  await bench.clock.advance(0);
  const session = bench.session(2);
  bench.exchange.renew(marketListing());
  const kinds = session.sent.flatMap((message) => (message.type === 'welcome' ? [message.kind] : []));
  assert.deepEqual(kinds, ['preview', 'market']);
  const resync = { type: 'resync', model: MODEL, epoch: 30, holds: [], last: true } as const;
  await bench.say(session, { ...resync, rests: [rest('far')] });
  bench.exchange.send(rest('near'));
  await bench.clock.advance(0);
  assert.deepEqual(await bench.exchange.positions(MODEL, ['far', 'near']), [1, 2]);
  bench.exchange.close();
});

test('it hands a market over: nothing is decided, others are notified when it is lost', async () => {
  const bench = new ExchangeBench();
  bench.exchange.gatewaysAlive([SELF], [SELF]);
  bench.exchange.owns(MODEL, 30);
  const session = bench.session(2);
  await bench.clock.advance(0);
  await bench.exchange.handOver(MODEL);
  assert.ok(!session.said.includes('left'));
  bench.exchange.lost(MODEL, 29);
  assert.ok(!session.said.includes('left'), 'of another epoch');
  bench.exchange.lost(MODEL, 30);
  assert.deepEqual([session.said.at(-1), bench.exchange.ownerOf(MODEL), bench.lost], ['left', null, []]);
});

test('an owner that learns of the next one lets its market go', async () => {
  const bench = new ExchangeBench();
  bench.exchange.gatewaysAlive([SELF], [SELF]);
  bench.exchange.owns(MODEL, 30);
  await bench.clock.advance(0);
  const session = await bench.owner(2, 31);
  assert.deepEqual([bench.lost, bench.exchange.ownerOf(MODEL)], [[30], 2]);
  assert.ok(session.said.includes('left'));
  assert.equal(bench.clock.pending, 0);
});

test('a buried gateway is not listened to, and its adopter says so to every owner before anything else', async () => {
  const bench = new ExchangeBench();
  const dead = await bench.owner(9, 10);
  bench.exchange.gatewaysAlive([SELF, 9], [SELF]);
  bench.exchange.buried(9, SELF);
  bench.exchange.buried(9, SELF);
  assert.deepEqual([dead.closed, bench.exchange.ownerOf(MODEL)], [true, null]);
  await bench.say(dead, { type: 'event', epoch: 10, event: admit });
  assert.deepEqual(bench.heard, []);
  assert.ok(bench.session(9).closed, 'nor on another session');
  const owner = await bench.owner(3, 20);
  assert.deepEqual(owner.said, ['adopted', '0 holds 0 rests']);
  const other = bench.session(4);
  await bench.say(other, { type: 'adopted', gateway: 3 });
  assert.deepEqual([owner.closed, bench.exchange.ownerOf(MODEL)], [true, null]);
  bench.exchange.gatewaysAlive([SELF, 4], [SELF]);
  assert.deepEqual(bench.session(5).said, [], 'it is forgotten when the database has forgotten it');
});

test('a gateway that the database has forgotten between two beats is not listened to either', async () => {
  const bench = new ExchangeBench();
  bench.exchange.gatewaysAlive([SELF, 9], [SELF, 9]);
  const newer = bench.session(12);
  const zombie = await bench.owner(9, 10);
  bench.exchange.gatewaysAlive([SELF], [SELF]);
  assert.deepEqual([zombie.closed, newer.closed, bench.exchange.ownerOf(MODEL)], [true, false, null]);
});

test('messages that are none of a market are left to others', () => {
  const bench = new ExchangeBench();
  const session = bench.session(2);
  assert.equal(bench.exchange.message(session, { type: 'leaving' }), false);
  assert.equal(bench.exchange.message(session, { type: 'call', id: 1, name: 'cancel', params: null }), false);
  assert.equal(bench.exchange.message(session, { type: 'left', model: MODEL, epoch: 1 }), true);
});

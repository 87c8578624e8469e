/** Orders with deadlines on an exchange: what they bid, how they move, and what that costs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { MarketAccount, MarketOrder } from '../book/market-order.ts';
import { Exchange } from '../exchange/exchange.ts';
import { RecordedExchange } from '../exchange/recording.ts';
import { RecordReplay } from '../exchange/replay.ts';
import type { Command, ExchangeEvent, RecoveredQuote, Rest, Withdraw } from '../ports.ts';
import { DeadlineMoves, MOVES_MAX } from './deadline-moves.ts';
import { PastLevels } from './past-levels.ts';

const USD = 1e9;
const START_MS = 20 * DAY_MS;
const model = marketListing().id;
const capacity = (slots: number): Command => ({ type: 'capacity', model, pod: 'pod', slots, healthy: slots > 0 });

function restOf(order: string, bid: number, changes: Partial<Rest> = {}): Rest {
  const first = { restedSeq: null, attempt: 1, avoidPod: null, house: false, lockLimit: null };
  return { type: 'rest', model, order, account: `account of ${order}`, bid, ...first, ...changes };
}
const patient = (order: string, limit: number, byMs: number) => restOf(order, limit, { deadline: { limit, byMs } });

/** A market of one slot, and what it says. */
function opened(listing = marketListing(), recoveredQuotes: readonly RecoveredQuote[] = []) {
  const events: ExchangeEvent[] = [];
  const emit = (event: ExchangeEvent) => void events.push(event);
  const options = { listings: [listing], levelTimeConstantMs: 5000, recovered: [], ...someQuotes(), emit };
  const exchange = new Exchange({ ...options, recoveredQuotes, nowMs: START_MS });
  exchange.handle(capacity(1), START_MS);
  const of = <Type extends ExchangeEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<ExchangeEvent, { type: Type }> => event.type === type);
  return { exchange, events, of };
}

test('where a slot is free an order with a deadline runs at once and bids the floor', () => {
  const { exchange, of } = opened(marketListing({ floor: USD / 5 }));
  exchange.handle(patient('one', 5 * USD, START_MS + HOUR_MS), START_MS);
  assert.deepEqual(
    of('admit').map(({ order, bid }) => [order, bid]),
    [['one', USD / 5]],
  );
});

test('where nobody knows how long a start takes it bids its limit, and orders without a deadline name no bid', () => {
  const { exchange, of } = opened();
  exchange.handle(restOf('runs', USD), START_MS);
  exchange.handle(patient('waits', 5 * USD, START_MS + HOUR_MS), START_MS);
  exchange.handle(restOf('also waits', USD), START_MS);
  assert.deepEqual(
    of('rested').map(({ bid }) => bid),
    [5 * USD, undefined],
  );
  assert.ok(of('admit').every((event) => !('bid' in event)));
});

/** A market in which orders of two seconds come and go at one dollar, twice as many as can run, until `untilMs`. */
function trading(exchange: Pick<Exchange, 'handle' | 'tick'>, running: () => ExchangeEvent[], untilMs: number) {
  for (let nowMs = START_MS; nowMs < untilMs; nowMs += 1000) {
    exchange.handle(restOf(`at ${nowMs}`, USD), nowMs);
    if (nowMs % 2000 === 0)
      for (const event of running())
        if (event.type === 'admit') exchange.handle({ ...event, type: 'release', reason: 'finished' }, nowMs);
    exchange.handle({ type: 'withdraw', model, order: `at ${nowMs - 30_000}`, expired: true }, nowMs);
    exchange.tick(nowMs);
  }
}

/** The admissions since the last call. */
function taken(of: (type: 'admit') => ExchangeEvent[]): () => ExchangeEvent[] {
  let seen = 0;
  return () => {
    const admits = of('admit').slice(seen);
    seen += admits.length;
    return admits;
  };
}

test('it bids a little more than those that keep it waiting, not its limit, and starts in time', () => {
  const { exchange, of } = opened();
  trading(exchange, taken(of), START_MS + 2 * MINUTE_MS);
  const nowMs = START_MS + 2 * MINUTE_MS;
  exchange.handle(patient('patient', 50 * USD, nowMs + HOUR_MS), nowMs);
  const { bid } = of('rested').findLast(({ order }) => order === 'patient') ?? {};
  assert.ok(bid !== undefined && bid > 0 && bid < 1.1 * USD, `${bid}`);
});

/** The past of a market that was at one dollar, but for half an hour each day that begins an hour later than now. */
function cheapAnHourLater(): RecoveredQuote[] {
  const { exchange, of } = opened();
  exchange.latchQuotes(START_MS + 10_000);
  const quote = of('quote').at(-1);
  assert.ok(quote);
  const lows = Array.from({ length: 192 }, (_, at) => (at % 96 === 4 || at % 96 === 5 ? USD / 10 : USD));
  const past = { last: START_MS / (15 * MINUTE_MS) - 1, lows };
  return [{ ...quote, lockMinutes: [], state: JSON.stringify({ ...JSON.parse(quote.state ?? '{}'), past }) }];
}

test('orders with low limits raise no bid of others, however near their deadlines', () => {
  const { exchange, of } = opened(marketListing(), cheapAnHourLater());
  trading(exchange, taken(of), START_MS + 2 * MINUTE_MS);
  const nowMs = START_MS + 2 * MINUTE_MS;
  for (let order = 0; order < 1500; order++)
    exchange.handle({ ...patient(`${order}`, USD / 20, nowMs + 4 * HOUR_MS), account: 'crowd' }, nowMs);
  for (let second = 0; second < 5; second++) exchange.tick(nowMs + second * 1000);
  exchange.handle(patient('patient', 50 * USD, nowMs + 5 * HOUR_MS), nowMs + 5000);
  const bid = (of('rested').findLast(({ order }) => order === 'patient')?.bid ?? 0) / USD;
  assert.ok(bid > 0 && bid < 0.2, `${bid}`);
});

test('a new limit is the most from then on, and the market chooses the bid below it', () => {
  const { exchange, of } = opened();
  exchange.handle(restOf('runs', USD), START_MS);
  exchange.handle(patient('patient', 5 * USD, START_MS + HOUR_MS), START_MS);
  exchange.handle({ type: 'reprice', model, order: 'patient', bid: 7 * USD }, START_MS);
  const [{ bid, limit } = {}] = of('repriced');
  assert.deepEqual([bid, limit], [7 * USD, 7 * USD]);
});

test('its bid rises to its limit as the deadline nears, behind those already there, and never above', () => {
  const { exchange, of } = opened();
  exchange.handle(restOf('runs', 9 * USD), START_MS);
  exchange.handle(restOf('first', 5 * USD), START_MS);
  // As after a restart: it keeps the bid that it had.
  const kept = { restedSeq: 1, deadline: { limit: 5 * USD, byMs: START_MS + MINUTE_MS } };
  exchange.handle(restOf('patient', USD, kept), START_MS);
  for (let second = 1; second <= 20; second++) exchange.tick(START_MS + second * 1000);
  const moves = of('moved');
  assert.deepEqual(
    moves.map(({ order, bid }) => [order, bid]),
    [['patient', 5 * USD]],
  );
  assert.deepEqual(exchange.positions(model, ['first', 'patient']), [1, 2]);
});

test('a tick moves at most so many, those with the least time left first, and all have had their turn in time', () => {
  const { exchange, of } = opened();
  exchange.handle(restOf('runs', 9 * USD), START_MS);
  const orders = 5 * MOVES_MAX;
  for (let order = 0; order < orders; order++) {
    const byMs = START_MS + (order < 10 ? 2 * MINUTE_MS : HOUR_MS) + order;
    exchange.handle(restOf(`${order}`, USD, { restedSeq: order + 1, deadline: { limit: 5 * USD, byMs } }), START_MS);
  }
  let seen = 0;
  for (let second = 1; second <= 600; second++) {
    exchange.tick(START_MS + second * 1000);
    const moved = of('moved').length - seen;
    assert.ok(moved <= MOVES_MAX, `${moved} moves`);
    seen += moved;
  }
  assert.equal(seen, orders);
  const urgent = of('moved').findLastIndex(({ order }) => Number(order) < 10);
  assert.ok(urgent < 60, `the last of the urgent ones was the ${urgent}th to move`);
});

test('a crowd that is nearly due leaves turns to those that have a little longer', () => {
  const { exchange, of } = opened();
  exchange.handle(restOf('runs', 9 * USD), START_MS);
  for (let order = 0; order < 12_000; order++) {
    const deadline = { limit: 1, byMs: START_MS + 20_000 };
    exchange.handle(restOf(`${order}`, 1, { restedSeq: order + 1, deadline }), START_MS);
  }
  const deadline = { limit: 5 * USD, byMs: START_MS + 40_000 };
  exchange.handle(restOf('patient', USD, { restedSeq: 20_000, deadline }), START_MS);
  exchange.tick(START_MS + 1000);
  assert.deepEqual(
    of('moved').map(({ order }) => order),
    ['patient'],
  );
});

test('orders with weeks left follow the market although others are in every step of time left', () => {
  let price = USD;
  const point = () => ({ price, ahead: 0, outbid: 0, outbidUsually: 0, givingUp: 0 });
  const odds = { slots: 5, free: 5, reserve: 0, runMs: null, burstiness: 1, corrections: [], reliability: [] };
  const orders = new DeadlineMoves((atMs) => {
    return { odds: { ...odds, atMs, points: [point()] }, past: new PastLevels(), floor: 0 };
  });
  const account = new MarketAccount('account');
  const waiting = (limit: number, byMs: number, nowMs: number) => {
    const order = new MarketOrder(restOf('order', 1, { deadline: { limit, byMs } }), account, 1);
    order.state = 'waiting';
    orders.add(order, nowMs);
    return order;
  };
  const far = waiting(9 * USD, START_MS + 25 * DAY_MS, START_MS);
  let others: MarketOrder[] = [];
  for (let second = 0; second < 400; second++) {
    const nowMs = START_MS + second * 1000;
    const before = others;
    others = Array.from({ length: 150 }, (_, step) => waiting(1, nowMs + 1000 * 1.1 ** (step + 0.5), nowMs));
    for (const order of before) orders.delete(order);
    for (const { order, bid } of orders.moves(nowMs)) order.price = bid;
    if (second === 60) assert.equal(far.price, USD);
    if (second === 60) price = 2 * USD;
  }
  assert.equal(far.price, 2 * USD);
});

test('orders that wait for money are not moved, and one that leaves is forgotten', () => {
  const { exchange, of } = opened();
  exchange.handle(restOf('runs', 9 * USD), START_MS);
  const deadline = { limit: 5 * USD, byMs: START_MS + HOUR_MS };
  exchange.handle(restOf('poor', USD, { account: 'poor', restedSeq: 1, deadline }), START_MS);
  exchange.handle(restOf('gone', USD, { restedSeq: 2, deadline }), START_MS);
  exchange.handle(withoutMoney('poor'), START_MS);
  exchange.handle({ type: 'withdraw', model, order: 'gone', expired: false }, START_MS);
  for (let second = 1; second <= 600; second++) exchange.tick(START_MS + second * 1000);
  assert.deepEqual(of('moved'), []);
  exchange.handle(
    restOf('poor', USD, { account: 'poor', restedSeq: 1, deadline, waitedForMoney: true }),
    START_MS + 600_000,
  );
  for (let second = 601; second <= 1000; second++) exchange.tick(START_MS + second * 1000);
  assert.equal(of('moved').length, 1);
});

test('a record with deadlines replays to the same moves', () => {
  const lines: string[] = [];
  const admits: ExchangeEvent[] = [];
  let moves = 0;
  const emit = (event: ExchangeEvent) => {
    if (event.type === 'admit') admits.push(event);
    if (event.type === 'moved') moves++;
  };
  const options = { listings: [marketListing()], levelTimeConstantMs: 5000, recovered: [], ...someQuotes(), emit };
  const exchange = new RecordedExchange({ ...options, nowMs: START_MS }, (line) => void lines.push(line));
  exchange.handle(capacity(1), START_MS);
  const random = seededRandom(3);
  for (let order = 0; order < 40; order++) {
    const limit = Math.round(USD * (1 + 2 * random.next()));
    const deadline = { limit, byMs: START_MS + Math.round(10 * MINUTE_MS * random.next()) };
    exchange.handle(restOf(`p${order}`, 1, { restedSeq: order + 1, deadline }), START_MS);
  }
  trading(exchange, () => admits.splice(0), START_MS + 5 * MINUTE_MS);
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  const { difference, events, brokenLine } = replay.end();
  assert.deepEqual([difference, brokenLine], [null, null]);
  assert.ok(moves > 0);
  assert.equal(events.moved, moves);
});

test('how low a market was is stored with its quotes, and an exchange that goes on from them knows it', () => {
  const { exchange, of } = opened();
  for (let second = 1; second <= 120; second++) exchange.tick(START_MS + second * 1000);
  exchange.latchQuotes(START_MS + 130_000);
  const { state = null } = of('quote').at(-1) ?? {};
  assert.deepEqual(JSON.parse(state ?? '{}').past, { last: START_MS / (15 * MINUTE_MS), lows: [0] });
});

/** The order leaves the book for lack of money. */
function withoutMoney(order: string): Withdraw {
  return { type: 'withdraw', model, order, expired: false, waitsForMoney: true };
}

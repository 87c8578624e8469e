/** Time in the exchange: every command first counts the elapsed time, and clocks may step back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { claimedIn } from '../book/held-times.ts';
import type { Admit, Command, ExchangeEvent } from '../ports.ts';
import { Exchange } from './exchange.ts';
import type { PriceState } from './market-prices.ts';

const model = 'tide-70b';

function opened(events: ExchangeEvent[], nowMs = 0, level = 0): Exchange {
  const emit = (event: ExchangeEvent) => void events.push(event);
  const recovered = [{ model, level, levelSeq: 1, atMs: 0 }];
  const options = { listings: [marketListing()], levelTimeConstantMs: 5000, recovered, ...someQuotes(), emit };
  return new Exchange({ ...options, nowMs });
}

function rest(order: string, bid: number, account = 'ann'): Command {
  const first = { restedSeq: null, attempt: 1, avoidPod: null, house: false };
  return { type: 'rest', model, order, account, bid, lockLimit: null, ...first };
}

const slots = (count: number): Command => ({ type: 'capacity', model, pod: 'pod', slots: count, healthy: count > 0 });

// Three of them execute and the fourth is marginal, so any change now changes the target.
const waiting = [
  ['ann', 8],
  ['ann', 7.5],
  ['ann', 7],
  ['ben', 6.5],
  ['ann', 6],
  ['ann', 5],
  ['cid', 9],
] as const;
const commands: Readonly<Record<string, (running: Admit) => Command>> = {
  'a new order': () => rest('new', 9e9),
  'an order that leaves': () => ({ type: 'withdraw', model, order: 'order 3', expired: false }),
  'an order that expires': () => ({ type: 'withdraw', model, order: 'order 3', expired: true }),
  'a reprice': () => ({ type: 'reprice', model, order: 'order 3', bid: 1e9 }),
  'a release': ({ order, attempt, pod }) => ({ type: 'release', model, order, attempt, pod, reason: 'finished' }),
  'a change of capacity': () => slots(5),
  'an order that leaves for lack of money': () => ({
    ...{ type: 'withdraw', model, order: 'order 3', expired: false, waitsForMoney: true },
  }),
  'an order that returns with money': () => ({ ...rest('order 6', 9e9, 'cid'), restedSeq: 7, waitedForMoney: true }),
};

for (const [name, command] of Object.entries(commands)) {
  test(`${name} does not affect the time before it`, () => {
    const told = ({ isCounted, isTold }: { isCounted: boolean; isTold: boolean }) => {
      const events: ExchangeEvent[] = [];
      const exchange = opened(events);
      exchange.handle(slots(3), 0);
      for (const [order, [account, bid]] of waiting.entries()) {
        exchange.handle(rest(`order ${order}`, bid * 1e9, account), 0);
      }
      exchange.handle({ type: 'withdraw', model, order: 'order 6', expired: false, waitsForMoney: true }, 0);
      for (let nowMs = 1000; nowMs <= 128_000; nowMs += 1000) exchange.tick(nowMs);
      const running = events.find((event) => event.type === 'admit');
      assert.ok(running);
      // In the middle of the readings of a quote: half of them fall before it, and half after.
      if (isCounted) exchange.latchQuotes(129_000);
      if (isTold) exchange.handle(command(running), 129_000);
      // A new bid counts after two and a half seconds.
      for (let nowMs = 129_500; nowMs <= 140_000; nowMs += 500) exchange.tick(nowMs);
      return events.filter(({ type }) => type === 'level' || type === 'quote');
    };
    const late = told({ isCounted: false, isTold: true });
    assert.deepEqual(late, told({ isCounted: true, isTold: true }));
    assert.notDeepEqual(late, told({ isCounted: true, isTold: false }), 'the command moves level or quote');
  });
}

test('counting the time more often changes only the rounding, whatever commands come in between', () => {
  const random = seededRandom(3);
  const [once, often]: [ExchangeEvent[], ExchangeEvent[]] = [[], []];
  const [one, two] = [opened(once), opened(often)];
  const say = (command: Command, nowMs: number) => {
    one.handle(command, nowMs);
    two.latchQuotes(nowMs - 1);
    two.handle(command, nowMs);
  };
  say(slots(2), 1);
  for (let order = 0; order < 300; order++) {
    const nowMs = order * 300 + 200;
    say(rest(`order ${order}`, Math.floor(random.next() * 5e9), `account ${order % 7}`), nowMs);
    if (order % 3 === 0)
      say({ type: 'withdraw', model, order: `order ${order - 2}`, expired: order % 2 === 0 }, nowMs + 50);
    for (const exchange of [one, two]) exchange.tick(nowMs + 90);
  }
  const rounded = (events: ExchangeEvent[]) =>
    events.map((event) => (event.type === 'level' ? [event.type, Math.round(event.level / 10)] : [event.type]));
  assert.deepEqual(rounded(often), rounded(once));
});

test('a clock that steps back stops nothing: levels, rates and admissions continue from there', () => {
  const events: ExchangeEvent[] = [];
  const startMs = 10_000_000;
  const exchange = opened(events, startMs, 1e9);
  exchange.handle(slots(2), startMs);
  for (let order = 0; order < 6; order++) exchange.handle(rest(`order ${order}`, 3e9), startMs);
  for (let nowMs = startMs + 1000; nowMs <= startMs + 60_000; nowMs += 1000) exchange.tick(nowMs);
  const level = () => events.findLast((event) => event.type === 'level')?.level ?? 0;
  const before = level();
  const backMs = startMs - 3_600_000;
  exchange.tick(backMs);
  assert.equal(level(), before);
  for (let order = 0; order < 6; order++)
    exchange.handle({ type: 'withdraw', model, order: `order ${order}`, expired: false }, backMs);
  for (const { order, attempt, pod } of events.filter((event) => event.type === 'admit'))
    exchange.handle({ type: 'release', model, order, attempt, pod, reason: 'finished' }, backMs);
  for (let nowMs = backMs; nowMs <= backMs + 600_000; nowMs += 1000) exchange.tick(nowMs);
  assert.ok(level() < before / 30, `${level()} after ${before}`);
});

test('orders that executed when the clock stepped back claimed their slots, however short the time seems', () => {
  const events: ExchangeEvent[] = [];
  const startMs = 10_000_000;
  const backMs = startMs - 5000;
  const exchange = opened(events, startMs);
  exchange.handle(slots(2), startMs);
  for (const order of ['one', 'two']) exchange.handle(rest(order, 3e9), startMs);
  for (const { order, attempt, pod } of events.filter((event) => event.type === 'admit'))
    exchange.handle({ type: 'release', model, order, attempt, pod, reason: 'finished' }, backMs);
  for (let nowMs = backMs; nowMs <= startMs + 10_000; nowMs += 1000) exchange.tick(nowMs);
  const quote = events.findLast((event) => event.type === 'quote');
  const { arrivals, turnover, runs } = JSON.parse(quote?.state ?? '') as PriceState;
  // Two claims, and two arrivals, decayed for a quarter of a minute.
  assert.ok((turnover.claimed ?? 0) > 1.8, `${turnover.claimed}`);
  const [steady, recent] = arrivals.map(({ bins: [[, weight] = [0, 0]] }) => weight);
  assert.ok(steady && steady > 1.4 && steady < 2, `${steady}`);
  assert.ok(recent && recent > 0.3 && recent < 1.4, `${recent}`);
  const claims = claimedIn(runs).reduce((sum, [, claimed]) => sum + claimed, runs.unknown[4] ?? 0);
  assert.ok(claims > 1.9 && claims <= 2, `${claims}`);
});

test('a market whose book is empty for days is at its floor, ready for the next order', () => {
  const events: ExchangeEvent[] = [];
  const exchange = opened(events);
  exchange.handle(slots(1), 0);
  for (let order = 0; order < 4; order++) exchange.handle(rest(`order ${order}`, 4e9), 0);
  for (let nowMs = 1000; nowMs <= 60_000; nowMs += 1000) exchange.tick(nowMs);
  const running = events.find((event) => event.type === 'admit');
  assert.ok(running);
  for (let order = 0; order < 4; order++)
    exchange.handle({ type: 'withdraw', model, order: `order ${order}`, expired: false }, 60_000);
  const { order, attempt, pod } = running;
  exchange.handle({ type: 'release', model, order, attempt, pod, reason: 'finished' }, 60_000);
  for (let nowMs = 61_000; nowMs <= 400_000; nowMs += 1000) exchange.tick(nowMs);
  // No orders and no ticks for five days.
  const later = 5 * 86_400_000;
  exchange.tick(later);
  exchange.latchQuotes(later + 10_000);
  exchange.latchQuotes(later + 20_000);
  const quote = events.findLast((event) => event.type === 'quote');
  assert.deepEqual([quote?.price, quote?.clearRate], [0, null]);
  exchange.handle(rest('late', 1e18), later + 20_000);
  const admit = events.findLast((event) => event.type === 'admit');
  assert.deepEqual([admit?.order, admit?.level], ['late', 0]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { slowExchange } from '#testing/slow-exchange.ts';
import type { Command, ExchangeEvent, ExchangePort } from '../ports.ts';
import { LocalExchange, type LocalExchangeOptions } from './local-exchange.ts';
import { RecordReplay } from './replay.ts';

const model = 'tide-70b';

function open(more: Partial<Pick<LocalExchangeOptions, 'isHalted' | 'record' | 'recovered'>> = {}): {
  clock: ManualClock;
  exchange: LocalExchange;
} {
  const clock = new ManualClock();
  const options = { listings: [marketListing()], levelTimeConstantMs: 20_000, recovered: [], ...someQuotes(), clock };
  return { clock, exchange: new LocalExchange({ ...options, ...more }) };
}

function rest(order: string, usd: number): Command {
  return {
    type: 'rest',
    model,
    order,
    account: 'ann',
    bid: usd * 1e9,
    lockLimit: null,
    restedSeq: null,
    attempt: 1,
    avoidPod: null,
    house: false,
  };
}

const slots = (count: number): Command => ({ type: 'capacity', model, pod: 'pod-1', slots: count, healthy: true });

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no event is delivered from inside send or listen', async () => {
  const { exchange } = open();
  const events: ExchangeEvent[] = [];
  exchange.listen((event) => void events.push(event));
  exchange.send(slots(1));
  exchange.send(rest('order', 3));
  assert.equal(events.length, 0);
  await turn();
  assert.deepEqual(
    events.map((event) => event.type),
    ['level', 'quote', 'level', 'admit'],
  );
  exchange.close();
});

test('events from before the first listener are delivered to it', async () => {
  const { exchange } = open();
  exchange.send(rest('order', 3));
  await turn();
  const events: ExchangeEvent[] = [];
  exchange.listen((event) => void events.push(event));
  await turn();
  assert.deepEqual(
    events.map((event) => event.type),
    ['level', 'quote', 'rested'],
  );
  exchange.close();
});

test('what a listener sends is handled after the events at hand, in order', async () => {
  const { exchange } = open();
  const admitted: string[] = [];
  exchange.listen((event) => {
    if (event.type !== 'admit') return;
    admitted.push(event.order);
    exchange.send({ type: 'release', model, order: event.order, attempt: 1, pod: event.pod, reason: 'finished' });
  });
  for (const command of [rest('low', 1), rest('high', 3), slots(1)]) exchange.send(command);
  await turn();
  assert.deepEqual(admitted, ['high', 'low']);
  exchange.close();
});

test('positions include the effect of everything sent before', async () => {
  const { exchange } = open();
  exchange.send(rest('low', 1));
  exchange.send(rest('high', 3));
  assert.deepEqual(await exchange.positions(model, ['low', 'high', 'nobody']), [2, 1, null]);
  exchange.close();
});

test('the level ticks once a second until the exchange is closed', async () => {
  const { clock, exchange } = open({ recovered: [{ model, level: 3e9, levelSeq: 1, atMs: 0 }] });
  const levels: number[] = [];
  exchange.listen((event) => void (event.type === 'level' && levels.push(event.atMs)));
  exchange.send(slots(1));
  const startMs = clock.nowMs();
  await clock.advance(3000);
  assert.deepEqual(
    levels.map((atMs) => atMs - startMs),
    [0, 0, 1000, 2000, 3000],
  );
  exchange.close();
  assert.equal(clock.pending, 0);
});

test('a closed exchange handles and delivers nothing more', async () => {
  const { exchange } = open();
  const events: ExchangeEvent[] = [];
  exchange.listen((event) => void events.push(event));
  exchange.close();
  exchange.send(rest('order', 3));
  await turn();
  assert.equal(events.length, 0);
});

test('over a slow connection the order service gets the same events as locally', async () => {
  const near = await trade(open(), (exchange) => exchange);
  const far = await trade(open(), (exchange, clock) => slowExchange(exchange, { clock, random: seededRandom(7) }));
  assert.deepEqual(far, near);
});

test('a quote is latched at the boundary of its window, between two ticks', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1) + 300);
  const options = { listings: [marketListing()], levelTimeConstantMs: 20_000, recovered: [], clock };
  const exchange = new LocalExchange({ ...options, ...someQuotes() });
  const windows: [at: number, from: number, until: number][] = [];
  exchange.listen((event) => {
    if (event.type === 'quote') windows.push([clock.nowMs() % 60_000, event.atMs % 60_000, event.untilMs % 60_000]);
  });
  await clock.advance(20_000);
  assert.deepEqual(windows, [
    [300, 300, 10_000],
    [10_000, 10_000, 20_000],
    [20_000, 20_000, 30_000],
  ]);
  exchange.close();
  assert.equal(clock.pending, 0);
});

/** Sends a series of commands, each after the previous one had time to arrive, and returns the events without times. */
async function trade(
  { clock, exchange }: ReturnType<typeof open>,
  reach: (exchange: LocalExchange, clock: ManualClock) => ExchangePort,
): Promise<unknown[]> {
  const port = reach(exchange, clock);
  const received: unknown[] = [];
  port.listen((event) => {
    if (event.type !== 'level' && event.type !== 'quote')
      received.push({ ...event, level: null, levelSeq: null, seq: null });
  });
  const random = seededRandom(11);
  port.send(slots(4));
  for (let index = 0; index < 60; index++) {
    port.send(rest(`order ${index}`, Math.floor(random.next() * 5)));
    const order = `order ${Math.floor(random.next() * index)}`;
    if (index % 3 === 0) port.send({ type: 'reprice', model, order, bid: Math.floor(random.next() * 5) * 1e9 });
    if (index % 5 === 0) port.send({ type: 'withdraw', model, order, expired: true });
    if (index % 4 === 0) port.send({ type: 'release', model, order, attempt: 1, pod: 'pod-1', reason: 'finished' });
  }
  const places = port.positions(model, ['order 1', 'order 30', 'order 59']);
  await clock.advance(20_000);
  received.push(await places);
  exchange.close();
  return received;
}

test('while halted, levels and quotes stand still, and a halted hour moves the level like two seconds', async () => {
  let halted = false;
  const { clock, exchange } = open({
    isHalted: () => halted,
    recovered: [{ model, level: 3e9, levelSeq: 1, atMs: 0 }],
  });
  const events: ExchangeEvent[] = [];
  exchange.listen((event) => void events.push(event));
  exchange.send(slots(1));
  await clock.advance(10_000);
  const before = events.findLast((event) => event.type === 'level')?.level ?? 0;
  assert.ok(before > 0);
  halted = true;
  const eventsBefore = events.length;
  await clock.advance(3_600_000);
  assert.equal(events.length, eventsBefore);
  assert.equal(exchange.tickedAtMs, clock.monotonicMs());
  halted = false;
  await clock.advance(1000);
  const after = events.findLast((event) => event.type === 'level')?.level ?? 0;
  // A market without orders falls by 5.25 % in a second.
  assert.ok(after < before && after >= before * Math.exp(-2 * 0.0525) - 1, `${before} to ${after}`);
  assert.equal(
    events.slice(eventsBefore).filter(({ type }) => type === 'quote').length,
    1,
    'windows slept through are left out',
  );
  exchange.close();
});

test('inputs and events are recorded, from its opening on', async () => {
  const lines: string[] = [];
  const { clock, exchange } = open({ record: (line) => void lines.push(line) });
  exchange.listen(() => {});
  exchange.send(slots(1));
  exchange.send(rest('order', 5));
  await clock.advance(20_000);
  assert.deepEqual(await exchange.positions(model, ['order']), [null]);
  exchange.close();
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  const { events, difference } = replay.end();
  assert.deepEqual([events.admit, difference], [1, null]);
});

function flushed() {
  const heard: ExchangeEvent[] = [];
  const { exchange, clock } = open();
  exchange.listen((event) => void heard.push(event));
  return { exchange, clock, heard };
}

test('what waits can be handled and delivered at once', () => {
  const { exchange, heard } = flushed();
  exchange.send(slots(1));
  exchange.send(rest('order', 3));
  exchange.flush();
  assert.ok(heard.some((event) => event.type === 'admit'));
  exchange.close();
});

test('an exchange that finishes counts its locks a last time, and then does nothing', () => {
  const { exchange, heard, clock } = flushed();
  exchange.send(slots(1));
  exchange.send({ ...rest('lock', 3), lockLimit: 5e9 } as Command);
  exchange.flush();
  assert.ok(!heard.some((event) => event.type === 'locks'));
  exchange.finish();
  assert.ok(heard.some((event) => event.type === 'locks'));
  exchange.send(rest('late', 3));
  exchange.flush();
  assert.ok(!heard.some((event) => 'order' in event && event.order === 'late'));
  assert.equal(clock.pending, 0);
});

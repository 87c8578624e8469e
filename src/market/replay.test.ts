import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import type { Admit, Command, ExchangeEvent, Rest } from './ports.ts';
import { RecordedExchange } from './recording.ts';
import { RecordReplay, type ReplayOutcome } from './replay.ts';

/** A few minutes of orders on a market, a preview and a fixed listing, some of them parked, repriced and withdrawn. */
function record(): string[] {
  const lines: string[] = [];
  const random = seededRandom(7);
  const listings = [marketListing({ id: 'tide' }), marketListing({ id: 'soon', preview: true }), fixedListing()];
  const running: Admit[] = [];
  const emit = (event: ExchangeEvent) => void (event.type === 'admit' && running.push(event));
  const options = { listings, levelTimeConstantMs: 20_000, recovered: [], ...someQuotes(), emit, nowMs: 0 };
  const exchange = new RecordedExchange(options, (line) => void lines.push(line));
  const fixed = listings[2]?.id ?? '';
  for (const model of ['tide', fixed]) {
    exchange.handle({ type: 'capacity', model, pod: 'pod', slots: 2, healthy: true }, 0);
  }
  for (let order = 0; order < 300; order++) {
    const nowMs = order * 700;
    exchange.handle(
      restOf(order, { model: order % 4 === 0 ? fixed : 'tide', bid: Math.floor(random.next() * 5e9) }),
      nowMs,
    );
    if (random.next() < 0.2)
      exchange.handle({ type: 'reprice', model: 'tide', order: `${order - 3}`, bid: 3e9 }, nowMs);
    const done = random.next() < 0.6 ? running.shift() : undefined;
    if (done) exchange.handle({ ...done, type: 'release', reason: 'finished' }, nowMs);
    if (order % 10 === 0) exchange.handle(order % 20 === 0 ? park('park') : park('unpark'), nowMs);
    exchange.latchQuotes(nowMs + 300);
    exchange.tick(nowMs + 500);
  }
  return lines;
}

function restOf(order: number, where: { model: string; bid: number }): Rest {
  const first = { restedSeq: null, attempt: 1, avoidPod: null, house: order % 17 === 0 };
  return { type: 'rest', order: `${order}`, account: `account-${order % 5}`, lockLimit: null, ...where, ...first };
}

function park(type: 'park' | 'unpark'): Command {
  return { type, account: 'account-3' };
}

function replayed(lines: readonly string[]): ReplayOutcome {
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  return replay.end();
}

const lines = record();

test('a replay gives the recorded levels, quotes and dispatches, character by character', () => {
  const { inputs, events, difference } = replayed(lines);
  assert.equal(difference, null);
  assert.equal(inputs, lines.filter((line) => !/^\{"(draw|event)"/.test(line)).length);
  const recorded = lines.filter((line) => line.startsWith('{"event"')).length;
  assert.equal(
    Object.values(events).reduce((sum, count) => sum + count, 0),
    recorded,
  );
  assert.ok((events.admit ?? 0) > 50 && (events.level ?? 0) > 100 && (events.quote ?? 0) > 20, JSON.stringify(events));
});

test('a changed level, quote, dispatch or draw is found', () => {
  for (const [type, what, made] of [
    ['event":{"type":"level', /"level":\d+/, '"level":12345'],
    ['event":{"type":"quote', /"price":\d+/, '"price":12345'],
    ['event":{"type":"admit', /"order":"\d+"/, '"order":"nobody"'],
    ['draw', /0\.\d+/, '0.123456'],
  ] as const) {
    // Not among the first lines: their draws are instants of readings, which need not matter.
    const at = lines.findIndex((line, index) => index > 500 && line.startsWith(`{"${type}`));
    const { difference } = replayed(lines.with(at, (lines[at] ?? '').replace(what, made)));
    assert.ok(difference, type);
    assert.notEqual(difference.recorded, difference.replayed);
  }
});

test('a missing event and an invented one are found', () => {
  const at = lines.findIndex((line) => line.startsWith('{"event":{"type":"admit"'));
  assert.deepEqual(replayed(lines.toSpliced(at, 1)).difference !== null, true);
  const twice = lines.toSpliced(at, 0, lines[at] ?? '');
  assert.notEqual(replayed(twice).difference, null);
});

test('a record may end anywhere, even in the middle of a line', () => {
  const whole = lines.slice(0, 400).join('\n');
  for (let cut = 0; cut < 3000; cut += 97) {
    assert.equal(replayed(whole.slice(0, whole.length - cut).split('\n')).difference, null, `cut by ${cut}`);
  }
});

test('input that is not a record is refused', () => {
  assert.throws(() => replayed([]), /record is empty/);
  assert.throws(() => replayed(['hello', 'world']), /Line 1 is not part of an exchange record/);
  assert.throws(() => replayed(lines.slice(1)), /must begin with an "open" line/);
  const drawless = lines.filter((line) => !line.startsWith('{"draw"'));
  assert.throws(() => replayed(drawless), /fewer draws than the exchange makes/);
});

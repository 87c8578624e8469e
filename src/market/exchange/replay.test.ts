import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import type { Admit, Command, ExchangeEvent, Rest } from '../ports.ts';
import { ChainWriter, hashIn, RecordedExchange } from './recording.ts';
import { RecordReplay, type ReplayOutcome } from './replay.ts';

/** A few minutes of so many orders on a market, a preview and a fixed listing: some held before, without money for a while, or repriced. */
function record(orders = 300): string[] {
  const lines: string[] = [];
  const random = seededRandom(7);
  const listings = [marketListing({ id: 'tide' }), marketListing({ id: 'soon', preview: true }), fixedListing()];
  const running: Admit[] = [];
  const emit = (event: ExchangeEvent) => void (event.type === 'admit' && running.push(event));
  const options = {
    listings,
    levelTimeConstantMs: 20_000,
    recovered: [],
    ...someQuotes(),
    emit,
    nowMs: 0,
    restedSeqFrom: 5000,
  };
  const exchange = new RecordedExchange(options, (line) => void lines.push(line));
  const fixed = listings[2]?.id ?? '';
  for (const model of ['tide', fixed]) {
    exchange.handle(heldBefore(model), 0);
    exchange.handle({ type: 'capacity', model, pod: 'pod', slots: 2, healthy: true }, 0);
  }
  for (let order = 0; order < orders; order++) {
    const nowMs = order * 700;
    exchange.handle(
      restOf(order, { model: order % 4 === 0 ? fixed : 'tide', bid: Math.floor(random.next() * 5e9) }),
      nowMs,
    );
    if (random.next() < 0.2)
      exchange.handle({ type: 'reprice', model: 'tide', order: `${order - 3}`, bid: 3e9 }, nowMs);
    const done = random.next() < 0.6 ? running.shift() : undefined;
    if (done) exchange.handle({ ...done, type: 'release', reason: 'finished' }, nowMs);
    if (order % 10 === 3) exchange.handle(withoutMoney(order), nowMs);
    if (order % 10 === 7) exchange.handle(backWithMoney(order - 4), nowMs);
    exchange.latchQuotes(nowMs + 300);
    exchange.tick(nowMs + 500);
  }
  return lines;
}

function restOf(order: number, where: { model: string; bid: number }): Rest {
  const first = { restedSeq: null, attempt: 1, avoidPod: null, house: order % 17 === 0 };
  return { type: 'rest', order: `${order}`, account: `account-${order % 5}`, lockLimit: null, ...where, ...first };
}

function heldBefore(model: string): Command {
  const slot = {
    order: 'before',
    account: 'account-1',
    attempt: 1,
    pod: 'pod',
    bid: 2e9,
    restedSeq: 4000,
    house: false,
  };
  return { type: 'hold', model, ...slot };
}

function withoutMoney(order: number): Command {
  return { type: 'withdraw', model: 'tide', order: `${order}`, expired: false, waitsForMoney: true };
}

function backWithMoney(order: number): Command {
  return { ...restOf(order, { model: 'tide', bid: 2e9 }), restedSeq: order, waitedForMoney: true };
}

function replayed(lines: readonly string[]): ReplayOutcome {
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  return replay.end();
}

/** Replays a file with these bytes, read in pieces. */
function read(bytes: Uint8Array): ReplayOutcome {
  const replay = new RecordReplay();
  for (let at = 0; at < bytes.length; at += 1000) replay.read(bytes.subarray(at, at + 1000));
  return replay.end();
}

function fileOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

/** The lines with new hashes, as by a forger who computes the whole chain again. */
function sealed(lines: readonly string[]): string[] {
  const chain = new ChainWriter();
  return lines.map((line) => chain.seal(line.replace(/,"hash":"[\w-]{43}"\}$/, '}')));
}

const lines = record();
const short = record(25);

test('a replay gives the recorded levels, quotes and dispatches, character by character', () => {
  const { inputs, events, difference, brokenLine } = replayed(lines);
  assert.deepEqual([difference, brokenLine], [null, null]);
  assert.equal(inputs, lines.filter((line) => !/^\{"(draw|event)"/.test(line)).length);
  const recorded = lines.filter((line) => line.startsWith('{"event"')).length;
  assert.equal(
    Object.values(events).reduce((sum, count) => sum + count, 0),
    recorded,
  );
  assert.ok((events.admit ?? 0) > 50 && (events.level ?? 0) > 100 && (events.quote ?? 0) > 20, JSON.stringify(events));
});

for (const seed of [1, 2, 3]) {
  test(`every one of 1,000 random single-byte changes is found, at its line (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const whole = fileOf(short);
    for (let change = 0; change < 1000; change++) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(random.next() * bytes.length);
      bytes[at] = ((bytes[at] ?? 0) + 1 + Math.floor(random.next() * 255)) % 256;
      const line = whole.subarray(0, at).filter((byte) => byte === 10).length + 1;
      const { brokenLine, lines: followed } = read(bytes);
      assert.deepEqual([brokenLine, followed], [line, line - 1], `byte ${at} is ${bytes[at]}`);
    }
  });
}

test('a line that is removed, inserted, repeated or moved is found at its place', () => {
  const changed: [string, string[], number][] = [
    ['removed', short.toSpliced(40, 1), 41],
    ['the first removed', short.slice(1), 1],
    ['inserted', short.toSpliced(40, 0, '{"draw":0.5}'), 41],
    ['empty', short.toSpliced(40, 0, ''), 41],
    ['repeated', short.toSpliced(40, 0, short[39] ?? ''), 41],
    ['moved', short.toSpliced(40, 1).toSpliced(60, 0, short[40] ?? ''), 41],
    ['from another record', short.with(40, lines[300] ?? ''), 41],
    ['with carriage returns', short.with(40, `${short[40]}\r`), 41],
  ];
  for (const [how, record, line] of changed) assert.equal(read(fileOf(record)).brokenLine, line, how);
});

test('the last hash is that of the last line, and shows that whole lines are missing', () => {
  const { hash, lines: count } = read(fileOf(short));
  assert.deepEqual([hash, count], [hashIn(short.at(-1) ?? ''), short.length]);
  const { hash: earlier, brokenLine, cutOff, difference } = read(fileOf(short.slice(0, -3)));
  assert.deepEqual([brokenLine, cutOff, difference], [null, false, null]);
  assert.notEqual(earlier, hash);
});

test('in a record whose hashes were computed again, a changed level, quote or dispatch is found', () => {
  for (const [type, what, made] of [
    ['event":{"type":"level', /"level":\d+/, '"level":12345'],
    ['event":{"type":"quote', /"price":\d+/, '"price":12345'],
    ['event":{"type":"admit', /"order":"\d+"/, '"order":"nobody"'],
  ] as const) {
    const at = lines.findIndex((line, index) => index > 500 && line.startsWith(`{"${type}`));
    const { difference } = replayed(sealed(lines.with(at, (lines[at] ?? '').replace(what, made))));
    assert.ok(difference, type);
    assert.notEqual(difference.recorded, difference.replayed);
  }
});

test('so are changed draws', () => {
  // Draws are instants of readings. A single one need not matter, because nothing may change in between.
  const changed = lines.map((line) => line.replace(/^\{"draw":[\d.e-]+/, '{"draw":0.123456'));
  assert.match(replayed(sealed(changed)).difference?.recorded ?? '', /"type":"quote"/);
});

test('so are a missing event and an invented one', () => {
  const at = lines.findIndex((line) => line.startsWith('{"event":{"type":"admit"'));
  assert.notEqual(replayed(sealed(lines.toSpliced(at, 1))).difference, null);
  assert.notEqual(replayed(sealed(lines.toSpliced(at, 0, lines[at] ?? ''))).difference, null);
});

test('a record may end anywhere, even in the middle of a line, and the replay says so', () => {
  const whole = fileOf(lines.slice(0, 400));
  for (let cut = 0; cut < 3000; cut += 97) {
    const bytes = whole.subarray(0, whole.length - cut);
    const { difference, brokenLine, cutOff, lines: count } = read(bytes);
    const ends = bytes.filter((byte) => byte === 10).length;
    // A last line that lacks only its line end is whole.
    const isWhole = bytes.at(-1) === 10 || whole[bytes.length] === 10;
    const lineCount = whole[bytes.length] === 10 ? ends + 1 : ends;
    assert.deepEqual([difference, brokenLine, cutOff, count], [null, null, !isWhole, lineCount], `cut by ${cut}`);
  }
});

test('a last line that lacks only its line end is whole', () => {
  const { cutOff, lines: count, brokenLine } = read(fileOf(short).subarray(0, -1));
  assert.deepEqual([cutOff, count, brokenLine], [false, short.length, null]);
});

test('the first line names the last hash of the record before', () => {
  const written: string[] = [];
  const options = {
    listings: [],
    levelTimeConstantMs: 20_000,
    recovered: [],
    ...someQuotes(),
    emit: () => {},
    nowMs: 0,
  };
  new RecordedExchange(options, (line) => void written.push(line), 'the hash before');
  assert.equal(replayed(written).after, 'the hash before');
  assert.equal(replayed(short).after, null);
});

test('a record from before there were hashes is refused, with the version that reads it', () => {
  const old = lines.map((line) => line.replace(/(,"format":\d,"after":null)?,"hash":"[\w-]{43}"\}$/, '}'));
  assert.throws(() => read(fileOf(old)), /without hashes, as version 0\.1\.0 wrote it/);
});

test('a record of another format is refused', () => {
  const [first = '', ...others] = short;
  assert.throws(
    () => read(fileOf(sealed([first.replace('"format":8', '"format":7'), ...others]))),
    /it has format 7, and this version reads 8; `sluice replay` of the version that wrote it reads it/,
  );
});

test('input that is not a record is refused', () => {
  assert.throws(() => replayed([]), /record is empty/);
  assert.throws(() => replayed(['hello', 'world']), /Line 1 is not the first line of an exchange record/);
  assert.throws(() => replayed(sealed(['{"hello":1}'])), /Line 1 is not part of an exchange record/);
  assert.throws(() => replayed(sealed(lines.slice(1))), /must begin with an "open" line/);
  const drawless = lines.filter((line) => !line.startsWith('{"draw"'));
  assert.throws(() => replayed(sealed(drawless)), /fewer draws than the exchange makes/);
  assert.throws(() => new RecordReplay().read(Buffer.alloc(65 * 2 ** 20, 'a')), /a line that is too long/);
});

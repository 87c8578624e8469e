import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedListing, marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { standingQuote } from '../ports.ts';
import { LevelBoard } from './market-view.ts';

const listings = [
  marketListing({ floor: 5 }),
  fixedListing(),
  marketListing({ id: 'soon', preview: true, aliases: ['s'] }),
];
const moved = { type: 'level', model: 'tide-70b', seq: 1, level: 30, levelSeq: 8, degraded: false, atMs: 900 } as const;

test('a market without events stands at its floor and is degraded', () => {
  assert.deepEqual(new LevelBoard(listings, [], 700).current('tide-70b'), {
    model: 'tide-70b',
    level: 5,
    levelSeq: 0,
    mode: 'clearing',
    degraded: true,
    updatedAtMs: 700,
    preview: false,
  });
});

test('a market never stands below its reserve', () => {
  const one = [marketListing({ floor: 5, reserve: 9 })];
  assert.equal(new LevelBoard(one, [], 700).current('tide-70b')?.level, 9);
  const row = { model: 'tide-70b', level: 7, levelSeq: 7, atMs: 600 };
  assert.equal(new LevelBoard(one, [row], 700).current('tide-70b')?.level, 9);
});

test('a market continues from its last recorded level', () => {
  const board = new LevelBoard(listings, [{ model: 'tide-70b', level: 20, levelSeq: 7, atMs: 600 }], 700);
  const { level, levelSeq, updatedAtMs } = board.current('tide-70b') ?? {};
  assert.deepEqual([level, levelSeq, updatedAtMs], [20, 7, 600]);
});

test('a level event is visible at once', () => {
  const board = new LevelBoard(listings, [], 700);
  board.apply(moved);
  const { level, levelSeq, degraded, updatedAtMs } = board.current('tide-70b') ?? {};
  assert.deepEqual([level, levelSeq, degraded, updatedAtMs], [30, 8, false, 900]);
});

test('an event that is not newer than the known state changes nothing', () => {
  const board = new LevelBoard(listings, [], 700);
  board.apply(moved);
  board.apply({ ...moved, level: 1, levelSeq: 7 });
  board.apply({ ...moved, level: 1 });
  assert.equal(board.current('tide-70b')?.level, 30);
});

test('a preview is marked as such and is never degraded', () => {
  const { mode, preview, degraded } = new LevelBoard(listings, [], 700).current('soon') ?? {};
  assert.deepEqual([mode, preview, degraded], ['preview', true, false]);
});

test('fixed-price listings, aliases and unknown models have no level', () => {
  const board = new LevelBoard(listings, [], 700);
  board.apply({ ...moved, model: 'nobody' });
  for (const model of ['ebb-8b', 's', 'nobody']) assert.equal(board.current(model), null);
});

const latched = {
  type: 'quote',
  model: 'tide-70b',
  seq: 2,
  quoteSeq: 4,
  price: 31,
  previousPrice: 30,
  atMs: 900,
  untilMs: 1900,
  clearRate: 0.97,
  scarceClearRate: 0.95,
  attainable: true,
  state: null,
} as const;

test('a quote is visible once it is applied, and never goes back', () => {
  const board = new LevelBoard(listings, [], 700);
  assert.equal(board.quote('tide-70b'), null);
  board.applyQuote(latched);
  board.applyQuote({ ...latched, quoteSeq: 3, price: 1 });
  board.applyQuote({ ...latched, model: 'ebb-8b' });
  assert.partialDeepStrictEqual(board.quote('tide-70b'), {
    price: 31,
    previousPrice: 30,
    validUntilMs: 1900,
    clearRate: 0.97,
    scarceClearRate: 0.95,
    attainable: true,
    preview: false,
  });
  assert.equal(board.quote('ebb-8b'), null);
});

test('the board is complete when every market and preview has a quote', async () => {
  const clock = new ManualClock();
  const board = new LevelBoard(listings, [], 700);
  let complete = false;
  void board.whenQuoted(clock).then(() => {
    complete = true;
  });
  board.applyQuote(latched);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(complete, false);
  board.applyQuote({ ...latched, model: 'soon' });
  await board.whenQuoted(clock);
  await new LevelBoard([fixedListing()], [], 0).whenQuoted(clock);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(clock.pending, 0);
});

test('a market without a quote is waited for ten seconds, and asked for its quote it is unavailable', async () => {
  const clock = new ManualClock();
  const board = new LevelBoard(listings, [], 700);
  let complete = false;
  void board.whenQuoted(clock).then(() => {
    complete = true;
  });
  await clock.advance(9_999);
  assert.equal(complete, false);
  await clock.advance(1);
  assert.equal(complete, true);
  assert.throws(() => standingQuote(board, 'tide-70b'), { code: 'unavailable' });
});

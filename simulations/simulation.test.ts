/** What must hold on every simulated day. Seeded, so that a failure can be repeated. Longer days: simulation.long.test.ts. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { RecordReplay } from '#market/exchange/replay.ts';
import { attacks } from './attacks.ts';
import { contests, trade } from './comparison.ts';
import { TradingFloor } from './floor.ts';
import { againstHindsight, lowestConstant } from './hindsight.ts';
import { figuresOf } from './measures.ts';
import { pictureOf } from './picture.ts';
import { jsonOf, namesOfDays, simulate, tableOf, wantedBy } from './run.ts';
import { play, type Scenario, scenarios } from './scenarios.ts';
import { startTraders } from './traders.ts';

function named(name: string): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  assert.ok(scenario, name);
  return scenario;
}

for (const name of ['load 2, 60 % locks', 'swings', 'bursts']) {
  test(`${name}: the quote starts more locks at a lower quote than a mark-up that aims at the same rate`, () => {
    const contest = contests.find((one) => one.name === name);
    assert.ok(contest);
    const [book, markUp] = (['book', 'found'] as const).map((pricing) => trade(contest, [1], pricing).figures);
    assert.ok(book && markUp);
    assert.ok(book.clearRate > 0.9, `clear rate ${book.clearRate}`);
    assert.ok(markUp.clearRate < book.clearRate + 0.02, `clear rates ${markUp.clearRate} and ${book.clearRate}`);
    assert.ok(markUp.locksStarted < book.locksStarted, `${markUp.locksStarted} locks for ${book.locksStarted}`);
    assert.ok(markUp.quote > book.quote, `${markUp.quote} quoted for ${book.quote}`);
  });
}

test('a mark-up is not compared with itself: a factor of one bids the level, and starts fewer locks', () => {
  const contest = { name: 'short', slots: 32, lockShare: 0.5, load: () => 1.5, hours: 0.5 };
  const level = trade(contest, [1], { factor: 1 }).figures;
  assert.ok(Math.abs(level.quote / level.level - 1) < 0.05, `${level.quote} for a level of ${level.level}`);
  assert.ok(level.clearRate < trade(contest, [1], 'book').figures.clearRate - 0.1);
});

test('every order pays the lower of level and bid, even in a price war', () => {
  for (const seed of [1, 2, 3]) {
    const { level, revenuePerHour, lockPrice } = play({ ...named('price war'), slots: 16 }, seed, {
      warmUpMs: 10 * MINUTE_MS,
      measuredMs: HOUR_MS,
    }).figures;
    assert.ok(lockPrice <= level * 1.05, `locks pay ${lockPrice} at a level of ${level}`);
    assert.ok(revenuePerHour <= level * 16 * 1.05, `revenue ${revenuePerHour}`);
  }
});

test('no slot is free while an order waits', () => {
  const { occupancy } = play(named('load 2'), 4, { warmUpMs: 10 * MINUTE_MS, measuredMs: HOUR_MS }).figures;
  assert.ok(occupancy > 0.999 && occupancy <= 1 + 1e-9, `occupancy ${occupancy}`);
});

test('the same seed gives the same day, another seed another', () => {
  const day = (seed: number) => play({ ...named('bursts'), slots: 16 }, seed, { measuredMs: 30 * MINUTE_MS });
  assert.deepEqual(day(7), day(7));
  assert.notDeepEqual(day(7).figures, day(8).figures);
});

function replayed(lines: readonly string[]) {
  const replay = new RecordReplay();
  for (const line of lines) replay.take(line);
  return replay.end();
}

test('a recorded day replays bit for bit: levels, quotes and dispatches', () => {
  const lines: string[] = [];
  const floor = new TradingFloor({ seed: 5, slots: 16, record: (line) => void lines.push(line) });
  startTraders(floor, { slots: 16, lockShare: 0.5, load: () => 1.5 });
  attacks.find(({ name }) => name.startsWith('a wall of 100'))?.play(floor, 16);
  floor.run(5 * MINUTE_MS);
  const { difference, events, inputs } = replayed(lines);
  assert.equal(difference, null);
  assert.ok(inputs > 2000 && (events.quote ?? 0) > 20 && (events.admit ?? 0) > 500, JSON.stringify(events));
});

test('the lowest constant price starts the wanted share of locks, sent at any moment', () => {
  // One start a second; every tenth of them at 5, the others at 9: 5 is enough where one of them is within ten seconds.
  const starts = Array.from({ length: 1000 }, (_, second) => ({ atMs: second * 1000, bid: second % 10 === 0 ? 5 : 9 }));
  assert.equal(lowestConstant(starts, 0.95), 5);
  const rare = starts.map((start, second) => ({ ...start, bid: second % 20 === 0 ? 5 : 9 }));
  assert.deepEqual([lowestConstant(rare, 0.95), lowestConstant(rare, 0.5)], [9, 5]);
});

test('the quote is not far above what hindsight would have quoted', () => {
  const { ratio } = againstHindsight(64, 1);
  assert.ok(ratio > 0.9 && ratio <= 1.15, `${ratio}`);
});

test('the same seeds give the same table and the same picture, byte for byte', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-simulation-'));
  try {
    const only = ['load 1.5, 8 slots', 'fixed prices with 8 slots: attack: orders of one token'];
    const play = async (time: number) => {
      const picture = join(folder, `${time}.svg`);
      const outcomes = await simulate({ seeds: [4, 2], only, clusters: 1, searchSeconds: 1, picture });
      const json = JSON.stringify(jsonOf(outcomes));
      return { outcomes, table: tableOf(outcomes), json, picture: readFileSync(picture, 'utf8') };
    };
    const [one, two] = [await play(1), await play(2)];
    for (const part of ['table', 'json', 'picture'] as const) assert.equal(two[part], one[part]);
    assert.deepEqual(
      one.outcomes.map(({ seed }) => seed),
      [4, 2, 4, 2],
    );
    assert.match(one.table, /^\| requirement +\| +seed \| holds \| +figure \| +target \|\n/);
    assert.match(one.table, /\n\| load 1\.5, 8 slots +\| +4 \| +– \| +occupancy 1\.00, level 0\.\d{3},/);
    assert.match(one.picture, /fill="#1a7f37"/);
    assert.equal(one.picture.match(/<polyline/g)?.length, 2 * 2);
    assert.doesNotMatch(one.picture, /NaN|Infinity/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the picture marks what holds and what does not, and takes names as they are', () => {
  const outcome = { name: 'a < b', seed: 1, figure: '1', target: '2' };
  const picture = pictureOf([true, false, null].map((holds) => ({ ...outcome, holds })));
  assert.deepEqual(picture.match(/height="44" fill="#\w+"/g), [
    'height="44" fill="#1a7f37"',
    'height="44" fill="#cf222e"',
    'height="44" fill="#6e7781"',
  ]);
  assert.match(picture, /a &lt; b/);
  assert.ok(Number.isNaN(figuresOf(new TradingFloor({ seed: 1, slots: 1 }).measures, 1).clearRate));
});

test('everything can be selected by its name, and everything but the contests is played without words', () => {
  const words = namesOfDays().filter((name) => !name.startsWith('quote or mark-up'));
  assert.deepEqual(
    wantedBy([]).map(({ name }) => name),
    words,
  );
  assert.ok(words.length > 100 && wantedBy(['quote or']).length === contests.length);
  assert.equal(wantedBy(['with 8 slots: a wall of 100 repriced up for 70 of 200 ms']).length, 1);
  assert.deepEqual(wantedBy(['holidays']), []);
});

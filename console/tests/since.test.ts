import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grown, type LevelPoint } from '../src/model/since.ts';

const at = (second: number, level: number): LevelPoint => ({ t: new Date(second * 1000).toISOString(), level });
const live = (second: number, level: number) => ({ level, updated_at: at(second, level).t });

test('a level that the stream brings follows those that were asked for', () => {
  const asked = [at(0, 1), at(60, 2)];
  const once = grown(asked, [], live(61, 3));
  assert.deepEqual(grown(asked, once, live(63, 4)), [at(61, 3), at(63, 4)]);
});

test('what the stream repeats, or the answer has, changes nothing', () => {
  const since = grown([at(60, 2)], [], live(61, 3));
  assert.equal(grown([at(60, 2)], since, live(61, 3)), since);
  assert.equal(grown([at(60, 2)], since, undefined), since);
  assert.deepEqual(grown([at(60, 2)], [], live(60, 2)), []);
});

test('a newer answer takes the place of what the stream brought before it', () => {
  const since = grown([at(60, 2)], grown([at(60, 2)], [], live(61, 3)), live(90, 5));
  assert.deepEqual(grown([at(60, 2), at(75, 4)], since, live(90, 5)), [at(90, 5)]);
});

test('without any level of the period there is no line to carry on', () => {
  assert.deepEqual(grown([], [], live(61, 3)), []);
});

test('a page that stays open keeps a bounded number', () => {
  let since: readonly LevelPoint[] = [];
  for (let second = 1; second < 700; second++) since = grown([at(0, 1)], since, live(second, second));
  assert.ok(since.length <= 500);
  assert.deepEqual(since.at(-1), at(699, 699));
});

/** The published level, as history and as the newest row of its market. */
import type { LevelUnit, PlainOutcome } from '#orders/journal-port.ts';
import { int, price } from '../values.ts';
import { first, run, type Steps } from './steps.ts';
import type { Context } from './units.ts';

/** `stale` when a level with this number is there already and says something else. */
export function* level(unit: LevelUnit, { again }: Context): Steps<PlainOutcome> {
  const { model, levelSeq, atMs } = unit;
  if (again) {
    const earlier = yield* first('SELECT level FROM levels WHERE model = ? AND level_seq = ?', model, levelSeq);
    if (earlier) return { result: int(earlier.level) === unit.level ? 'changed' : 'stale' };
  }
  yield run(
    'INSERT INTO levels (model, level_seq, level, at_ms) VALUES (?, ?, ?, ?)',
    model,
    levelSeq,
    price(unit.level),
    atMs,
  );
  const { changes } = yield run(
    'UPDATE markets SET level_seq = ?, level = ?, at_ms = ? WHERE model = ? AND level_seq <= ?',
    levelSeq,
    price(unit.level),
    atMs,
    model,
    levelSeq,
  );
  if (changes === 0) yield* openMarket(unit);
  return { result: 'changed' };
}

function* openMarket({ model, levelSeq, level, atMs }: LevelUnit): Steps<void> {
  const known = yield* first('SELECT level_seq FROM markets WHERE model = ?', model);
  if (known) return;
  yield run(
    'INSERT INTO markets (model, level_seq, level, at_ms) VALUES (?, ?, ?, ?)',
    model,
    levelSeq,
    price(level),
    atMs,
  );
}

/** The published level: its history, the newest row of its market, and the blocks that charts read. */
import type { PlainOutcome } from '#base/journal.ts';
import type { LevelBlock } from '#market/ports.ts';
import type { LevelBlocksUnit, LevelUnit } from '#market/units.ts';
import { int, price } from '../database/values.ts';
import type { Context } from './context.ts';
import { first, run, type Steps } from './steps.ts';

/** `stale` when there is another level with this number already. */
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

/** Writes every block, and until when this boot has recorded. Rows are whole, so writing them is idempotent. */
export function* levelBlocks({ boot, untilMs, blocks }: LevelBlocksUnit): Steps<PlainOutcome> {
  for (const block of blocks) yield* putBlock(block, boot);
  yield run('UPDATE gateway_runs SET until_ms = ? WHERE boot = ? AND until_ms < ?', untilMs, boot, untilMs);
  return { result: 'changed' };
}

function* putBlock({ model, widthMs, fromMs, slots }: LevelBlock, boot: number): Steps<void> {
  const { buffer, byteOffset, byteLength } = slots;
  yield run(
    'REPLACE INTO level_blocks (model, width_ms, from_ms, boot, slots) VALUES (?, ?, ?, ?, ?)',
    model,
    widthMs,
    fromMs,
    boot,
    // The drivers take only a Buffer for bytes.
    Buffer.from(buffer, byteOffset, byteLength),
  );
}

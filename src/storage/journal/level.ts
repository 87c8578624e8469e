/** The published level: its history, the newest row of its market, and the blocks that charts read. */
import type { PlainOutcome } from '#base/journal.ts';
import { levelHash } from '#ledger/price-chain.ts';
import type { LevelUnit } from '#market/units.ts';
import type { LevelBlocksUnit } from '#observe/ports.ts';
import { int, price, textOrNull } from '../database/values.ts';
import type { UnitKind } from './context.ts';
import { shape, upsert } from './operations.ts';

const RECORDED = shape({ act: 'plain', sql: 'UPDATE gateway_runs SET until_ms = ? WHERE boot = ? AND until_ms < ?' });
const REPLACE_BLOCK = upsert('replace', 'level_blocks', ['model', 'width_ms', 'from_ms', 'boot'], ['slots']);

/** `stale` when there is another level with this number already, or its market has another owner. */
export const level: UnitKind<LevelUnit, PlainOutcome> = {
  want(unit, { picture, again }) {
    const { model, levelSeq } = unit;
    picture.epochs.want(unit);
    picture.markets.want(model);
    picture.wantBefore(picture.levels, model, levelSeq);
    if (again) picture.levels.want(model, levelSeq);
  },

  apply(unit, { picture, again }) {
    const { model, levelSeq, atMs } = unit;
    const earlier = again ? picture.levels.find(model, levelSeq) : null;
    if (earlier) return { result: int(earlier.level) === unit.level ? 'changed' : 'stale' };
    if (picture.epochs.areStale(unit)) return { result: 'stale' };
    const published = { level_seq: levelSeq, level: price.bind(unit.level), at_ms: atMs };
    const row = { number: levelSeq, price: unit.level, atMs };
    const previous = textOrNull(picture.before(picture.levels, model, levelSeq)?.hash);
    picture.levels.add({ model, ...published, hash: levelHash(model, row, previous) });
    const newest = picture.markets.find(model);
    if (!newest) picture.markets.add({ model, ...published });
    else if (int(newest.level_seq) <= levelSeq) picture.markets.change(published, model);
    return { result: 'changed' };
  },
};

/** Writes every block, and until when this boot has recorded. Rows are whole, so writing them is idempotent. */
export const levelBlocks: UnitKind<LevelBlocksUnit, PlainOutcome> = {
  apply({ boot, untilMs, blocks }, { picture }) {
    for (const { model, widthMs, fromMs, candles } of blocks) {
      const { buffer, byteOffset, byteLength } = candles;
      // The drivers take only a Buffer for bytes.
      picture.write(REPLACE_BLOCK, [model, widthMs, fromMs, boot, Buffer.from(buffer, byteOffset, byteLength)]);
    }
    picture.writeLast(RECORDED, [untilMs, boot, untilMs]);
    return { result: 'changed' };
  },
};

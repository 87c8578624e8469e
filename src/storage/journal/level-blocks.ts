/** Levels in blocks. The rows are whole, so writing them again changes nothing. */
import type { LevelBlock } from '#market/ports.ts';
import type { LevelBlocksUnit, PlainOutcome } from '#orders/journal-port.ts';
import { run, type Steps } from './steps.ts';

/** Every block of the unit, and until when this boot has recorded. */
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
    // The drivers take a Buffer for bytes and nothing else.
    Buffer.from(buffer, byteOffset, byteLength),
  );
}

/** How long the runs of a boot took, by model and hour. Rows are whole, so writing them is idempotent. */
import type { PlainOutcome } from '#base/journal.ts';
import type { RunHoursUnit } from '#observe/ports.ts';
import type { UnitKind } from './context.ts';
import { upsert } from './operations.ts';

const REPLACE_HOUR = upsert('replace', 'run_hours', ['model', 'bucket_ms', 'boot'], ['counts']);

/** Writes every hour. */
export const runHours: UnitKind<RunHoursUnit, PlainOutcome> = {
  apply({ boot, hours }, { picture }) {
    for (const { model, hourMs, counts } of hours) {
      const { buffer, byteOffset, byteLength } = counts;
      picture.write(REPLACE_HOUR, [model, hourMs, boot, Buffer.from(buffer, byteOffset, byteLength)]);
    }
    return { result: 'changed' };
  },
};

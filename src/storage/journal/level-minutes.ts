/** Levels by the minute. The rows are whole, so writing them again changes nothing. */
import type { LevelMinute } from '#market/ports.ts';
import type { LevelMinutesUnit, PlainOutcome } from '#orders/journal-port.ts';
import { price } from '../values.ts';
import { run, type Steps } from './steps.ts';

/** Every minute of the unit, and until when this boot has recorded. */
export function* levelMinutes({ boot, untilMs, minutes }: LevelMinutesUnit): Steps<PlainOutcome> {
  for (const minute of minutes) yield* putMinute(minute, boot);
  yield* run('UPDATE gateway_runs SET until_ms = ? WHERE boot = ? AND until_ms < ?', untilMs, boot, untilMs);
  return { result: 'changed' };
}

function* putMinute({ model, minuteMs, coveredMs, ...levels }: LevelMinute, boot: number): Steps<void> {
  const figures = [levels.open, levels.high, levels.low, levels.close, levels.mean].map(price);
  const { changes } = yield* run(
    `UPDATE level_minutes SET open = ?, high = ?, low = ?, close = ?, mean = ?, covered_ms = ?
     WHERE model = ? AND minute_ms = ? AND boot = ?`,
    ...figures,
    coveredMs,
    model,
    minuteMs,
    boot,
  );
  if (changes > 0) return;
  yield* run(
    `INSERT INTO level_minutes (open, high, low, close, mean, covered_ms, model, minute_ms, boot)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...figures,
    coveredMs,
    model,
    minuteMs,
    boot,
  );
}

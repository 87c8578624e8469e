import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { RunHoursUnit } from './ports.ts';
import { RunCounts } from './run-counts.ts';
import { RunRecorder } from './run-recorder.ts';

const START_MS = 100 * HOUR_MS + 30_000;
const run = { model: 'tide', waitMs: 1, bidOverLevel: 1, firstTokenMs: 2, tokensPerSecond: null };

/** A recorder, and what it wrote: model, hour and number of orders. `commit` is what a write waits for. */
function bench(commit: () => Promise<void> = async () => {}) {
  const clock = new ManualClock(START_MS);
  const units: RunHoursUnit[] = [];
  const recorder = new RunRecorder({
    journal: {
      stalled: false,
      async write(unit) {
        if (unit.kind === 'run-hours') units.push(unit);
        await commit();
        return { result: 'changed' } as const;
      },
    },
    clock,
    log: silentLog,
    bootEpoch: 7,
  });
  const written = () =>
    units.map(({ hours }) =>
      hours.map(({ model, hourMs, counts }) => {
        const read = new RunCounts();
        read.addPacked(counts);
        return [model, hourMs / HOUR_MS, read.firstTokenMs.count];
      }),
    );
  return { clock, recorder, written, units };
}

test('what changed is written once a minute, however many orders there were, each hour whole', async () => {
  const { clock, recorder, written, units } = bench();
  for (let order = 0; order < 1000; order++) recorder.take(run);
  recorder.take({ ...run, model: 'reef' });
  assert.deepEqual(written(), []);
  await clock.advance(MINUTE_MS);
  recorder.take(run);
  await clock.advance(5 * MINUTE_MS);
  assert.deepEqual(written(), [
    [
      ['tide', 100, 1000],
      ['reef', 100, 1],
    ],
    [['tide', 100, 1001]],
  ]);
  assert.equal(units[0]?.boot, 7);
  await recorder.close();
});

test('the next hour begins at nothing, and the last of the one before is written', async () => {
  const { clock, recorder, written } = bench();
  await clock.advance(HOUR_MS - 50_000);
  recorder.take(run);
  await clock.advance(40_000);
  recorder.take(run);
  await clock.advance(MINUTE_MS);
  assert.deepEqual(written(), [[['tide', 100, 1]], [['tide', 101, 1]]]);
  await recorder.close();
});

test('while the database does not commit counts are kept, in one write at a time, and closing writes them', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { clock, recorder, written } = bench(() => promise);
  recorder.take(run);
  await clock.advance(MINUTE_MS);
  recorder.take(run);
  await clock.advance(10 * MINUTE_MS);
  assert.deepEqual(written(), [[['tide', 100, 1]]]);
  const closed = recorder.close();
  assert.deepEqual(written(), [[['tide', 100, 1]], [['tide', 100, 2]]]);
  resolve();
  await closed;
});

test('what could not be written is written again', async () => {
  let isDown = true;
  const { clock, recorder, written } = bench(async () => {
    if (isDown) throw new Error('no database');
  });
  recorder.take(run);
  await clock.advance(MINUTE_MS);
  isDown = false;
  await clock.advance(MINUTE_MS);
  assert.deepEqual(written(), [[['tide', 100, 1]], [['tide', 100, 1]]]);
  await recorder.close();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Calibration } from './quote.ts';

function afterWindows(windows: number, outcomes: { started: number; missed: number }): number {
  const calibration = new Calibration(0.95);
  for (let window = 0; window < windows; window++) {
    for (let lock = 0; lock < outcomes.started; lock++) calibration.resolve(false, 1);
    for (let lock = 0; lock < outcomes.missed; lock++) calibration.resolve(true, 1);
    calibration.endWindow(false, 4);
  }
  return calibration.correction;
}

test('more misses than the target raise the correction, fewer lower it, exactly the target leaves it', () => {
  assert.ok(afterWindows(1, { started: 10, missed: 10 }) > 0);
  assert.ok(afterWindows(1, { started: 20, missed: 0 }) < 0);
  assert.ok(Math.abs(afterWindows(5, { started: 19, missed: 1 })) < 1e-12);
});

test('a few locks move the correction as little as if they were twenty', () => {
  assert.equal(afterWindows(1, { started: 0, missed: 1 }), (0.4 * 0.95) / 20);
});

test('where many locks are resolved, each counts for less', () => {
  const calibration = new Calibration(0.95, { correction: 0, resolvedMean: 200 });
  for (let lock = 0; lock < 200; lock++) calibration.resolve(lock < 50, 1);
  calibration.endWindow(false, 4);
  assert.ok(Math.abs(calibration.correction - (0.4 * 40) / 200) < 1e-12, `${calibration.correction}`);
});

test('one window moves the correction by at most 0.4, however many locks missed', () => {
  assert.equal(afterWindows(1, { started: 0, missed: 20 }), 0.4 * 0.95);
  assert.equal(afterWindows(1, { started: 0, missed: 500 }), 0.4);
});

test('the correction never leaves its bounds', () => {
  assert.equal(afterWindows(1000, { started: 0, missed: 500 }), 2.5);
  assert.equal(afterWindows(1000, { started: 500, missed: 0 }), -0.5);
  const wild = { correction: 99, resolvedMean: 5 };
  assert.equal(new Calibration(0.95, wild).correction, 2.5);
});

test('a window that ended frozen changes nothing', () => {
  const calibration = new Calibration(0.95);
  for (let lock = 0; lock < 100; lock++) calibration.resolve(true, 1);
  calibration.endWindow(true, 4);
  calibration.endWindow(false, 4);
  assert.equal(calibration.correction, 0);
});

test('a start that is taken back does not count as a lock', () => {
  const calibration = new Calibration(0.95);
  calibration.resolve(false, 1);
  calibration.resolve(false, -1);
  calibration.endWindow(false, 4);
  assert.equal(calibration.correction, 0);
});

test('a lock counts as much as it weighs', () => {
  const calibration = new Calibration(0.95);
  for (let lock = 0; lock < 8; lock++) calibration.resolve(true, 0.25);
  for (let lock = 0; lock < 2; lock++) calibration.resolve(false, 0.25);
  calibration.resolve(false, -0.25);
  calibration.endWindow(false, 4);
  assert.ok(Math.abs(calibration.correction - (0.4 * (2 - 0.05 * 2.25)) / 20) < 1e-12);
});

test('the gain falls with the root of the starts of a window, from four on', () => {
  const correctionAt = (starts: number) => {
    const calibration = new Calibration(0.95);
    for (let lock = 0; lock < 10; lock++) calibration.resolve(true, 1);
    calibration.endWindow(false, starts);
    return calibration.correction;
  };
  const whole = (0.4 * 9.5) / 20;
  for (const [starts, part] of [
    [0, 1],
    [1, 1],
    [4, 1],
    [16, 0.5],
    [400, 0.1],
  ] as const) {
    assert.ok(Math.abs(correctionAt(starts) - whole * part) < 1e-12, `${starts} starts`);
  }
});

test('a calibration restored from its state continues unchanged', () => {
  const calibration = new Calibration(0.95);
  for (let lock = 0; lock < 100; lock++) calibration.resolve(true, 1);
  calibration.endWindow(false, 4);
  assert.deepEqual(new Calibration(0.95, calibration.state()).state(), calibration.state());
});

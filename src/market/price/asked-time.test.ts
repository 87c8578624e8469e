import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedTime, slownessOf } from './level.ts';

const second = { slots: 10, perSecond: 12, elapsedMs: 1000 };

/** The excess after a minute of seconds in which the same happens. */
function after(happens: (asked: AskedTime) => void, more: Partial<typeof second> = {}): number {
  const asked = new AskedTime();
  let excess = 0;
  for (let at = 0; at < 60; at++) {
    happens(asked);
    excess = asked.take({ ...second, ...more });
  }
  return Number(excess.toFixed(6));
}

test('what starts at the level is no excess, however much it is', () => {
  for (const ms of [1000, 10_000, 50_000])
    assert.equal(
      after((asked) => asked.starts(ms, true)),
      0,
    );
});

test('what starts below the level, and what stays free, lowers it; what is not served raises it in part', () => {
  assert.equal(
    after((asked) => asked.starts(4000, false)),
    -0.4,
  );
  assert.equal(
    after((asked) => asked.idles(3, 1000)),
    -0.3,
  );
  assert.equal(
    after((asked) => asked.unserved(5000)),
    0.4,
  );
  assert.equal(
    after((asked) => {
      asked.unserved(5000);
      asked.starts(4000, false);
    }),
    0,
  );
});

test('nothing that waits counts for more than seven tenths of the slots, nor the whole for more than them', () => {
  assert.equal(
    after((asked) => asked.unserved(1e9)),
    0.7,
  );
  assert.equal(
    after((asked) => asked.starts(1e9, false)),
    -1,
  );
});

test('where few orders start, some may start below the level, and single seconds say little', () => {
  const happens = (asked: AskedTime) => {
    asked.starts(9000, true);
    asked.starts(1000, false);
  };
  assert.ok(after(happens) < -0.09);
  assert.ok(after(happens, { perSecond: 0.4 }) > 0);
  const asked = new AskedTime();
  asked.unserved(5000);
  assert.ok(asked.take({ ...second, perSecond: 0.4 }) < 0.02);
  assert.deepEqual([slownessOf(0.4), slownessOf(3.2), slownessOf(100)], [8, 1, 1]);
});

test('a restart goes on where it stood', () => {
  const asked = new AskedTime();
  asked.unserved(5000);
  asked.take(second);
  assert.deepEqual(new AskedTime(asked.state()).state(), asked.state());
});

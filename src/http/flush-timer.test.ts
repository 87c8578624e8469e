import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { FlushTimer } from './event-stream.ts';

test('a member is flushed once, together with all others that joined in the meantime', async () => {
  const clock = new ManualClock();
  const timer = new FlushTimer(clock, 4);
  const flushed: string[] = [];
  const member = (name: string) => ({ onFlush: () => void flushed.push(name) });
  timer.join(member('a'));
  await clock.advance(3);
  timer.join(member('b'));
  assert.deepEqual([flushed, clock.pending], [[], 1]);
  await clock.advance(1);
  assert.deepEqual([flushed, clock.pending], [['a', 'b'], 0]);
});

test('a member may join again from inside its call, and waits again', async () => {
  const clock = new ManualClock();
  const timer = new FlushTimer(clock, 4);
  let calls = 0;
  const member = {
    onFlush() {
      if (++calls < 2) timer.join(member);
    },
  };
  timer.join(member);
  await clock.advance(4);
  assert.equal(calls, 1);
  await clock.advance(4);
  assert.deepEqual([calls, clock.pending], [2, 0]);
});

test('many members are flushed over several turns of the event loop, each once', async () => {
  const clock = new ManualClock();
  const timer = new FlushTimer(clock, 4);
  let turn = 0;
  const turns: number[] = [];
  for (let index = 0; index < 300; index++) timer.join({ onFlush: () => void turns.push(turn) });
  const count = () => {
    turn++;
    if (turns.length < 300) setImmediate(count);
  };
  count();
  await clock.advance(4);
  while (turns.length < 300) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(turns.length, 300);
  assert.ok(new Set(turns).size >= 3);
});

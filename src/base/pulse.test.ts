import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { Pulse } from './pulse.ts';

test('who joins is called once, with all who joined meanwhile', async () => {
  const clock = new ManualClock();
  const pulse = new Pulse(clock, 4);
  const called: string[] = [];
  const member = (name: string) => ({ onPulse: () => void called.push(name) });
  pulse.join(member('a'));
  await clock.advance(3);
  pulse.join(member('b'));
  assert.deepEqual([called, clock.pending], [[], 1]);
  await clock.advance(1);
  assert.deepEqual([called, clock.pending], [['a', 'b'], 0]);
});

test('a member may join again from inside its call, and waits anew', async () => {
  const clock = new ManualClock();
  const pulse = new Pulse(clock, 4);
  let calls = 0;
  const member = {
    onPulse() {
      if (++calls < 2) pulse.join(member);
    },
  };
  pulse.join(member);
  await clock.advance(4);
  assert.equal(calls, 1);
  await clock.advance(4);
  assert.deepEqual([calls, clock.pending], [2, 0]);
});

test('a crowd is called in several turns of the event loop, each member once', async () => {
  const clock = new ManualClock();
  const pulse = new Pulse(clock, 4);
  let turn = 0;
  const turns: number[] = [];
  for (let index = 0; index < 300; index++) pulse.join({ onPulse: () => void turns.push(turn) });
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

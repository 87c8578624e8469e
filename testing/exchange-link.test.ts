import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { type Channel, Link, type Packet } from './exchange-link.ts';
import { type Faults, faultyConnection } from './faulty-channel.ts';
import { ManualClock } from './manual-clock.ts';

const LIMITS = { repeatMs: 50, windowMax: 16, backlogMax: 1000 };

const KINDS: readonly (Faults & { name: string })[] = [
  { name: 'a clean connection', lost: 0, repeated: 0, delayMsMax: 0 },
  { name: 'a connection that reorders', lost: 0, repeated: 0, delayMsMax: 200 },
  { name: 'a connection that repeats', lost: 0, repeated: 0.8, delayMsMax: 20 },
  { name: 'a connection that loses half', lost: 0.5, repeated: 0, delayMsMax: 20 },
  { name: 'a connection with every fault', lost: 0.3, repeated: 0.3, delayMsMax: 120 },
];

for (const { name, ...faults } of KINDS) {
  for (const seed of [1, 2, 3]) {
    test(`over ${name} everything arrives once and in order, both ways (seed ${seed})`, async () => {
      const clock = new ManualClock();
      const { one, two } = faultyConnection<number, string>(clock, seededRandom(seed), faults);
      const left = new Link({ ...LIMITS, clock, channel: one });
      const right = new Link({ ...LIMITS, clock, channel: two });
      const [atLeft, atRight]: [string[], number[]] = [[], []];
      left.listen((message) => void atLeft.push(message));
      right.listen((message) => void atRight.push(message));

      const numbers = Array.from({ length: 120 }, (_, index) => index);
      for (const number of numbers) {
        left.send(number);
        right.send(`answer ${number}`);
        if (number % 40 === 39) await clock.advance(30);
      }
      for (let rounds = 0; clock.pending > 0 && rounds < 1000; rounds++) await clock.advance(50);

      assert.deepEqual(atRight, numbers);
      assert.deepEqual(
        atLeft,
        numbers.map((number) => `answer ${number}`),
      );
      assert.equal(clock.pending, 0);
    });
  }
}

/** A channel that only stores what was sent. */
function deaf(): { channel: Channel<string, string>; sent: Packet<string>[] } {
  const sent: Packet<string>[] = [];
  return { sent, channel: { send: (packet) => void sent.push(packet), listen: () => {} } };
}

test('no more messages are in flight than the window allows', () => {
  const { channel, sent } = deaf();
  const link = new Link({ ...LIMITS, clock: new ManualClock(), channel });
  for (let count = 0; count < 100; count++) link.send('hello');
  assert.equal(sent.length, LIMITS.windowMax);
});

test('a link whose other end is silent refuses messages beyond its backlog', () => {
  const link = new Link({ ...LIMITS, backlogMax: 2, clock: new ManualClock(), channel: deaf().channel });
  link.send('one');
  link.send('two');
  assert.throws(() => link.send('three'), /does not acknowledge/);
});

test('a closed link leaves no timer behind', () => {
  const clock = new ManualClock();
  const link = new Link({ ...LIMITS, clock, channel: deaf().channel });
  link.send('one');
  link.close();
  assert.equal(clock.pending, 0);
});

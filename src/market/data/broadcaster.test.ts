import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Broadcaster } from './feed.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function listeners(broadcaster: Broadcaster, count: number) {
  const order: number[] = [];
  const received = Array.from({ length: count }, (_, index) => {
    const texts: string[] = [];
    const frame = (text: string) => {
      order.push(index);
      texts.push(text);
    };
    const listener = { frame, ended() {} };
    broadcaster.add(listener);
    return { texts, leave: () => broadcaster.delete(listener) };
  });
  return { received, order };
}

test('a few listeners receive a frame at once', () => {
  const broadcaster = new Broadcaster();
  const { received } = listeners(broadcaster, 3);
  broadcaster.send('a');
  broadcaster.send('b');
  assert.deepEqual(
    received.map(({ texts }) => texts),
    [
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
});

test('thousands of listeners are served in slices, with other work in between, and all in order', async () => {
  const broadcaster = new Broadcaster();
  const { received, order } = listeners(broadcaster, 1000);
  broadcaster.send('a');
  assert.equal(order.length, 128);
  broadcaster.send('b');
  broadcaster.send('c');
  for (let turns = 0; turns < 40; turns++) {
    const before = order.length;
    await turn();
    assert.ok(order.length - before <= 128);
  }
  assert.ok(received.every(({ texts }) => texts.join('') === 'abc'));
  assert.ok(
    received.every(({ texts }) => texts.length === 2),
    'what happened meanwhile comes together',
  );
});

test('each round begins with a different listener', async () => {
  const broadcaster = new Broadcaster();
  const { order } = listeners(broadcaster, 300);
  const firsts: (number | undefined)[] = [];
  for (let round = 0; round < 4; round++) {
    order.length = 0;
    broadcaster.send('a');
    for (let turns = 0; turns < 5; turns++) await turn();
    firsts.push(order[0]);
    assert.equal(new Set(order).size, 300);
  }
  assert.deepEqual(firsts, [0, 128, 256, 84]);
});

test('a listener that joins during a round gets only later frames, and one that left gets no more', async () => {
  const broadcaster = new Broadcaster();
  const { received } = listeners(broadcaster, 300);
  broadcaster.send('a');
  broadcaster.send('b');
  received[299]?.leave();
  const [late] = listeners(broadcaster, 1).received;
  broadcaster.send('c');
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.deepEqual(late?.texts, ['c']);
  assert.deepEqual(received[299]?.texts, []);
  assert.equal(received[298]?.texts.join(''), 'abc');
  assert.equal(broadcaster.size, 300);
});

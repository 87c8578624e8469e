import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FanOut } from './fan-out.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function listeners(fanOut: FanOut, count: number) {
  const order: number[] = [];
  const told = Array.from({ length: count }, (_, index) => {
    const texts: string[] = [];
    const frame = (text: string) => {
      order.push(index);
      texts.push(text);
    };
    return { texts, leave: fanOut.join({ frame }) };
  });
  return { told, order };
}

test('a few listeners are told at once', () => {
  const fanOut = new FanOut();
  const { told } = listeners(fanOut, 3);
  fanOut.tell('a');
  fanOut.tell('b');
  assert.deepEqual(
    told.map(({ texts }) => texts),
    [
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
});

test('thousands are told in slices, between which others have their turn, and each is told everything in order', async () => {
  const fanOut = new FanOut();
  const { told, order } = listeners(fanOut, 1000);
  fanOut.tell('a');
  assert.equal(order.length, 128);
  fanOut.tell('b');
  fanOut.tell('c');
  for (let turns = 0; turns < 40; turns++) {
    const before = order.length;
    await turn();
    assert.ok(order.length - before <= 128);
  }
  assert.ok(told.every(({ texts }) => texts.join('') === 'abc'));
  assert.ok(
    told.every(({ texts }) => texts.length === 2),
    'what happened meanwhile comes together',
  );
});

test('each round begins with another listener', async () => {
  const fanOut = new FanOut();
  const { order } = listeners(fanOut, 300);
  const firsts: (number | undefined)[] = [];
  for (let round = 0; round < 4; round++) {
    order.length = 0;
    fanOut.tell('a');
    for (let turns = 0; turns < 5; turns++) await turn();
    firsts.push(order[0]);
    assert.equal(new Set(order).size, 300);
  }
  assert.deepEqual(firsts, [0, 128, 256, 84]);
});

test('who joins during a round is told what comes later, and who left is told nothing more', async () => {
  const fanOut = new FanOut();
  const { told } = listeners(fanOut, 300);
  fanOut.tell('a');
  fanOut.tell('b');
  told[299]?.leave();
  const [late] = listeners(fanOut, 1).told;
  fanOut.tell('c');
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.deepEqual(late?.texts, ['c']);
  assert.deepEqual(told[299]?.texts, []);
  assert.equal(told[298]?.texts.join(''), 'abc');
  assert.equal(fanOut.size, 300);
});

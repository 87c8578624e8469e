import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rungsOf } from '../src/model/rungs.ts';

describe('the ladder of a market', () => {
  const steps = [
    { price: 0.5, orders: 3 },
    { price: 0.4, orders: 7 },
  ];
  const shown = (level: number | null, bids: readonly (readonly [price: number, count: number])[]) =>
    rungsOf(
      steps,
      level,
      bids.map(([price, count]) => ({ price, ids: Array.from({ length: count }, String) })),
    ).map(({ kind, price, orders, own, ahead }) => [kind, price, orders, own, ahead]);

  it('has the level between the steps above and below it', () => {
    assert.deepEqual(shown(0.45, []), [
      ['step', 0.5, 3, 0, 0],
      ['level', 0.45, null, 0, 0],
      ['step', 0.4, 7, 0, 3],
    ]);
  });

  it('counts own orders in the step that reaches to them, with the orders of the steps above', () => {
    assert.deepEqual(
      shown(null, [
        [9, 1],
        [0.5, 2],
        [0.49, 4],
      ]),
      [
        ['step', 0.5, 3, 3, 0],
        ['step', 0.4, 7, 4, 3],
      ],
    );
  });

  it('gives own bids below the last step rows of their own', () => {
    assert.deepEqual(
      shown(0.2, [
        [0.3, 2],
        [0.1, 1],
      ]),
      [
        ['step', 0.5, 3, 0, 0],
        ['step', 0.4, 7, 0, 3],
        ['own', 0.3, null, 2, 10],
        ['level', 0.2, null, 0, 0],
        ['own', 0.1, null, 1, 10],
      ],
    );
  });
});

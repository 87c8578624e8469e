import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangeOf, roundFigures, roundMoments } from '../src/charts/axes.ts';
import { priceText } from '../src/format.ts';

const HOUR_MS = 3_600_000;

describe('the axes of a chart', () => {
  it('have moments that are round on the clock of the reader, and no more than there is room for', () => {
    const kolkata = 5.5 * HOUR_MS;
    const { stepMs, atMs } = roundMoments(0, 24 * HOUR_MS, 5, kolkata);
    assert.equal(stepMs, 6 * HOUR_MS);
    assert.deepEqual(
      atMs.map((ms) => (ms + kolkata) / HOUR_MS),
      [6, 12, 18, 24],
    );
    assert.deepEqual(roundMoments(1500, 1600, 5, 0), { stepMs: 1000, atMs: [] });
  });

  it('have round figures within the range, none of a range of nothing', () => {
    assert.deepEqual(roundFigures(0, 44), [0, 20, 40]);
    assert.deepEqual(roundFigures(0.31, 0.33), [0.31, 0.32, 0.33]);
    assert.deepEqual(roundFigures(3, 3), []);
  });

  it('leave room around the values, and begin at zero where heights are compared', () => {
    assert.deepEqual(rangeOf([10, 20], false), [9, 21]);
    assert.deepEqual(rangeOf([10, 20], true), [0, 22]);
    assert.deepEqual(rangeOf([0], true), [0, 0.1]);
    assert.deepEqual(rangeOf([5], false), [4.5, 5.5]);
  });

  it('leave so much room around what hardly moves that prices of four digits differ', () => {
    const texts = roundFigures(...rangeOf([0.01, 0.0100002], false)).map(priceText);
    assert.deepEqual(texts, ['$0.0099', '$0.01', '$0.0101']);
  });
});

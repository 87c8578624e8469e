import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorPicture } from './picture.ts';

test('each measured server has a bar, longer where a request costs more, and its multiple of the floor', () => {
  const bars = [
    { name: 'floor', processorUs: 100 },
    { name: 'Sluice', processorUs: 250 },
    { name: 'LiteLLM', processorUs: 18_000 },
    { name: 'Portkey', processorUs: Number.NaN },
  ];
  const picture = processorPicture([{ name: 'unary & small', bars }], 'a caption');
  const widths = [...picture.matchAll(/<rect x="120"[^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  assert.equal(widths.length, 3);
  assert.deepEqual(
    widths,
    widths.toSorted((a, b) => a - b),
  );
  assert.match(picture, />unary &amp; small</);
  assert.match(picture, />250 µs, 2\.5 × floor</);
  assert.match(picture, />18000 µs, 180 × floor</);
});

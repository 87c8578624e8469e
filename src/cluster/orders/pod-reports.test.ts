/** What gateways tell the owner of a market about its pods. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodReport } from '#orders/ports.ts';
import { joinedCalls } from '#testing/joined-calls.ts';
import { podReports } from './pod-reports.ts';

const report = (model: string): PodReport => ({ model, pod: 'pod-1', order: 'order', kind: 'failed' });

test('the owner hears what another gateway learned, and nobody hears it otherwise', async () => {
  const { clock, calls, network } = await joinedCalls(2);
  const owners: Record<string, number> = { mine: 1, theirs: 2 };
  const heard: string[] = [];
  const [one] = [1, 2].map((self) =>
    podReports({
      ...{ self, calls: calls(self), ownerOf: (model) => owners[model] ?? null },
      heard: ({ model, kind }) => heard.push(`${self}: ${model} ${kind}`),
    }),
  );
  for (const model of ['mine', 'theirs', 'ownerless']) one?.(report(model));
  await clock.advance(100);
  assert.deepEqual(heard, ['2: theirs failed']);

  one?.(report('theirs'));
  owners.theirs = 1;
  await clock.advance(100);
  assert.equal(heard.length, 1, 'it owns the market no more');

  owners.theirs = 2;
  network.crash(2);
  one?.(report('theirs'));
  await clock.advance(10_000);
  assert.equal(heard.length, 1);
});

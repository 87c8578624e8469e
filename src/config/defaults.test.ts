/** Defaults that stand in the schema and in code that has no configuration, such as a simulated pod's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitDefaults } from '#access/limits.ts';
import { podDefaults } from '#pods/pod.ts';
import { parseConfig } from '#testing/judged-config.ts';

const FILE = `
default_model: tide
models:
  - id: tide
    type: fixed
    context_length: 10
    max_output_length: 5
    usd_per_million: {cached: 1, uncached: 1, output: 1}
    pods: [{id: gpu-1, slots: 1, url: "http://127.0.0.1/v1"}, {id: sim-1, slots: 1, simulated: true}]
`;

test('a file without limits has those of Spec 8', () => {
  assert.deepEqual(parseConfig(FILE, 'sluice.yaml', {}).limits, limitDefaults);
});

test('a backend and a simulated pod have the same defaults', () => {
  const { pods } = parseConfig(FILE, 'sluice.yaml', {});
  for (const pod of pods) assert.partialDeepStrictEqual(pod, podDefaults);
  assert.equal(pods.length, 2);
});

/** The slots of a pod in the file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './config.ts';

const textWith = (slots: string, more = 'url: "http://10.0.0.5:8000/v1"') => `default_model: harbor
models:
  - id: harbor
    type: fixed
    context_length: 4096
    max_output_length: 1024
    usd_per_million: {cached: 0.02, uncached: 0.1, output: 0.4}
    pods:
      - {id: gpu-1, ${more}, slots: ${slots}}
`;
const podOf = (slots: string) => parseConfig(textWith(slots), 'sluice.yaml', {}).pods[0];

function refusal(slots: string, more?: string): string {
  try {
    parseConfig(textWith(slots, more), 'sluice.yaml', {});
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail('the configuration was taken');
}

test('slots are a number, or follow the engine within their bounds', () => {
  assert.partialDeepStrictEqual(podOf('8'), { slots: 8, slotsMin: null });
  assert.partialDeepStrictEqual(podOf('{auto: {min: 4, max: 96}}'), { slots: 96, slotsMin: 4 });
  assert.partialDeepStrictEqual(podOf('{auto: {min: 4, max: 4}}'), { slots: 4, slotsMin: 4 });
});

test('slots of another shape are refused, with the place', () => {
  const at = 'sluice.yaml:9: models[0].pods[0].slots';
  const whole = 'make it a whole number from 1 to 100000';
  assert.equal(refusal('auto'), `${at} is "auto"; ${whole}, or {auto: {min: 4, max: 64}}.`);
  assert.equal(refusal('{auto: {min: 9, max: 8}}'), `${at}.auto.min is above max; make it at most 8.`);
  assert.equal(refusal('{auto: {min: 9}}'), `${at}.auto.max is missing; add a line such as max: 64.`);
  assert.equal(refusal('{auto: {min: 0, max: 8}}'), `${at}.auto.min is "0"; ${whole}.`);
  assert.equal(refusal('{auto: 8}'), `${at}.auto is "8"; make it a mapping of settings such as {min: 4, max: 64}.`);
  assert.match(refusal('{auto: {min: 1, max: 8, step: 2}}'), /slots\.auto\.step is not a setting here/);
  assert.match(refusal('{most: 8}'), /slots\.auto is missing/);
  assert.equal(
    refusal('{auto: {min: 1, max: 8}}', 'simulated: true'),
    `${at} follows an engine, and a simulated pod has none; make it a number such as 8.`,
  );
});

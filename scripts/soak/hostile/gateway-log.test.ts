import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROMPT_MARK } from '../../harness/requests.ts';
import { oddLines } from './gateway-log.ts';

const pauses = [{ beganAtMs: 100_000, endedAtMs: 105_000 }];

function found(...lines: (string | object)[]): string[] {
  const log = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  return oddLines(log, { pauses, secrets: ['sk-secret'] });
}

const failed = (time: number, msg: string) => ({ level: 50, time, msg });

test('warnings, and what a paused database explains, are not odd', () => {
  const retry = 'Lines of a batch could not be written; trying again.';
  assert.deepEqual(found({ level: 40, time: 1, msg: 'A pod failed an order.' }, failed(110_000, retry)), []);
});

test('an error at any other time is odd, and one that no pause explains at any time', () => {
  const retry = failed(10_000, 'Lines of a batch could not be written; trying again.');
  const fault = failed(101_000, 'The gateway failed an order.');
  assert.deepEqual(found(retry, fault), [
    `the gateway logged: ${JSON.stringify(retry)}`,
    `the gateway logged: ${JSON.stringify(fault)}`,
  ]);
});

test('a line that is not of the log is odd, unless the kill cut it', () => {
  assert.deepEqual(found('TypeError: x is not a function'), ['the gateway printed: TypeError: x is not a function']);
  assert.deepEqual(oddLines('{"level":40,"ti', { pauses, secrets: [] }), []);
});

test('a prompt and a key in the log are found', () => {
  assert.deepEqual(found({ level: 40, time: 1, msg: `${PROMPT_MARK} sk-secret` }), [
    'the log holds a prompt',
    'the log holds a key',
  ]);
});

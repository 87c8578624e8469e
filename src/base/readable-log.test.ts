import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';
import { readableLines } from './readable-log.ts';

test('a line on a terminal has its time, level, sentence and fields, and the stack of an error below', () => {
  const lines: string[] = [];
  const log = createLog('info', readableLines({ write: (line) => void lines.push(line) }));
  log.warn({ model: 'tide-70b', pod: 'a pod', slots: 8, apiKey: 'sk-secret' }, 'A pod is unhealthy.');
  log.error({ err: new Error('no disk') }, 'It failed.');
  log.debug({}, 'Not shown.');
  const [warned = '', failed = '', ...others] = lines;
  assert.match(
    warned,
    /^\d\d:\d\d:\d\d warn {2}A pod is unhealthy\. {2}model=tide-70b {2}pod="a pod" {2}slots=8 {2}apiKey=\[redacted\]\n$/,
  );
  assert.match(failed, /^\d\d:\d\d:\d\d error It failed\.\nError: no disk\n +at /);
  assert.deepEqual(others, []);
});

test('what is no line of the log stays as it is', () => {
  const lines: string[] = [];
  readableLines({ write: (line) => void lines.push(line) }).write('no JSON\n');
  assert.deepEqual(lines, ['no JSON\n']);
});

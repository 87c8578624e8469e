import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createLog } from './log.ts';

test('secrets are redacted anywhere in a line', () => {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => void done(void lines.push(String(chunk))) });
  const log = createLog('info', sink);
  log.info(
    { authorization: 'Bearer sk-1', apiKey: 'sk-2', headers: { authorization: 'sk-3', 'x-api-key': 'sk-4' } },
    'A line.',
  );
  log.info({ request: { api_key: 'sk-5' } }, 'Another line.');
  assert.equal(lines.length, 2);
  assert.doesNotMatch(lines.join(''), /sk-\d/);
  assert.match(lines.join(''), /\[redacted\]/);
});

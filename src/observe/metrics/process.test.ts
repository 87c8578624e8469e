import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processReader } from './process.ts';

function namesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
}

test('the process is measured, and the lag of the event loop from the second text on', async () => {
  const read = processReader();
  const first = namesIn(await read());
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds'])
    assert.ok(first.includes(name), name);
  assert.ok(!first.some((name) => name.startsWith('nodejs_eventloop_lag_')));
  const second = namesIn(await read());
  assert.ok(second.includes('nodejs_eventloop_lag_p99_seconds'));
  assert.ok(second.every((name) => /^(?:process|nodejs)_/.test(name)));
});

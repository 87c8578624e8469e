import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, silentLog } from '#base/log.ts';
import { ConfigError } from '#config/config.ts';
import { MetricsServer } from '#observe/metrics/metrics.ts';
import { listenAt } from './metrics.ts';

const HOST = '127.0.0.1';

function server(): MetricsServer {
  return new MetricsServer({ read: async () => '', log: silentLog });
}

test('the usual port that another gateway has is done without, and the log says so', async () => {
  const [first, second] = [server(), server()];
  const { port } = await first.listen({ host: HOST, port: 0 });
  let logged = '';
  const log = createLog('info', {
    write(line: string) {
      logged += line;
    },
  });
  assert.equal(await listenAt({ host: HOST, port, required: false }, second, log), null);
  assert.match(logged, /"level":40.*"port":\d+,"code":"EADDRINUSE".*There are no metrics: set METRICS_PORT/);
  await second.close();
  await first.close();
});

test('a port that somebody asked for is required', async () => {
  const [first, second] = [server(), server()];
  const { port } = await first.listen({ host: HOST, port: 0 });
  await assert.rejects(
    listenAt({ host: HOST, port, required: true }, second, silentLog),
    (error) => error instanceof ConfigError && error.message.startsWith(`METRICS_PORT ${port} on ${HOST} cannot be`),
  );
  await first.close();
  assert.equal(await listenAt({ host: HOST, port, required: true }, second, silentLog), port);
  await second.close();
});

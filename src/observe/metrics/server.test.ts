import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { MetricsServer } from './metrics.ts';

const at = { host: '127.0.0.1', port: 0 };

test('only /metrics is served, and only by GET and HEAD', async () => {
  const server = new MetricsServer({ read: async () => 'up 1\n', log: silentLog });
  const { port } = await server.listen(at);
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  assert.deepEqual(await ask('/metrics'), {
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    text: 'up 1\n',
  });
  assert.equal((await ask('/metrics?collect[]=x')).status, 200);
  assert.deepEqual([(await ask('/metrics', 'HEAD')).status, (await ask('/metrics', 'HEAD')).text], [200, '']);
  assert.equal((await ask('/metrics', 'POST')).status, 405);
  for (const path of ['/', '/healthz', '/v1/models', '/metrics/x']) assert.equal((await ask(path)).status, 404);
  await server.close();
  await assert.rejects(ask('/metrics'));
});

test('a port that is taken is refused', async () => {
  const [first, second] = [0, 1].map(() => new MetricsServer({ read: async () => '', log: silentLog }));
  assert.ok(first && second);
  const { port } = await first.listen(at);
  await assert.rejects(second.listen({ ...at, port }), { code: 'EADDRINUSE' });
  await Promise.all([first.close(), second.close()]);
});

test('a failure to read is a 500, and not the end of the listener', async () => {
  let fails = true;
  const read = () => (fails ? Promise.reject(new Error('broken')) : Promise.resolve('up 1\n'));
  const server = new MetricsServer({ read, log: silentLog });
  const { port } = await server.listen(at);
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 500);
  fails = false;
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200);
  await server.close();
});

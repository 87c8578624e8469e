import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
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

test('503 with the reason once the gateway has lost its database', async () => {
  const server = new MetricsServer({ read: async () => 'up 1\n', log: silentLog });
  const { port } = await server.listen(at);
  server.refuse();
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 503);
  assert.match(await response.text(), /has lost its database/);
  await server.close();
});

test('on loopback only names of this machine are answered', async () => {
  const server = new MetricsServer({ read: async () => 'up 1\n', log: silentLog });
  const statusAt = async (port: number, host: string | null) => {
    const socket = connect(port, '127.0.0.1');
    socket.end(`GET /metrics HTTP/1.0\r\n${host === null ? '' : `host: ${host}\r\n`}\r\n`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    return Number(String(answer).split(' ')[1]);
  };
  const { port } = await server.listen(at);
  for (const host of ['localhost', 'localhost:9464', '127.0.0.1:9464', '127.1.2.3', '[::1]:9464', 'LOCALHOST'])
    assert.equal(await statusAt(port, host), 200, host);
  const strange = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1', '[::2]', '', 'x y'];
  for (const host of [...strange, 'localhost@evil.example', null])
    assert.equal(await statusAt(port, host), 421, String(host));
  await server.close();
  // A collector on another machine knows it by any name.
  const open = new MetricsServer({ read: async () => 'up 1\n', log: silentLog });
  const { port: other } = await open.listen({ host: '0.0.0.0', port: 0 });
  assert.equal(await statusAt(other, 'gateway.internal'), 200);
  await open.close();
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

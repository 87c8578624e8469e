import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { type FakeServer, type FakeSettings, startFake } from '#testing/fake-api.ts';
import { freePort } from '#testing/free-port.ts';
import { createPages } from './pages.ts';
import { HttpServer } from './server.ts';

const KEY = { authorization: 'Bearer good' };

/** A server whose GET /v1/models answers when the test says so. */
async function waiting(settings: Pick<FakeSettings, 'pages'> = {}) {
  let answer = () => {};
  let reached = () => {};
  const ready = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const running = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const fake = await startFake({
    ...settings,
    handlers: {
      getModels: async () => {
        reached();
        await ready;
        return { status: 200, json: 'finished' };
      },
    },
  });
  after(() => fake.stop());
  return { fake, running, answer };
}

/** Everything that comes back over a fresh connection until it is closed. */
async function raw({ port }: Pick<FakeServer, 'port'>, text: string, host = '127.0.0.1'): Promise<string> {
  const socket = connect(port, host);
  socket.write(text);
  return Buffer.concat(await Array.fromAsync(socket)).toString();
}

test('a drain lets running replies finish, and refuses new inference meanwhile', async () => {
  const { fake, running, answer } = await waiting();
  const reply = fetch(`${fake.url}/v1/models`);
  await running;
  const drained = fake.server.drain(60_000);
  assert.equal((await fetch(`${fake.url}/v1/chat/completions`, { method: 'POST', headers: KEY })).status, 503);
  assert.equal(fake.drain.running, 1);
  answer();
  const { headers } = await reply;
  assert.equal(headers.get('connection'), 'close');
  assert.equal(await (await reply).json(), 'finished');
  await drained;
  assert.equal(fake.clock.pending, 0);
  await assert.rejects(fetch(`${fake.url}/healthz`));
});

test('a drain does not wait for callers who go on sending a body that was refused', async () => {
  const fake = await startFake();
  after(() => fake.stop());
  const socket = connect(fake.port, '127.0.0.1');
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 999\r\n\r\n';
  socket.write(head);
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 401 /);
  while (fake.drain.running > 0 && !socket.closed) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(socket.closed, false);
  socket.destroy();
});

test('a drain keeps listening until work without a reply is done too', async () => {
  const { fake } = await waiting();
  const work = Promise.withResolvers<void>();
  const drained = fake.server.drain(60_000, work.promise);
  assert.equal((await fetch(`${fake.url}/v1/chat/completions`, { method: 'POST', headers: KEY })).status, 503);
  work.resolve();
  await drained;
  await assert.rejects(fetch(`${fake.url}/healthz`));
});

test('a drain cuts off what runs longer than its limit', async () => {
  const { fake, running } = await waiting();
  const cutOff = assert.rejects(fetch(`${fake.url}/v1/models`));
  await running;
  const drained = fake.server.drain(60_000);
  await fake.clock.advance(60_000);
  await cutOff;
  await drained;
  await assert.rejects(fetch(`${fake.url}/healthz`));
});

test('a connection that is kept through a drain is closed after its reply', async () => {
  const { fake, running, answer } = await waiting();
  const reply = raw(fake, 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
  await running;
  const drained = fake.server.drain(60_000);
  answer();
  assert.match(await reply, /^HTTP\/1\.1 200 OK.*connection: close.*"finished"$/is);
  await drained;
});

test('a page or the documentation that is requested in a drain closes its connection', async () => {
  const pages = createPages({ market: () => '<h1>A market</h1>', members: true });
  const { fake, running, answer } = await waiting({ pages });
  const reply = fetch(`${fake.url}/v1/models`);
  await running;
  const drained = fake.server.drain(60_000);
  for (const path of ['/', '/settings', '/console', '/docs/']) {
    const page = await fetch(fake.url + path, { headers: { accept: 'text/html' } });
    assert.deepEqual([page.status, page.headers.get('connection')], [200, 'close'], path);
    await page.text();
  }
  answer();
  await reply;
  await drained;
});

test('a drain waits for a page that is being compressed', async () => {
  let drained = Promise.resolve();
  const market = () => {
    drained = fake.server.drain(60_000);
    return '<h1>A market</h1>';
  };
  const { fake } = await waiting({ pages: createPages({ market, members: false }) });
  const page = await fetch(fake.url, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /A market.*<\/html>/s);
  await drained;
});

test('a second drain ends with the first', async () => {
  const { fake } = await waiting();
  await Promise.all([fake.server.drain(1000), fake.server.drain(1000)]);
});

/** A second server. */
function another({ drain, clock }: FakeServer): HttpServer {
  return new HttpServer({ app: { listener: () => {} }, drain, ids: idSource(clock), clock, log: silentLog });
}

test('listening on an address in use rejects', async () => {
  const { fake } = await waiting();
  await assert.rejects(another(fake).listen({ host: '127.0.0.1', port: fake.port }), { code: 'EADDRINUSE' });
});

const isLocal = ({ address }: { readonly address: string }) => address === '::1';
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((at) => at && isLocal(at));

describe('on a loopback address', { skip: hasIpv6 ? false : 'this machine has no ::1' }, () => {
  test('the other one leads to the same server until a drain ends', async () => {
    const { fake, answer } = await waiting();
    answer();
    assert.equal((await fetch(`http://[::1]:${fake.port}/v1/models`)).status, 200);
    assert.match(await raw(fake, 'NONSENSE\r\n\r\n', '::1'), /^HTTP\/1\.1 400 .*x-request-id: /is);
    const kept = await fetch(`http://[::1]:${fake.port}/healthz`);
    assert.equal(kept.status, 200);
    await kept.arrayBuffer();
    await fake.server.drain(60_000);
    await assert.rejects(fetch(`http://[::1]:${fake.port}/healthz`));
  });

  test('a browser is not led to localhost where another process has the other one', async () => {
    // Free on both: another process may have on the one address what the system gives on the other.
    const port = await freePort();
    const stranger = createServer().listen(port, '::1');
    await once(stranger, 'listening');
    const { fake } = await waiting();
    const server = another(fake);
    assert.deepEqual(await server.listen({ host: '127.0.0.1', port }), { port, localhost: false });
    await server.drain(1000);
    stranger.close();
    await once(stranger, 'close');
  });
});

test('bytes that are not HTTP are answered with 400, and the connection is closed', async () => {
  const { fake } = await waiting();
  const bad = [
    'NONSENSE\r\n\r\n',
    'GET /v1/models HTTP/9.9\r\n\r\n',
    'GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\0b\r\n\r\n',
    'GET /v1/models HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
  ];
  for (const text of bad) assert.match(await raw(fake, text), /^HTTP\/1\.1 400 /, JSON.stringify(text));
  const bigHead = `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'x'.repeat(40_000)}\r\n\r\n`;
  assert.match(await raw(fake, bigHead), /^HTTP\/1\.1 431 /);
  assert.equal((await fetch(`${fake.url}/healthz`)).status, 200);
});

test('what never becomes a request gets the usual error body, with a request id', async () => {
  const { fake } = await waiting();
  const head = (fields: string) => `GET /v1/models HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n`;
  const refused = {
    400: 'NONSENSE\r\n\r\n',
    417: head('Expect: the-unexpected'),
    431: head(`Authorization: Bearer ${'x'.repeat(40_000)}`),
  };
  for (const [status, sent] of Object.entries(refused)) {
    const [fields = '', body = ''] = (await raw(fake, sent)).split('\r\n\r\n');
    assert.match(fields, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(fields, /^x-request-id: [0-9a-f-]{36}$/im);
    const json = /\{.*\}/.exec(body)?.[0] ?? '';
    assert.equal(JSON.parse(json).error.type, 'invalid_request_error', status);
  }
});

test('a request without a Host header, or with two, gets the usual error body', async () => {
  const { fake, answer } = await waiting();
  answer();
  const ask = (version: string, hosts: string) =>
    raw(fake, `GET /v1/models HTTP/${version}\r\nConnection: close\r\n${hosts}\r\n`);
  for (const hosts of ['', 'Host: x\r\nhost: y\r\n']) {
    assert.match(
      await ask('1.1', hosts),
      /^HTTP\/1\.1 400 .*\{"error":\{.*"param":"host","code":"invalid_request"\}\}$/s,
    );
  }
  assert.match(await ask('1.0', ''), /^HTTP\/1\.1 200 /);
  assert.match(await ask('1.0', 'Host: x\r\nHost: y\r\n'), /^HTTP\/1\.1 400 /);
});

test('a Host header that is no host is refused, also by pages', async () => {
  const { fake, answer } = await waiting();
  answer();
  const ask = async (path: string, host: string, more = '') =>
    raw(fake, `GET ${path} HTTP/1.1\r\nConnection: close\r\nHost: ${host}\r\n${more}\r\n`);
  const bad = ['x y', 'a/b?c#d@e', '[::1', '::1', '[::g]', '[]', 'a:b', '<script>', 'user@x', 'x\\y', 'x%', 'a"b'];
  for (const host of bad)
    for (const path of ['/v1/models', '/healthz', '/docs/', '/'])
      assert.match(await ask(path, host), /^HTTP\/1\.1 400 .*"param":"host"/s, `${path} at ${host}`);
  for (const host of [
    'x',
    'X.example:80',
    '127.0.0.1:8080',
    '[::1]:9',
    '[::FFFF:1.2.3.4]',
    'a_b',
    'b%C3%BCcher.example',
    'x:',
    '',
  ])
    assert.match(await ask('/v1/models', host), /^HTTP\/1\.1 200 /, host);
  // That of a proxy stands for the Host, also in a list of several proxies.
  for (const host of [...bad, 'x, a/b', 'x,<script>'])
    for (const path of ['/v1/models', '/docs/'])
      assert.match(
        await ask(path, 'x', `X-Forwarded-Host: ${host}\r\n`),
        /^HTTP\/1\.1 400 .*"param":"x-forwarded-host"/s,
        `${path} for ${host}`,
      );
  const forwarded = 'X-Forwarded-Host: a.example:80 , [::1]:9\r\nX-Forwarded-Host: b\r\n';
  for (const good of [forwarded, 'X-Forwarded-Host:\r\n'])
    assert.match(await ask('/v1/models', 'x', good), /^HTTP\/1\.1 200 /, good);
});

test('two Authorization headers, and a body coded in other than chunks, are refused', async () => {
  const { fake, answer } = await waiting();
  answer();
  const ask = (headers: string) => raw(fake, `POST /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}`);
  const refused = { authorization: 'Authorization: Bearer a\r\nauthorization: Bearer a\r\n\r\n' };
  const coded = { 'transfer-encoding': 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n' };
  for (const [param, headers] of Object.entries({ ...refused, ...coded })) {
    assert.match(await ask(headers), new RegExp(`^HTTP/1\\.1 400 .*"param":"${param}","code":"invalid_request"`, 's'));
  }
  assert.match(await ask('Authorization: Bearer a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n'), /^HTTP\/1\.1 405 /);
});

test('CONNECT is refused with a body', async () => {
  const { fake } = await waiting();
  const [fields = '', body = ''] = (await raw(fake, 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n')).split(
    '\r\n\r\n',
  );
  assert.match(fields, /^HTTP\/1\.1 405 .*^allow: *$/ims);
  assert.equal(JSON.parse(body).error.code, 'method_not_allowed');
});

test('a refused caller who goes on sending gets the reply, and is cut off unless it closes its side', async () => {
  const { fake } = await waiting();
  for (const first of ['NONSENSE\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n']) {
    const socket = connect({ port: fake.port, host: '127.0.0.1', allowHalfOpen: true });
    const closed = once(socket, 'close');
    socket.on('error', () => {});
    socket.write(first);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 40[05] /);
    socket.write('NONSENSE\r\n\r\n');
    socket.resume();
    assert.equal(fake.clock.pending, 1);
    await fake.clock.advance(5_000);
    socket.end();
    await closed;
    assert.equal(fake.clock.pending, 0);
  }
});

test('the error for garbage after a running request is never taken for its reply', async () => {
  const { fake, running } = await waiting();
  const good = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n';
  const chunks = 'POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
  for (const garbage of ['NONSENSE\r\n\r\n', chunks]) {
    const reply = raw(fake, good + garbage).catch(() => '');
    await running;
    assert.equal(await reply, '');
  }
});

test('100 Continue is not sent to HTTP/1.0, which would take it for the response', async () => {
  const { fake } = await waiting();
  const ask = (version: string) =>
    raw(
      fake,
      `POST /v1/chat/completions HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n` +
        'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}',
    );
  assert.match(await ask('1.1'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  assert.match(await ask('1.0'), /^HTTP\/1\.1 400 /);
});

test('garbage while a reply is being sent closes the connection, and never gets into the reply', async () => {
  const { fake, running, answer } = await waiting();
  const reply = raw(fake, 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\nNONSENSE\r\n\r\n');
  await running;
  answer();
  assert.doesNotMatch(await reply, /finished.*400/s);
});

test('invalid chunks are answered with 400', async () => {
  const { fake } = await waiting();
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n';
  assert.match(await raw(fake, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`), /^HTTP\/1\.1 400 /);
});

test('an absolute target gives the path, and the host in place of the Host header', async () => {
  const { fake, answer } = await waiting();
  answer();
  const first = async (target: string) => {
    const [line] = (await raw(fake, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).split('\r\n');
    return line;
  };
  assert.equal(await first('http://example.org/v1/models?model=x'), 'HTTP/1.1 200 OK');
  assert.equal(await first('http://example.org/nothing'), 'HTTP/1.1 404 Not Found');
  for (const host of ['[::', 'user@example.org', 'x%', '<script>'])
    assert.equal(await first(`http://${host}/v1/models`), 'HTTP/1.1 400 Bad Request', host);
  assert.equal(await first('http://example.org'), 'HTTP/1.1 404 Not Found');
});

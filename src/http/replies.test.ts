import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import type { AnyHandler } from '#contract/call.ts';
import type { StreamWriter } from '#contract/reply.ts';
import { type FakeServer, startFake } from '#testing/fake-api.ts';

async function serving(getModels: AnyHandler): Promise<FakeServer> {
  const fake = await startFake({ handlers: { getModels } });
  after(() => fake.stop());
  return fake;
}

const models = (fake: FakeServer, init: RequestInit = {}) => fetch(`${fake.url}/v1/models`, init);

/** A stream whose writer the test gets as soon as a caller has opened the stream. */
async function streaming() {
  let opened: (out: StreamWriter) => void = () => {};
  let left = () => {};
  const writer = new Promise<StreamWriter>((resolve) => {
    opened = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const fake = await serving((call) => {
    call.onGone(left);
    return { status: 200, open: opened };
  });
  return { fake, writer, gone };
}

test('a JSON response has its length, its type and a request id', async () => {
  const answer = await models(await serving(() => ({ status: 200, json: { name: 'né' } })));
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.equal(answer.headers.get('content-length'), '14');
  assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(answer.headers.get('x-powered-by'), null);
  assert.equal(answer.headers.get('etag'), null);
  assert.deepEqual(await answer.json(), { name: 'né' });
});

test('a caller’s request id is kept when it is plain, and replaced when not', async () => {
  const fake = await serving(({ requestId }) => ({ status: 200, json: requestId }));
  const idFor = async (sent: string) => {
    const answer = await models(fake, { headers: { 'x-request-id': sent } });
    assert.equal(answer.headers.get('x-request-id'), await answer.json());
    return answer.headers.get('x-request-id');
  };
  assert.equal(await idFor('trace-1:2.3_x'), 'trace-1:2.3_x');
  for (const odd of ['a b', '"', '{}', 'x'.repeat(129)]) assert.match((await idFor(odd)) ?? '', /^[0-9a-f-]{36}$/);
});

test('HEAD gets the headers of GET, also for a stream', async () => {
  const json = await models(await serving(() => ({ status: 200, json: 'four' })), { method: 'HEAD' });
  assert.deepEqual([json.status, json.headers.get('content-length'), await json.text()], [200, '6', '']);
  const stream = await models((await streaming()).fake, { method: 'HEAD' });
  assert.deepEqual([stream.headers.get('content-type'), await stream.text()], ['text/event-stream', '']);
});

test('bytes and empty responses are sent as they are', async () => {
  const raw = await models(await serving(() => ({ status: 200, headers: { 'content-type': 'a/b' }, raw: 'x\n' })));
  assert.deepEqual([raw.headers.get('content-type'), await raw.text()], ['a/b', 'x\n']);
  const moved = { status: 308, headers: { location: '/v1/rate-limits' } };
  const redirect = await models(await serving(() => moved), { redirect: 'manual' });
  assert.deepEqual([redirect.status, redirect.headers.get('location')], [308, '/v1/rate-limits']);
  assert.equal(redirect.headers.get('content-length'), '0');
});

test('the first value of each query parameter counts, and none comes from a prototype', async () => {
  const fake = await serving(({ queryTexts: query }) => ({
    status: 200,
    json: { ...query, inherited: 'toString' in query },
  }));
  const answer = await fetch(`${fake.url}/v1/models?a=1&a=2&b=%20&c&__proto__=x`);
  assert.deepEqual(await answer.text(), '{"a":"1","b":" ","c":"","__proto__":"x","inherited":false}');
});

test('any web page may read a response and the headers that matter', async () => {
  const fake = await serving(() => ({ status: 200 }));
  for (const path of ['/v1/models', '/nothing']) {
    const { headers } = await fetch(fake.url + path, { headers: { origin: 'https://example.org' } });
    assert.equal(headers.get('access-control-allow-origin'), '*');
    for (const name of ['x-service-order-id', 'idempotent-replayed', 'x-request-id', 'retry-after']) {
      assert.ok(headers.get('access-control-expose-headers')?.includes(name));
    }
  }
});

test('a preflight is answered without a key, for paths that exist', async () => {
  const fake = await serving(() => ({ status: 200 }));
  const ask = (path: string) => fetch(fake.url + path, { method: 'OPTIONS' });
  const answer = await ask('/v1/chat/completions');
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-methods')], [204, 'POST']);
  assert.ok(answer.headers.get('access-control-allow-headers')?.includes('authorization'));
  assert.equal(answer.headers.get('content-length'), null);
  assert.equal((await ask('/nothing')).status, 404);
});

test('the headers of a stream are sent before its first event', async () => {
  const { fake, writer } = await streaming();
  const answer = await models(fake);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  assert.equal(answer.headers.get('cache-control'), 'no-cache');
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  (await writer).end('data: 1\n\n');
  assert.equal(await answer.text(), 'data: 1\n\n');
});

test('what is written in one turn of the event loop is sent as one chunk, in order', async () => {
  const fake = await serving(() => ({
    status: 200,
    open: (out) => {
      for (const part of ['a', 'b', 'c']) out.write(part);
      setImmediate(() => {
        out.write('d');
        out.end('e');
      });
    },
  }));
  const socket = connect(fake.port, '127.0.0.1');
  socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const answer = Buffer.concat(await Array.fromAsync(socket)).toString();
  assert.match(answer, /\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n$/);
});

test('after the end nothing more is written', async () => {
  const fake = await serving(() => ({
    status: 200,
    open: (out) => {
      out.write('a');
      out.end('b');
      assert.equal(out.write('c'), false);
      out.end('d');
    },
  }));
  assert.equal(await (await models(fake)).text(), 'ab');
});

test('a disconnect during a stream is noticed, and writing then does nothing', async () => {
  const { fake, writer, gone } = await streaming();
  const leaving = new AbortController();
  await models(fake, { signal: leaving.signal });
  leaving.abort();
  await gone;
  const out = await writer;
  assert.equal(out.write('a'), false);
  out.end('b');
});

test('a disconnect before a unary response is noticed, also by a handler that registers late', async () => {
  const happened: string[] = [];
  let asked = () => {};
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const leaving = new AbortController();
  const fake = await serving(async (call) => {
    const early = new Promise<void>((resolve) => call.onGone(resolve));
    asked();
    await early;
    await new Promise<void>((resolve) => call.onGone(resolve));
    happened.push('called twice');
    return { status: 200, json: 'nobody reads this' };
  });
  const answer = models(fake, { signal: leaving.signal });
  await reached;
  leaving.abort();
  await assert.rejects(answer);
  await fake.drain.idle();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(happened, ['called twice']);
});

test('a caller who got everything does not count as gone', async () => {
  let gone = false;
  const fake = await serving((call) => {
    call.onGone(() => {
      gone = true;
    });
    return { status: 200, open: (out) => out.end('data: 1\n\n') };
  });
  await (await models(fake, { headers: { connection: 'close' } })).text();
  await fake.drain.idle();
  assert.equal(gone, false);
});

test('a caller who stops reading is cut off before the unread data fills the memory', async () => {
  const { fake, writer, gone } = await streaming();
  const socket = connect(fake.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
  const out = await writer;
  const piece = 'x'.repeat(1024 * 1024);
  const writeOn = () => {
    out.write(piece);
    if (!left) setImmediate(writeOn);
  };
  let left = false;
  writeOn();
  await gone;
  left = true;
  socket.destroy();
});

test('a handler that fails after the headers are sent ends the connection', async () => {
  const fake = await serving(() => ({
    status: 200,
    open: () => {
      throw new Error('a bug');
    },
  }));
  await assert.rejects(async () => (await models(fake)).text());
  assert.equal((await fetch(`${fake.url}/healthz`)).status, 200);
});

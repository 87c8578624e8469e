import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorIn, type FakeSettings, startFake } from '#testing/fake-api.ts';

const key = { authorization: 'Bearer good' };
const suspended = { authorization: 'Bearer suspended' };
const wrong = { authorization: 'Bearer wrong' };
const huge = 'x'.repeat(1025);
const small = { limits: { requestBodyBytes: 1024 } };

async function server(settings: FakeSettings = {}) {
  const fake = await startFake(settings);
  after(() => fake.stop());
  return {
    ...fake,
    /** Status and code of a request; the path's usual method is POST. */
    async refusal(path: string, init: RequestInit = {}): Promise<string> {
      const answer = await fetch(fake.url + path, { method: 'POST', ...init });
      return `${answer.status} ${(await errorIn(answer)).error.code}`;
    },
  };
}

const CHAT = '/v1/chat/completions';

test('refusals come in one fixed order, whatever else is wrong', async () => {
  const { refusal, drain } = await server({ limits: { ...small.limits, inferenceRequestsPerMinutePerKey: 2 } });
  const all = { body: huge, headers: { ...wrong, 'content-encoding': 'rot13' } };
  assert.equal(await refusal('/v1/nothing', all), '404 not_found');
  assert.equal(await refusal(CHAT, { ...all, method: 'PUT' }), '405 method_not_allowed');
  assert.equal(await refusal(CHAT, all), '401 invalid_api_key');
  assert.equal(await refusal(CHAT, { ...all, headers: { ...all.headers, ...suspended } }), '403 account_suspended');
  assert.equal(await refusal(CHAT, { ...all, headers: { ...all.headers, ...key } }), '413 request_too_large');
  assert.equal(await refusal(CHAT, { body: '{', headers: key }), '400 invalid_json');
  assert.equal(await refusal(CHAT, { ...all, headers: { ...all.headers, ...key } }), '429 rate_limit_error');
  drain.startDraining();
  assert.equal(await refusal(CHAT, { ...all, headers: { ...all.headers, ...key } }), '503 unavailable');
  assert.equal(await refusal(CHAT, all), '401 invalid_api_key');
});

test('a refused request that was authenticated counts, one without a key does not', async () => {
  const { refusal } = await server({ limits: { inferenceRequestsPerMinutePerKey: 1 } });
  assert.equal(await refusal(CHAT, { body: '{', headers: wrong }), '401 invalid_api_key');
  assert.equal(await refusal(CHAT, { body: '{', headers: key }), '400 invalid_json');
  assert.equal(await refusal(CHAT, { body: '{', headers: key }), '429 rate_limit_error');
});

test('405 lists the methods of the path in Allow, HEAD with GET', async () => {
  const { url } = await server();
  const allowed = async (path: string) => (await fetch(url + path, { method: 'DELETE' })).headers.get('allow');
  assert.equal(await allowed(CHAT), 'POST');
  assert.equal(await allowed('/v1/models'), 'GET, HEAD');
  assert.equal(await allowed('/v1/orders/abc'), 'GET, HEAD');
});

test('405 names the methods in its message too', async () => {
  const { url } = await server();
  const answer = await fetch(`${url}/v1/models`, { method: 'DELETE' });
  const { error } = (await answer.json()) as { error: { message: string } };
  assert.equal(error.message, 'This address takes GET, HEAD, not DELETE.');
});

test('errors below /v1/messages come in the Messages envelope, all others in OpenAI’s', async () => {
  const { url } = await server({ ...small, limits: { ...small.limits, inferenceRequestsPerMinutePerKey: 3 } });
  const errorOf = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, init);
    return { status: answer.status, headers: answer.headers, body: await errorIn(answer) };
  };
  const POST = { method: 'POST' };
  const cases: [string, RequestInit, number, string][] = [
    ['/v1/messages/nothing', POST, 404, 'not_found_error'],
    ['/v1/messages', { method: 'GET' }, 405, 'invalid_request_error'],
    ['/v1/messages', POST, 401, 'authentication_error'],
    ['/v1/messages', { ...POST, headers: suspended }, 403, 'permission_error'],
    ['/v1/messages', { ...POST, headers: key, body: huge }, 413, 'request_too_large'],
    ['/v1/messages', { ...POST, headers: key, body: '{' }, 400, 'invalid_request_error'],
    ['/v1/messages', { ...POST, headers: key, body: '{}' }, 400, 'invalid_request_error'],
    ['/v1/messages', { ...POST, headers: key, body: '{}' }, 429, 'rate_limit_error'],
  ];
  for (const [path, init, status, type] of cases) {
    const { headers, body, ...answer } = await errorOf(path, init);
    assert.equal(answer.status, status);
    assert.equal(body.type, 'error');
    assert.equal(body.error.type, type);
    assert.ok(body.error.code);
    assert.equal(body.request_id, headers.get('request-id'));
    assert.equal(body.request_id, headers.get('x-request-id'));
  }
  const chat = await errorOf(CHAT, POST);
  assert.deepEqual(Object.keys(chat.body), ['error']);
  assert.deepEqual(Object.keys(chat.body.error), ['message', 'type', 'param', 'code']);
  assert.equal(chat.headers.get('request-id'), null);
});

test('an error of a validator names the field', async () => {
  const { url } = await server();
  const answer = await fetch(url + CHAT, { method: 'POST', headers: key, body: '{}' });
  const { error } = await errorIn(answer);
  assert.deepEqual([answer.status, error.code, error.param], [400, 'invalid_request', 'name']);
});

test('Retry-After is sent with 429 and 503', async () => {
  const { url, drain } = await server({ limits: { publicRequestsPerMinutePerAddress: 1 } });
  await fetch(`${url}/v1/models`);
  const limited = await fetch(`${url}/v1/models`);
  assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '60']);
  assert.equal(limited.headers.get('x-should-retry'), null);
  drain.startDraining();
  const draining = await fetch(url + CHAT, { method: 'POST', headers: key });
  assert.deepEqual([draining.status, draining.headers.get('retry-after')], [503, '5']);
});

test('health checks have no rate limit, also while draining', async () => {
  const { url, drain } = await server({ limits: { publicRequestsPerMinutePerAddress: 1 } });
  drain.startDraining();
  for (let i = 0; i < 5; i++) assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test('a gateway that leaves its cluster says that it drains, and still takes what is sent to it', async () => {
  const { url, server: listening, drain } = await server();
  assert.equal(drain.leaving, false);
  listening.leave();
  assert.deepEqual([drain.leaving, drain.draining], [true, false]);
  const taken = await fetch(url + CHAT, { method: 'POST', headers: key, body: '{"name": "x"}' });
  assert.deepEqual([taken.status, taken.headers.get('connection')], [200, 'keep-alive']);
  drain.startDraining();
  assert.deepEqual([drain.leaving, drain.draining], [true, true]);
});

test('a client address is the one that the last trusted proxy reports', async () => {
  const spoof = { headers: { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } };
  const other = { headers: { 'x-forwarded-for': '198.51.100.1, 203.0.113.10' } };
  const one = { limits: { publicRequestsPerMinutePerAddress: 1 } };
  const alone = await server(one);
  await fetch(`${alone.url}/v1/models`, spoof);
  assert.equal((await fetch(`${alone.url}/v1/models`, other)).status, 429);
  const proxied = await server({ ...one, trustProxy: 1 });
  await fetch(`${proxied.url}/v1/models`, spoof);
  assert.equal((await fetch(`${proxied.url}/v1/models`, spoof)).status, 429);
  assert.equal((await fetch(`${proxied.url}/v1/models`, other)).status, 200);
});

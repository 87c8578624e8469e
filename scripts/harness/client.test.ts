import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { type Listening, listening } from '#testing/listening.ts';
import { Client, type Observed } from './client.ts';
import { Ledger } from './ledger.ts';

const caller = { account: 'kept', apiKey: 'sk' };
let answer: RequestListener;
let server: Listening;
let ledger: Ledger;
let seen: Observed[];
let client: Client;

beforeEach(async () => {
  server = await listening(createServer((request, response) => answer(request, response)));
  ledger = new Ledger(null);
  seen = [];
  client = new Client(ledger, { urls: [server.url], observe: (observed) => seen.push(observed) });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

test('an answer is read to its end, and observed under its route', async () => {
  answer = (request, response) => {
    response.writeHead(503, { 'x-service-order-id': 'a', 'retry-after': '1' }).end(request.headers.authorization);
  };
  const exchange = await client.call(caller, '/v1/account');
  const read = { status: 503, orderId: 'a', text: 'Bearer sk', isStream: false, retryAfter: true };
  assert.deepEqual(exchange, { kind: 'answer', ...read });
  assert.deepEqual(
    seen.map(({ route }) => route),
    ['GET /v1/account'],
  );
});

test('a caller leaves after a time or some pieces of the answer, and knows its order', async () => {
  answer = (_, response) => response.writeHead(200, { 'x-service-order-id': 'a' }).write('piece');
  for (const leaving of [{ afterMs: 20 }, { afterPieces: 1 }])
    assert.deepEqual(await client.call(caller, '/', { leaving }), { kind: 'left', orderId: 'a' });
  assert.deepEqual(ledger.findings, []);
});

test('a connection that breaks is a finding, unless a gateway was just killed', async () => {
  answer = (request) => request.socket.destroy();
  ledger.killing();
  assert.deepEqual(await client.call(caller, '/'), { kind: 'broken', orderId: null });
  assert.deepEqual(ledger.findings, []);
  const calm = new Ledger(null);
  await new Client(calm, { urls: [server.url] }).call(caller, '/');
  assert.match(String(calm.findings), /the connection broke/);
});

test('where nobody listens the gateway is down, and another is asked in turn', async () => {
  answer = (_, response) => response.end('{}');
  const gone = await listening(createServer());
  await gone.close();
  const several = new Client(ledger, { urls: [gone.url, server.url] });
  assert.equal((await several.call(caller, '/')).kind, 'down');
  assert.equal((await several.ask(caller, '/'))?.status, 200);
  await several.close();
});

test('an answer that does not end is a finding', async () => {
  answer = () => {};
  const impatient = new Client(ledger, { urls: [server.url], hungMs: 20 });
  assert.equal((await impatient.call(caller, '/slow')).kind, 'broken');
  assert.match(String(ledger.findings), /\/slow had no whole answer after 0\.02 s/);
});

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { createLog, silentLog } from '#base/log.ts';
import { operations } from '#generated/operations.ts';
import { requestBodies } from '#generated/validators.js';
import { errorIn, fakeContract, startFake } from '#testing/fake-api.ts';
import { createApi } from './api.ts';

const contract = { operations, requestBodies };

/** The address of an operation, with something in the place of each parameter. */
const addressOf = (path: string) => path.replaceAll(/\{\w+\}/g, 'x');

test('without a key, every operation that is not open answers 401, and none of the others', async () => {
  const fake = await startFake({ contract });
  after(() => fake.stop());
  for (const [id, { method, path, security }] of Object.entries(operations)) {
    const answer = await fetch(fake.url + addressOf(path), { method: method.toUpperCase() });
    assert.equal(answer.status, security === 'open' ? 200 : 401, id);
  }
});

test('a refused caller never reaches a handler', async () => {
  const reached: string[] = [];
  const handlers = Object.fromEntries(
    Object.keys(operations).map((id) => [
      id,
      () => {
        reached.push(id);
        return { status: 200 };
      },
    ]),
  );
  const fake = await startFake({ contract, handlers });
  after(() => fake.stop());
  for (const authorization of ['', 'Bearer wrong', 'Bearer suspended']) {
    for (const { method, path, security } of Object.values(operations)) {
      if (security === 'open') continue;
      await fetch(fake.url + addressOf(path), { method: method.toUpperCase(), headers: { authorization } });
    }
  }
  assert.deepEqual(reached, []);
});

test('headers of a proxy that is not trusted are logged once, with the setting, and those of a trusted one never', async () => {
  for (const [trustProxy, times] of [
    [0, 1],
    [[], 1],
    [1, 0],
  ] as const) {
    const warned: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, sentence: string) => warned.push(sentence) } as const;
    const fake = await startFake({ contract, trustProxy, log });
    try {
      await fetch(`${fake.url}/healthz`);
      assert.deepEqual(warned, []);
      for (let count = 0; count < 3; count++)
        await fetch(`${fake.url}/healthz`, {
          headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
        });
    } finally {
      await fake.stop();
    }
    assert.equal(warned.filter((sentence) => /trust_proxy/.test(sentence)).length, times);
  }
});

test('an operation without a handler stops the start, and so does a handler without an operation', async () => {
  const fake = await startFake();
  after(() => fake.stop());
  const parts = {
    contract: fakeContract,
    handlers: {},
    authenticator: { authenticate: () => Promise.reject(new Error('not asked')) },
    rates: { count() {} },
    limits: { requestBodyBytes: 1, requestBytesAtOnce: 1, unreadBytes: 1, batchFileBytes: 1, streamsPerAddress: 5 },
    largeBodies: null,
    drain: fake.drain,
    clock: fake.clock,
    log: createLog('silent'),
    isOutage: () => false,
  };
  assert.throws(() => createApi(parts), /Operation sendChat has no handler/);
  const reply = () => ({ status: 200 });
  const handlers = Object.fromEntries([...Object.keys(fakeContract.operations), 'getNothing'].map((id) => [id, reply]));
  assert.throws(() => createApi({ ...parts, handlers }), /Unknown operationId getNothing/);
});

test('an unexpected error of a handler is 500, and the caller sees nothing of it', async () => {
  const fake = await startFake({ handlers: { getOrder: () => Promise.reject(new Error('the disk')) } });
  after(() => fake.stop());
  const answer = await fetch(`${fake.url}/v1/orders/x`, { headers: { authorization: 'Bearer good' } });
  const body = await errorIn(answer);
  assert.deepEqual([answer.status, body.error.code], [500, 'internal_error']);
  assert.doesNotMatch(JSON.stringify(body), /disk/);
});

test('the line of a request has its order, and its trace if there is a well-formed one', async () => {
  const lines: string[] = [];
  const sendChat = () => ({ status: 200, headers: { 'x-service-order-id': 'order-1' } });
  const log = createLog('debug', { write: (line) => lines.push(line) });
  const fake = await startFake({ log, handlers: { sendChat } });
  after(() => fake.stop());
  const send = async (headers: Record<string, string>) => {
    const init = { method: 'POST', headers: { authorization: 'Bearer good', ...headers }, body: '{"name":"a"}' };
    await (await fetch(`${fake.url}/v1/chat/completions`, init)).text();
    await fake.drain.idle();
    const { order, trace_id } = JSON.parse(lines.at(-1) ?? '');
    return [order, trace_id];
  };
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  assert.deepEqual(await send({ traceparent: `00-${trace}-00f067aa0ba902b7-01` }), ['order-1', trace]);
  assert.deepEqual(await send({ traceparent: `00-${trace}` }), ['order-1', undefined]);
  assert.deepEqual(await send({}), ['order-1', undefined]);
});

test('a request is logged once, without its key, its query or its body', async () => {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const fake = await startFake({ log: createLog('debug', sink) });
  after(() => fake.stop());
  const headers = { authorization: 'Bearer good', 'x-request-id': 'request-1' };
  const send = (body: string) => fetch(`${fake.url}/v1/chat/completions?secret=1`, { method: 'POST', headers, body });
  await (await send('{"name":"private"}')).text();
  await (await send('{"private"')).text();
  await fake.drain.idle();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const common = {
    request_id: 'request-1',
    method: 'POST',
    path: '/v1/chat/completions',
    operation: 'sendChat',
    account: 'acc_1',
  };
  assert.deepEqual(
    lines.map(({ level, time, msg, ...line }) => line),
    [
      { ...common, status: 200, ms: 0 },
      { ...common, status: 400, ms: 0, code: 'invalid_json' },
    ],
  );
  assert.deepEqual(
    lines.map(({ level }) => level),
    [20, 30],
  );
  assert.doesNotMatch(text, /good|private|secret/);
});

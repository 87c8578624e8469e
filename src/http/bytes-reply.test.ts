/** Replies whose bytes are read while they are written. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { type FakeServer, startFake } from '#testing/fake-api.ts';

const MIB = 1024 * 1024;
const headers = { 'content-type': 'application/jsonl' };

/** A server whose GET /v1/models sends what `bytes` yields, declared as `length` bytes. */
async function sending(length: number, bytes: () => AsyncGenerator<Uint8Array>): Promise<FakeServer> {
  const fake = await startFake({
    handlers: { getModels: () => ({ status: 200, headers, length, bytes: bytes() }) },
  });
  after(() => fake.stop());
  return fake;
}

const models = (fake: FakeServer, init: RequestInit = {}) => fetch(`${fake.url}/v1/models`, init);

test('bytes come in order, with their length and their type', async () => {
  const fake = await sending(6, async function* () {
    yield Buffer.from('one');
    yield Buffer.from('two');
  });
  const answer = await models(fake);
  assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, '6']);
  assert.equal(answer.headers.get('content-type'), 'application/jsonl');
  assert.equal(await answer.text(), 'onetwo');
});

test('no bytes make an empty response', async () => {
  const answer = await models(await sending(0, async function* () {}));
  assert.deepEqual([answer.status, answer.headers.get('content-length'), await answer.text()], [200, '0', '']);
});

test('a fault before the first byte is reported like any other', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first chunk.
  const fake = await sending(6, async function* () {
    throw new Fault('unavailable', { retryAfterS: 30 });
  });
  const answer = await models(fake);
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '30']);
});

test('an error after the headers, or an end before the declared length, cuts the response off', async () => {
  const failing = await sending(6, async function* () {
    yield Buffer.from('one');
    throw new Error('the disk');
  });
  await assert.rejects(models(failing).then((answer) => answer.text()));
  const short = await sending(6, async function* () {
    yield Buffer.from('one');
  });
  await assert.rejects(models(short).then((answer) => answer.text()));
});

test('HEAD gets the headers, and the reading ends', async () => {
  let ended = false;
  const fake = await sending(6, async function* () {
    try {
      yield Buffer.from('one');
      yield Buffer.from('two');
    } finally {
      ended = true;
    }
  });
  const answer = await models(fake, { method: 'HEAD' });
  assert.deepEqual([answer.headers.get('content-length'), await answer.text(), ended], ['6', '', true]);
});

test('backpressure of the caller stops the reading, and a disconnect ends it', async () => {
  let read = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const chunk = Buffer.alloc(64 * 1024);
  const fake = await sending(50 * MIB, async function* () {
    try {
      for (; read < 50 * MIB; read += chunk.length) yield chunk;
    } finally {
      end();
    }
  });
  const socket = connect(fake.port, '127.0.0.1');
  socket.pause();
  socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
  while (read === 0) await new Promise(setImmediate);
  // It stops once the socket buffers of both sides are full.
  for (let before = -1; before !== read; ) {
    before = read;
    for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
  }
  assert.ok(read < 20 * MIB, `${read} bytes were read`);
  socket.destroy();
  await ended;
  assert.ok(read < 20 * MIB);
});

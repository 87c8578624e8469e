/** Replies whose memory is reused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { startFake } from '#testing/fake-api.ts';

/** A server whose GET /v1/models sends `raw`, and how often it released that memory. */
async function sending(raw: Uint8Array) {
  const released = Promise.withResolvers<void>();
  let times = 0;
  const release = () => {
    times++;
    released.resolve();
  };
  const fake = await startFake({ handlers: { getModels: () => ({ status: 200, headers: {}, raw, release }) } });
  after(() => fake.stop());
  return { url: fake.url, released: released.promise, times: () => times };
}

test('the memory of a response is released once it is sent', async () => {
  const raw = Buffer.alloc(8_000_000, 'a');
  const { url, released, times } = await sending(raw);
  const answer = await fetch(`${url}/v1/models`);
  const text = await answer.text();
  await released;
  assert.equal(text, 'a'.repeat(raw.length));
  assert.equal(times(), 1);
});

test('it is not released while the caller reads slowly, but when the caller disconnects', async () => {
  const { url, released, times } = await sending(Buffer.alloc(64_000_000, 'a'));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /v1/models HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  await once(socket, 'readable');
  socket.read(1);
  assert.equal(times(), 0);
  socket.destroy();
  await released;
  assert.equal(times(), 1);
});

test('a HEAD request releases it too', async () => {
  const { url, released } = await sending(Buffer.from('abc'));
  await fetch(`${url}/v1/models`, { method: 'HEAD' });
  await released;
});

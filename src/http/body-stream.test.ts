import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { readBody } from './body.ts';
import { streamBody } from './body-stream.ts';

const bytesMax = 1024;

/** A request whose caller disconnected after headers and a part of the body, before anything read either. */
async function abandoned(): Promise<[IncomingMessage, ServerResponse]> {
  const server = createServer().listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"a":');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  socket.destroy();
  // Errors are emitted only once the body is read, and nothing reads it yet.
  while (!request.destroyed) await new Promise(setImmediate);
  return [request, response];
}

test('a body whose caller disconnected before it was read fails at once, as a stream or whole', async () => {
  const clock = new ManualClock();
  const streamed = streamBody(...(await abandoned()), { bytesMax, clock });
  await assert.rejects(Array.fromAsync(streamed));
  assert.equal(clock.pending, 0);
  await assert.rejects(readBody(...(await abandoned()), bytesMax));
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startMockBackend } from './mock-backend.ts';

const mock = await startMockBackend({ reply: { writes: [], instead: 'hang' } });
after(mock.close);

async function caller() {
  const socket = connect(Number(new URL(mock.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

test('the busiest moment leaves out a caller that had left when the next request came', async () => {
  const [first, second, third] = [await caller(), await caller(), await caller()];
  const ask = (socket: typeof first, id: string) =>
    socket.write(`POST /v1 HTTP/1.1\r\nhost: pod\r\nx-request-id: ${id}\r\ncontent-length: 2\r\n\r\n{}`);
  ask(first, 'first');
  ask(second, 'second');
  await mock.requested(2);
  first.destroy();
  ask(third, 'third');
  await mock.requested(3);
  await turn();
  assert.deepEqual(mock.busiest, ['first', 'second']);
  ask(await caller(), 'fourth');
  await mock.requested(4);
  await turn();
  assert.deepEqual(mock.busiest, ['second', 'third', 'fourth']);
});

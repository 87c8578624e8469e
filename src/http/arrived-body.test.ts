import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { arrivedBody, hasUnreadBody } from './body.ts';

/** Sends `text` and resolves with what `look` makes of the request, a few microtasks after its headers. */
async function received<Seen>(text: string, look: (request: IncomingMessage) => Promise<Seen> | Seen): Promise<Seen> {
  const server = createServer();
  const seen = new Promise<Seen>((resolve, reject) => {
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    server.on('request', async (request, response) => {
      await null;
      Promise.resolve(look(request))
        .then(resolve, reject)
        .finally(() => response.end());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  socket.write(text);
  try {
    return await seen;
  } finally {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  }
}

const post = (more: string, body: string) => `POST / HTTP/1.1\r\nHost: x\r\n${more}\r\n${body}`;
const textOf = (request: IncomingMessage) => arrivedBody(request, 1000)?.toString() ?? null;

test('a body that came with its headers is read at once, and then the request ends', async () => {
  const [text, unread] = await received(post('Content-Length: 5\r\n', 'hello'), async (request) => {
    const body = textOf(request);
    await once(request, 'end');
    return [body, hasUnreadBody(request)];
  });
  assert.deepEqual([text, unread], ['hello', false]);
});

test('a body that is not there yet, chunked, compressed, expected or too large is left to be read', async () => {
  const left = {
    partial: post('Content-Length: 9\r\n', 'hello'),
    chunked: post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'),
    compressed: post('Content-Length: 5\r\nContent-Encoding: gzip\r\n', 'hello'),
    expected: post('Content-Length: 5\r\nExpect: 100-continue\r\n', 'hello'),
    large: post('Content-Length: 1001\r\n', 'x'.repeat(1001)),
  };
  for (const [kind, text] of Object.entries(left)) {
    assert.deepEqual(await received(text, (request) => [textOf(request), hasUnreadBody(request)]), [null, true], kind);
  }
});

test('no body at all is an empty one', async () => {
  assert.equal(await received(post('Content-Length: 0\r\n', ''), textOf), '');
});

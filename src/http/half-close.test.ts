import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import type { AnyHandler } from '#contract/call.ts';
import { startFake } from '#testing/fake-api.ts';

const REQUEST = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n';

/** A caller whose request has reached the handler; `gone` resolves when the handler learns that it left. */
async function called(reply: AnyHandler, request = REQUEST) {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const handler: AnyHandler = (call) => {
    call.onGone(gone.resolve);
    reached.resolve();
    return reply(call);
  };
  const fake = await startFake({ handlers: { getModels: handler } });
  const socket = connect({ port: fake.port, host: '127.0.0.1', allowHalfOpen: true });
  after(() => {
    socket.destroy();
    return fake.stop();
  });
  socket.on('error', () => {});
  socket.write(request);
  await reached.promise;
  return { fake, socket, gone: gone.promise };
}

/** Reads until `end` has come. */
async function readUntil(socket: Socket, end: string): Promise<string> {
  let text = '';
  while (!text.includes(end)) text += String((await once(socket, 'data'))[0]);
  return text;
}

test('a caller who only closes its side gets the reply, after interim responses, and the connection is closed', async () => {
  const answer = Promise.withResolvers<void>();
  const { socket } = await called(async () => {
    await answer.promise;
    return { status: 200, json: 'answered' };
  });
  socket.end();
  const interim = await readUntil(socket, '\r\n\r\n');
  assert.equal(interim, 'HTTP/1.1 100 Continue\r\n\r\n');
  answer.resolve();
  const rest = Buffer.concat(await Array.fromAsync(socket)).toString();
  assert.match(rest, /HTTP\/1\.1 200 OK\r\n.*"answered"$/s);
});

test('a caller who only closes its side gets its stream to the end, with comments between the events', async () => {
  const writer = Promise.withResolvers<{ write(text: string): boolean; end(text?: string): void }>();
  const { socket } = await called(() => ({ status: 200, open: (out) => writer.resolve(out) }));
  const out = await writer.promise;
  out.write('data: 1\n\n');
  await readUntil(socket, 'data: 1');
  socket.end();
  await readUntil(socket, ':\n\n');
  out.end('data: 2\n\n');
  assert.match(Buffer.concat(await Array.fromAsync(socket)).toString(), /data: 2\n\n\r\n0\r\n\r\n$/);
});

for (const [kind, reply] of [
  ['a unary reply', () => new Promise<never>(() => {})],
  ['a stream', () => ({ status: 200, open: () => {} })],
] as const) {
  test(`a caller who closes its socket while ${kind} is due is gone`, async () => {
    const { socket, gone } = await called(reply);
    socket.destroy();
    await gone;
  });

  test(`a caller who closes its side while ${kind} is due, and its socket later, is gone`, async () => {
    const { socket, gone } = await called(reply);
    socket.end();
    await once(socket, 'data');
    socket.destroy();
    await gone;
  });
}

test('a caller with HTTP/1.0 who closes its side before the headers is gone', async () => {
  const { socket, gone } = await called(
    () => new Promise<never>(() => {}),
    'GET /v1/models HTTP/1.0\r\nHost: x\r\n\r\n',
  );
  socket.end();
  await gone;
});

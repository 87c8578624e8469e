/** Requests so large that undici must not keep them. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { afterEach, test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { cannedReply, startMockBackend } from '#testing/mock-backend.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { Backend } from './backend.ts';

const text = 'Large, and with umlauts: äöü. '.repeat(50_000);
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function attempt(url: string) {
  const pod = new Backend(podConfig({ url }), {
    clock: new ManualClock(),
    onImplausibleUsage: () => {},
    onConnectionRefused: () => {},
  });
  opened.push(pod);
  const sink = new RecordingSink();
  pod.execute(attemptRequest({ messages: [{ role: 'user', content: text }] }), sink);
  return sink.end;
}

test('a large request arrives whole, with its length', async () => {
  const mock = await startMockBackend({ reply: cannedReply() });
  opened.push(mock);
  assert.equal((await attempt(mock.url)).kind, 'complete');
  const [request] = mock.requests;
  assert.deepEqual(request?.body.messages, [{ role: 'user', content: text }]);
  assert.equal(request?.headers['content-length'], String(Buffer.byteLength(request?.text ?? '')));
});

test('a backend may refuse it before it has read it', async () => {
  const body = JSON.stringify({ error: { message: 'too long' } });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.pause();
      const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
      socket.write(head + body);
    });
    opened.push({ close: () => socket.destroy() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({ close: () => server.close() });
  const { port } = server.address() as { port: number };
  const outcome = await attempt(`http://127.0.0.1:${port}/v1`);
  assert.deepEqual(outcome, { kind: 'refused', message: 'too long' });
});

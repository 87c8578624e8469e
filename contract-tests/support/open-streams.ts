/** The tests that the three market streams share: how many an address may open, and how they end. Spec 6.1, 8. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LiveReply } from './client.ts';
import { problemWith } from './conformance.ts';
import { type TestServer, useServer } from './server.ts';
import { eventually } from './waiting.ts';

export type StreamOperation = 'streamMarket' | 'streamLevels' | 'streamPriceLock';

/** Opens a stream and reads its first frame. */
export async function openStream<Id extends StreamOperation>(
  server: TestServer,
  id: Id,
  query: Record<string, string> = {},
): Promise<LiveReply<Id>> {
  const reply = await server.api.open(id, { query, key: null });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers['content-type'], 'text/event-stream');
  await reply.until(({ frames }) => frames.length > 0);
  return reply;
}

/** The frames so far, checked against the document. */
export function framesOf<Frame>(id: StreamOperation, reply: LiveReply<StreamOperation>): Frame[] {
  const { status, headers } = reply;
  const text = reply.text.slice(0, reply.text.lastIndexOf('\n\n') + 2);
  assert.equal(problemWith(id, 'get', { status, headers, text }), null);
  assert.deepEqual(reply.comments, []);
  return reply.frames.map(({ event, data }) => {
    assert.equal(event, null, 'market streams use no event names');
    return JSON.parse(data);
  });
}

/** Declares the tests of 429 and of the end of a stream, each on a server of its own. */
export function itIsAStreamAmongFive(id: StreamOperation): void {
  describe('over the rate of its address', () => {
    const server = useServer({ limits: { public_requests_per_minute_per_address: 3 } });

    it('429 with Retry-After, unlike for too many open streams', async () => {
      let reply = await server.api.call('listLevels', { key: null });
      for (let asked = 1; asked < 4 && reply.status !== 429; asked++) {
        reply = await server.api.call('listLevels', { key: null });
      }
      const refused = await server.api.call(id, { key: null });
      refused.refusal(429, 'rate_limit_error');
      assert.ok(Number(refused.headers['retry-after']) >= 1);
    });
  });

  describe('among the streams of one address', () => {
    const server = useServer();

    // Spec 6.1-7, 6.1-8, 8-11
    it('429 without Retry-After for a sixth stream of any of the three, until one is closed', async () => {
      const open: LiveReply<StreamOperation>[] = [];
      for (const one of ['streamMarket', 'streamLevels', 'streamPriceLock', 'streamMarket', 'streamLevels'] as const) {
        open.push(await openStream(server, one));
      }
      const reply = await server.api.call(id, { key: null });
      reply.refusal(429, 'rate_limit_error');
      assert.equal(reply.headers['retry-after'], undefined);
      open.pop()?.leave();
      await eventually(async () => {
        const again = await server.api.open(id, { key: null });
        if (again.status === 200) open.push(again);
        return again.status === 200;
      }, 'the slot of the closed stream');
      for (const stream of open) stream.leave();
    });
  });

  describe('when the gateway drains', () => {
    const server = useServer();

    it('200 the stream ends at once, complete', async () => {
      const stream = await openStream(server, id);
      await server.stop();
      await stream.end();
    });
  });
}

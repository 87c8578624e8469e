/**
 * The TypeScript client's streams, against servers that behave oddly. How it reads events is tested beside its source,
 * codegen/sdks/typescript/event-stream.ts.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { EventStream, type EventStream as Events, NotFoundError, Sluice, StreamCut } from '@sluice/client';

type Client = Sluice['api'];

/** Runs `act` with a client of a server. */
async function served(answer: RequestListener, act: (client: Client) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await act(new Sluice({ baseUrl, apiKey: 'sk' }).api);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Answers with the first event of a stream. */
function begin(response: ServerResponse, type = 'text/event-stream'): void {
  response.writeHead(200, { 'content-type': type });
  response.write('id: 3\ndata: a\n\n');
}

async function countOf(events: Events): Promise<number> {
  let count = 0;
  for await (const _ of events) count++;
  return count;
}

describe('a stream', () => {
  it('sends its parameters and the key', async () => {
    const asked: unknown[] = [];
    await served(
      ({ url, headers }, response) => {
        asked.push(url, headers.accept, headers.authorization, headers['last-event-id']);
        begin(response);
        response.end();
      },
      async ({ streams }) => {
        const events = await streams.streamOrder({ id: 'a/b', startingAfter: 0, lastEventID: 7 });
        assert.ok(events instanceof EventStream);
        assert.equal(await countOf(events), 1);
      },
    );
    assert.deepEqual(asked, ['/v1/orders/a%2Fb/stream?starting_after=0', 'text/event-stream', 'Bearer sk', '7']);
  });

  it('closes its connection when its reader leaves, whatever middleware there is', async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    await served(
      (_, response) => {
        response.once('close', resolve);
        begin(response);
      },
      async ({ streams }) => {
        const watched = streams.withPostMiddleware(async ({ response }) => {
          seen.push(response.status, response.headers.get('content-type'), response.body);
        });
        for await (const { data } of await watched.streamOrder({ id: '1' })) {
          assert.equal(data, 'a');
          break;
        }
        await left;
      },
    );
    assert.deepEqual(seen, [200, 'text/event-stream', null]);
  });

  it('is cut when its connection is, also between two events', () => {
    const responses: ServerResponse[] = [];
    const answer = (_: unknown, response: ServerResponse) => {
      responses.push(response);
      begin(response);
    };
    return served(answer, async ({ streams }) => {
      const events = await streams.streamMarket();
      await events.next();
      responses[0]?.destroy();
      await assert.rejects(events.next(), (error) => error instanceof StreamCut && error.lastEventId === '3');
    });
  });

  it('is refused like any other operation', () =>
    served(
      (_, response) => {
        response.writeHead(404, { 'content-type': 'application/json', 'retry-after': '2' });
        response.end('{"error": {"message": "No.", "type": "t", "code": "order_not_found", "param": null}}');
      },
      async ({ streams }) => {
        const refusal = await streams.streamOrder({ id: '1' }).catch((error: unknown) => error);
        assert.ok(refusal instanceof NotFoundError);
        const after = refusal.headers.get('retry-after');
        assert.deepEqual([refusal.status, refusal.code, after], [404, 'order_not_found', '2']);
      },
    ));

  it('is not whatever else answers', () =>
    served(
      (_, response) => begin(response, 'text/html'),
      ({ streams }) => assert.rejects(streams.streamOrder({ id: '1' }), /text\/html is not described/),
    ));
});

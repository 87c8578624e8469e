import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { EventStream, EventTooLarge, StreamCut, type StreamEvent } from './event-stream.ts';

/** The parts of a stream, which the tests of the other clients read, too. */
const sample = JSON.parse(
  readFileSync(new URL('../../../sdk-tests/events.json', import.meta.url), 'utf8'),
) as readonly { readonly text: string; readonly event: StreamEvent | null }[];
const bytesOf = (text: string) => new TextEncoder().encode(text);
const whole = bytesOf(sample.map(({ text }) => text).join(''));
const expected = sample.flatMap(({ event }) => (event ? [event] : []));

/** A body that arrives in these pieces, and then ends. */
const bodyOf = (...pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(body) {
      for (const piece of pieces) body.enqueue(piece);
      body.close();
    },
  });

/** The events of a stream, and the error that it ended with. */
async function read(stream: EventStream): Promise<{ events: StreamEvent[]; error: unknown }> {
  const events: StreamEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}

const eventsOf = (...pieces: readonly Uint8Array[]) => read(new EventStream(bodyOf(...pieces)));

describe('the events of a stream', () => {
  it('are the same in two pieces, wherever it is cut in two', async () => {
    for (let at = 0; at <= whole.length; at++) {
      const { events, error } = await eventsOf(whole.subarray(0, at), whole.subarray(at));
      assert.deepEqual([events, error], [expected, null], `cut at byte ${at}`);
    }
  });

  it('are the same byte by byte', async () => {
    const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
    assert.deepEqual((await eventsOf(...bytes)).events, expected);
  });

  it('are those that were whole when the connection ended, and then StreamCut, unless it ended between two', async () => {
    let begin = 0;
    const before: StreamEvent[] = [];
    for (const { text, event } of sample) {
      const { length } = bytesOf(text);
      for (let at = begin + 1; at <= begin + length; at++) {
        const isWhole = at === begin + length || (text.endsWith('\r\n') && at === begin + length - 1);
        // What has only line ends is between two events at each of its bytes.
        const isBetween = isWhole || text.trim() === '';
        const { events, error } = await eventsOf(whole.subarray(0, at));
        assert.deepEqual(events, event && isWhole ? [...before, event] : before, `ended at byte ${at}`);
        assert.equal(error instanceof StreamCut, !isBetween, `ended at byte ${at}: ${error}`);
      }
      begin += length;
      if (event) before.push(event);
    }
  });

  it('have what is not UTF-8 replaced', async () => {
    const { events } = await eventsOf(Uint8Array.from([...bytesOf('data: a'), 0xff, ...bytesOf('b\n\n')]));
    assert.equal(events[0]?.data, 'a\uFFFDb');
  });

  it('are returned before a failure, which says where to go on and is thrown again', async () => {
    const cause = new Error('reset');
    const pieces = ['id: 7\ndata: a\n\ndata: b\n\n', 'id: 8\nda'].map(bytesOf);
    const body = new ReadableStream<Uint8Array>({
      pull(body) {
        const piece = pieces.shift();
        if (piece) body.enqueue(piece);
        else body.error(cause);
      },
    });
    const stream = new EventStream(body);
    assert.equal(stream.lastEventId, null);
    const { events, error } = await read(stream);
    assert.deepEqual(
      events.map(({ data }) => data),
      ['a', 'b'],
    );
    assert.ok(error instanceof StreamCut);
    assert.deepEqual([error.lastEventId, error.cause, stream.lastEventId], ['7', cause, '7']);
    await assert.rejects(stream.next(), StreamCut);
  });

  it('end for a reader that waits when the stream is closed, even if the connection fails just before', async () => {
    let fail = (_: Error): void => assert.fail('The body was not opened.');
    const body = new ReadableStream<Uint8Array>({
      start(body) {
        fail = (error) => body.error(error);
      },
    });
    const stream = new EventStream(body);
    const next = stream.next();
    fail(new Error('reset'));
    await stream.close();
    assert.deepEqual([(await next).done, (await stream.next()).done], [true, true]);
  });

  it('have a bound, which comments do not count against, and beyond which the connection is closed', async () => {
    let canceled = false;
    const comment = `${':'.padEnd(30)}\n`;
    const piece = bytesOf(`${comment}${comment}data: 23456789\ndata: 2345\n\ndata: 234567890`);
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (body) => body.enqueue(piece),
        cancel: () => {
          canceled = true;
        },
      });
    const { events, error } = await read(new EventStream(endless(), 30));
    assert.equal(events.length, 1);
    assert.ok(error instanceof EventTooLarge && canceled);
    assert.match(error.message, /more than 30 bytes/);
    const unended = await read(new EventStream(bodyOf(bytesOf('x'.repeat(31))), 30));
    assert.ok(unended.error instanceof EventTooLarge);
    const fits = await read(new EventStream(bodyOf(bytesOf('data: 23456789\ndata: 234567890\n\n')), 30));
    assert.deepEqual([fits.events.length, fits.error], [1, null]);
  });
});

describe('a stream over HTTP', () => {
  /** Runs `act` with a stream on which `write` writes. */
  async function served(
    write: (response: ServerResponse) => void,
    act: (stream: EventStream, response: ServerResponse) => Promise<void>,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      write(response);
      resolve(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      assert.ok(body);
      await act(new EventStream(body), await promise);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const begin = (response: ServerResponse) => void response.write('id: 3\ndata: a\n\n');

  it('closes its connection when its reader leaves the loop', () =>
    served(begin, async (stream, response) => {
      const left = once(response, 'close');
      for await (const { data } of stream) {
        assert.equal(data, 'a');
        break;
      }
      await left;
      assert.deepEqual([await stream.next(), response.writableFinished], [{ done: true, value: undefined }, false]);
    }));

  it('ends for a reader that waits when another part of the program closes it', () =>
    served(begin, async (stream, response) => {
      const left = once(response, 'close');
      await stream.next();
      const next = stream.next();
      await stream.close();
      assert.equal((await next).done, true);
      await left;
    }));

  it('is cut when the connection is, also between two events', () =>
    served(begin, async (stream, response) => {
      await stream.next();
      response.destroy();
      await assert.rejects(stream.next(), (error) => error instanceof StreamCut && error.lastEventId === '3');
    }));
});

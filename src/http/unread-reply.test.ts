/** Callers over real connections who do not read their replies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairShare } from '#base/fair-share.ts';
import { silentLog } from '#base/log.ts';
import type { Reply } from '#contract/reply.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { Compressor } from './compression.ts';
import { UnreadBytes } from './event-stream.ts';
import { RequestContext } from './request-context.ts';
import { writeReply } from './write-reply.ts';

const CHUNK = Buffer.alloc(256 * 1024, 'x');

describe('a caller who does not read', () => {
  let clock: ManualClock;
  let share: FairShare;
  let reply: () => Reply;
  let sockets: Socket[];
  let sent: PromiseWithResolvers<number>;
  let refused: boolean;
  const server = createServer((request, response) => {
    const settings = {
      closeConnection: false,
      discardBytesMax: 0,
      compressor: new Compressor(),
      unread: new UnreadBytes(2 ** 40, silentLog, clock),
      headers: {},
    };
    // As express adds it: a caller who takes no coding.
    const express = Object.assign(request, { acceptsEncodings: () => 'identity' });
    const context = new RequestContext(express as never, response, () => 'request');
    context.onSent(sent.resolve);
    if (refused) context.fault = 'invalid_request';
    void writeReply(context, reply(), settings)?.catch(() => response.destroy());
  });

  beforeEach(async () => {
    clock = new ManualClock();
    share = new FairShare(8, 1);
    sockets = [];
    sent = Promise.withResolvers();
    refused = false;
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  /** A caller that sends a request and reads no byte of the answer. */
  function open(): Socket {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  }

  async function until(reached: () => boolean): Promise<void> {
    while (!reached()) await nextTurn();
  }

  const headers = { 'content-type': 'application/x-ndjson' };

  async function* endless<Piece>(piece: Piece): AsyncGenerator<Piece> {
    for (;;) yield piece;
  }

  const busy = { message: 'Busy.' };
  const kinds: readonly (readonly [string, () => Reply])[] = [
    ['bytes', () => ({ status: 200, headers, length: null, bytes: share.during('account', endless(CHUNK), busy) })],
    ['frames', () => ({ status: 200, frames: share.during('account', endless(CHUNK.toString()), busy) })],
  ];
  for (const [kind, made] of kinds)
    test(`is cut off after a minute without reading ${kind}, and its seat is free`, async () => {
      reply = made;
      const socket = open();
      await until(() => share.of('account') === 1 && clock.pending > 0);
      await clock.advance(59_000);
      assert.equal(share.of('account'), 1);
      await clock.advance(1_000);
      await until(() => share.of('account') === 0);
      assert.equal(clock.pending, 0);
      socket.resume();
      await once(socket, 'close');
    });

  test('and goes on to read in time is not cut off', async () => {
    const [, made] = kinds[0] ?? assert.fail();
    reply = made;
    const socket = open();
    await until(() => clock.pending > 0);
    await clock.advance(59_000);
    let read = 0;
    socket.on('data', ({ length }) => {
      read += length;
    });
    socket.resume();
    await until(() => read > 20 * 1024 * 1024);
    await clock.advance(2_000);
    assert.equal(share.of('account'), 1);
  });

  const TOTAL = 40 * CHUNK.length;
  async function* forty<Piece>(piece: Piece): AsyncGenerator<Piece> {
    for (let sent = 0; sent < 40; sent++) yield piece;
  }
  const whole: readonly (readonly [string, () => Reply])[] = [
    ['bytes', () => ({ status: 200, headers, length: TOTAL, bytes: forty(CHUNK) })],
    ['frames', () => ({ status: 200, frames: forty(CHUNK.toString()) })],
    ['JSON', () => ({ status: 200, json: 'x'.repeat(TOTAL) })],
  ];
  for (const [kind, made] of whole) {
    test(`and leaves was sent what its socket took of ${kind}, and one who reads to the end all of it`, async () => {
      reply = made;
      const socket = open();
      await until(() => clock.pending > 0);
      socket.destroy();
      const bytes = await sent.promise;
      assert.ok(bytes > 0 && bytes < TOTAL / 2, `${bytes} of ${TOTAL}`);
      sent = Promise.withResolvers();
      open().resume();
      assert.equal(await sent.promise, Number.POSITIVE_INFINITY);
    });
  }

  test('was sent nothing of what was refused', async () => {
    reply = () => ({ status: 400, json: { error: 'No.' } });
    refused = true;
    open().resume();
    assert.equal(await sent.promise, 0);
  });
});

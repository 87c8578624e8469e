import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { NESTING_MAX } from '#base/bounds.ts';
import { JSON_VALUES_MAX } from '#base/exact-json.ts';
import { errorIn, type FakeServer, startFake } from '#testing/fake-api.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { restOfBody } from './body.ts';

const MIB = 1024 * 1024;

describe('bodies', () => {
  let fake: FakeServer;
  let names: unknown[] = [];
  before(async () => {
    fake = await startFake({
      handlers: {
        sendChat: ({ body }) => {
          names.push((body as { name: unknown }).name);
          return { status: 200, json: {} };
        },
      },
    });
  });
  after(() => fake.stop());

  async function send(body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<string> {
    names = [];
    const init = {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer good', ...headers },
      duplex: 'half' as const,
    };
    const answer = await fetch(`${fake.url}/v1/chat/completions`, init);
    const { error } = await errorIn(answer);
    return error ? `${answer.status} ${error.code}` : String(answer.status);
  }
  /** Sent in chunks, without a declared length. */
  const chunked = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream();
  /** A valid body of exactly this many bytes. */
  const bodyOf = (bytes: number) => Buffer.from(JSON.stringify({ name: 'x'.repeat(bytes - 11) }));

  test('exactly 8 MiB pass, declared or not', async () => {
    assert.equal(bodyOf(8 * MIB).length, 8 * MIB);
    assert.equal(await send(bodyOf(8 * MIB)), '200');
    assert.equal(await send(chunked(bodyOf(8 * MIB))), '200');
    assert.equal(await send(gzipSync(bodyOf(8 * MIB)), { 'content-encoding': 'gzip' }), '200');
  });

  test('one byte more is 413, declared or not, compressed or not', async () => {
    assert.equal(await send(bodyOf(8 * MIB + 1)), '413 request_too_large');
    assert.equal(await send(chunked(bodyOf(8 * MIB + 1))), '413 request_too_large');
    assert.equal(await send(gzipSync(bodyOf(8 * MIB + 1)), { 'content-encoding': 'gzip' }), '413 request_too_large');
  });

  test('a declared length over the limit is refused before a byte of it was sent', async () => {
    const socket = connect(fake.port, '127.0.0.1');
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n';
    socket.write(`${head}Content-Length: 8388609\r\nExpect: 100-continue\r\n\r\n`);
    const [answer] = (await Array.fromAsync(socket.take(1))) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('100 Continue is sent to a request that passed the checks before its body', async () => {
    const socket = connect(fake.port, '127.0.0.1');
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n';
    socket.write(`${head}Content-Length: 10\r\nExpect: 100-continue\r\n\r\n`);
    let seen = '';
    for await (const chunk of socket) {
      seen += chunk;
      if (seen === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('{"name":1}');
    }
    assert.match(seen, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  test('a connection that keeps sending a discarded body is closed', async () => {
    const socket = connect(fake.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const piece = Buffer.alloc(MIB);
    const sendOn = () => {
      while (!socket.destroyed && socket.write(piece)) {}
    };
    socket.on('drain', sendOn);
    socket.resume();
    sendOn();
    await closed;
  });

  for (const [length, piece] of [
    ['declared', (bytes: Buffer) => bytes],
    ['not declared', (bytes: Buffer) => `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`],
  ] as const)
    test(`a caller who closes its connection, and reads only once it has sent a body too large and ${length}, gets the 413`, async () => {
      const socket = connect(fake.port, '127.0.0.1').pause();
      const framing = length === 'declared' ? `Content-Length: ${20 * MIB}` : 'Transfer-Encoding: chunked';
      const head =
        'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n';
      socket.write(`${head}${framing}\r\n\r\n`);
      for (let sent = 0; sent < 20; sent++)
        if (!socket.write(piece(Buffer.alloc(MIB, 'x')), 'latin1')) await once(socket, 'drain');
      if (length === 'not declared') socket.write('0\r\n\r\n');
      const answer = Buffer.concat(await Array.fromAsync(socket.resume())).toString();
      assert.match(answer, /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*"code":"request_too_large"/is);
    });

  test('a caller who stops in the middle of a body that is discarded is cut off after thirty seconds', async () => {
    const clock = new ManualClock();
    const request = new IncomingMessage(new Socket());
    let over = false;
    const rest = restOfBody(request, clock).then(() => {
      over = true;
    });
    await clock.advance(29_999);
    assert.equal(over, false);
    await clock.advance(1);
    await rest;
  });

  test('gzip, br and zstd are read, their names in upper or lower case', async () => {
    const body = Buffer.from('{"name":"né"}');
    for (const [encoding, bytes] of Object.entries({
      gzip: gzipSync(body),
      GZIP: gzipSync(body),
      br: brotliCompressSync(body),
      zstd: zstdCompressSync(body),
      identity: body,
    })) {
      assert.equal(await send(bytes, { 'content-encoding': encoding }), '200', encoding);
      assert.deepEqual(names, ['né']);
    }
  });

  test('other encodings are refused', async () => {
    for (const encoding of ['deflate', 'compress', 'gzip, br', 'toString', 'rot13']) {
      assert.equal(await send('{"name":1}', { 'content-encoding': encoding }), '400 unsupported_encoding', encoding);
    }
  });

  test('a decompression bomb is refused at the limit, whatever its full size', async () => {
    const zeros = Buffer.alloc(32 * MIB);
    assert.equal(await send(gzipSync(zeros), { 'content-encoding': 'gzip' }), '413 request_too_large');
    assert.equal(await send(brotliCompressSync(zeros), { 'content-encoding': 'br' }), '413 request_too_large');
    assert.equal(await send(zstdCompressSync(zeros), { 'content-encoding': 'zstd' }), '413 request_too_large');
  });

  test('a body that cannot be decompressed is refused', async () => {
    const cut = gzipSync(bodyOf(1000)).subarray(0, 20);
    for (const bytes of [Buffer.from('{"name":1}'), cut]) {
      assert.equal(await send(bytes, { 'content-encoding': 'gzip' }), '400 invalid_request');
    }
  });

  test('a body that is not JSON in UTF-8 is refused', async () => {
    const bad = [
      '',
      ' ',
      '{',
      '{"name":1}}',
      "{'name':1}",
      'NaN',
      '\0',
      '{"name":1}\0',
      '[1,]',
      '\ufeff',
      '\ufeff\ufeff{}',
    ];
    for (const text of bad) assert.equal(await send(text), '400 invalid_json', JSON.stringify(text));
    assert.equal(await send(Buffer.from('{"name":"\xff"}', 'latin1')), '400 invalid_json');
    assert.equal(await send(Buffer.from('{"name":"a"}', 'utf16le')), '400 invalid_json');
  });

  test('a byte order mark before the JSON is no part of it', async () => {
    assert.equal(await send('\ufeff{"name":1}'), '200');
  });

  test('JSON that is not an object is refused by the validator', async () => {
    for (const text of ['null', '1', '"name"', 'true']) assert.equal(await send(text), '400 invalid_request');
  });

  test('nesting that would overflow the stack is refused, so are too many values; deep strings are not', async () => {
    const nested = (levels: number) => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    assert.equal(await send(nested(NESTING_MAX - 1)), '200');
    assert.equal(await send(nested(NESTING_MAX)), '400 invalid_json');
    assert.equal(await send(nested(1_000_000)), '400 invalid_json');
    const keys = Array.from({ length: JSON_VALUES_MAX + 1 }, (_, key) => `"k${key}":0`);
    assert.equal(await send(`{"name":1,${keys.join(',')}}`), '400 invalid_json');
    assert.equal(await send(JSON.stringify({ name: `\\"${'[{"\\'.repeat(5000)}` })), '200');
  });

  test('keys that name parts of a prototype stay data', async () => {
    assert.equal(await send('{"name":{"__proto__":{"x":1},"constructor":1}}'), '200');
    assert.deepEqual(Object.keys(names[0] as object), ['__proto__', 'constructor']);
  });

  test('a caller who disconnects while sending disturbs nobody', async () => {
    const socket = connect(fake.port, '127.0.0.1');
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n';
    await new Promise<void>((resolve) => socket.write(`${head}Content-Length: 100\r\n\r\n{"na`, () => resolve()));
    socket.destroy();
    await fake.drain.idle();
    assert.equal(await send('{"name":1}'), '200');
  });
});

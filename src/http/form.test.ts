import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Fault } from '#base/fault.ts';
import type { AnyHandler } from '#contract/call.ts';
import { errorIn, type FakeServer, startFake } from '#testing/fake-api.ts';
import { BODY_IDLE_MS } from './body-stream.ts';

const MIB = 1024 * 1024;
const CAP = 2 * MIB;

/** A part as a handler reads it. */
interface Seen {
  readonly name: string;
  readonly value?: string;
  readonly filename?: string | null;
  readonly content?: string;
}

describe('forms', () => {
  let fake: FakeServer;
  let seen: Seen[] = [];
  let failure: Promise<unknown>;
  let skipping = false;
  /** How many bytes of files were read. */
  let read = 0;

  /** Reads every part, and records how that ended. */
  const reader: AnyHandler = ({ form }) => {
    const reading = (async () => {
      for await (const part of form) {
        if (part.kind === 'field') seen.push({ name: part.name, value: part.value });
        else if (skipping) part.skip();
        else {
          let content = '';
          for await (const chunk of part.content) {
            content += Buffer.from(chunk).toString('latin1');
            read += chunk.length;
          }
          seen.push({ name: part.name, filename: part.filename, content });
        }
      }
      return { status: 200, json: {} };
    })();
    failure = reading.then(
      () => null,
      (error) => error,
    );
    return reading;
  };

  before(async () => {
    fake = await startFake({ handlers: { sendFile: reader }, limits: { batchFileBytes: CAP - MIB } });
  });
  after(() => fake.stop());
  beforeEach(() => {
    seen = [];
    skipping = false;
  });

  const head = { authorization: 'Bearer good' };
  async function send(body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<string> {
    const init = { method: 'POST', body, headers: { ...head, ...headers }, duplex: 'half' as const };
    const answer = await fetch(`${fake.url}/v1/files`, init);
    const { error } = await errorIn(answer);
    return error ? `${answer.status} ${error.code}` : String(answer.status);
  }
  const multipart = { 'content-type': 'multipart/form-data; boundary=cut' };
  const sendRaw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    send(body, { ...multipart, ...headers });
  const part = (disposition: string, content: string) =>
    `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const field = (name: string, value: string) => part(`name="${name}"`, value);
  const file = (content: string, filename = 'in.jsonl') => part(`name="file"; filename="${filename}"`, content);
  const END = '--cut--\r\n';

  test('parts come in the order in which they were sent, whole', async () => {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob(['one\ntwo\n']), 'größe.jsonl');
    form.set('after', 'é');
    assert.equal(await send(form), '200');
    assert.deepEqual(seen, [
      { name: 'purpose', value: 'batch' },
      { name: 'file', filename: 'größe.jsonl', content: 'one\ntwo\n' },
      { name: 'after', value: 'é' },
    ]);
  });

  test('content with line breaks, dashes and half a boundary in it stays as it is', async () => {
    const content = '\r\n--cu\r\n--\r\n\u0000\u00ff--cut';
    assert.equal(await sendRaw(Buffer.from(file(content) + END, 'latin1')), '200');
    assert.equal(seen[0]?.content, content);
  });

  test('a file part counts as a file without a filename, and an empty one too', async () => {
    assert.equal(await sendRaw(part('name="file"', 'abc') + file('') + END), '200');
    assert.deepEqual(seen, [
      { name: 'file', filename: null, content: 'abc' },
      { name: 'file', filename: 'in.jsonl', content: '' },
    ]);
  });

  test('an empty form has no parts', async () => {
    assert.equal(await sendRaw(END), '200');
    assert.deepEqual(seen, []);
  });

  test('parts after a skipped one are read', async () => {
    skipping = true;
    assert.equal(await sendRaw(file('x'.repeat(500_000)) + field('purpose', 'batch') + END), '200');
    assert.deepEqual(seen, [{ name: 'purpose', value: 'batch' }]);
  });

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    test(`a form in ${encoding} is decompressed as it arrives, and a decompression bomb is 413`, async () => {
      const packed = (content: string) => new Uint8Array(compress(Buffer.from(file(content) + END)));
      assert.equal(await sendRaw(packed('abc'), { 'content-encoding': encoding }), '200');
      assert.equal(seen[0]?.content, 'abc');
      const bomb = packed('\0'.repeat(64 * MIB));
      assert.ok(bomb.length < MIB);
      assert.equal(await sendRaw(bomb, { 'content-encoding': encoding }), '413 request_too_large');
    });

    test(`a form that claims to be ${encoding} and is not is 400`, async () => {
      assert.equal(await sendRaw(file('abc') + END, { 'content-encoding': encoding }), '400 invalid_request');
    });
  }

  test('an unsupported encoding is 400', async () => {
    assert.equal(await sendRaw(file('abc') + END, { 'content-encoding': 'compress' }), '400 unsupported_encoding');
  });

  test('a body over the limit is 413, declared or not', async () => {
    const large = file('x'.repeat(CAP)) + END;
    assert.equal(await sendRaw(large), '413 request_too_large');
    assert.deepEqual(seen, []);
    assert.equal(await send(new Blob([large]).stream(), multipart), '413 request_too_large');
  });

  test('what is not a form is 400', async () => {
    assert.equal(await send('{}', { 'content-type': 'application/json' }), '400 invalid_request');
    assert.equal(await send('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), '400 invalid_request');
    assert.equal(await send(new Blob(['x'])), '400 invalid_request');
    assert.equal(await send(END, { 'content-type': 'multipart/mixed; boundary=cut' }), '400 invalid_request');
    assert.equal(await send(END, { 'content-type': 'multipart/form-data' }), '400 invalid_request');
  });

  const broken: [string, string][] = [
    ['an empty body', ''],
    ['no boundary at all', 'hello'],
    ['another boundary', (file('abc') + END).replaceAll('--cut', '--other')],
    ['a file without an end', file('abc')],
    ['a file cut short', file('x'.repeat(200_000)).slice(0, 100_000)],
    ['a header cut short', '--cut\r\nContent-Disposition: form-da'],
    ['a long field', field('purpose', 'x'.repeat(20_000)) + END],
    ['a field for each of fifty-one', Array.from({ length: 51 }, (_, at) => field(`f${at}`, '')).join('') + END],
    ['eleven files', file('x').repeat(11) + END],
  ];
  for (const [name, body] of broken) {
    test(`${name} is 400`, async () => {
      assert.equal(await sendRaw(body), '400 invalid_request');
    });
  }

  const HEAD = 'POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=cut\r\n';
  /** Connects and sends part of a file; resolves when that was read. */
  async function begin(): Promise<Socket> {
    const socket = connect(fake.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write(`${HEAD}Authorization: Bearer good\r\nContent-Length: 300000\r\n\r\n${file('').slice(0, -2)}`);
    await sendMore(socket);
    return socket;
  }
  async function sendMore(socket: Socket): Promise<void> {
    const expected = read + 50_000;
    socket.write('x'.repeat(50_000));
    while (read < expected) await new Promise(setImmediate);
  }

  test('a caller who disconnects halfway ends the reading', async () => {
    const socket = await begin();
    socket.destroy();
    await fake.drain.idle();
    assert.ok((await failure) instanceof Error);
  });

  test('a caller who sends nothing for a minute halfway is cut off', async () => {
    const socket = await begin();
    await fake.clock.advance(BODY_IDLE_MS - 1);
    await sendMore(socket);
    await fake.clock.advance(BODY_IDLE_MS - 1);
    assert.equal(fake.drain.running, 1);
    await fake.clock.advance(1);
    await fake.drain.idle();
    assert.ok((await failure) instanceof Error);
  });

  test('100 Continue is not sent before the caller is known', async () => {
    for (const [key, answer] of [
      ['bad', /^HTTP\/1\.1 401 /],
      ['good', /^HTTP\/1\.1 100 /],
    ] as const) {
      const socket = connect(fake.port, '127.0.0.1');
      socket.write(`${HEAD}Authorization: Bearer ${key}\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n`);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      assert.match(chunk.toString(), answer);
      socket.destroy();
    }
  });
});

describe('a form that is refused while its file arrives', () => {
  for (const [name, bytes] of [
    ['the rest of the file is still to come', 5 * MIB],
    ['all of it has arrived', 100_000],
  ] as const) {
    test(`leaves the connection to the next request when ${name}`, async () => {
      const sendFile: AnyHandler = async ({ form }) => {
        for await (const part of form) {
          if (part.kind === 'field') continue;
          for await (const _chunk of part.content) {
            throw new Fault('unavailable', { retryAfterS: 30 });
          }
        }
        return { status: 200, json: {} };
      };
      const fake = await startFake({ handlers: { sendFile } });
      after(() => fake.stop());
      const body = `--cut\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n${'x'.repeat(bytes)}`;
      const head = 'POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=cut\r\n';
      const socket = connect(fake.port, '127.0.0.1');
      socket.write(`${head}Authorization: Bearer good\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      const replies = Buffer.concat(await Array.fromAsync(socket)).toString();
      assert.deepEqual(replies.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 503', 'HTTP/1.1 404']);
    });
  }
});

describe('a form that nobody reads fast enough', () => {
  test('is received no faster than it is read', async () => {
    let enough = () => {};
    const held = new Promise<void>((resolve) => {
      enough = resolve;
    });
    let taken = 0;
    let size = 0;
    const fake = await startFake({
      handlers: {
        sendFile: async (call) => {
          for await (const part of call.form) {
            if (part.kind === 'field') continue;
            await held;
            for await (const chunk of part.content) size += chunk.length;
          }
          return { status: 200, json: {} };
        },
      },
    });
    after(() => fake.stop());
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const head = '--cut\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n';
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (taken === 0) controller.enqueue(Buffer.from(head));
        if (taken < 50 * MIB) controller.enqueue(chunk);
        else {
          controller.enqueue(Buffer.from('\r\n--cut--\r\n'));
          controller.close();
        }
        taken += chunk.length;
      },
    });
    const init = { method: 'POST', body, duplex: 'half' as const };
    const headers = { authorization: 'Bearer good', 'content-type': 'multipart/form-data; boundary=cut' };
    const answering = fetch(`${fake.url}/v1/files`, { ...init, headers });
    // It stops once the socket buffers of both sides are full.
    for (let before = -1; before !== taken; ) {
      before = taken;
      for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
    }
    assert.ok(taken < 20 * MIB, `${taken} bytes were taken`);
    enough();
    assert.equal((await answering).status, 200);
    assert.equal(size, 50 * MIB);
  });
});

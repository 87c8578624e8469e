/** Requests to a bucket: what fails, what is late, and what a start says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type BucketAddress, parseBucketUrl } from '#base/bucket-address.ts';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { DAY_MS } from '#base/time.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type S3Server, startS3Server } from '#testing/s3-server.ts';
import { BucketRefused } from './blob-store.ts';
import { Bucket } from './bucket.ts';
import { BucketBlobs, blobNameIn } from './bucket-blobs.ts';
import { sweepable } from './bucket-sweep.ts';
import { DiskCalls } from './disk-calls.ts';

const DEADLINE_MS = 5000;
const ID = '0199aaaa-0000-7000-8000-000000000abc';
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (blob: Uint8Array | null) => blob && Buffer.from(blob).toString();
const unavailable = { code: 'unavailable', retryAfterS: 30 };

describe('a bucket', () => {
  let server: S3Server;
  let bucket: Bucket;

  before(async () => {
    server = await startS3Server();
    bucket = new Bucket(server.address, { clock: systemClock, deadlineMs: 60_000 });
  });
  after(async () => {
    bucket.close();
    await server.close();
  });

  test('keeps objects below its prefix, and gives all or part of one', async () => {
    await bucket.put('a/b c', bytes('hello'));
    assert.deepEqual(await server.keys(), ['some/prefix/a/b c']);
    assert.equal(text(await bucket.get('a/b c')), 'hello');
    assert.equal(text(await bucket.get('a/b c', { start: 1, end: 3 })), 'el');
    assert.equal(text(await bucket.get('a/b c', { start: 0, end: 1 })), 'h');
    assert.equal(await bucket.get('a/b'), null);
    await bucket.delete('a/b c');
    await bucket.delete('a/b c');
    assert.deepEqual(await server.keys(), []);
  });

  test('lists more than one page, in order, and from a key on', async () => {
    const few = new Bucket(server.address, { clock: systemClock, deadlineMs: 60_000, pageMax: 2 });
    const keys = ['many/1', 'many/2', 'many/3', 'many/4', 'many/5'];
    for (const key of keys) await few.put(key, bytes(key));
    const pages = await Array.fromAsync(few.list('many/'));
    const listed = pages.map((page) => page.map(({ key }) => key));
    assert.deepEqual(listed, [keys.slice(0, 2), keys.slice(2, 4), keys.slice(4)]);
    const rest = await Array.fromAsync(few.list('many/', 'many/2'));
    assert.deepEqual(
      rest.map((page) => page.map(({ key, bytes }) => [key, bytes])),
      [
        [
          ['many/3', 6],
          ['many/4', 6],
        ],
        [['many/5', 6]],
      ],
    );
    for (const key of keys) await few.delete(key);
    few.close();
  });

  test('is swept of what is a day old, wherever a start begins', async () => {
    const nowMs = Date.UTC(2026, 5, 1);
    const store = new BucketBlobs(bucket, 'swept');
    const ids = ['000', '7ff', 'fff'].map((shard) => ID.slice(0, -3) + shard);
    for (const id of ids) await store.put(id, bytes(id));
    const listed = async (seed: number) => {
      const part = { bucket, folder: 'swept', idOf: blobNameIn, delete: (id: string) => store.delete(id) };
      const swept = sweepable(part, { clock: new ManualClock(nowMs), random: seededRandom(seed) });
      return [...new Set((await Array.fromAsync(swept.list())).flat())].sort();
    };
    await server.modified(nowMs - DAY_MS + 1000);
    assert.deepEqual(await listed(1), []);
    await server.modified(nowMs - DAY_MS);
    for (const seed of [1, 2, 3, 4, 5]) assert.deepEqual(await listed(seed), ids);
    for (const id of ids) await store.delete(id);
  });

  test('is tried out at a start, which leaves nothing', async () => {
    await bucket.tryOut(ID);
    assert.deepEqual(await server.keys(), []);
  });

  const refused = async (address: BucketAddress, sentence: RegExp) => {
    const tried = new Bucket(address, { clock: systemClock, deadlineMs: 60_000 });
    await assert.rejects(tried.tryOut(ID), (error) => error instanceof BucketRefused && sentence.test(error.message));
    tried.close();
  };

  test('that does not exist, or refuses the credentials, stops a start with a sentence', async () => {
    await refused({ ...server.address, bucket: 'nobody-made-it' }, /cannot be written: there is no such bucket/);
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
    try {
      process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
      await refused(server.address, /cannot be written: the service does not accept AWS_SECRET_ACCESS_KEY/);
      process.env.AWS_ACCESS_KEY_ID = 'unknown';
      await refused(server.address, /cannot be written: the service does not know AWS_ACCESS_KEY_ID/);
    } finally {
      Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
    }
    await refused({ ...server.address, endpoint: 'http://127.0.0.1:1' }, /nothing listens at the endpoint/);
    await refused(
      await answering((_request, response) => error(response, 403, 'AccessDenied')),
      /cannot be written: the credentials do not allow it/,
    );
    await refused(
      await answering((request, response) =>
        request.method === 'PUT' ? response.end() : error(response, 403, 'AccessDenied'),
      ),
      /cannot be read: the credentials do not allow it/,
    );
  });

  for (const [what, answer] of [
    ['no answer', () => {}],
    ['half an answer', (_request, response) => void response.writeHead(200, { 'content-length': 10 }).write('half')],
  ] as const satisfies [string, RequestListener][]) {
    test(`that gives ${what} is unavailable at the deadline, and the request ends`, async () => {
      const { store, clock, begun } = await timed(answer);
      const refusals = [assert.rejects(store.get(ID), unavailable)];
      await begun;
      await clock.advance(DEADLINE_MS);
      await Promise.all(refusals);
      // A read may take as long as the largest body needs.
      await clock.advance(64_000);
      assert.equal(clock.pending, 0);
    });
  }

  test('that is overloaded, gone or broken is unavailable, and a missing bucket is no missing object', async () => {
    for (const answer of [
      (_request, response) => error(response, 503, 'SlowDown'),
      (_request, response) => error(response, 404, 'NoSuchBucket'),
      (request) => request.socket.destroy(),
    ] satisfies RequestListener[]) {
      const { store } = await timed(answer);
      await assert.rejects(store.get(ID), unavailable);
    }
    const { store } = await timed((_request, response) => error(response, 403, 'AccessDenied'));
    await assert.rejects(store.put(ID, bytes('x')), unavailable);
    await assert.rejects(store.putSafely(ID, bytes('x')), unavailable);
  });

  test('gets a request again that failed for a moment', async () => {
    let count = 0;
    const { store } = await timed((_request, response) => {
      if (count++ === 0) error(response, 503, 'SlowDown');
      else response.end('whole');
    });
    assert.equal(text(await store.get(ID)), 'whole');
    assert.equal(count, 2);
  });

  test('that stored what it was too late to confirm loses it again', async () => {
    const seen: string[] = [];
    const deleted = Promise.withResolvers<void>();
    const { store, clock, begun } = await timed((request, response) => {
      seen.push(request.method ?? '');
      if (request.method === 'DELETE') response.writeHead(204).end(deleted.resolve);
    });
    const refusal = assert.rejects(store.putLightly(ID, bytes('x')), unavailable);
    await begun;
    await clock.advance(DEADLINE_MS + 1000);
    await refusal;
    await deleted.promise;
    assert.deepEqual(seen, ['PUT', 'DELETE']);
  });

  const closing: (() => void)[] = [];
  after(() => {
    for (const close of closing) close();
  });

  /** The address of a service that answers with this listener. */
  async function answering(listener: RequestListener): Promise<BucketAddress> {
    const service = createServer(listener).listen(0, '127.0.0.1');
    await once(service, 'listening');
    closing.push(() => void service.close().closeAllConnections());
    const { port } = service.address() as AddressInfo;
    return parseBucketUrl(`s3://bodies?endpoint=http://127.0.0.1:${port}`, {});
  }

  /** A store of such a service on a clock of its own, and when the first request has arrived. */
  async function timed(listener: RequestListener) {
    const clock = new ManualClock();
    const begun = Promise.withResolvers<void>();
    const address = await answering((request, response) => {
      begun.resolve();
      listener(request, response);
    });
    const timing = { clock, deadlineMs: DEADLINE_MS };
    const slow = new Bucket(address, timing);
    closing.push(() => slow.close());
    return {
      store: new BucketBlobs(slow, 'results', new DiskCalls({ ...timing, log: silentLog })),
      clock,
      begun: begun.promise,
    };
  }
});

function error(response: Parameters<RequestListener>[1], status: number, code: string): void {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(xml);
}

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { AnyHandler } from '#contract/call.ts';
import type { Reply } from '#contract/reply.ts';
import { startFake } from '#testing/fake-api.ts';
import { COMPRESSED_BYTES_MIN, COMPRESSIONS_WAITING_MAX, Compressor } from './compression.ts';

const LARGE = { text: 'né '.repeat(COMPRESSED_BYTES_MIN) };
const whole = JSON.stringify(LARGE);

interface Raw {
  readonly status: number;
  readonly coding: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request with a client that decodes nothing. */
async function serving(handler: AnyHandler) {
  const fake = await startFake({ handlers: { getModels: handler, sendChat: handler } });
  after(() => fake.stop());
  return (accept: string | null, method = 'GET', headers: Record<string, string> = {}): Promise<Raw> => {
    const { promise, resolve, reject } = Promise.withResolvers<Raw>();
    const path = method === 'POST' ? '/v1/chat/completions' : '/v1/models';
    const own = { ...(accept === null ? {} : { 'accept-encoding': accept }), authorization: 'Bearer good', ...headers };
    request(fake.url + path, { method, headers: own, agent: false }, async (response) => {
      const body = Buffer.concat(await Array.fromAsync(response));
      const coding = response.headers['content-encoding'];
      resolve({ status: response.statusCode ?? 0, coding, headers: response.headers, body });
    })
      .on('error', reject)
      .end(method === 'POST' ? '{"name":"a"}' : undefined);
    return promise;
  };
}

function textOf({ coding, body }: Raw): string {
  if (coding === undefined) return body.toString();
  return (coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
}

const large = (): Reply => ({ status: 200, json: LARGE });

test('a large reply to GET is compressed as the caller prefers', async () => {
  const ask = await serving(large);
  const chosen = {
    gzip: 'gzip',
    br: 'br',
    GZIP: 'gzip',
    'gzip, deflate, br, zstd': 'gzip',
    'br, gzip': 'br',
    'gzip;q=0.5, br;q=0.8': 'br',
    'gzip;q=1.0, br;q=0': 'gzip',
    '*': 'gzip',
    '*;q=0.5, gzip;q=0': 'br',
    'gzip;q=0.001': 'gzip',
    'gzip, identity;q=0': 'gzip',
  };
  for (const [accept, coding] of Object.entries(chosen)) {
    const reply = await ask(accept);
    assert.equal(reply.coding, coding, accept);
    assert.equal(textOf(reply), whole, accept);
    assert.equal(reply.headers['content-length'], String(reply.body.length));
    assert.ok(reply.body.length < whole.length / 5);
    assert.equal(reply.headers.vary, 'accept-encoding');
    assert.equal(reply.headers['content-type'], 'application/json');
  }
});

test('it is sent as it is to a caller who prefers that, says nothing, or takes nothing that there is', async () => {
  const ask = await serving(large);
  for (const accept of [
    ...[null, '', 'identity', 'deflate', 'zstd', 'gzip;q=0', 'gzip;q=0.5, identity', 'gzip;q=x'],
    ...['identity;q=0', '*;q=0', ';;;', 'gzip;q=0, *;q=0'],
  ]) {
    const reply = await ask(accept);
    assert.deepEqual(
      [reply.status, reply.coding, reply.headers.vary],
      [200, undefined, 'accept-encoding'],
      accept ?? '',
    );
    assert.equal(reply.body.toString(), whole);
  }
});

test('a small reply is compressed only for a caller who refuses it as it is', async () => {
  const ask = await serving(() => ({ status: 200, json: { a: 1 } }));
  for (const accept of ['gzip', 'br, gzip', '*']) assert.equal((await ask(accept)).coding, undefined);
  for (const accept of ['gzip, identity;q=0', 'gzip, *;q=0']) {
    const reply = await ask(accept);
    assert.equal(reply.coding, 'gzip');
    assert.equal(textOf(reply), '{"a":1}');
  }
});

test('a reply of exactly the bound is large', async () => {
  for (const [bytes, coding] of [
    [COMPRESSED_BYTES_MIN - 1, undefined],
    [COMPRESSED_BYTES_MIN, 'gzip'],
  ] as const) {
    const ask = await serving(() => ({ status: 200, headers: { 'content-type': 'a/b' }, raw: 'x'.repeat(bytes) }));
    assert.equal((await ask('gzip')).coding, coding);
  }
});

test('HEAD gets the headers of GET', async () => {
  const ask = await serving(large);
  for (const accept of ['gzip', 'br', 'identity']) {
    const { date: _, ...got } = (await ask(accept)).headers;
    const { date: __, ...head } = (await ask(accept, 'HEAD', { 'x-request-id': String(got['x-request-id']) })).headers;
    assert.deepEqual(head, got);
  }
});

test('streams, bytes, refusals and answers to POST are sent as they are', async () => {
  const kinds: readonly Reply[] = [
    { status: 200, open: (out) => out.end(`data: ${whole}\n\n`) },
    {
      status: 200,
      headers: { 'content-type': 'application/jsonl' },
      length: Buffer.byteLength(whole),
      bytes: (async function* () {
        yield Buffer.from(whole);
      })(),
    },
    { status: 404, json: LARGE },
  ];
  for (const reply of kinds) {
    const got = await (await serving(() => reply))('gzip');
    assert.equal(got.coding, undefined);
    assert.ok(got.body.includes(whole));
  }
  const answer = await (await serving(large))('gzip', 'POST');
  assert.deepEqual([answer.status, answer.coding, answer.headers.vary], [200, undefined, undefined]);
});

test('304 varies as the reply does', async () => {
  const ask = await serving(() => ({ status: 304, headers: { etag: 'W/"a"' } }));
  const { status, coding, headers, body } = await ask('gzip');
  assert.deepEqual([status, coding, headers.vary, body.length], [304, undefined, 'accept-encoding', 0]);
});

test('the memory of a reply is given back once, when it is compressed, sent as it is, or not wanted any more', async () => {
  for (const accept of ['gzip', 'identity']) {
    let released = 0;
    const release = () => void released++;
    const ask = await serving(() => ({ status: 200, headers: { 'content-type': 'a/b' }, raw: whole, release }));
    assert.equal(textOf(await ask(accept)), whole);
    await ask(accept, 'HEAD');
    assert.equal(released, 2, accept);
  }
});

test('other work runs while a reply of megabytes is compressed', async () => {
  const body = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => Math.sqrt(index)));
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns++;
    if (!isDone) setImmediate(other);
  };
  for (const coding of ['gzip', 'br']) {
    turns = 0;
    isDone = false;
    setImmediate(other);
    const compressed = await new Compressor().compress({ acceptsEncodings: () => coding }, body);
    isDone = true;
    assert.equal(compressed?.coding, coding);
    assert.ok(turns >= 5, `${turns} turns`);
  }
});

test('a body that is shared is compressed once for each coding, however many ask', async () => {
  const compressor = new Compressor();
  const body = Buffer.from(JSON.stringify(Array.from({ length: 5_000 }, (_, index) => Math.sqrt(index))));
  const ask = (coding: string, shared: boolean) =>
    compressor.compress({ acceptsEncodings: () => coding }, body, shared).then((compressed) => compressed?.bytes);
  for (const [coding, unpacked] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    const asked = await Promise.all(Array.from({ length: 100 }, () => ask(coding, true)));
    const [first] = asked;
    assert.ok(first && asked.every((bytes) => bytes === first), coding);
    assert.deepEqual(unpacked(first), body);
    assert.notEqual(await ask(coding, false), first);
  }
});

test('when too many wait to be compressed, further replies are sent as they are', async () => {
  const count = 2 * COMPRESSIONS_WAITING_MAX + 10;
  let arrived = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const json = { text: 'x'.repeat(4 * 1024 * 1024) };
  const ask = await serving(async () => {
    if (++arrived === count) resolve();
    await all;
    return { status: 200, json };
  });
  const replies = await Promise.all(Array.from({ length: count }, () => ask('gzip')));
  const compressed = replies.filter(({ coding }) => coding === 'gzip').length;
  assert.equal(compressed, 1 + COMPRESSIONS_WAITING_MAX);
  for (const reply of replies) assert.equal(textOf(reply).length, JSON.stringify(json).length);
});

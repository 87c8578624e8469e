import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations } from '#generated/operations.ts';
import { watchReplies } from './watch.ts';

const NO_ERROR_BODY = '{"error":"not found"}';
const json = {
  'content-type': 'application/json',
  'x-request-id': 'r',
  'cache-control': 'public, max-age=1',
  etag: '"e"',
};

describe('a watched server', () => {
  let answer: RequestListener;
  let problems: readonly string[];
  let url: string;
  const server = createServer((request, response) => answer(request, response));
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    // What a planted fault breaks is not to be found in the record of the run.
    problems = watchReplies({ port, operations, asker: () => ({ file: '', title: '' }), record: () => {} });
  });
  after(() => server.close());

  /** What is said about one exchange. */
  async function seen(path: string, listener: RequestListener, init: RequestInit = {}): Promise<readonly string[]> {
    answer = listener;
    const earlier = problems.length;
    await fetch(url + path, init)
      .then((reply) => reply.text())
      .catch(() => null);
    return problems.slice(earlier);
  }

  it('may answer as the document says', async () => {
    assert.deepEqual(
      await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end('{"levels":[]}')),
      [],
    );
    assert.deepEqual(
      await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end(), { method: 'HEAD' }),
      [],
    );
  });

  it('is found out in a body, whoever asks, and whether it comes in one piece or in many', async () => {
    const [whole] = await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end('{"level":1}'));
    assert.match(whole ?? '', /listLevels answered 200 against the document/);
    const [pieces] = await seen('/v1/market/levels', (_, reply) => {
      reply.writeHead(200, json).write('{"lev');
      reply.end(Buffer.from('el":1}'));
    });
    assert.match(pieces ?? '', /listLevels answered 200 against the document/);
  });

  it('is found out in a status, a header and a frame', async () => {
    const [status] = await seen('/v1/market/levels', (_, reply) => reply.writeHead(418, json).end('{}'));
    assert.match(status ?? '', /answered 418, which is not documented/);
    const [header] = await seen('/v1/market/levels', (_, reply) =>
      reply.setHeader('x-mood', 'calm').writeHead(200, json).end('{"levels":[]}'),
    );
    assert.match(header ?? '', /x-mood, which is not documented/);
    const [frame] = await seen('/v1/market/stream', (_, reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'r' });
      reply.end('data: {"mood":"calm"}\n\n');
    });
    assert.match(frame ?? '', /streamMarket answered 200 against the document/);
  });

  it('may be left in the middle of an answer', async () => {
    const torn = await seen('/v1/market/levels', (_, reply) => {
      reply.writeHead(200, json).write('{"levels":');
      setImmediate(() => reply.destroy());
    });
    assert.deepEqual(torn, []);
  });

  it('answers 404 with an error body where there is nothing, and 405 with Allow for a method too many', async () => {
    const bare: RequestListener = (_, reply) => reply.writeHead(404, json).end(NO_ERROR_BODY);
    assert.match((await seen('/v1/nothing', bare)).join(), /answered 404 with no error body/);
    const moved: RequestListener = (_, reply) => reply.writeHead(200, json).end('{}');
    assert.match((await seen('/v1/nothing', moved)).join(), /answered 200 where 404 belongs/);
    const refused: RequestListener = (_, reply) => reply.writeHead(405, json).end(NO_ERROR_BODY);
    assert.match((await seen('/v1/models', refused, { method: 'DELETE' })).join(), /405 without Allow/);
  });
});

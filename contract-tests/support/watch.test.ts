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
  let port: number;
  let url: string;
  const server = createServer((request, response) => answer(request, response));
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
    url = `http://127.0.0.1:${port}`;
    problems = watch();
  });
  after(() => server.close());

  /** Planted faults must not reach the record of the run. */
  function watch(): readonly string[] {
    return watchReplies({ port, operations, asker: () => ({ file: '', title: '' }), record: () => {} });
  }

  /** The findings about one exchange. */
  async function seen(path: string, listener: RequestListener, init: RequestInit = {}): Promise<readonly string[]> {
    answer = listener;
    const earlier = problems.length;
    await fetch(url + path, init)
      .then((reply) => reply.text())
      .catch(() => null);
    return problems.slice(earlier);
  }

  it('may answer as documented', async () => {
    assert.deepEqual(
      await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end('{"levels":[]}')),
      [],
    );
    assert.deepEqual(
      await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end(), { method: 'HEAD' }),
      [],
    );
  });

  it('is watched once, even if its port was watched before for another server', async () => {
    const former = problems;
    problems = watch();
    const said = await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end('{"level":1}'));
    assert.deepEqual([said.length, former.length], [1, 0]);
  });

  it('is no longer watched when its port belongs to another server', async () => {
    const former = createServer((_, reply) => reply.writeHead(200, json).end('{"levels":[]}'));
    await once(former.listen(0, '127.0.0.1'), 'listening');
    const { port: shared } = former.address() as AddressInfo;
    const said = watchReplies({ port: shared, operations, asker: () => ({ file: '', title: '' }), record: () => {} });
    const ask = async () => (await fetch(`http://127.0.0.1:${shared}/v1/market/levels`)).text();
    await ask();
    await new Promise((resolve) => former.close(resolve).closeAllConnections());
    const later = createServer((_, reply) => reply.writeHead(200).end('no gateway'));
    await once(later.listen(shared, '127.0.0.1'), 'listening');
    await ask();
    await new Promise((resolve) => later.close(resolve).closeAllConnections());
    assert.deepEqual(said, []);
  });

  it('is caught breaking a body for any client, whether the body comes in one piece or in many', async () => {
    const [whole] = await seen('/v1/market/levels', (_, reply) => reply.writeHead(200, json).end('{"level":1}'));
    assert.match(whole ?? '', /listLevels answered 200 against the document/);
    const [pieces] = await seen('/v1/market/levels', (_, reply) => {
      reply.writeHead(200, json).write('{"lev');
      reply.end(Buffer.from('el":1}'));
    });
    assert.match(pieces ?? '', /listLevels answered 200 against the document/);
  });

  it('is caught breaking a status, a header and a frame', async () => {
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

  it('may lose its client in the middle of an answer', async () => {
    const torn = await seen('/v1/market/levels', (_, reply) => {
      reply.writeHead(200, json).write('{"levels":');
      setImmediate(() => reply.destroy());
    });
    assert.deepEqual(torn, []);
  });

  it('must answer 404 with an error body for an unknown address, and 405 with Allow for an unsupported method', async () => {
    const bare: RequestListener = (_, reply) => reply.writeHead(404, json).end(NO_ERROR_BODY);
    assert.match((await seen('/v1/nothing', bare)).join(), /answered 404 with no error body/);
    const moved: RequestListener = (_, reply) => reply.writeHead(200, json).end('{}');
    assert.match((await seen('/v1/nothing', moved)).join(), /answered 200 where 404 belongs/);
    const refused: RequestListener = (_, reply) => reply.writeHead(405, json).end(NO_ERROR_BODY);
    assert.match((await seen('/v1/models', refused, { method: 'DELETE' })).join(), /405 without Allow/);
  });
});

/** The TypeScript layer against servers that fail: retries, errors, orders that go on, batches. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import {
  type Attempt,
  ConflictError,
  ConnectionError,
  InsufficientQuotaError,
  InvalidRequestError,
  OrderExpiredError,
  RateLimitError,
  Sluice,
  SluiceError,
  type SluiceOptions,
  TimeoutError,
  UnexpectedAnswerError,
  withOptions,
} from '@sluice/client';

const ID = '01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f';
const messages = [{ role: 'user', content: 'hello' }];
const accepted = { id: ID, object: 'order', status: 'queued', expires_at: '2026-11-27T08:00:00.000Z', result_url: '' };

/** A request as the server got it. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (seen: Seen, response: ServerResponse) => void;

/** Runs `act` with a client of a server that answers in turn; the last answer is repeated. Returns the requests. */
async function served(
  answers: readonly Answer[],
  act: (sluice: Sluice, address: string) => Promise<void>,
  options: SluiceOptions = {},
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body };
    (answers[seen.length] ?? answers.at(-1))?.(one, response);
    seen.push(one);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await act(new Sluice({ baseUrl, apiKey: 'sk', ...options }), baseUrl);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return seen;
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, type: string, code: string, headers: Record<string, string> = {}) =>
  json(status, { error: { message: 'No.', type, code, param: null } }, headers);
const page: Answer = (_, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>');
const drop: Answer = (_, response) => void response.destroy();
const signIn: Answer = (_, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
const moved: Answer = (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end();
/** Without its length, an answer ends where the connection does. */
const cutJson: Answer = (_, response) => {
  response.useChunkedEncodingByDefault = false;
  response.shouldKeepAlive = false;
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(accepted).slice(0, 40));
};
const order = (status: string) => json(200, { ...accepted, status });

/** The error of a call. */
async function errorOf(call: Promise<unknown>): Promise<SluiceError> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(error instanceof SluiceError, String(error));
  return error;
}

describe('a call', () => {
  it('is tried again with the same Idempotency-Key, and each attempt is logged', async () => {
    const log: Attempt[] = [];
    const seen = await served(
      [page, drop, json(202, accepted)],
      async ({ orders }) => assert.equal((await orders.place({ messages })).id, ID),
      { onAttempt: (attempt) => void log.push(attempt) },
    );
    assert.deepEqual(
      log.map(({ status, attempt }) => [attempt, status]),
      [
        [1, 502],
        [2, null],
        [3, 202],
      ],
    );
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    assert.ok(keys[0]);
    assert.equal(new Set(keys).size, 1);
    assert.equal(JSON.parse(seen[0]?.body ?? '').detached, true);
    assert.equal(seen[0]?.path, '/v1/chat/completions');
    assert.deepEqual([seen[0]?.headers.authorization, seen[0]?.headers['x-strict']], ['Bearer sk', 'true']);
  });

  it('is not tried again when the gateway forbids it or the call allows no retry', async () => {
    const forbidden = refusal(429, 'rate_limit_error', 'rate_limit_error', { 'x-should-retry': 'false' });
    const one = await served([forbidden], async ({ orders }) => {
      const error = await errorOf(orders.place({ messages }));
      assert.ok(error instanceof RateLimitError);
      assert.deepEqual([error.retryable, error.charged, error.orderId], [false, false, null]);
    });
    const other = await served([page], async ({ api }) => {
      await errorOf(api.market.getMarket({}, withOptions({ maxRetries: 0 })));
    });
    assert.deepEqual([one.length, other.length], [1, 1]);
  });

  it('sends money as numbers, options of the call and fields that the client does not know', async () => {
    const terms = { priceLimit: '0.000006852', maxWait: 60, tags: ['a'], deadline: 30 };
    const params = { messages, ...terms, tool_choice: 'auto' as const };
    const options = { headers: { 'x-mine': '1' }, idempotencyKey: 'k', extraBody: { top_k: 4 } };
    const [seen] = await served(
      [json(202, accepted)],
      async ({ orders }) => void (await orders.place(params, options)),
    );
    const { price_limit, max_wait, tags, deadline, top_k, tool_choice, priceLimit } = JSON.parse(seen?.body ?? '');
    assert.deepEqual([price_limit, max_wait, tags, deadline], [0.000006852, 60, ['a'], 30]);
    assert.deepEqual([top_k, tool_choice], [4, 'auto']);
    assert.equal(priceLimit, undefined);
    assert.deepEqual([seen?.headers['x-mine'], seen?.headers['idempotency-key']], ['1', 'k']);
  });

  it('of a dry run says so, and has no Idempotency-Key', async () => {
    const [seen] = await served([json(203, { bid: 2, hold_usd: 1e-9 })], async ({ orders }) => {
      assert.equal((await orders.preview({ messages })).hold_usd, '0.000000001');
    });
    assert.deepEqual([seen?.headers['x-dry-run'], seen?.headers['idempotency-key']], ['true', undefined]);
  });

  it('to no server is a ConnectionError that says that nothing was charged', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const { orders } = new Sluice({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 });
    const error = await errorOf(orders.place({ messages }));
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.charged, error.status, error.retryable], [false, null, true]);
  });

  it('whose answer is lost names the key that finds the order', async () => {
    await served([drop], async ({ orders }) => {
      const error = await errorOf(orders.place({ messages }, { idempotencyKey: 'mine', maxRetries: 0 }));
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.charged, null);
      assert.match(error.message, /idempotencyKey mine finds it and pays only once/);
    });
  });

  it('ends at its timeout with a TimeoutError', async () => {
    await served([() => {}], async ({ orders }) => {
      const error = await errorOf(orders.place({ messages }, { timeout: 50 }));
      assert.ok(error instanceof TimeoutError);
      assert.equal(error.charged, null);
    });
  });

  it('whose JSON is cut is tried again with the same key', async () => {
    const seen = await served([cutJson, json(202, accepted)], async ({ orders }) => {
      assert.equal((await orders.place({ messages })).id, ID);
    });
    assert.deepEqual([seen.length, new Set(seen.map(({ headers }) => headers['idempotency-key'])).size], [2, 1]);
  });

  it('that a page or a redirect answers leaves the charge open, and follows nothing', async () => {
    for (const [answer, status] of [[signIn, 200] as const, [moved, 302] as const]) {
      const seen = await served([answer], async ({ orders, market }) => {
        const error = await errorOf(orders.place({ messages }, { idempotencyKey: 'mine' }));
        assert.ok(error instanceof UnexpectedAnswerError);
        assert.deepEqual([error.status, error.charged], [status, null]);
        assert.match(error.message, /idempotencyKey mine finds it/);
        assert.ok((await errorOf(market.models())) instanceof UnexpectedAnswerError);
      });
      assert.equal(seen.length, 2);
    }
  });

  it('waits a minute at most for what Retry-After says', async () => {
    const limited = (said: string) => refusal(429, 'rate_limit_error', 'rate_limit_error', { 'retry-after': said });
    for (const said of ['86400', '9999999999', 'Fri, 31 Dec 2100 23:59:59 GMT']) {
      const seen = await served([limited(said)], async ({ orders }) => {
        const error = await errorOf(orders.place({ messages }));
        assert.deepEqual([error.charged, error.retryable], [false, true]);
      });
      assert.equal(seen.length, 1);
    }
    const answers = [limited('Fri, 31 Dec 1999 23:59:59 GMT'), json(202, accepted)];
    const again = await served(answers, async ({ orders }) => void (await orders.place({ messages })));
    assert.equal(again.length, 2);
  });

  it('that is ended in the wait for a retry says whether an order may exist', async () => {
    const limited = refusal(429, 'rate_limit_error', 'rate_limit_error', { 'retry-after': '30' });
    for (const [answer, charged] of [[limited, false] as const, [page, null] as const]) {
      const over = new AbortController();
      // In the wait that begins after the attempt.
      const onAttempt = () => void setImmediate(() => over.abort(new DOMException('over', 'TimeoutError')));
      const ended = async ({ orders }: Sluice) => {
        const error = await errorOf(orders.place({ messages }, { signal: over.signal, maxRetries: 1000 }));
        assert.ok(error instanceof TimeoutError);
        assert.equal(error.charged, charged);
      };
      await served([answer], ended, { onAttempt });
    }
  });

  it('has no header with a line break, and takes an address with a path and with /v1', async () => {
    const seen = await served([json(202, accepted)], async ({ orders }, address) => {
      await new Sluice({ baseUrl: ` ${address}/behind/v1/ `, apiKey: 'sk\n' }).orders.place({ messages });
      for (const options of [{ idempotencyKey: 'a\nb' }, { headers: { 'x-own': 'a\r\nb' } }]) {
        const error = await errorOf(orders.place({ messages }, options));
        assert.ok(error instanceof InvalidRequestError);
        assert.equal(error.charged, false);
      }
    });
    assert.deepEqual(
      seen.map(({ path, headers }) => [path, headers.authorization]),
      [['/behind/v1/chat/completions', 'Bearer sk']],
    );
    for (const baseUrl of ['127.0.0.1:8080', 'localhost:8080', 'ftp://localhost'])
      assert.throws(() => new Sluice({ baseUrl }), TypeError);
  });

  it('with a success that is not described names the order and whether it was charged', async () => {
    const undescribed = json(202, accepted, { 'x-service-order-id': ID });
    const seen = await served([undescribed, order('done')], async ({ api }) => {
      const error = await errorOf(api.inference.createChatCompletion({ chatCompletionRequest: { messages } }));
      assert.ok(error instanceof UnexpectedAnswerError);
      assert.deepEqual([error.orderId, error.charged], [ID, true]);
    });
    assert.equal(seen[1]?.path, `/v1/orders/${ID}`);
  });

  it('that is refused with an order has the charge of that order', async () => {
    const expired = refusal(408, 'timeout_error', 'order_expired', {
      'x-service-order-id': ID,
      'x-should-retry': 'false',
    });
    await served([expired, order('expired')], async ({ api }) => {
      const error = await errorOf(api.inference.createChatCompletion({ chatCompletionRequest: { messages } }));
      assert.ok(error instanceof OrderExpiredError);
      assert.deepEqual([error.orderId, error.charged, error.code], [ID, false, 'order_expired']);
    });
  });
});

describe('an order', () => {
  const events =
    (...lines: readonly string[]): Answer =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(lines.map((line, at) => `${line}\n${at % 2 ? '\n' : ''}`).join(''));
    };
  const chunk = (text: string) =>
    `data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"${text}"}}]}`;
  const placed = json(202, accepted);

  it('is followed over cuts, without an event missing or there twice', async () => {
    const first = events('id: 0', chunk('a'), 'id: 1', chunk('b'), 'id: 2');
    const rest = events('id: 2', chunk('c'), 'id: 3', 'data: [DONE]');
    const seen = await served([placed, first, drop, rest], async ({ orders }) => {
      const placed = await orders.place({ messages });
      const all: [number, string][] = [];
      for await (const { number, text } of placed.stream()) all.push([number, text]);
      assert.deepEqual(all, [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ]);
    });
    assert.equal(seen.at(-1)?.path, `/v1/orders/${ID}/stream?starting_after=1`);
  });

  it('begins again where it runs again, and says so', async () => {
    const restarted = refusal(409, 'conflict_error', 'stream_restarted');
    const cut = events('id: 0', chunk('a'));
    const whole = events('id: 0', chunk('x'), 'id: 1', 'data: [DONE]');
    await served([placed, cut, restarted, order('executing'), whole], async ({ orders }) => {
      const all: [string, boolean][] = [];
      for await (const { text, restarted } of (await orders.place({ messages })).stream()) all.push([text, restarted]);
      assert.deepEqual(all, [
        ['a', false],
        ['x', true],
      ]);
    });
  });

  it('that ends unserved is an error without a charge, in its stream and in its result', async () => {
    const failed = events(
      'id: 0',
      'data: {"error":{"message":"No pod.","type":"server_error","code":"backend_error"}}',
    );
    const fault = { code: 'insufficient_balance', message: 'Too low.' };
    const ended = json(200, { ...accepted, kind: 'chat', status: 'error', body: null, error: fault });
    await served([placed, failed, ended], async ({ orders }) => {
      const placed = await orders.place({ messages });
      const cut = await errorOf(placed.stream().next());
      assert.deepEqual([cut.code, cut.status, cut.charged, cut.orderId], ['backend_error', 502, false, ID]);
      const none = await errorOf(placed.result());
      assert.ok(none instanceof InsufficientQuotaError);
      assert.deepEqual([none.charged, none.orderId], [false, ID]);
    });
  });

  it('has its answer in types, with exact money', async () => {
    const usage = {
      x_market: { order_id: ID, charged_usd: 3.33333e-4, bid: 2, level_at_execution: 0.01, pricing: 'market' },
    };
    const body = { object: 'chat.completion', choices: [{ message: { content: 'Hi.' } }], usage };
    const waiting = json(200, { ...accepted, kind: 'chat', body: null, error: null });
    const done = json(200, { ...accepted, kind: 'chat', status: 'done', body, error: null });
    await served([placed, waiting, done], async ({ orders }) => {
      const answer = await (await orders.place({ messages })).result();
      assert.deepEqual([answer.choices[0]?.message.content, answer.usage.x_market.charged_usd], ['Hi.', '0.000333333']);
    });
  });

  it('that cannot be repriced says why, and one that is canceled twice is canceled', async () => {
    const entry = { id: ID, changed: false, code: 'not_queued', reason: 'It runs.' };
    const reprice = json(200, { object: 'list', price_limit: 3, changed: 0, data: [entry] });
    const conflict = refusal(409, 'conflict_error', 'order_not_cancelable');
    await served([placed, reprice, order('executing'), conflict, order('canceled')], async ({ orders }) => {
      const placed = await orders.place({ messages });
      const error = await errorOf(placed.reprice('3'));
      assert.ok(error instanceof ConflictError);
      assert.deepEqual([error.code, error.message, error.charged], ['not_queued', 'It runs.', null]);
      await placed.cancel();
      assert.equal(placed.status, 'canceled');
    });
  });

  it('is listed page by page, when the loop gets there', async () => {
    const data = (id: string) => [{ ...accepted, id, created_at: '2026-11-27T07:00:00.000Z', bid: 0.5 }];
    const list = (id: string, next: string | null) =>
      json(200, { data: data(id), has_more: next !== null, next_cursor: next });
    const seen = await served([list('a', 'n'), list('b', null)], async ({ orders }) => {
      const ids: string[] = [];
      for await (const { id, order } of orders.list({ status: ['done', 'error'], from: new Date(0) })) {
        ids.push(id);
        assert.deepEqual([order?.bid, order?.created_at.getTime()], ['0.5', Date.UTC(2026, 10, 27, 7)]);
      }
      assert.deepEqual(ids, ['a', 'b']);
    });
    const [query = ''] = seen.map(({ path }) => decodeURIComponent(path));
    assert.match(query, /status=done,error/);
    assert.match(query, /from=1970-01-01T00:00:00.000Z/);
    assert.match(seen[1]?.path ?? '', /cursor=n/);
  });
});

describe('a batch', () => {
  const file = { id: 'file-1', object: 'file', created_at: 5000, filename: 'lines.jsonl', purpose: 'batch' };
  const batch = (id: string, run: string, created_at: number) => ({
    ...{ id, object: 'batch', status: 'completed', created_at, input_file_id: 'file-1', output_file_id: 'out' },
    ...{ error_file_id: null, metadata: { sluice_client_run: run } },
  });
  const output: Answer = (_, response) => {
    const lines = [
      { custom_id: 'a', response: null, error: { code: 'result_unavailable', message: 'Lost.' } },
      { custom_id: 'b', response: { status_code: 200, request_id: ID, body: { n: 1 } }, error: null },
      { custom_id: 'c', response: null, error: { code: 'order_expired', message: 'Late.' } },
    ];
    response.writeHead(200, { 'content-type': 'application/jsonl' });
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };

  it('sends amounts as numbers, and says what each line cost', async () => {
    const lines = ['a', 'b', 'c'].map((customId) => ({
      customId,
      body: { model: 'tide', price_limit: '0.000000001' },
    }));
    const [upload] = await served(
      [json(200, file), json(200, batch('one', 'r', 5001)), output],
      async ({ batches }) => {
        const results = await batches.run(lines);
        assert.deepEqual(
          results.map(({ body, error }) => [body, error?.charged ?? null]),
          [
            [null, true],
            [{ n: 1 }, null],
            [null, false],
          ],
        );
        const inexact = [{ customId: 'a', body: { price_limit: '0.1234567890123456789' } }];
        await assert.rejects(batches.run(inexact), RangeError);
      },
    );
    assert.match(upload?.body ?? '', /"price_limit":1e-9/);
  });

  it('whose answer is lost is found, whatever the clock of this machine says', async () => {
    let run = '';
    const lost: Answer = ({ body }, response) => {
      run = JSON.parse(body).metadata.sluice_client_run;
      response.destroy();
    };
    const list: Answer = (seen, response) => {
      const data = [batch('other', 'r', 5003), batch('mine', run, 5001), batch('old', 'r', 4000)];
      json(200, { data, has_more: true })(seen, response);
    };
    const seen = await served([json(200, file), lost, list, output], async ({ batches }) => {
      assert.equal((await batches.run([{ customId: 'a', body: {} }])).length, 1);
    });
    assert.equal(seen.length, 4);
  });

  it('ends at its timeout', async () => {
    const running = json(200, { ...batch('one', 'r', 5001), status: 'in_progress' });
    await served([json(200, file), running], async ({ batches }) => {
      const error = await errorOf(batches.run([{ customId: 'a', body: {} }], {}, { timeout: 200 }));
      assert.ok(error instanceof TimeoutError);
    });
  });
});

describe('levels', () => {
  it('go on after a cut', async () => {
    const frame =
      (level: number): Answer =>
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: {"levels":[{"model":"tide","level":${level},"updated_at":"2026-11-27T07:00:00Z"}]}\n\n`);
      };
    await served(
      [frame(0.5), drop, frame(0.25)],
      async ({ market }) => {
        const levels: string[] = [];
        for await (const { level } of market.levels()) if (levels.push(level) === 2) break;
        assert.deepEqual(levels, ['0.5', '0.25']);
      },
      { maxRetries: 0 },
    );
  });
});

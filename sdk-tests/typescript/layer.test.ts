/** The TypeScript layer against servers that fail: retries, errors, orders that go on, receipts. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  type Attempt,
  ConflictError,
  ConnectionError,
  InsufficientQuotaError,
  OrderExpiredError,
  OrderReceipt,
  RateLimitError,
  ReceiptError,
  Sluice,
  SluiceError,
  type SluiceOptions,
  TimeoutError,
  UnexpectedAnswerError,
  withOptions,
} from '@sluice/client';
import { build } from 'esbuild';

const ID = '01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f';
const SIZE_MAX = 40_000;
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
  act: (sluice: Sluice) => Promise<void>,
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
    await act(new Sluice({ baseUrl, apiKey: 'sk', ...options }));
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
    const params = { messages, priceLimit: '0.000006852', maxWait: 60, deadline: 30, tool_choice: 'auto' } as const;
    const options = { headers: { 'x-mine': '1' }, idempotencyKey: 'k', extraBody: { top_k: 4 } };
    const [seen] = await served(
      [json(202, accepted)],
      async ({ orders }) => void (await orders.place(params, options)),
    );
    const { price_limit, max_wait, deadline, top_k, tool_choice, priceLimit } = JSON.parse(seen?.body ?? '');
    assert.deepEqual([price_limit, max_wait, deadline, top_k, tool_choice], [0.000006852, 60, 30, 4, 'auto']);
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

describe('a receipt', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const keys = {
    issuer: 'https://sluice.example',
    keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'k1', use: 'sig', alg: 'EdDSA' }],
  };
  // The receipt that docs/buy/receipts.md computes.
  const claims = {
    ...{ iss: keys.issuer, order_id: ID, tariff: 'market:100:1000:4000', level_nano_usd: 10_000_000 },
    ...{ prompt_tokens: 17, cached_tokens: 0, output_tokens: 42, charged_nano_usd: 6852, written_off_nano_usd: 0 },
  };
  const signed = (changes: object, typ = 'sluice-receipt+jws') => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'EdDSA', typ, kid: 'k1' })}.${part({ ...claims, ...changes })}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
  };

  it('is verified by its signature and its arithmetic', async () => {
    const receipt = new OrderReceipt(signed({}), keys);
    await receipt.verify();
    assert.equal(receipt.charged, '0.000006852');
    await new OrderReceipt(signed({ tariff: 'fixed:100:1000:4000', charged_nano_usd: 0 }), keys).verify();
  });

  it('is wrong after any change', async () => {
    const [header, , signature] = signed({}).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, charged_nano_usd: 1 })).toString('base64url');
    const wrong: readonly [string, RegExp][] = [
      [`${header}.${payload}.${signature}`, /signature/],
      [signed({ charged_nano_usd: 6853 }), /cost 6852/],
      [signed({ iss: 'https://other.example' }), /keys are of/],
      [signed({ tariff: 'barter' }), /tariff/],
      [signed({}, 'JWT'), /not a signed receipt/],
    ];
    for (const [jws, why] of wrong)
      await assert.rejects(
        new OrderReceipt(jws, keys).verify(),
        (error) => error instanceof ReceiptError && why.test(error.message),
      );
    for (const text of ['', 'a.b', 'a.b.c', 'a.b.c.d']) assert.throws(() => new OrderReceipt(text, keys), ReceiptError);
  });
});

describe('the package', () => {
  const folder = 'node_modules/@sluice/client';

  it('has no dependency, needs nothing of Node, and has at most 40 kB', async (context) => {
    assert.equal(JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).dependencies, undefined);
    const { outputFiles } = await build({
      ...{ entryPoints: [`${folder}/dist/index.js`], bundle: true, minify: true, write: false },
      ...{ format: 'esm', platform: 'neutral', target: 'es2022' },
    });
    const size = gzipSync(outputFiles[0]?.contents ?? '').length;
    context.diagnostic(`${size} bytes, bundled, minified and compressed`);
    assert.ok(size > 0 && size <= SIZE_MAX, `It has ${size} bytes.`);
  });

  it('has what a registry shows', () => {
    const names = readdirSync(folder);
    for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist']) assert.ok(names.includes(name), name);
    const { repository, homepage, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    assert.ok(repository.url && homepage && license);
  });
});

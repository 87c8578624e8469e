/**
 * Hostile text in any parameter, header or string of a body of every operation is refused by name, matches nothing, or
 * is passed on as plain text. It never breaks a query or a line of the log.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLog } from '#base/log.ts';
import { type OperationId, operations } from '#generated/operations.ts';
import { chat } from './support/chat.ts';
import { documentedParameters } from './support/document.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';

const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE orders; --",
  '" OR sleep(5) #',
  '`id` UNION SELECT hash FROM api_keys',
  '%',
  '____',
  '%%%%',
  '\\\\\\\\',
  '\\0\\x1a',
  '\u0024{jndi:ldap://x}',
  '{"$gt":""}',
  '\u001b[2J\u001b[31mred',
  '\u0000',
  '\u202e\u2028',
  '\r\n{"level":50,"msg":"forged"}',
  '../../etc/passwd',
  'x'.repeat(5000),
];
/** What a client can put into a header: the HTTP parser accepts no control characters there. */
const HEADER_INJECTIONS = INJECTIONS.filter((text) => /^[\x20-\x7e]+$/.test(text));
const HEADERS = [
  ...[
    'idempotency-key',
    'x-price-limit',
    'x-max-price',
    'x-expires-after',
    'x-max-charge-usd',
    'x-dry-run',
    'x-api-key',
    'x-request-id',
    'user-agent',
  ],
  ...[
    'anthropic-version',
    'accept',
    'accept-encoding',
    'origin',
    'x-forwarded-for',
    'if-none-match',
    'content-encoding',
  ],
  ...['content-type', 'authorization'],
] as const;

/** A body of each operation that takes JSON, with strings in every kind of place. */
const BODIES: Partial<Record<OperationId, Record<string, unknown>>> = {
  createChatCompletion: chat({ stop: ['.'], user: 'u', metadata: { k: 'v' }, tool_choice: 'auto' }),
  createCompletion: { model: 'tide', prompt: 'Say hello.', price_limit: 5, user: 'u' },
  createResponse: { model: 'tide', input: 'Say hello.', price_limit: 5, metadata: { k: 'v' }, user: 'u' },
  createMessage: message({ metadata: { user_id: 'u' }, stop_sequences: ['.'] }),
  countMessageTokens: { model: 'tide', messages: [{ role: 'user', content: 'Say hello.' }] },
  repriceOrders: { ids: ['0199aaaa-0000-7000-8000-000000000000'], price_limit: 1 },
  updateAccount: { default_price_limit: { tide: 5 } },
  createBatch: {
    input_file_id: 'file-0199aaaa000070008000000000000000',
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { k: 'v' },
  },
};

describe('injection', () => {
  const written: string[] = [];
  const log = createLog('debug', { write: (text: string) => void written.push(text) });
  const unlimited = {
    batch_submissions_per_minute_per_account: 100_000,
    file_operations_per_minute_per_account: 100_000,
    partner_requests_per_minute_per_address: 100_000,
  };
  const server = useServer({ limits: unlimited }, { log });
  const ids = Object.keys(operations) as OperationId[];
  let orders: number | null;

  before(async () => {
    (await server.api.call('createChatCompletion', { body: chat() })).body(200);
    orders = await ordersOf();
  });

  async function ordersOf(): Promise<number | null> {
    return (await server.api.call('listOrders', { query: { include: 'totals' } })).body(200).total_orders ?? null;
  }

  interface Sent {
    readonly path?: string;
    readonly search?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly raw?: Uint8Array;
  }

  /** Asks, and disconnects without reading an endless stream. Fails on an internal error. */
  async function ask(id: OperationId, sent: Sent): Promise<{ status: number; text: string }> {
    const { method, path, streams } = operations[id];
    const address = (sent.path ?? path.replaceAll(/\{\w+\}/g, 'x')) + (sent.search ?? '');
    const reply = await server.api.request(method, address, {
      headers: sent.headers ?? {},
      ...(sent.body === undefined ? {} : { body: sent.body }),
      ...(sent.raw === undefined ? {} : { raw: sent.raw }),
    });
    const endless = streams && method === 'get' && reply.status === 200;
    const text = endless ? '' : (await reply.whole()).text;
    if (endless) reply.leave();
    assert.ok(reply.status < 500, `${id} ${JSON.stringify(sent).slice(0, 300)}: ${reply.status} ${text}`);
    return { status: reply.status, text };
  }

  for (const id of ids) {
    const { path } = operations[id];

    if (path.includes('{')) {
      it(`4xx ${id} with anything in its path`, async () => {
        for (const value of INJECTIONS) {
          const filled = path.replaceAll(/\{\w+\}/g, encodeURIComponent(value));
          const { status } = await ask(id, { path: filled });
          assert.ok(status >= 400, `${id} ${filled}: ${status}`);
        }
      });
    }

    const parameters = documentedParameters(id, 'query');
    if (parameters.length > 0) {
      it(`200 nothing, or 400, ${id} with anything in its query`, async () => {
        for (const name of parameters) {
          for (const value of INJECTIONS) {
            const { status, text } = await ask(id, { search: `?${name}=${encodeURIComponent(value)}` });
            if (status === 200 && id === 'listOrders') assert.deepEqual(JSON.parse(text).data, [], `${name}=${value}`);
          }
        }
      });
    }

    const body = BODIES[id];
    if (body) {
      it(`${id} with anything in any string of its body`, async () => {
        for (const value of INJECTIONS) {
          for (const changed of replacedStrings(body, value)) await ask(id, { body: changed });
        }
      });
    }
  }

  it('uploadFile with anything as its name, its purpose or its content', async () => {
    for (const value of INJECTIONS) {
      for (const changed of ['name', 'purpose', 'content'] as const) {
        const form = new FormData();
        form.set('purpose', changed === 'purpose' ? value : 'batch');
        form.set('file', new Blob([changed === 'content' ? value : '{}']), changed === 'name' ? value : 'lines.jsonl');
        const upload = new Request('http://x', { method: 'POST', body: form });
        const headers = { 'content-type': upload.headers.get('content-type') ?? '' };
        await ask('uploadFile', { headers, raw: new Uint8Array(await upload.arrayBuffer()) });
      }
    }
  });

  it('anything in any header', async () => {
    for (const value of HEADER_INJECTIONS) {
      for (const header of HEADERS) {
        const headers = { [header]: value };
        await ask('createChatCompletion', { headers, body: chat() });
        await ask('createMessage', { headers, body: message() });
        await ask('listOrders', { headers });
        await ask('listModels', { headers });
      }
    }
  });

  it('leaves the tables as they were', async () => {
    const now = await ordersOf();
    assert.ok(now !== null && orders !== null && now > orders);
    assert.equal((await server.api.call('getHealth')).status, 200);
    (await server.api.call('getAccount')).body(200);
  });

  it('leaves a log of one JSON object per line, without raw control characters', () => {
    assert.ok(written.length > 1000);
    for (const text of written) {
      assert.match(text, /^\{[^\r\n]*\}\n$/);
      const line = JSON.parse(text);
      assert.notEqual(line.msg, 'forged');
      assert.ok(['number', 'string'].includes(typeof line.level), text);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
      assert.doesNotMatch(text.trimEnd(), /[\u0000-\u001f\u007f\u2028\u202e]/);
      assert.ok(text.length < 2000, `a line of ${text.length} characters`);
      assert.doesNotMatch(text, /Say hello/);
    }
  });
});

/** The body with one of its strings replaced, once for each of them. */
function* replacedStrings(value: unknown, by: string): Generator<unknown> {
  if (typeof value === 'string') yield by;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of replacedStrings(inner, by)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

/**
 * What an ordinary key made is marked wherever a caller can put a word. Then keys that reach less, another account and
 * nobody at all ask every operation of the document for it: by its ids in paths, queries, headers and bodies, and
 * without. No answer may have a mark that the question did not have.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { operations } from '#generated/operations.ts';
import { cannedReply, chunkOf, streamOf } from '#testing/mock-backend.ts';
import { batchNow, batchOf, batchWhen, CHAT, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import type { Client, RequestOptions } from './support/client.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';
import { COMMAND_LINE, type TestAccount } from './support/test-operator.ts';
import { eventually } from './support/waiting.ts';

type PublicId = keyof typeof operations;
const every = Object.keys(operations) as PublicId[];
const SCOPES = ['inference', 'read_own', 'read_all', 'manage'] as const;
const MARK = 'marked-0f7c';
const IDEMPOTENCY_KEY = `${MARK}-idempotency`;
/** Else most questions would be refused for their number. */
const unlimited = {
  public_requests_per_minute_per_address: 1_000_000,
  inference_requests_per_minute_per_key: 1_000_000,
  batch_submissions_per_minute_per_account: 1_000_000,
  account_operations_per_minute_per_account: 1_000_000,
  file_operations_per_minute_per_account: 1_000_000,
  streams_per_address: 1_000_000,
  running_batches_per_account: 1_000_000,
};
const QUERIES = ['after', 'cursor', 'id', 'batch'];

describe('what a key made', () => {
  const server = useServer({ responses: { background: true }, limits: unlimited });
  let account: TestAccount;
  let wide: Client;
  /** Its ids, and one of each kind. */
  let ids: readonly string[];
  let kinds: readonly string[];
  /** The request that was sent with `IDEMPOTENCY_KEY`. */
  const keyed = chat({ max_tokens: 8, user: `${MARK}-user` });

  before(async () => {
    account = await server.createAccount();
    wide = server.api.as(account.key);
    server.answer(streamOf([chunkOf({ content: `${MARK}-answer` }), chunkOf({}, { finish_reason: 'stop' })]));
    const place = async (body: object, headers = {}) =>
      (await wide.call('createChatCompletion', { body, headers })).orderId;
    const done = await place(keyed, { 'idempotency-key': IDEMPOTENCY_KEY });
    const waiting = await place(chat({ model: 'reef', detached: true, price_limit: 0.001 }));
    const background = { model: 'reef', input: MARK, background: true, max_output_tokens: 16, price_limit: 0.001 };
    const { id: response } = (await wide.call('createResponse', { body: background })).body(200);
    const { id: input } = await upload(wide, `${MARK}-content\n`, `${MARK}.jsonl`);
    const metadata = { name: `${MARK}-metadata` };
    const output = await ended(server, (await batchOf(wide, [line(`${MARK}-line`)], { metadata })).id, wide);
    const { id: batch } = await batchOf(wide, [line(MARK, { model: 'reef' })], { price_limit: 0.001, metadata });
    await batchWhen(server, batch, ({ status }) => status === 'in_progress', wide);
    assert.ok(output.output_file_id);
    const { data: orders } = (await wide.call('listOrders')).body(200);
    const { data: files } = (await wide.call('listFiles')).body(200);
    server.answer(cannedReply());
    kinds = [done, waiting, response, input, batch, output.output_file_id];
    ids = [...new Set([...kinds, output.id, ...[...orders, ...files].map(({ id }) => id)])];
    assert.ok(ids.length >= 9, `${ids}`);
  });

  /** The marks in an answer that were not in its question. */
  const marksIn = (text: string, asked: string) =>
    [MARK, ...ids.map((id) => id.replace(/^resp_/, ''))].filter((mark) => text.includes(mark) && !asked.includes(mark));

  /** Everything that one may ask an operation with an id of somebody else. */
  const questionsWith = (id: string, method: string): RequestOptions[] => {
    const params = { id };
    const headers = { 'last-event-id': id, 'x-request-id': id, 'x-service-order-id': id };
    if (['get', 'head', 'delete'].includes(method))
      return [{ params, headers }, ...QUERIES.map((name) => ({ params, query: { [name]: id, stream: 'true' } }))];
    const repeat = { 'idempotency-key': IDEMPOTENCY_KEY };
    return [
      { params, headers, body: { ids: [id], price_limit: 0.001 } },
      { params, body: { input_file_id: id, endpoint: CHAT, price_limit: 5 } },
      { params, body: { model: 'tide', input: 'Hi', previous_response_id: id, price_limit: 5 } },
      { params, body: keyed, headers: repeat },
      { params, body: { ...keyed, stream: true }, headers: repeat },
      { params, body: keyed, headers: { ...repeat, 'x-dry-run': 'true' } },
    ];
  };

  /** Asks, and reads what comes at once of a stream, which may have no end. */
  async function answered(api: Client, operation: PublicId, asked: RequestOptions) {
    const { method, path } = operations[operation];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(asked.params?.[name] ?? 'tide'));
    const query = new URLSearchParams(asked.query as Record<string, string> | undefined).toString();
    const reply = await api.request(method.toUpperCase(), `${filled}${query && `?${query}`}`, asked);
    if (!reply.headers['content-type']?.startsWith('text/event-stream')) {
      const { text, headers } = await reply.whole();
      return { status: reply.status, text: text + JSON.stringify(headers) };
    }
    await eventually(() => reply.text !== '', operation);
    reply.leave();
    return { status: reply.status, text: reply.text + JSON.stringify(reply.headers) };
  }

  async function leaks(api: Client): Promise<string[]> {
    const found: string[] = [];
    for (const operation of every)
      for (const id of kinds)
        for (const asked of questionsWith(id, operations[operation].method)) {
          const { status, text } = await answered(api, operation, asked);
          assert.doesNotMatch(text, /"code":"rate_limit_error"/, operation);
          const marks = marksIn(text, JSON.stringify(asked));
          // A reply about an id of somebody else, which names nothing else of it.
          if (status === 200 && operations[operation].path.includes('{id}')) marks.push(id);
          if (marks.length > 0) found.push(`${operation} ${JSON.stringify(asked)}: ${marks}`);
        }
    return found;
  }

  const everything = async () => {
    const shown = await Promise.all(
      ids.map((id) => wide.request('GET', `/v1/orders/${id}`).then((got) => got.whole())),
    );
    const batches = ids.filter((id) => id.startsWith('batch_'));
    return [
      shown.map(({ text }) => text.replace(/"queue_position":\d+/, '')),
      await Promise.all(batches.map((id) => batchNow(wide, id))),
      (await wide.call('listFiles')).body(200).data.filter(({ id }) => ids.includes(id)),
    ];
  };

  const scopes: readonly (readonly [string, readonly (typeof SCOPES)[number][] | null])[] = [
    ['a budget of one cent', null],
    ['inference', ['inference']],
    ['read_own', ['read_own']],
    ['inference and read_own', ['inference', 'read_own']],
  ];
  for (const [name, given] of scopes) {
    it(`is neither shown nor changed by any operation to a key with ${name}`, async () => {
      const settings = given === null ? { budget: 10_000_000n } : { scopes: given };
      const { secret } = await server.operator.keys.create(account.id, settings, COMMAND_LINE);
      const before = await everything();
      assert.deepEqual(await leaks(server.api.as(secret)), []);
      assert.deepEqual(await everything(), before);
    });
  }

  it('is shown to nobody without a key, nor to another account', async () => {
    const before = await everything();
    for (const key of [null, (await server.createAccount()).key])
      assert.deepEqual(await leaks(server.api.as(key)), [], String(key));
    assert.deepEqual(await everything(), before);
  });

  it('is shown by some operation of every kind to a key that reads everything, and changed by none', async () => {
    const { secret } = await server.operator.keys.create(account.id, { scopes: ['read_all'] }, COMMAND_LINE);
    const before = await everything();
    const shown = new Set((await leaks(server.api.as(secret))).map((found) => found.split(' ')[0]));
    const reading = every.filter((id) => operations[id].security !== 'open' && operations[id].scope === 'read');
    assert.deepEqual(
      reading.filter((id) => !shown.has(id)),
      ['getAccount'],
    );
    assert.deepEqual(await everything(), before);
  });
});

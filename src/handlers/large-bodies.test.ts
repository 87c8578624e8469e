/** Bodies that another thread reads: the same request, and the same refusals, as in this one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { forwardable } from '#adapters/common/extensions.ts';
import type { CountBody, WireShape } from '#adapters/common/wire-shape.ts';
import { parseCountRequest } from '#adapters/messages/request.ts';
import { shapesFor } from '#adapters/shapes.ts';
import { exactJson, jsonBody } from '#base/exact-json.ts';
import { Fault } from '#base/fault.ts';
import { BadLine } from '#batches/line.ts';
import { readRequest } from '#batches/line-request.ts';
import { ReadElsewhere } from '#contract/call.ts';
import { requestBodies } from '#generated/validators.js';
import type { InferenceRequest } from '#orders/request.ts';
import { LargeBodies, type ReadRequest } from './large-bodies.ts';

const LONG = '9223372036854775807';
const text = 'A long text, "quoted" and with umlauts: äöü.\n'.repeat(1000);
const schema = { type: 'object', properties: { n: { type: 'integer', maximum: LONG } } };
const headers = { 'idempotency-key': 'key', 'x-expires-after': '60', 'x-max-charge-usd': '0.5' };

const listings = { customToolModels: new Set([null]) };
const shapes = shapesFor(listings);

const requests = [
  ['createChatCompletion', shapes.chat, { messages: [{ role: 'user', content: text }], seed: LONG, user: 'me' }],
  ['createCompletion', shapes.completion, { prompt: text, x_limits: schema }],
  [
    'createResponse',
    shapes.responses,
    {
      ...{ instructions: text, input: 'Hi', temperature: 0.5 },
      tools: [
        { type: 'function', name: 'f', parameters: schema },
        { type: 'custom', name: 'patch' },
      ],
    },
  ],
  [
    'createMessage',
    shapes.messages,
    { max_tokens: 8, messages: [{ role: 'user', content: text }], output_config: { effort: 'high' } },
  ],
] as const;

const withoutRepeated = ({ repeated: _, ...rest }: InferenceRequest) => rest;
const bytesOf = (body: object) => Buffer.from(JSON.stringify(body).replaceAll(`"${LONG}"`, LONG));

describe('a body that another thread reads', () => {
  const bodies = new LargeBodies({ listings });
  after(() => bodies.close());

  const readElsewhere = async (operationId: string, bytes: Buffer) => {
    const read = await bodies.read({ operationId, headers, bytes });
    assert.ok(read instanceof ReadElsewhere);
    return read;
  };

  for (const [operationId, shape, body] of requests) {
    test(`becomes the same request: ${operationId}`, async () => {
      const valid = jsonBody(bytesOf(body));
      assert.ok(requestBodies[operationId](valid));
      const here = (shape as WireShape<unknown>).parseRequest(forwardable(valid), headers);
      const read = (await readElsewhere(operationId, bytesOf(body))).as<ReadRequest<unknown>>();
      const { request, echo, echoJson } = read;
      const { repeated, ...rest } = request;
      const { json, ...measured } = request.generation;
      const { body: tree, ...expected } = here.request.generation;
      assert.equal(json.toString(), JSON.stringify(tree));
      assert.deepEqual(measured, expected);
      assert.deepEqual({ ...rest, generation: null }, { ...withoutRepeated(here.request), generation: null });
      assert.equal(JSON.stringify(echo()), JSON.stringify(here.echo));
      assert.equal(Buffer.from(repeated as Uint8Array).toString(), JSON.stringify(here.echo));
      assert.ok(echoJson === repeated);
    });
  }

  test('keeps the digits of long numbers, in what is forwarded and in what is repeated', async () => {
    for (const [operationId, , body] of requests) {
      const { request, echo } = (await readElsewhere(operationId, bytesOf(body))).as<ReadRequest<unknown>>();
      const all = request.generation.json.toString() + JSON.stringify(echo());
      const sent = JSON.stringify(body).includes(LONG);
      assert.equal(all.includes(`:${LONG}`), sent, operationId);
      assert.ok(exactJson(request.generation.json.toString()));
    }
  });

  test('has its tokens counted', async () => {
    const body: CountBody = { model: 'tide', messages: [{ role: 'user', content: text }] };
    const { body: _, ...measured } = parseCountRequest(body).generation;
    const read = await readElsewhere('countMessageTokens', bytesOf(body));
    assert.deepEqual(read.as(), { model: 'tide', measured, imageAt: null });
  });

  test('is handed on as it is to any other operation', async () => {
    const body = { ids: ['a'], price_limit: 1 };
    assert.deepEqual(await bodies.read({ operationId: 'repriceOrders', headers: {}, bytes: bytesOf(body) }), body);
  });

  test('is refused for the same reasons', async () => {
    const refused = async (operationId: string, raw: string, expected: object) =>
      assert.rejects(bodies.read({ operationId, headers, bytes: Buffer.from(raw) }), (fault) => {
        assert.ok(fault instanceof Fault);
        const { code, status, message, param, details } = fault;
        assert.partialDeepStrictEqual({ code, status, message, param, details }, expected);
        return true;
      });
    const hi = '"messages":[{"role":"user","content":"Hi"}]';
    await refused('createChatCompletion', `{"text":"${text}`, { code: 'invalid_json', status: 400 });
    await refused('createChatCompletion', '{"messages":[]}', {
      code: 'invalid_request',
      param: 'messages',
      message: 'messages must not be empty.',
    });
    await refused('createChatCompletion', `{${hi},"max_tokens":0}`, {
      code: 'invalid_output_cap',
      param: 'max_tokens',
    });
    await refused('createMessage', `{${hi},"max_tokens":8,"thread":{"type":"create"}}`, {
      param: 'thread',
      details: { error_code: 'thread_unsupported_request' },
    });
    await refused('createResponse', '{"input":"Hi","detached":true}', { param: 'detached' });
  });

  test('is gone from this thread, without waiting for a collection', async () => {
    const bytes = Buffer.from(Buffer.allocUnsafeSlow(300_000).fill(' ').buffer);
    await assert.rejects(bodies.read({ operationId: 'createChatCompletion', headers, bytes }), {
      code: 'invalid_json',
    });
    assert.equal(bytes.length, 0);
  });
});

describe('a line of a batch that another thread reads', () => {
  const bodies = new LargeBodies({ listings });
  after(() => bodies.close());
  const rules = { kind: 'chat', limit: 5, strict: false, tags: ['nightly'] } as const;
  const lineOf = (fields: object, at = 7) => ({
    number: at,
    bytes: bytesOf({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', ...fields }),
  });
  const body = { messages: [{ role: 'user', content: text }], seed: LONG, user: 'me', x_max_charge_usd: '0.5' };

  test('becomes the same request, as often as it is read, with its custom id', async () => {
    const line = lineOf({ body });
    const here = readRequest(line, shapes.chat, rules);
    assert.ok(!(here.request instanceof Fault) && 'body' in here.request.generation);
    const { body: tree, ...expected } = here.request.generation;
    for (let reading = 0; reading < 2; reading++) {
      assert.equal(await bodies.customIdOf(line, 'chat'), 'a');
      const { customId, request } = await bodies.readRequest(line, rules);
      assert.ok(!(request instanceof Fault) && 'json' in request.generation);
      const { json, ...measured } = request.generation;
      assert.deepEqual([customId, json.toString(), measured], ['a', JSON.stringify(tree), expected]);
      assert.deepEqual({ ...request, generation: null }, { ...withoutRepeated(here.request), generation: null });
    }
  });

  test('is refused for the same reasons, and what is no line is named', async () => {
    const { customId, request } = await bodies.readRequest(lineOf({ body: { ...body, stream: true } }), rules);
    assert.ok(request instanceof Fault);
    assert.deepEqual([customId, request.code, request.param], ['a', 'invalid_request', 'stream']);
    const none = await bodies.readRequest(lineOf({}), rules);
    assert.ok(none.request instanceof Fault && none.request.status === 400);
    for (const line of [
      lineOf({ method: 'GET' }),
      { number: 7, bytes: null },
      { number: 7, bytes: Buffer.from('{') },
    ]) {
      const refused = (error: unknown) => error instanceof BadLine && /^Line 7 [^L]/.test(error.message);
      await assert.rejects(bodies.customIdOf(line, 'chat'), refused);
      await assert.rejects(bodies.readRequest(line, rules), refused);
    }
  });

  test('lets a body pass that waits while many lines do', async () => {
    const done: string[] = [];
    const lines = Array.from({ length: 20 }, async (_, at) => {
      await bodies.customIdOf(lineOf({}, at), 'chat');
      done.push('line');
    });
    await bodies.read({ operationId: 'repriceOrders', headers: {}, bytes: bytesOf({ ids: ['a'], price_limit: 1 }) });
    assert.ok(done.length <= 2, `${done.length} lines were read first`);
    await Promise.all(lines);
  });
});

test('a thread that dies costs the body that it was reading, and another one reads the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-worker-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'worker.mjs');
  const die =
    "if (body.operationId === 'die') throw new Error('dead'); parentPort.postMessage({ type: 'body', value: 1 })";
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (body) => { ${die} })`,
  );
  const bodies = new LargeBodies({ listings, file: pathToFileURL(file) });
  after(() => bodies.close());
  const read = (operationId: string) => bodies.read({ operationId, headers: {}, bytes: Buffer.alloc(10) });
  const [dead, next] = await Promise.allSettled([read('die'), read('live')]);
  assert.equal(dead.status === 'rejected' && String(dead.reason), 'Error: dead');
  assert.deepEqual(next, { status: 'fulfilled', value: 1 });
});

test('bodies that are not read when the gateway closes are refused', async () => {
  const bodies = new LargeBodies({ listings });
  const read = () => bodies.read({ operationId: 'createChatCompletion', headers: {}, bytes: Buffer.alloc(10) });
  const codes = [read(), read()].map((body) => body.catch((error) => error.code));
  await bodies.close();
  assert.deepEqual(await Promise.all(codes), ['unavailable', 'unavailable']);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, batchWhen, CHAT, ended, entriesOf, line } from './support/batches.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NO_FILE = `file-${'0'.repeat(32)}`;
const good = { body: { input_file_id: NO_FILE, endpoint: CHAT } };
const messages = [{ role: 'user', content: 'Say hello.' }];
const DAY_S = 86_400;

/** A request of each endpoint. */
const endpoints = [
  { endpoint: CHAT, body: { model: 'tide', messages } },
  { endpoint: '/v1/completions', body: { model: 'tide', prompt: 'Say hello.' } },
  { endpoint: '/v1/responses', body: { model: 'tide', input: 'Say hello.' } },
  { endpoint: '/v1/messages', body: { model: 'tide', messages, max_tokens: 50 } },
] as const;

describe('POST /v1/batches', () => {
  const server = useServer();
  itNeedsAKey(server, 'createBatch', good);
  itSurvivesAnOutage(server, 'createBatch', good);
  // Spec 8-6
  itHasARate('batch_submissions_per_minute_per_account', 'createBatch', good);

  const create = (fields: object, api = server.api) => api.call('createBatch', { body: { ...good.body, ...fields } });

  it('200 the batch in its first status', async () => {
    const nowS = Math.floor(server.clock.nowMs() / 1000);
    const metadata = { project: 'atlas', '': 'x'.repeat(512) };
    const batch = await batchOf(server.api, [line('a')], { completion_window: '24h', metadata, price_limit: 0.5 });
    assert.match(batch.id, /^batch_[0-9a-z]{24}$/);
    const { id, input_file_id, ...fields } = batch;
    assert.deepEqual(fields, {
      object: 'batch',
      endpoint: CHAT,
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      errors: null,
      completion_window: '24h',
      created_at: nowS,
      in_progress_at: null,
      finalizing_at: null,
      completed_at: null,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      expires_at: nowS + DAY_S,
      request_counts: { total: 0, completed: 0, failed: 0 },
      metadata,
      x_market: { active: 0, pending_result: 0, expired: 0, canceled: 0, bid: 0.5, deadline: null },
      x_retention: { output_days: 30, output_expires_at: null, output_deleted: false },
    });
    await ended(server, id);
  });

  it('400 for a dry run, which would cost a whole file of orders if it were none', async () => {
    const { id: input_file_id } = await upload(server.api, line('a'));
    const create = (value: string) =>
      server.api.call('createBatch', {
        body: { input_file_id, endpoint: CHAT },
        headers: { 'x-dry-run': value },
      });
    const batches = async () => (await server.api.call('listBatches', {})).body(200).data.length;
    const before = await batches();
    for (const value of ['true', 'yes']) (await create(value)).refusal(400, 'invalid_request');
    assert.equal(await batches(), before);
    await ended(server, (await create('false')).body(200).id);
  });

  // Spec 4.8-32
  it('200 its deadline is max_wait away, but never less than the shortest wait', async () => {
    for (const [maxWaitS, waitS] of [
      [3600, 3600],
      [1, 10],
      [2_592_000, 2_592_000],
    ] as const) {
      const { created_at, expires_at, id } = await batchOf(server.api, [line('a')], { max_wait: maxWaitS });
      assert.equal(expires_at - created_at, waitS);
      await ended(server, id);
    }
  });

  for (const { endpoint, body } of endpoints) {
    // Spec 2.6-16
    it(`200 a batch of ${endpoint} answers in the shape of its endpoint, and each line is charged once`, async () => {
      const before = await server.charged();
      const lines = ['a', 'b'].map((customId) => line(customId, {}, { url: endpoint, body }));
      const { id } = await batchOf(server.api, lines, { endpoint });
      const batch = await ended(server, id);
      assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 2, completed: 2, failed: 0 }]);
      const { output } = await entriesOf(server.api, batch);
      assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['a', 'b']);
      let charged = 0;
      for (const { response, error } of output) {
        assert.equal(error, null);
        assert.equal(response?.status_code, 200);
        const orderId = response?.request_id ?? '';
        const result = (await server.api.call('getOrderResult', { params: { id: orderId } })).body(200);
        assert.deepEqual(response?.body, result.body);
        const order = await server.api.call('getOrder', { params: { id: orderId }, query: { include: 'usage' } });
        charged += Math.round((order.body(200).usage?.charged_usd ?? 0) * 1e9);
      }
      assert.deepEqual(await server.charged(), {
        balanceNano: before.balanceNano - charged,
        settled: before.settled + 2,
      });
    });
  }

  it('200 lines are orders of the batch, with their custom ids', async () => {
    const { id } = await batchOf(server.api, [line('waits', { model: 'reef' }), line('runs')]);
    await batchWhen(server, id, ({ request_counts }) => request_counts.completed === 1);
    const list = async (query: Record<string, string>) =>
      (await server.api.call('listOrders', { query: { ...query, include: 'batch' } })).body(200).data;
    const lines = await list({ batch: id });
    assert.deepEqual(lines.map(({ status, batch_id, custom_id }) => [status, batch_id, custom_id]).sort(), [
      ['done', id, 'runs'],
      ['queued', id, 'waits'],
    ]);
    const outside = await list({ batch: 'none' });
    assert.ok(!outside.some(({ id: order }) => lines.some((other) => other.id === order)));
    const [waiting] = lines.filter(({ status }) => status === 'queued');
    await server.api.call('cancelOrder', { params: { id: waiting?.id ?? '' } });
    const batch = await ended(server, id);
    assert.deepEqual([batch.status, batch.x_market.canceled], ['completed', 1]);
    const { errors } = await entriesOf(server.api, batch);
    assert.deepEqual(
      errors.map(({ custom_id, error, response }) => [custom_id, error?.code, response]),
      [['waits', 'canceled', null]],
    );
  });

  it('200 a failed line has its reason in the error file, and costs nothing', async () => {
    const lines = [
      line('no price', { model: 'reef' }),
      line('preview', { model: 'surge' }),
      line('deprecated', { model: 'ebb' }),
      line('unknown', { model: 'nobody' }),
      line('no messages', { messages: [] }),
      line('streamed', { stream: true }),
      line('detached', { detached: true }),
      line('no body', {}, { body: null }),
      line('bad cap', { max_tokens: -1 }),
    ];
    const { id } = await batchOf(server.api, lines, { price_limit: null });
    const batch = await server.uncharged(() => ended(server, id));
    assert.equal(batch.status, 'completed');
    assert.equal(batch.output_file_id, null);
    const { errors } = await entriesOf(server.api, batch);
    assert.deepEqual(Object.fromEntries(errors.map(({ custom_id, error }) => [custom_id, error?.code])), {
      'no price': 'invalid_request',
      preview: 'model_preview',
      deprecated: 'model_deprecated',
      unknown: 'model_not_found',
      'no messages': 'invalid_request',
      streamed: 'invalid_request',
      detached: 'invalid_request',
      'no body': 'invalid_request',
      'bad cap': 'invalid_output_cap',
    });
  });

  // Spec 4.8-29, 4.8-30
  it('200 fixed-price lines need no price; for market lines the default of the key wins over the account’s', async () => {
    const { key } = await server.createAccount({ priceLimits: { tide: 3 }, keyPriceLimits: { tide: 4 } });
    const api = server.api.as(key);
    const lines = [line('fixed', { model: 'harbor' }), line('key'), line('own', { price_limit: 2 })];
    const batch = await ended(server, (await batchOf(api, lines, { price_limit: null })).id, api);
    assert.equal(batch.request_counts.completed, 3);
    const { data } = (await api.call('listOrders', { query: { batch: batch.id, include: 'batch' } })).body(200);
    const bids = Object.fromEntries(data.map(({ custom_id, bid }) => [custom_id, bid]));
    assert.deepEqual([bids.key, bids.own], [4, 2]);
  });

  // Spec 4.8-23
  it('200 a batch whose file cannot run fails, and says why', async () => {
    const files: [string, string, RegExp][] = [
      ['', 'an empty file', /no lines/],
      ['\n \r\n', 'only blank lines', /no lines/],
      ['{"custom_id"', 'no JSON', /^Line 1 is not valid JSON/],
      [`${line('a')}\n7`, 'no object', /^Line 2 is not a JSON object/],
      [`${line('a')}\n${line('a')}`, 'a repeated custom id', /^Line 2 has the custom_id of line 1/],
      [line('a', {}, { custom_id: undefined }), 'no custom id', /^Line 1 has no custom_id/],
      [line('a', {}, { method: 'GET' }), 'another method', /^Line 1 has another method/],
      [line('a', {}, { url: '/v1/responses' }), 'another url', /^Line 1 has another url/],
      ['x'.repeat(9_000_000), 'a long line', /^Line 1 is too long/],
    ];
    for (const [content, what, message] of files) {
      const input = await upload(server.api, content);
      const { id } = (await create({ input_file_id: input.id })).body(200);
      const batch = await ended(server, id);
      assert.equal(batch.status, 'failed', what);
      assert.deepEqual([batch.errors?.object, batch.errors?.data[0]?.code], ['list', 'batch_error'], what);
      assert.match(batch.errors?.data[0]?.message ?? '', message, what);
      assert.deepEqual(batch.request_counts, { total: 0, completed: 0, failed: 0 }, what);
      assert.deepEqual([batch.output_file_id, batch.error_file_id], [null, null], what);
    }
  });

  it('200 a file in UTF-8 with a byte order mark, CR LF and a blank last line is read correctly', async () => {
    const { id } = await batchOf(server.api, [`\ufeff${line('a')}\r`, `${line('b')}\r`, '\r', '']);
    assert.deepEqual((await ended(server, id)).request_counts, { total: 2, completed: 2, failed: 0 });
    const latin = await upload(server.api, Buffer.from(line('ü'), 'latin1'));
    const failed = await ended(server, (await create({ input_file_id: latin.id })).body(200).id);
    assert.equal(failed.errors?.data[0]?.message, 'Line 1 is not valid UTF-8.');
  });

  it('200 for null in every optional field, as if it were absent', async () => {
    const nulls = { completion_window: null, price_limit: null, max_wait: null, deadline: null, metadata: null };
    const batch = await batchOf(server.api, [line('a')], nulls);
    assert.deepEqual([batch.completion_window, batch.metadata], ['24h', null]);
  });

  it('400 for a wrong body, naming the field', async () => {
    const { id } = await upload(server.api, line('a'));
    const wrong: [object, string][] = [
      [{ endpoint: '/v1/embeddings' }, 'endpoint'],
      [{ endpoint: undefined }, 'endpoint'],
      [{ input_file_id: undefined }, 'input_file_id'],
      [{ input_file_id: 7 }, 'input_file_id'],
      [{ completion_window: '1h' }, 'completion_window'],
      [{ price_limit: -1 }, 'price_limit'],
      [{ price_limit: 1_000_000_001 }, 'price_limit'],
      [{ max_wait: 0 }, 'max_wait'],
      [{ max_wait: 1.5 }, 'max_wait'],
      [{ max_wait: 2_592_001 }, 'max_wait'],
      [{ deadline: 0 }, 'deadline'],
      [{ metadata: { key: 1 } }, 'metadata.key'],
      [{ metadata: { key: 'x'.repeat(513) } }, 'metadata.key'],
      [{ metadata: { ['x'.repeat(65)]: '' } }, 'metadata'],
      [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ''])) }, 'metadata'],
    ];
    for (const [fields, param] of wrong) {
      const reply = await server.uncharged(() => create({ input_file_id: id, ...fields }));
      const { error } = JSON.parse(reply.text);
      assert.deepEqual([reply.status, error.param], [400, param], JSON.stringify(fields));
    }
    (await server.api.call('createBatch', { raw: '{' })).refusal(400, 'invalid_json');
  });

  it('400 for an input that is the output of a batch', async () => {
    const batch = await ended(server, (await batchOf(server.api, [line('a')])).id);
    const reply = await create({ input_file_id: batch.output_file_id });
    assert.equal(reply.refusal(400, 'invalid_request').param, 'input_file_id');
  });

  it('404 for an input that is unknown, malformed, deleted or someone else’s', async () => {
    const { id } = await upload(server.api, line('a'));
    const other = server.api.as((await server.createAccount()).key);
    (await create({ input_file_id: id }, other)).refusal(404, 'not_found');
    (await server.api.call('deleteFile', { params: { id } })).body(200);
    for (const input_file_id of [id, NO_FILE, 'file-1', '', "' OR 1=1 --"])
      (await create({ input_file_id })).refusal(404, 'not_found');
  });

  // Spec 4.8-39, 7-22
  it('410 for an expired input', async () => {
    const { id } = await upload(server.api, line('a'));
    await server.operator.expire(id, server.clock.nowMs());
    (await create({ input_file_id: id })).refusal(410, 'result_unavailable');
  });

  it('413 for a body over 8 MiB', async () => {
    const raw = JSON.stringify({ ...good.body, metadata: { long: 'x'.repeat(9 * 1024 * 1024) } });
    (await server.api.call('createBatch', { raw })).refusal(413, 'request_too_large');
  });

  it('503 while nothing commits', async () => {
    const { id } = await upload(server.api, line('a'));
    const stalled = async () => {
      while ((await server.api.call('getHealth')).status === 200);
    };
    await server.withoutCommits(async (passTimeUntil) => {
      const waiting = server.api.open('createChatCompletion', { body: { model: 'tide', messages, price_limit: 5 } });
      await passTimeUntil(stalled());
      const reply = await create({ input_file_id: id });
      reply.refusal(503, 'unavailable');
      assert.ok(Number(reply.headers['retry-after']) >= 1);
      void waiting.then((open) => open.leave());
    });
  });

  describe('over its limits', () => {
    const small = useServer({ limits: { running_batches_per_account: 2, batch_requests_per_file: 3 } });

    // Spec 4.8-37, 8-24
    it('429 with Retry-After while the account runs its maximum of batches, without effect on other accounts', async () => {
      const waiting = [line('a', { model: 'reef' })];
      const first = await batchOf(small.api, waiting);
      await batchOf(small.api, waiting);
      const input = await upload(small.api, line('a'));
      const reply = await create({ input_file_id: input.id, price_limit: 5 }, small.api);
      assert.equal(reply.refusal(429, 'rate_limit_error').type, 'rate_limit_error');
      assert.equal(reply.headers['retry-after'], '60');
      const other = small.api.as((await small.createAccount()).key);
      await ended(small, (await batchOf(other, [line('a')])).id, other);
      await small.api.call('cancelBatch', { params: { id: first.id } });
      await ended(small, first.id);
      assert.equal((await create({ input_file_id: input.id, price_limit: 5 }, small.api)).status, 200);
    });

    // Spec 8-27, 4.8-38
    it('200 a file of too many lines fails its batch, which names the number', async () => {
      const other = small.api.as((await small.createAccount()).key);
      const { id } = await batchOf(
        other,
        ['a', 'b', 'c', 'd'].map((customId) => line(customId)),
      );
      const batch = await ended(small, id, other);
      assert.deepEqual(batch.errors?.data, [
        { code: 'batch_error', message: 'The file has 4 lines; a batch takes up to 3.' },
      ]);
    });
  });
});

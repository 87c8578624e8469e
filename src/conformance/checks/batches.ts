/** Checks of files and batches. What they upload, they delete. */
import assert from 'node:assert/strict';
import {
  countIn,
  epochSecondsIn,
  firstOf,
  hasFields,
  isEqual,
  isOneOf,
  jsonWith,
  listIn,
  marketCheck,
  objectIn,
  refused,
  textIn,
} from './check.ts';
import { type Gateway, type HttpAnswer, type Json, SAY } from './gateway.ts';

const ENDPOINT = '/v1/chat/completions';
const line = (gateway: Gateway, custom_id: string, body: Json = {}): Json => {
  const request = { model: gateway.model, max_tokens: 4, messages: SAY, ...body };
  return { custom_id, method: 'POST', url: ENDPOINT, body: request };
};

const uploaded = (gateway: Gateway) =>
  gateway.once('file', async () => jsonWith(await gateway.upload([line(gateway, 'one')]), 200));
const fileAt = async (gateway: Gateway, path = '') =>
  gateway.get(`/v1/files/${String((await uploaded(gateway)).id)}${path}`);

/** A file that was deleted, and the answers to deleting it twice. */
const removed = (gateway: Gateway) =>
  gateway.once('removed', async () => {
    const { id } = jsonWith(await gateway.upload([line(gateway, 'one')]), 200);
    const remove = () => gateway.send('DELETE', `/v1/files/${String(id)}`);
    return { id, first: await remove(), second: await remove() };
  });

const create = async (gateway: Gateway, fields: Json = {}) => {
  const bid = gateway.priceLimit === null ? {} : { price_limit: gateway.priceLimit };
  const body = { endpoint: ENDPOINT, completion_window: '24h', ...bid, ...fields };
  return gateway.post('/v1/batches', { input_file_id: (await uploaded(gateway)).id, ...body });
};
const refuses = (fields: Json) => async (gateway: Gateway) => refused(await create(gateway, fields), 400);

/** A batch of one good line and one that is refused, as it was created. */
const started = (gateway: Gateway) =>
  gateway.once('batch', async () => {
    const lines = [line(gateway, 'good'), line(gateway, 'bad', { messages: [] })];
    const { id } = jsonWith(await gateway.upload(lines), 200);
    return jsonWith(await create(gateway, { input_file_id: id, metadata: { of: 'checks' } }), 200);
  });

const ended = async (gateway: Gateway, id: unknown) =>
  jsonWith(
    await gateway.until(
      () => gateway.get(`/v1/batches/${String(id)}`),
      ({ json }: HttpAnswer) => !['validating', 'in_progress', 'finalizing'].includes(String(json?.status)),
    ),
    200,
  );
const finished = (gateway: Gateway) =>
  gateway.once('finished batch', async () => ended(gateway, (await started(gateway)).id));

/** The only line of one of its files. */
async function lineOf(gateway: Gateway, name: 'output_file_id' | 'error_file_id'): Promise<Json> {
  const id = textIn(await finished(gateway), name);
  const { status, text } = await gateway.get(`/v1/files/${id}/content`);
  assert.equal(status, 200);
  return JSON.parse(text.split('\n')[0] ?? '');
}

export const files = [
  marketCheck('4.8-4 2.5-1 2.5-2', 'an upload answers with its file', async (gateway) => {
    assert.match(textIn(await uploaded(gateway), 'id'), /^file-/);
    isEqual(await uploaded(gateway), 'object', 'file');
  }),
  marketCheck('2.5-3 2.5-6', 'a file has its size and its name', async (gateway) => {
    assert.ok(countIn(await uploaded(gateway), 'bytes') > 0);
    isEqual(await uploaded(gateway), 'filename', 'checks.jsonl');
  }),
  marketCheck('2.5-4 2.5-5', 'a file has its time, and a later one until when it is kept', async (gateway) => {
    const json = await uploaded(gateway);
    assert.ok(epochSecondsIn(json, 'created_at') < epochSecondsIn(json, 'expires_at'), 'it is kept for no time');
  }),
  marketCheck('2.5-7 2.5-8', 'a file for batches is processed', async (gateway) => {
    isEqual(await uploaded(gateway), 'purpose', 'batch');
    isEqual(await uploaded(gateway), 'status', 'processed');
  }),
  marketCheck('4.8-5', 'a file can be read by its id', async (gateway) =>
    assert.deepEqual(jsonWith(await fileAt(gateway), 200), await uploaded(gateway)),
  ),
  marketCheck('4.8-6', 'the content of a file is JSON Lines, with its name', async (gateway) => {
    const { status, headers } = await fileAt(gateway, '/content');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/jsonl/);
    assert.match(headers.get('content-disposition') ?? '', /filename=/);
  }),
  marketCheck('4.8-6', 'the content of a file is what was uploaded', async (gateway) =>
    assert.equal((await fileAt(gateway, '/content')).text, JSON.stringify(line(gateway, 'one'))),
  ),
  marketCheck('4.8-1 2.5-9', 'a file for another purpose is 400', async (gateway) => {
    const { status } = await gateway.upload([line(gateway, 'one')], 'fine-tune');
    assert.equal(status, 400);
  }),
  marketCheck('4.8-14', 'files are a list with its first and its last id', async (gateway) => {
    await uploaded(gateway);
    const json = jsonWith(await gateway.get('/v1/files'), 200);
    isEqual(json, 'object', 'list');
    isEqual(json, 'first_id', firstOf(json, 'data').id);
    isEqual(json, 'last_id', listIn(json, 'data').at(-1)?.id);
  }),
  marketCheck('4.8-11', 'files are selected by purpose', async (gateway) => {
    await uploaded(gateway);
    const { data } = jsonWith(await gateway.get('/v1/files?purpose=batch'), 200);
    for (const each of data as Json[]) isEqual(each, 'purpose', 'batch');
    assert.ok((data as Json[]).length > 0, 'nothing is found');
  }),
  marketCheck('4.8-12', 'files are listed newest first', async (gateway) => {
    await uploaded(gateway);
    const times = listIn(jsonWith(await gateway.get('/v1/files'), 200), 'data').map((each) => Number(each.created_at));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  }),
  marketCheck('4.8-13', 'files after an unknown one are listed from the start', async (gateway) => {
    await uploaded(gateway);
    const ids = (answer: HttpAnswer) => listIn(jsonWith(answer, 200), 'data').length;
    assert.ok(ids(await gateway.get('/v1/files?after=file-nobody')) > 0, 'nothing is listed');
  }),
  marketCheck('4.8-17', 'deleting a file answers with it', async (gateway) => {
    const { id, first } = await removed(gateway);
    assert.deepEqual(jsonWith(first, 200), { id, object: 'file', deleted: true });
  }),
  marketCheck('4.8-18 7-34', 'deleting a file again is 404', async (gateway) =>
    refused((await removed(gateway)).second, 404),
  ),
  marketCheck('4.8-8 7-34', 'the content of a deleted file is 404', async (gateway) =>
    refused(await gateway.get(`/v1/files/${String((await removed(gateway)).id)}/content`), 404),
  ),
];

export const batches = [
  marketCheck('4.8-35 3-19', 'a new batch is validating', async (gateway) =>
    isEqual(await started(gateway), 'status', 'validating'),
  ),
  marketCheck('2.6-1', 'the id of a batch is batch_ and 24 characters', async (gateway) =>
    assert.match(textIn(await started(gateway), 'id'), /^batch_[\w-]{24}$/),
  ),
  marketCheck('2.6-2 2.6-6', 'a batch has its endpoint and its window', async (gateway) => {
    isEqual(await started(gateway), 'endpoint', ENDPOINT);
    isEqual(await started(gateway), 'completion_window', '24h');
  }),
  marketCheck('2.6-4', 'a batch that runs has no output yet', async (gateway) => {
    for (const name of ['output_file_id', 'error_file_id']) isEqual(await started(gateway), name, null);
  }),
  marketCheck('2.6-7 2.6-8', 'a batch has its time and its deadline', async (gateway) => {
    const json = await started(gateway);
    assert.ok(epochSecondsIn(json, 'created_at') < epochSecondsIn(json, 'expires_at'), 'it has no time');
  }),
  marketCheck('2.6-11', 'a batch has the metadata that was sent', async (gateway) =>
    isEqual(await started(gateway), 'metadata', { of: 'checks' }),
  ),
  marketCheck('2.6-12 2.6-13', 'a batch counts what waits, and has its price limit', async (gateway) => {
    const market = objectIn(await started(gateway), 'x_market');
    for (const name of ['active', 'pending_result', 'expired', 'canceled']) countIn(market, name);
    isEqual(market, 'bid', gateway.priceLimit);
  }),
  marketCheck('2.6-14', 'a batch says how long its output is kept', async (gateway) => {
    const kept = objectIn(await started(gateway), 'x_retention');
    countIn(kept, 'output_days');
    isEqual(kept, 'output_deleted', false);
  }),
  marketCheck('4.8-21', 'a batch of a file that nobody uploaded is refused', async (gateway) => {
    const { status } = await create(gateway, { input_file_id: 'file-00000000000000000000000000000000' });
    assert.ok(status === 400 || status === 404, `${status} instead of 400 or 404`);
  }),
  marketCheck('4.8-22', 'a batch of another endpoint is 400', refuses({ endpoint: '/v1/embeddings' })),
  marketCheck('4.8-25 9-4', 'a batch of another window than 24h is 400', refuses({ completion_window: '48h' })),
  marketCheck('4.8-26 8-38', 'a batch with a negative price limit is 400', refuses({ price_limit: -1 })),
  marketCheck('4.8-32', 'a batch that waits for no time is 400', refuses({ max_wait: 0 })),
  marketCheck(
    '4.8-33 8-29',
    'a batch with seventeen pairs of metadata is 400',
    refuses({ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])) }),
  ),
  marketCheck(
    '4.8-34 8-30',
    'a batch with a key of metadata of 65 characters is 400',
    refuses({ metadata: { ['k'.repeat(65)]: 'v' } }),
  ),
  marketCheck(
    '4.8-34 8-31',
    'a batch with a value of metadata of 513 characters is 400',
    refuses({ metadata: { k: 'v'.repeat(513) } }),
  ),
  marketCheck('1-20 4.8-45', 'a batch completes', async (gateway) => {
    const json = await finished(gateway);
    isEqual(json, 'status', 'completed');
    epochSecondsIn(json, 'completed_at');
  }),
  marketCheck('2.6-9 2.6-10', 'a batch counts its lines', async (gateway) =>
    isEqual(await finished(gateway), 'request_counts', { total: 2, completed: 1, failed: 1 }),
  ),
  marketCheck('2.6-17 4.8-24', 'a line of the output has the answer of its endpoint', async (gateway) => {
    const json = await lineOf(gateway, 'output_file_id');
    assert.match(textIn(json, 'id'), /^batch_req_/);
    isEqual(json, 'custom_id', 'good');
    isEqual(json, 'error', null);
    const response = objectIn(json, 'response');
    isEqual(response, 'status_code', 200);
    isEqual(objectIn(response, 'body'), 'object', 'chat.completion');
  }),
  marketCheck('2.6-17', 'a line of the output names its order', async (gateway) => {
    const response = objectIn(await lineOf(gateway, 'output_file_id'), 'response');
    const order = jsonWith(await gateway.get(`/v1/orders/${textIn(response, 'request_id')}`), 200);
    isEqual(order, 'status', 'done');
  }),
  marketCheck('2.6-18 2.6-19', 'a line that is refused is in the errors, with its code', async (gateway) => {
    const json = await lineOf(gateway, 'error_file_id');
    isEqual(json, 'custom_id', 'bad');
    isEqual(json, 'response', null);
    isEqual(objectIn(json, 'error'), 'code', 'invalid_request');
    textIn(objectIn(json, 'error'), 'message');
  }),
  marketCheck('4.6-6', 'the orders of a batch are selected by its id', async (gateway) => {
    const { id } = await finished(gateway);
    const response = objectIn(await lineOf(gateway, 'output_file_id'), 'response');
    const found = listIn(jsonWith(await gateway.get(`/v1/orders?batch=${String(id)}`), 200), 'data');
    assert.deepEqual(
      found.map((each) => each.id),
      [response.request_id],
    );
  }),
  marketCheck('3-20 2.6-5 4.8-2', 'a batch of a file that is no JSON Lines fails, and says why', async (gateway) => {
    const { id } = jsonWith(await gateway.upload(['no JSON']), 200);
    const batch = jsonWith(await create(gateway, { input_file_id: id }), 200);
    const json = await ended(gateway, batch.id);
    isEqual(json, 'status', 'failed');
    isEqual(firstOf(objectIn(json, 'errors'), 'data'), 'code', 'batch_error');
  }),
  marketCheck('3-23 4.8-47 7-18', 'canceling a batch that ended is 409 batch_not_cancelable', async (gateway) => {
    const { id } = await finished(gateway);
    refused(await gateway.send('POST', `/v1/batches/${String(id)}/cancel`), 409, 'batch_not_cancelable');
  }),
  marketCheck('4.8-41 4.8-42', 'batches are a list, newest first', async (gateway) => {
    await started(gateway);
    const json = jsonWith(await gateway.get('/v1/batches'), 200);
    isEqual(json, 'object', 'list');
    const times = listIn(json, 'data').map(({ created_at: at }) => Number(at));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    hasFields(json, 'first_id', 'last_id');
    isOneOf(json, 'has_more', [true, false]);
  }),
  marketCheck('2.6-3 3-18', 'every batch has one of the seven statuses', async (gateway) => {
    await started(gateway);
    const statuses = ['validating', 'in_progress', 'cancelling', 'completed', 'expired', 'cancelled', 'failed'];
    for (const each of listIn(jsonWith(await gateway.get('/v1/batches'), 200), 'data'))
      isOneOf(each, 'status', statuses);
  }),
  marketCheck('4.8-40 4.8-43', 'a full page of batches says that there may be more', async (gateway) => {
    await started(gateway);
    const json = jsonWith(await gateway.get('/v1/batches?limit=1'), 200);
    assert.equal(listIn(json, 'data').length, 1);
    isEqual(json, 'has_more', true);
  }),
  marketCheck('4.8-44', 'batches after an unknown one are listed from the start', async (gateway) => {
    await started(gateway);
    firstOf(jsonWith(await gateway.get('/v1/batches?after=batch_nobody'), 200), 'data');
  }),
];

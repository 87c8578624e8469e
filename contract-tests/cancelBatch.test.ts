import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, batchWhen, ended, entriesOf, line } from './support/batches.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NO_BATCH = `batch_${'0'.repeat(24)}`;

describe('POST /v1/batches/{id}/cancel', () => {
  const server = useServer();
  itNeedsAKey(server, 'cancelBatch', { params: { id: NO_BATCH } });
  itSurvivesAnOutage(server, 'cancelBatch', { params: { id: NO_BATCH } });
  itHasARate('account_operations_per_minute_per_account', 'cancelBatch', { params: { id: NO_BATCH } });

  const cancel = (id: string, api = server.api) => api.call('cancelBatch', { params: { id } });
  const counts = async () => (await server.api.call('getAccount')).body(200).orders;

  // Spec 3-21, 3-22
  it('200 queued lines are canceled, executing ones finish and are charged', async () => {
    const finish = server.holdAnswers();
    const { id } = await batchOf(server.api, [line('runs'), line('waits', { model: 'reef' })]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress');
    await server.orders({ executing: 1 });
    const canceled = (await cancel(id)).body(200);
    assert.equal(canceled.status, 'cancelling');
    assert.equal(canceled.cancelling_at, Math.floor(server.clock.nowMs() / 1000));
    (await cancel(id)).refusal(409, 'batch_not_cancelable');
    await server.orders({ queued: 0, executing: 1 });
    finish();
    const batch = await ended(server, id);
    assert.deepEqual([batch.status, batch.request_counts], ['cancelled', { total: 2, completed: 1, failed: 1 }]);
    assert.ok(batch.cancelled_at);
    assert.equal(batch.x_market.canceled, 1);
    const { output, errors } = await entriesOf(server.api, batch);
    assert.deepEqual(
      [output[0]?.custom_id, errors[0]?.custom_id, errors[0]?.error?.code],
      ['runs', 'waits', 'canceled'],
    );
    (await cancel(id)).refusal(409, 'batch_not_cancelable');
  });

  it('200 of two cancels at once, one has an effect', async () => {
    const { id } = await batchOf(server.api, [line('waits', { model: 'reef' })]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress');
    const statuses = (await Promise.all([cancel(id), cancel(id), cancel(id)])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 409, 409]);
    assert.equal((await server.uncharged(() => ended(server, id))).status, 'cancelled');
    assert.deepEqual(await counts(), { queued: 0, executing: 0 });
  });

  it('404 for a malformed id, an unknown one, and someone else’s, which keeps running', async () => {
    const { id } = await batchOf(server.api, [line('a')]);
    const other = server.api.as((await server.createAccount()).key);
    for (const unknown of [NO_BATCH, 'batch_1', "'; DROP TABLE batches; --"])
      (await cancel(unknown)).refusal(404, 'not_found');
    (await cancel(id, other)).refusal(404, 'not_found');
    assert.equal((await ended(server, id)).status, 'completed');
  });

  it('409 for a batch that is completed, and one that failed', async () => {
    const completed = await ended(server, (await batchOf(server.api, [line('a')])).id);
    const failed = await ended(server, (await batchOf(server.api, ['{'])).id);
    for (const { id, status } of [completed, failed]) {
      (await cancel(id)).refusal(409, 'batch_not_cancelable');
      assert.equal((await server.api.call('getBatch', { params: { id } })).body(200).status, status);
    }
  });

  // Spec 4.6-25, 7-17, 4.8-19, 7-19
  it('200 while a batch runs, its input and the results of its lines cannot be deleted; afterwards they can', async () => {
    const input = await upload(server.api, [line('done'), line('waits', { model: 'reef' })].join('\n'));
    const body = { input_file_id: input.id, endpoint: '/v1/chat/completions', price_limit: 5 };
    const { id } = (await server.api.call('createBatch', { body })).body(200);
    await batchWhen(server, id, ({ request_counts }) => request_counts.completed === 1);
    (await server.api.call('deleteFile', { params: { id: input.id } })).refusal(409, 'file_in_use');
    const idOf = async (status: string) =>
      (await server.api.call('listOrders', { query: { batch: id, status } })).body(200).data[0]?.id ?? '';
    const params = { id: await idOf('done') };
    for (const line of [params, { id: await idOf('queued') }]) {
      (await server.api.call('deleteOrderResult', { params: line })).refusal(409, 'batch_in_progress');
    }
    await cancel(id);
    const batch = await ended(server, id);
    (await server.api.call('deleteOrderResult', { params })).body(200);
    (await server.api.call('deleteFile', { params: { id: input.id } })).body(200);
    assert.equal((await entriesOf(server.api, batch)).output.length, 1);
  });

  it('200 the batches of a suspended account are canceled', async () => {
    const account = await server.createAccount();
    const api = server.api.as(account.key);
    const { id } = await batchOf(api, [line('waits', { model: 'reef' })]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress', api);
    await server.whileSuspended(account, () => server.pass(3000));
    await server.pass(1000);
    const batch = await ended(server, id, api);
    assert.deepEqual([batch.status, batch.x_market.canceled], ['cancelled', 1]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchNow, batchOf, batchWhen, ended, entriesOf, line } from './support/batches.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NO_BATCH = `batch_${'0'.repeat(24)}`;
const DAY_S = 86_400;

describe('GET /v1/batches/{id}', () => {
  const server = useServer();
  itNeedsAKey(server, 'getBatch', { params: { id: NO_BATCH } });
  itSurvivesAnOutage(server, 'getBatch', { params: { id: NO_BATCH } });
  itHasARate('account_operations_per_minute_per_account', 'getBatch', { params: { id: NO_BATCH } });

  const get = (id: string, api = server.api) => api.call('getBatch', { params: { id } });

  it('200 the progress of a batch, from its first line to its last', async () => {
    const finish = server.holdAnswers();
    const made = await batchOf(server.api, [line('runs'), line('waits', { model: 'reef' })]);
    const running = await batchWhen(server, made.id, ({ status }) => status === 'in_progress');
    assert.deepEqual(running.request_counts, { total: 2, completed: 0, failed: 0 });
    assert.deepEqual(running.x_market, {
      active: 2,
      pending_result: 0,
      expired: 0,
      canceled: 0,
      bid: 5,
      deadline: null,
    });
    assert.ok((running.in_progress_at ?? 0) >= made.created_at);
    finish();
    const half = await batchWhen(server, made.id, ({ request_counts }) => request_counts.completed === 1);
    assert.deepEqual([half.status, half.output_file_id, half.x_market.active], ['in_progress', null, 1]);
    const { data } = (await server.api.call('listOrders', { query: { batch: made.id, status: 'queued' } })).body(200);
    await server.api.call('cancelOrder', { params: { id: data[0]?.id ?? '' } });
    const done = await ended(server, made.id);
    assert.deepEqual([done.status, done.request_counts], ['completed', { total: 2, completed: 1, failed: 1 }]);
    assert.equal(done.completed_at, Math.floor(server.clock.nowMs() / 1000));
    assert.deepEqual([done.x_market.active, done.x_market.pending_result], [0, 0]);
    for (const [id, purpose] of [
      [done.output_file_id, 'batch_output'],
      [done.error_file_id, 'batch_errors'],
    ]) {
      const file = (await server.api.call('getFile', { params: { id: id ?? '' } })).body(200);
      assert.deepEqual([file.purpose, file.filename.startsWith(done.id)], [purpose, true]);
    }
    await entriesOf(server.api, done);
  });

  // Spec 3-24
  it('200 at the deadline waiting lines expire, and so does the batch; the others keep their output', async () => {
    const { id, expires_at } = await batchOf(server.api, [line('runs'), line('waits', { model: 'reef' })], {
      max_wait: 30,
    });
    await server.pass(30_000);
    const batch = await ended(server, id);
    assert.deepEqual([batch.status, batch.request_counts], ['expired', { total: 2, completed: 1, failed: 1 }]);
    assert.ok((batch.expired_at ?? 0) >= expires_at);
    const { errors } = await entriesOf(server.api, batch);
    assert.deepEqual(errors[0]?.error?.code, 'expired');
    assert.equal(batch.x_market.expired, 1);
  });

  // Spec 2.6-14
  it('200 says until when the output is kept, and that it was deleted', async () => {
    for (const [retentionDays, days] of [
      [0, 1],
      [10, 10],
    ] as const) {
      const { key } = await server.createAccount({ retentionDays });
      const api = server.api.as(key);
      const batch = await ended(server, (await batchOf(api, [line('a')])).id, api);
      const expiresAtS = (batch.completed_at ?? 0) + days * DAY_S;
      const kept = { output_days: days, output_expires_at: expiresAtS, output_deleted: false };
      assert.deepEqual(batch.x_retention, kept);
      await api.call('deleteFile', { params: { id: batch.output_file_id ?? '' } });
      assert.deepEqual((await batchNow(api, batch.id)).x_retention, { ...kept, output_deleted: true });
    }
  });

  it('200 reading it, and its files, costs nothing', async () => {
    const { id } = await batchOf(server.api, [line('a')]);
    const batch = await ended(server, id);
    await server.uncharged(async () => {
      for (let time = 0; time < 5; time++) await get(id);
      await entriesOf(server.api, batch);
    });
  });

  it('404 for a malformed id, an unknown one, and someone else’s', async () => {
    const { id } = await batchOf(server.api, [line('a')]);
    const other = server.api.as((await server.createAccount()).key);
    for (const unknown of [NO_BATCH, 'batch_1', id.toUpperCase(), "' OR '1'='1", `${id}%`])
      (await get(unknown)).refusal(404, 'not_found');
    (await get(id, other)).refusal(404, 'not_found');
    await ended(server, id);
  });
});

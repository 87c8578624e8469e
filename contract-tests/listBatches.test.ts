import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { batchOf, ended, line } from './support/batches.ts';
import type { Client } from './support/client.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/batches', () => {
  const server = useServer({ limits: { running_batches_per_account: 50 } });
  itNeedsAKey(server, 'listBatches');
  itSurvivesAnOutage(server, 'listBatches');
  itHasARate('account_operations_per_minute_per_account', 'listBatches');

  const BATCHES = 24;
  let api: Client;
  /** Newest first. */
  let ids: string[];
  const list = async (query: Record<string, string | number> = {}) =>
    (await api.call('listBatches', { query })).body(200);

  before(async () => {
    api = server.api.as((await server.createAccount()).key);
    ids = [];
    for (let made = 0; made < BATCHES; made++) {
      const { id } = await batchOf(api, [line('a')]);
      ids.unshift(id);
    }
    for (const id of ids) await ended(server, id, api);
  });

  it('200 an account without batches has an empty list', async () => {
    const other = server.api.as((await server.createAccount()).key);
    const empty = (await other.call('listBatches')).body(200);
    assert.deepEqual(empty, { object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  });

  it('200 newest first, twenty by default, each as GET shows it', async () => {
    const page = await list();
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ids.slice(0, 20),
    );
    assert.deepEqual([page.object, page.first_id, page.last_id, page.has_more], ['list', ids[0], ids[19], true]);
    const [first] = page.data;
    assert.deepEqual(first, (await api.call('getBatch', { params: { id: ids[0] ?? '' } })).body(200));
  });

  it('200 the pages join without a gap; a full page has has_more, even when the next one is empty', async () => {
    const seen: string[] = [];
    let query: Record<string, string | number> = { limit: 8 };
    for (;;) {
      const page = await list(query);
      seen.push(...page.data.map(({ id }) => id));
      assert.equal(page.has_more, page.data.length === 8);
      if (!page.has_more) break;
      query = { limit: 8, after: page.last_id ?? '' };
    }
    assert.deepEqual(seen, ids);
    assert.deepEqual((await list({ after: ids.at(-1) ?? '' })).data, []);
  });

  it('200 an unknown after, and someone else’s, restarts the list', async () => {
    const other = server.api.as((await server.createAccount()).key);
    const foreign = await batchOf(other, [line('a')]);
    for (const after of [`batch_${'f'.repeat(24)}`, 'nonsense', "' OR 1=1 --", '\u0000', foreign.id, '']) {
      assert.equal((await list({ after, limit: 1 })).first_id, ids[0], after);
    }
    await ended(server, foreign.id, other);
  });

  it('200 a limit above a hundred is lowered to it; 400 below 1 or for anything but a whole number', async () => {
    assert.equal((await list({ limit: 1000 })).data.length, BATCHES);
    for (const limit of ['0', '-1', '1.5', 'ten']) {
      (await api.call('listBatches', { query: { limit } })).refusal(400, 'invalid_request');
    }
  });
});

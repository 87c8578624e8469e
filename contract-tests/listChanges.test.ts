import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

describe('GET /console/api/audit-log', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 the newest first, page by page, each once; and what concerns one account alone', async () => {
    const browser = await operatorBrowser(server);
    const { id } = await server.createAccount();
    const params = { id };
    for (const operation of ['suspendAccount', 'resumeAccount', 'suspendAccount', 'resumeAccount'] as const)
      (await browser.call(operation, { params })).body(200);
    const body = { amount_usd: '25', idempotency_key: 'k', reason: '<b>' };
    const { entry_id } = (await browser.call('creditAccount', { params, body })).body(200);
    const viewer = await operatorBrowser(server, 'viewer');
    const list = async (query: Record<string, string>) => (await viewer.call('listChanges', { query })).body(200);
    const seen: string[] = [];
    const whats: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, next_cursor, has_more } = await list({ account: id, limit: '2', cursor });
      assert.equal(has_more, next_cursor !== null);
      seen.push(...data.map((change) => change.id));
      whats.push(...data.map(({ what }) => what));
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    const [resume, suspend] = ['account.resume', 'account.suspend'];
    assert.deepEqual(whats, ['account.credit', resume, suspend, resume, suspend]);
    assert.deepEqual(seen, [...new Set(seen)].sort().reverse());
    const { data } = await list({ account: id });
    const { object, who, at, subject, account_id, before, after } = data[0] ?? {};
    assert.deepEqual([object, subject, account_id], ['change', entry_id, id]);
    assert.match(who ?? '', /^operator-/);
    assert.equal(Date.parse(at ?? ''), server.clock.nowMs());
    assert.deepEqual(before, { balance_usd: '100.00' });
    assert.deepEqual(after, { balance_usd: '125.00', amount_usd: '25.00', order_id: null, reason: '<b>' });
    assert.ok((await list({})).data.length > data.length);
    assert.deepEqual((await list({ account: "' OR '1'='1" })).data, []);
  });

  it('400 for a limit that is none, and a cursor of another list', async () => {
    const viewer = await operatorBrowser(server, 'viewer');
    const limit = (await viewer.call('listChanges', { query: { limit: '-1' } })).refusal(400, 'invalid_request');
    assert.equal(limit.param, 'limit');
    await operatorBrowser(server);
    const { next_cursor } = (await viewer.call('listChanges', { query: { limit: '1' } })).body(200);
    const query = { cursor: next_cursor ?? 'x', account: 'x' };
    (await viewer.call('listChanges', { query })).refusal(400, 'invalid_cursor');
  });
});

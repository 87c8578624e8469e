import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, batchWhen, line } from './support/batches.ts';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import type { Client } from './support/client.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

describe('GET and PUT /settings/api/storage, and POST /settings/api/storage/clear', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const newcomer = async () => {
    const { id, key } = await server.createAccount();
    const email = `keeper-${made++}@example.com`;
    const token = await server.operator.invite(email, { accountId: id, role: 'owner' });
    return { id, email, api: server.api.as(key), browser: await BrowserSession.open(server.api, token) };
  };
  const change = (browser: BrowserSession, body: object) => browser.call('updateStorage', { body });
  const shown = async (browser: BrowserSession) => (await browser.call('getStorage')).body(200);
  const clear = (browser: BrowserSession) => browser.call('clearStorage');
  const finished = async (api: Client) => {
    const { orderId } = await api.call('createChatCompletion', { body: chat({ detached: true }) });
    await server.orders({ queued: 0, executing: 0 }, api);
    return orderId;
  };
  const collect = (api: Client, id: string) => api.call('getOrderResult', { params: { id } });
  const logged = (accountId: string) => server.operator.database.knex('request_logs').where({ account_id: accountId });

  it('200 another retention holds for later orders, and the account shows it; the log names who changed it', async () => {
    const { id, email, api, browser } = await newcomer();
    const kept = await finished(api);
    const { stored_bytes } = await shown(browser);
    assert.ok(stored_bytes > 0);
    const after = (await change(browser, { retention_days: 0, log_payloads: true })).body(200);
    assert.deepEqual([after.retention_days, after.log_payloads, after.stored_bytes], [0, true, stored_bytes]);
    const { storage } = (await api.call('getAccount')).body(200);
    assert.deepEqual(storage, { retention_days: 0, log_payloads: true });
    assert.notEqual((await collect(api, kept)).body(200).body, null);
    await finished(api);
    assert.equal((await shown(browser)).stored_bytes, stored_bytes);
    const [row] = await server.operator.database.knex('audit_log').where({ what: 'storage.change', account_id: id });
    assert.equal(row.who, email);
    assert.deepEqual(JSON.parse(row.before_json), { retention_days: 30, log_payloads: false });
    assert.deepEqual(JSON.parse(row.after_json), { retention_days: 0, log_payloads: true });
    (await change(browser, { log_payloads: false })).body(200);
    assert.equal((await shown(browser)).retention_days, 0);
  });

  // Spec 8-32, 7-36
  it('400 for a retention outside 0 to 30, and for what cannot be set; 413 for an oversized form', async () => {
    const { browser } = await newcomer();
    for (const days of [-1, 31, 1.5, '7', null])
      assert.equal(
        (await change(browser, { retention_days: days })).refusal(400, 'invalid_request').param,
        'retention_days',
      );
    (await change(browser, { stored_bytes: 0 })).refusal(400, 'invalid_request');
    (await change(browser, { retention_days: 7, padding: 'x'.repeat(65_536) })).refusal(413, 'request_too_large');
    assert.equal((await shown(browser)).retention_days, 30);
  });

  it('200 deletes results, files and logged requests of this account alone; orders and money stay', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    for (const { browser } of [mine, theirs]) (await change(browser, { log_payloads: true })).body(200);
    const [gone, kept] = [await finished(mine.api), await finished(theirs.api)];
    const file = await upload(mine.api, '{}\n');
    const before = await server.charged(mine.api);
    assert.equal((await logged(mine.id)).length, 1);
    const cleared = (await clear(mine.browser)).body(200);
    assert.deepEqual(cleared, { object: 'cleared', results: 1, files: 1, requests: 1, more: false });
    assert.equal((await shown(mine.browser)).stored_bytes, 0);
    (await collect(mine.api, gone)).refusal(410, 'result_unavailable');
    (await mine.api.call('getFileContent', { params: { id: file.id } })).refusal(410, 'result_unavailable');
    assert.deepEqual([await server.charged(mine.api), (await logged(mine.id)).length], [before, 0]);
    assert.notEqual((await collect(theirs.api, kept)).body(200).body, null);
    assert.equal((await logged(theirs.id)).length, 1);
    const again = (await clear(mine.browser)).body(200);
    assert.deepEqual([again.results, again.files, again.requests, again.more], [0, 0, 0, false]);
    const rows = await server.operator.database.knex('audit_log').where({ what: 'storage.clear', account_id: mine.id });
    assert.deepEqual([rows.length, rows[0]?.who], [1, mine.email]);
  });

  it('409 while a batch runs; nothing of it is deleted', async () => {
    const { api, browser } = await newcomer();
    const release = server.holdAnswers();
    const { id } = await batchOf(api, [line('a')]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress', api);
    (await clear(browser)).refusal(409, 'batch_in_progress');
    release();
    const { output_file_id } = await batchWhen(server, id, ({ status }) => status === 'completed', api);
    assert.ok(output_file_id);
    (await api.call('getFileContent', { params: { id: output_file_id } })).body(200);
    assert.ok((await clear(browser)).body(200).files >= 1);
  });
});

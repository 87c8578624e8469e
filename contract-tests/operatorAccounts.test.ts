import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const IDS_OF_NOTHING = [NOBODY, 'x', "' OR '1'='1", '..%2f', '%00', 'x'.repeat(2_000)];

describe('/console/api/accounts', () => {
  const server = useServer({ trust_proxy: 1 });
  let keys = 0;
  const newKey = () => `key-${keys++}`;
  const credit = (browser: BrowserSession, id: string, body: object) =>
    browser.call('creditAccount', { params: { id }, body: { idempotency_key: newKey(), ...body } });
  const refund = (browser: BrowserSession, id: string, body: object) =>
    browser.call('refundAccount', { params: { id }, body: { idempotency_key: newKey(), ...body } });
  const debit = (browser: BrowserSession, id: string, body: object) =>
    browser.call('debitAccount', { params: { id }, body: { idempotency_key: newKey(), reason: 'A test', ...body } });
  const show = async (browser: BrowserSession, id: string) =>
    (await browser.call('showAccount', { params: { id } })).body(200);
  const logged = async (accountId: string) => {
    const { knex } = server.operator.database;
    return knex('audit_log').where({ account_id: accountId }).whereNot({ what: 'member.invite' }).orderBy('id');
  };

  it('201 an account that is empty, with a row of the audit log; then it is found by id and by name', async () => {
    const browser = await operatorBrowser(server);
    const name = `Zoë & <b>Co</b> "'; --`;
    const made = (await browser.call('createAccount', { body: { name, retention_days: 0, log_payloads: true } })).body(
      201,
    );
    const { object, account_id: id, created_at, ...rest } = made;
    assert.equal(object, 'account');
    assert.equal(Date.parse(created_at), server.clock.nowMs());
    const settings = { retention_days: 0, log_payloads: true, house: false };
    assert.deepEqual(rest, { name, status: 'active', balance_usd: 0, held_usd: 0, ...settings });
    assert.deepEqual(await show(browser, id), made);
    for (const search of [id, id.toUpperCase(), 'zoë &', '"\'; --']) {
      const { data } = (await browser.call('listAccounts', { query: { search } })).body(200);
      assert.deepEqual(data, [made], search);
    }
    const rows = await logged(id);
    assert.deepEqual(
      rows.map(({ what, subject, before_json }) => [what, subject, before_json]),
      [['account.create', id, null]],
    );
    assert.deepEqual(JSON.parse(rows[0]?.after_json), { name, status: 'active' });
    assert.match(rows[0]?.who, /^operator-\d+@example\.com$/);
  });

  it('200 every account once, page by page, whatever is opened meanwhile; and by the e-mail of a member', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const { id } = await server.createAccount();
    for (let count = 0; count < 4; count++) await server.createAccount();
    await server.operator.invite('Ada@Example.com', { accountId: id, role: 'owner' });
    const byEmail = (await browser.call('listAccounts', { query: { search: 'ada@example.COM' } })).body(200);
    assert.deepEqual(
      byEmail.data.map((account) => account.account_id),
      [id],
    );
    for (const search of ['', 'test']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const query = { limit: 2, cursor, search };
        const { data, next_cursor, has_more } = (await browser.call('listAccounts', { query })).body(200);
        assert.ok(data.length <= 2);
        assert.equal(has_more, next_cursor !== null);
        seen.push(...data.map((account) => account.account_id));
        cursor = next_cursor ?? '';
      } while (cursor !== '');
      assert.equal(new Set(seen).size, seen.length);
      assert.ok(seen.includes(id) && seen.length >= 6, `${seen.length}`);
    }
    for (const search of ['nobody of this name', '%', '_', "' OR '1'='1", 'nobody@example.com'])
      assert.deepEqual((await browser.call('listAccounts', { query: { search } })).body(200).data, [], search);
  });

  it('400 for a limit, a cursor or a search that is none', async () => {
    const browser = await operatorBrowser(server);
    const refused = async (query: Record<string, string>, code = 'invalid_request') =>
      (await browser.call('listAccounts', { query })).refusal(400, code).param;
    assert.equal(await refused({ limit: '0' }), 'limit');
    assert.equal(await refused({ limit: '1.5' }), 'limit');
    assert.equal(await refused({ search: 'x'.repeat(201) }), 'search');
    assert.equal(await refused({ cursor: 'x' }, 'invalid_cursor'), 'cursor');
    const first = (await browser.call('listAccounts', { query: { limit: '1' } })).body(200);
    assert.equal(await refused({ cursor: first.next_cursor ?? '', search: 'test' }, 'invalid_cursor'), 'cursor');
  });

  it('404 for ids of nothing, on every operation', async () => {
    const browser = await operatorBrowser(server);
    for (const id of IDS_OF_NOTHING) {
      const params = { id };
      for (const operation of ['showAccount', 'suspendAccount', 'resumeAccount'] as const)
        (await browser.call(operation, { params })).refusal(404, 'not_found');
      (await credit(browser, id, { amount_usd: '25' })).refusal(404, 'not_found');
      (await refund(browser, id, { amount_usd: '25', reason: 'A test' })).refusal(404, 'not_found');
      (await debit(browser, id, { amount_usd: '25' })).refusal(404, 'not_found');
    }
  });

  it('200 a suspended account is refused from the next request on, and served again when it is resumed', async () => {
    const browser = await operatorBrowser(server);
    const { id, key } = await server.createAccount();
    const api = server.api.as(key);
    (await api.call('getAccount')).body(200);
    const suspend = async () => (await browser.call('suspendAccount', { params: { id } })).body(200).status;
    assert.equal(await suspend(), 'suspended');
    (await api.call('createChatCompletion', { body: chat() })).refusal(403, 'account_suspended');
    assert.equal(await suspend(), 'suspended');
    assert.equal((await browser.call('resumeAccount', { params: { id } })).body(200).status, 'active');
    (await api.call('createChatCompletion', { body: chat() })).body(200);
    const rows = await logged(id);
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['account.suspend', 'account.resume'],
    );
    assert.deepEqual(JSON.parse(rows[0]?.before_json), { name: 'Test', status: 'active' });
    assert.deepEqual(JSON.parse(rows[0]?.after_json), { name: 'Test', status: 'suspended' });
  });

  it('200 a top-up moves money once for each key, twenty times at once included', async () => {
    const browser = await operatorBrowser(server, 'finance');
    const { id } = await server.createAccount({ creditUsd: 0 });
    const body = { amount_usd: '12.500000001', idempotency_key: 'invoice 1', reason: 'Invoice 1' };
    const replies = await Promise.all(Array.from({ length: 20 }, () => credit(browser, id, body)));
    const transfers = replies.map((reply) => reply.body(200));
    assert.equal(transfers.filter(({ repeated }) => !repeated).length, 1);
    assert.equal(new Set(transfers.map(({ entry_id }) => entry_id)).size, 1);
    for (const { balance_usd, amount_usd } of transfers)
      assert.deepEqual([balance_usd, amount_usd], [12.500000001, 12.500000001]);
    assert.equal((await show(browser, id)).balance_usd, 12.500000001);
    const rows = await logged(id);
    assert.deepEqual(
      rows.map(({ what, subject }) => [what, subject]),
      [['account.credit', transfers[0]?.entry_id]],
    );
    assert.deepEqual(JSON.parse(rows[0]?.before_json), { balance_usd: '0.00' });
    assert.equal(JSON.parse(rows[0]?.after_json).balance_usd, '12.500000001');
    (await credit(browser, id, { ...body, amount_usd: '13' })).refusal(409, 'idempotency_error');
    (await refund(browser, id, { ...body, order_id: undefined })).refusal(409, 'idempotency_error');
    (await debit(browser, id, body)).refusal(409, 'idempotency_error');
    assert.equal((await logged(id)).length, 1);
  });

  it('400 for what is no amount, and for a top-up out of bounds unless it is forced; nothing is moved', async () => {
    const browser = await operatorBrowser(server);
    const { id } = await server.createAccount({ creditUsd: 0 });
    const none = [
      '',
      '0',
      '0.00',
      '-1',
      '-25',
      '0.0000000001',
      '1e30',
      `1${'0'.repeat(30)}`,
      `1${'0'.repeat(12)}`,
      'NaN',
    ];
    for (const amount_usd of [...none, 'Infinity', '+25', '25 ', '25,00', '0x19', '\u0662\u0665', '25.', '.5'])
      for (const move of [credit, refund, debit])
        assert.equal(
          (await move(browser, id, { amount_usd, force: undefined })).refusal(400, 'invalid_request').param,
          'amount_usd',
          amount_usd,
        );
    for (const amount_usd of [25, null, [], {}, true])
      assert.equal((await credit(browser, id, { amount_usd })).refusal(400, 'invalid_request').param, 'amount_usd');
    for (const amount_usd of ['9.999999999', '10000.000000001', '999999999999'])
      (await credit(browser, id, { amount_usd })).refusal(400, 'invalid_request');
    (await credit(browser, id, { amount_usd: '999999999999.999999999', force: true })).refusal(400, 'invalid_request');
    assert.equal((await show(browser, id)).balance_usd, 0);
    assert.deepEqual(await logged(id), []);
    assert.equal((await credit(browser, id, { amount_usd: '0.000000001', force: true })).body(200).balance_usd, 1e-9);
  });

  it('400 for a key that is missing, too long or ends in a space, and for fields that do not exist', async () => {
    const browser = await operatorBrowser(server);
    const { id } = await server.createAccount();
    for (const idempotency_key of [undefined, null, '', 'x'.repeat(256), 'x ', 7])
      for (const move of [credit, refund, debit])
        (await move(browser, id, { amount_usd: '25', idempotency_key })).refusal(400, 'invalid_request');
    assert.equal(
      (await credit(browser, id, { amount_usd: '25', account_id: NOBODY })).refusal(400, 'invalid_request').param,
      'account_id',
    );
    assert.equal(
      (await refund(browser, id, { amount_usd: '25', force: true })).refusal(400, 'invalid_request').param,
      'force',
    );
    assert.equal(
      (await credit(browser, id, { amount_usd: '25', reason: 'x'.repeat(1_001) })).refusal(400, 'invalid_request')
        .param,
      'reason',
    );
    for (const body of [
      {},
      { name: '' },
      { name: '   ' },
      { name: 'x'.repeat(256) },
      { name: 'x', retention_days: 31 },
    ])
      (await browser.call('createAccount', { body })).refusal(400, 'invalid_request');
  });

  it('200 the refunds of an order never exceed its charge, ten at once included', async () => {
    const browser = await operatorBrowser(server, 'finance');
    const { id, key } = await server.createAccount();
    const { orderId } = await server.api.as(key).call('createChatCompletion', { body: chat() });
    const { balance_usd } = await show(browser, id);
    const charge = Math.round((100 - balance_usd) * 1e9);
    assert.ok(charge > 2);
    const half = (Math.floor(charge / 2) / 1e9).toFixed(9);
    const body = { amount_usd: half, order_id: orderId };
    const replies = await Promise.all(Array.from({ length: 10 }, () => refund(browser, id, body)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 2);
    for (const reply of replies) if (reply.status !== 200) reply.refusal(400, 'invalid_request');
    const { id: other } = await server.createAccount();
    (await refund(browser, other, body)).refusal(404, 'not_found');
    for (const order_id of [NOBODY, 'x', ''])
      (await refund(browser, id, { ...body, order_id })).refusal(404, 'not_found');
    assert.equal(
      (await refund(browser, id, { amount_usd: '0.000000001' })).refusal(400, 'invalid_request').param,
      'reason',
    );
  });

  it('200 a refund without an order has a reason and gives at most what the account was charged', async () => {
    const browser = await operatorBrowser(server, 'finance');
    const { id, key } = await server.createAccount();
    const reason = 'goodwill';
    (await refund(browser, id, { amount_usd: '50000', reason })).refusal(400, 'invalid_request');
    await server.api.as(key).call('createChatCompletion', { body: chat() });
    const charged = (100 - (await show(browser, id)).balance_usd).toFixed(9);
    const given = (await refund(browser, id, { amount_usd: charged, reason })).body(200);
    assert.deepEqual([given.order_id, given.balance_usd], [null, 100]);
    (await refund(browser, id, { amount_usd: '0.000000001', reason })).refusal(400, 'invalid_request');
  });

  it('200 a debit takes back what was credited, never below 0, and is in the entries and the audit log', async () => {
    const browser = await operatorBrowser(server, 'finance');
    const { id } = await server.createAccount();
    (await debit(browser, id, { amount_usd: '100.000000001' })).refusal(400, 'invalid_request');
    for (const reason of [undefined, '', ' '])
      assert.equal(
        (await debit(browser, id, { amount_usd: '1', reason })).refusal(400, 'invalid_request').param,
        'reason',
      );
    const body = { amount_usd: '99.999999999', idempotency_key: 'wrong credit' };
    const moved = (await debit(browser, id, body)).body(200);
    assert.deepEqual([moved.kind, moved.amount_usd, moved.balance_usd], ['reversal', -99.999999999, 1e-9]);
    assert.equal((await debit(browser, id, body)).body(200).repeated, true);
    const [newest] = (await browser.call('listAccountEntries', { params: { id } })).body(200).data;
    assert.deepEqual([newest?.entry_id, newest?.reason], [moved.entry_id, 'A test']);
    assert.deepEqual(
      (await logged(id)).map(({ what }) => what),
      ['account.debit'],
    );
    const looking = await operatorBrowser(server, 'viewer');
    (await debit(looking, id, { amount_usd: '1' })).refusal(403, 'role_refused');
  });

  it('413 for an oversized form', async () => {
    const browser = await operatorBrowser(server);
    const params = { id: NOBODY };
    const body = { name: 'x'.repeat(65_536) };
    (await browser.call('createAccount', { body })).refusal(413, 'request_too_large');
    for (const operation of ['creditAccount', 'refundAccount', 'debitAccount'] as const)
      (await browser.call(operation, { params, body })).refusal(413, 'request_too_large');
  });
});

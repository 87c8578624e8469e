import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

describe('/console/api/audit', () => {
  const server = useServer({ trust_proxy: 1 });
  const audit = async (browser: BrowserSession) => (await browser.call('getAudit')).body(200);

  /** Runs one, and resolves with where audits stand after it. */
  async function audited(browser: BrowserSession) {
    await server.pass(1);
    const begun = (await browser.call('runAudit')).body(202);
    assert.ok(begun.running !== null || begun.last !== null);
    // Not over HTTP, which would reach the limit of requests.
    const running = () => server.operator.database.knex('audit_runs').whereNull('ended_at_ms').first('id');
    await eventually(async () => (await running()) === undefined, 'the end of an audit');
    const { last, failed_at } = await audit(browser);
    assert.equal(failed_at, null);
    return last ?? assert.fail('The audit has no result.');
  }

  it('200 nothing before the first; 202 begins one, whose findings all see; 200 acknowledges one', async () => {
    const [browser, viewer] = [await operatorBrowser(server, 'finance'), await operatorBrowser(server, 'viewer')];
    assert.deepEqual(await audit(viewer), { object: 'audit', running: null, last: null, failed_at: null });
    const money = (await viewer.call('getMoney')).body(200);
    assert.deepEqual(money, { object: 'money', as_of: null, days: [], models: [] });
    assert.deepEqual((await audited(browser)).findings, []);

    const { id } = await server.createAccount({ creditUsd: 10 });
    const { knex } = server.operator.database;
    await knex('accounts').where({ id }).update({ balance: '1' });
    const last = await audited(browser);
    assert.equal(last.ok, false);
    assert.match(last.by, /^finance-/);
    const [finding, ...others] = last.findings;
    assert.deepEqual([others, finding?.acknowledged], [[], null]);
    assert.equal(finding?.sentence, `Account ${id}: the balance is 1, its entries sum to 10000000000.`);
    assert.deepEqual((await audit(viewer)).last, last);

    const body = { finding_id: finding.finding_id, reason: '<b>It is a test.' };
    const explained = (await browser.call('acknowledgeFinding', { body })).body(200);
    assert.equal(explained.acknowledged?.reason, body.reason);
    assert.deepEqual((await audit(viewer)).last?.findings, [explained]);
    const again = await audited(browser);
    assert.deepEqual([again.ok, again.findings, again.acknowledged], [true, [], 1]);
    (await browser.call('acknowledgeFinding', { body })).refusal(404, 'not_found');
    await knex('accounts').where({ id }).update({ balance: '10000000000' });
    const { data } = (await viewer.call('listChanges', { query: { limit: 20 } })).body(200);
    const [run, acknowledged] = [...data]
      .reverse()
      .filter(({ what }) => what.startsWith('audit.'))
      .slice(1, 3);
    assert.deepEqual(
      [run?.what, acknowledged?.what, acknowledged?.subject],
      ['audit.run', 'audit.acknowledge', body.finding_id],
    );
    assert.deepEqual(acknowledged?.after, { sentence: finding.sentence, reason: body.reason });
  });

  it('200 what was sold, to the nano-dollar, and what of it was given back', async () => {
    const browser = await operatorBrowser(server);
    const { id, key } = await server.createAccount();
    const { orderId } = await server.api.as(key).call('createChatCompletion', { body: chat() });
    const transfer = { amount_usd: '0.000000001', idempotency_key: 'k', order_id: orderId };
    (await browser.call('refundAccount', { params: { id }, body: transfer })).body(200);
    const { settlement } = (await browser.call('showOrder', { params: { id: orderId ?? '' } })).body(200);
    const { started_at } = await audited(browser);
    const { as_of, days, models } = (await browser.call('getMoney')).body(200);
    assert.equal(as_of, started_at);
    const { model, ...sold } = models[0] ?? assert.fail('Nothing was sold.');
    assert.equal(model, 'tide');
    assert.deepEqual(
      [sold.orders, sold.charged_usd, sold.refunded_usd, sold.written_off_usd, sold.estimated_orders],
      [1, settlement?.charged_usd, 1e-9, 0, 0],
    );
    assert.deepEqual(days, [{ day: as_of?.slice(0, 10), ...sold }]);
  });

  it('400 for a finding or a reason that is none, 413 for an oversized form, 404 for what is no finding', async () => {
    const browser = await operatorBrowser(server);
    const acknowledge = (body: object) => browser.call('acknowledgeFinding', { body });
    for (const body of [{}, { finding_id: 'x' }, { finding_id: 'x', reason: '' }, { finding_id: 7, reason: 'x' }])
      (await acknowledge(body)).refusal(400, 'invalid_request');
    (await acknowledge({ finding_id: 'x', reason: 'x'.repeat(1001) })).refusal(400, 'invalid_request');
    (await acknowledge({ finding_id: 'x', reason: 'x'.repeat(65_536) })).refusal(413, 'request_too_large');
    (await acknowledge({ finding_id: "' OR '1'='1", reason: 'x' })).refusal(404, 'not_found');
  });
});

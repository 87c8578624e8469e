/** Settings of keys that members change: each setting holds for calls, is logged, and is refused where it makes no sense. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';

describe('PATCH /settings/api/keys/{id} and POST …/rotate', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const newcomer = async () => {
    const account = await server.createAccount();
    const place = { accountId: account.id, role: 'developer' } as const;
    const token = await server.operator.invite(`keeper-${made++}@example.com`, place);
    const browser = await BrowserSession.open(server.api, token);
    const change = (body: unknown, id = account.keyId) => browser.call('updateKey', { params: { id }, body });
    const rotate = (body: unknown, id = account.keyId) => browser.call('rotateKey', { params: { id }, body });
    const listed = async () =>
      (await browser.call('listKeys')).body(200).data.find((key) => key.key_id === account.keyId);
    const ask = (key = account.key) =>
      server.api.as(key).call('createChatCompletion', { body: chat({ max_tokens: 8 }) });
    return { ...account, browser, change, rotate, listed, ask };
  };
  const logged = async (subject: string) => {
    const row = (await server.operator.database.knex('audit_log').where({ subject }).orderBy('id')).at(-1);
    return {
      what: row?.what,
      before: JSON.parse(row?.before_json ?? 'null'),
      after: JSON.parse(row?.after_json ?? 'null'),
    };
  };
  const inSeconds = (seconds: number) => new Date(server.clock.nowMs() + seconds * 1000).toISOString();

  it('201 a key with everything that can be set, as it is then listed', async () => {
    const { browser } = await newcomer();
    const body = {
      ...{ name: 'all', budget_usd: '2.5', budget_reset: 'week', expires_at: inSeconds(2_592_000) },
      ...{ models: ['tide'], price_limits: { tide: 0.25 } },
    };
    const { key_id, expires_at } = (await browser.call('createKey', { body })).body(201);
    assert.equal(expires_at, body.expires_at);
    const { data } = (await browser.call('listKeys')).body(200);
    const key = data.find((one) => one.key_id === key_id);
    assert.deepEqual([key?.models, key?.price_limits, key?.expires_at], [['tide'], { tide: 0.25 }, expires_at]);
    const { renews_at, ...budget } = key?.budget ?? { renews_at: null };
    assert.deepEqual(budget, { amount_usd: 2.5, reset: 'week', spent_usd: 0, held_usd: 0, left_usd: 2.5 });
    assert.equal(new Date(renews_at ?? '').getUTCDay(), 1);
    assert.ok(Date.parse(renews_at ?? '') > server.clock.nowMs());
    const whole = (await browser.call('createKey', { body: { name: 'whole', scopes: null } })).body(201);
    const { scopes, default_scopes } =
      (await browser.call('listKeys')).body(200).data.find((one) => one.key_id === whole.key_id) ?? {};
    assert.deepEqual([scopes, default_scopes], [['inference', 'read_own', 'read_all', 'manage'], true]);
  });

  it('204 scopes, addresses and an owner hold for calls at once, are listed and logged, and are taken back by null', async () => {
    const { change, listed, ask, keyId, key, id } = await newcomer();
    await server.operator.invite(`owns-${keyId}@example.com`, { accountId: id, role: 'viewer' });
    const member = `owns-${keyId}@example.com`;
    const reads = () => server.api.as(key).call('getAccount');
    assert.equal((await change({ scopes: ['read_own'], addresses: ['127.0.0.0/8'], member })).status, 204);
    (await ask()).refusal(403, 'missing_scope');
    (await reads()).body(200);
    const { scopes, default_scopes, addresses, member: owner } = (await listed()) ?? {};
    assert.deepEqual([scopes, default_scopes, addresses, owner], [['read_own'], false, ['127.0.0.0/8'], member]);
    const { before, after } = await logged(keyId);
    assert.deepEqual([before.scopes, before.addresses, before.member_id], [null, null, null]);
    assert.deepEqual([after.scopes, after.addresses], [['read_own'], ['127.0.0.0/8']]);
    assert.equal((await change({ addresses: ['10.0.0.1'] })).status, 204);
    (await reads()).refusal(403, 'address_not_allowed');
    assert.equal((await change({ scopes: null, addresses: null, member: null })).status, 204);
    (await ask()).body(200);
    const again = await listed();
    assert.deepEqual([again?.scopes.length, again?.default_scopes, again?.member], [4, true, null]);
  });

  it('400 scopes that do not exist, none, addresses that are none, too many, and an owner of another account', async () => {
    const [{ change, browser, listed }, other] = [await newcomer(), await newcomer()];
    await server.operator.invite(`elsewhere-${other.keyId}@example.com`, { accountId: other.id, role: 'viewer' });
    const before = await listed();
    for (const [body, param] of [
      [{ scopes: ['everything'] }, 'scopes'],
      [{ scopes: [] }, 'scopes'],
      [{ addresses: [] }, 'addresses'],
      [{ addresses: ['example.com'] }, 'addresses'],
      [{ addresses: ['10.0.0.0/33'] }, 'addresses'],
      [{ addresses: Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`) }, 'addresses'],
      [{ member: `elsewhere-${other.keyId}@example.com` }, 'member'],
      [{ member: 'nobody' }, 'member'],
    ] as const) {
      for (const reply of [await change(body), await browser.call('createKey', { body: { name: 'k', ...body } })]) {
        const problem = reply.refusal(400, 'invalid_request');
        assert.ok(`${problem.param}`.startsWith(param), JSON.stringify([body, problem]));
      }
    }
    assert.deepEqual(await listed(), before);
  });

  it('204 a budget that is reached: 402 for its calls, and the list shows what is spent; 200 once it is raised', async () => {
    const { change, listed, ask, keyId } = await newcomer();
    const { usage } = (await ask()).body(200);
    const cost = usage.x_market.charged_usd;
    assert.equal((await change({ budget_usd: (cost * 1.5).toFixed(9), budget_reset: 'never' })).status, 204);
    (await ask()).body(200);
    (await ask()).refusal(402, 'key_budget_exceeded');
    const key = await listed();
    assert.equal(key?.budget?.spent_usd, cost);
    assert.equal(key?.spent_today_usd, Number((2 * cost).toFixed(9)), 'what was spent before the budget is there, too');
    assert.equal(key?.budget?.renews_at, null);
    assert.equal((await change({ budget_usd: '1' })).status, 204);
    (await ask()).body(200);
    const { what, before, after } = await logged(keyId);
    assert.deepEqual([what, after.budget_usd], ['key.update', '1.00']);
    assert.equal(Number(before.budget_usd), Number((cost * 1.5).toFixed(9)));
  });

  it('204 a budget below what is spent already leaves nothing, and never less than nothing', async () => {
    const { change, listed, ask } = await newcomer();
    await change({ budget_usd: '1', budget_reset: 'day' });
    (await ask()).body(200);
    assert.equal((await change({ budget_usd: '0.000000001' })).status, 204);
    assert.equal((await listed())?.budget?.left_usd, 0);
    assert.equal((await change({ budget_usd: null })).status, 204);
    assert.equal((await listed())?.budget, null);
  });

  it('204 models and expiry hold from the next call on', async () => {
    const { change, ask, listed } = await newcomer();
    assert.equal((await change({ models: ['harbor'] })).status, 204);
    (await ask()).refusal(403, 'model_not_allowed');
    assert.equal((await change({ models: null, expires_at: inSeconds(20) })).status, 204);
    (await ask()).body(200);
    await server.pass(20_000);
    (await ask()).refusal(401, 'invalid_api_key');
    assert.equal((await listed())?.expired, true);
  });

  it('204 limits of the key replace those of before', async () => {
    const { change, listed, browser, keyId } = await newcomer();
    assert.equal((await change({ price_limits: { tide: 0.5 } })).status, 204);
    assert.deepEqual((await listed())?.price_limits, { tide: 0.5 });
    assert.equal((await change({ name: 'renamed' })).status, 204);
    assert.deepEqual((await listed())?.price_limits, { tide: 0.5 });
    assert.equal((await change({ price_limits: {} })).status, 204);
    assert.deepEqual((await listed())?.price_limits, {});
    const rows = await server.operator.database.knex('audit_log').where({ subject: keyId });
    assert.equal((await browser.call('updateKey', { params: { id: keyId }, body: {} })).status, 204);
    const later = await server.operator.database.knex('audit_log').where({ subject: keyId });
    assert.equal(later.length, rows.length, 'what changes nothing is no change');
  });

  it('204 a strict key refuses misspelt fields, until it is not strict any more; a new one may be strict at once', async () => {
    const { change, ask, listed, keyId, browser } = await newcomer();
    assert.equal((await listed())?.strict, false);
    assert.equal((await change({ strict: true })).status, 204);
    assert.equal((await listed())?.strict, true);
    const { before, after } = await logged(keyId);
    assert.deepEqual([before.strict, after.strict], [false, true]);
    (await ask()).body(200);
    assert.equal((await change({ strict: false })).status, 204);
    const { api_key } = (await browser.call('createKey', { body: { name: 'strict', strict: true } })).body(201);
    const body = { ...chat(), price_limt: 1 };
    (await server.api.as(api_key).call('createChatCompletion', { body })).refusal(400, 'invalid_request');
  });

  it('200 a rotated key: both secrets work until the overlap ends, then the new one alone', async () => {
    const { rotate, ask, listed, keyId, key } = await newcomer();
    const { api_key, previous_until, key_id } = (await rotate({ overlap_seconds: 20 })).body(200);
    assert.equal(key_id, keyId);
    assert.equal(Date.parse(previous_until ?? ''), server.clock.nowMs() + 20_000);
    for (const secret of [key, api_key]) (await ask(secret)).body(200);
    assert.equal((await listed())?.previous_until, previous_until);
    await server.pass(20_000);
    (await ask(key)).refusal(401, 'invalid_api_key');
    (await ask(api_key)).body(200);
    assert.equal((await listed())?.previous_until, null);
    const { what, before, after } = await logged(keyId);
    assert.equal(what, 'key.rotate');
    assert.notEqual(before.hint, after.hint);
    assert.ok(!JSON.stringify([before, after]).includes(api_key));
  });

  it('200 without an overlap the secret of before is refused at once', async () => {
    const { rotate, ask, key } = await newcomer();
    const { api_key, previous_until } = (await rotate({ overlap_seconds: 0 })).body(200);
    assert.equal(previous_until, null);
    (await ask(key)).refusal(401, 'invalid_api_key');
    (await ask(api_key)).body(200);
  });

  it('404 for a key of another account, a revoked one, and one that never was', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    await theirs.browser.call('revokeKey', { params: { id: theirs.keyId } });
    const other = await newcomer();
    const refused = (await mine.change({ name: 'x' }, other.keyId)).refusal(404, 'not_found');
    for (const id of [theirs.keyId, NOBODY, 'x', "' OR '1'='1", other.key]) {
      assert.deepEqual((await mine.change({ name: 'x' }, id)).refusal(404, 'not_found'), refused);
      assert.deepEqual((await mine.rotate({ overlap_seconds: 0 }, id)).refusal(404, 'not_found'), refused);
    }
    (await other.ask()).body(200);
  });

  it('400 for settings that make no sense, with the field', async () => {
    const { change, rotate, listed } = await newcomer();
    const before = await listed();
    const wrong: [object, string | null, string?][] = [
      [{ budget_usd: 'five' }, 'budget_usd'],
      [{ budget_usd: 5 }, 'budget_usd'],
      [{ budget_usd: '0' }, null],
      [{ budget_usd: '-1' }, null],
      [{ budget_usd: '1000000.01' }, null],
      [{ budget_reset: 'day' }, null],
      [{ budget_usd: '1', budget_reset: 'hour' }, 'budget_reset'],
      [{ expires_at: '2027-02-30T00:00:00Z' }, 'expires_at'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ expires_at: inSeconds(-1) }, null],
      [{ models: [] }, 'models'],
      [{ models: ['no-such'] }, 'models', 'unknown_model'],
      [{ price_limits: { 'no-such': 1 } }, 'price_limits.no-such', 'unknown_model'],
      [{ price_limits: { tide: -1 } }, 'price_limits.tide'],
      [{ name: '' }, 'name'],
      [{ hash: 'x' }, 'hash'],
    ];
    for (const [body, param, code = 'invalid_request'] of wrong)
      assert.equal((await change(body)).refusal(400, code).param, param, JSON.stringify(body));
    assert.deepEqual(await listed(), before);
    for (const overlap_seconds of [-1, 0.5, 2_592_001, '1h', null])
      (await rotate({ overlap_seconds })).refusal(400, 'invalid_request');
  });

  it('413 for oversized forms', async () => {
    const { change, rotate } = await newcomer();
    const large = { name: 'x'.repeat(65_536) };
    for (const reply of [await change(large), await rotate(large)]) reply.refusal(413, 'request_too_large');
  });
});

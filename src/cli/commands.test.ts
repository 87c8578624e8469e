import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { isLoopback } from '#base/peer-address.ts';
import { parseConfig } from '#config/config.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import {
  changeStatus,
  closeAccount,
  createAccount,
  creditAccount,
  debitAccount,
  listAccounts,
  refundAccount,
  showAccount,
} from './accounts.ts';
import { auditStore } from './audit.ts';
import { createKey, limitsById, listKeys, revokeKey, rotateKey, updateKey } from './keys.ts';
import { showRequest } from './members.ts';
import { type OperatorStore, withOperatorStore } from './operator-store.ts';
import { makeDemoAccount } from './serve.ts';
import { pagesAddressOf, welcome } from './welcome.ts';

const clock = new ManualClock(Date.UTC(2026, 10, 23, 12));
const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

function fresh<Value>(use: (store: OperatorStore) => Promise<Value>): Promise<Value> {
  return withOperatorStore(`sqlite:${join(folder, `${databases++}.sqlite`)}`, use);
}

const NEW = { name: 'Ada', credit: null, force: false, retentionDays: 30, logPayloads: false };

async function openAccount(store: OperatorStore): Promise<string> {
  return String((await createAccount(store, { ...NEW, credit: 25_000_000_000n })).json.account_id);
}

const CONFIG = parseConfig(
  `
default_model: tide
models:
  - {id: tide-70b, type: market, aliases: [tide], context_length: 10, max_output_length: 5, ceiling: 4, pricing_ratio: {cached: 0.1, uncached: 1, output: 4}, pods: [{id: a, simulated: true, slots: 2}, {id: b, url: "http://c", slots: 3}]}
  - {id: harbor, type: fixed, context_length: 10, max_output_length: 5, usd_per_million: {cached: 0.1, uncached: 1, output: 4}}
`,
  'sluice.yaml',
  { DATABASE_URL: 'mysql://root:secret@db.local/sluice' },
);

test('account create opens an account and credits it', () =>
  fresh(async (store) => {
    const { json } = await createAccount(store, { ...NEW, credit: 25_000_000_000n, retentionDays: 7 });
    assert.equal(json.balance_usd, 25);
    assert.deepEqual(json.storage, { retention_days: 7, log_payloads: false });
    assert.equal(json.order_timeout_seconds, 600);
  }));

test('account list and show agree about an account', () =>
  fresh(async (store) => {
    const id = await openAccount(store);
    const { json } = await listAccounts(store);
    assert.deepEqual(json.accounts, [(await showAccount(store, id)).json]);
  }));

test('an amount below a millionth of a dollar has plain digits', () =>
  fresh(async (store) => {
    const id = await openAccount(store);
    await store.accounts.setDefaults(id, { priceLimits: { 'tide-70b': 8 } });
    const tiny = await showAccount(store, id);
    assert.match(tiny.text, /tide-70b=0\.000000008/);
    assert.match(JSON.stringify(tiny.json), /"tide-70b":0\.000000008/);
  }));

test('the audit counts in the singular and in the plural', () =>
  fresh(async (store) => {
    const audited = async () =>
      (await auditStore(store, { data: { dataFolder: folder, dataBucket: null }, config: null })).text;
    await openAccount(store);
    assert.equal(await audited(), 'The audit passed: 1 account and 0 orders.');
    await openAccount(store);
    assert.equal(await audited(), 'The audit passed: 2 accounts and 0 orders.');
  }));

test('account list of an empty database names the database', () =>
  fresh(async (store) => {
    const { json, text } = await listAccounts(store);
    assert.deepEqual(json, { accounts: [] });
    assert.match(text, /^No account is in sqlite:\S+\.sqlite yet; npx sluice account create NAME opens one\.$/);
  }));

test('a new key says what it may do', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    const whole = await createKey(store, { accountId, limits: {} }, clock);
    assert.match(whole.text, /It may do everything in its account; with --scopes inference,read_own/);
    const scopes = ['inference', 'read_own'] as const;
    const narrow = await createKey(store, { accountId, limits: {}, scopes }, clock);
    assert.match(narrow.text, /Its scopes are inference, read_own\./);
  }));

test('a key without price limits says what its requests need', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    assert.match(
      (await createKey(store, { accountId, limits: {} }, clock)).text,
      /a request for a market model needs one/,
    );
    const { text } = await createKey(store, { accountId, limits: { 'tide-70b': 1 } }, clock);
    assert.doesNotMatch(text, /brings its own/);
  }));

test('an unknown account is refused by its id', () =>
  fresh(async (store) => {
    await assert.rejects(showAccount(store, 'nobody'), /no account "nobody"/);
    await assert.rejects(changeStatus(store, { id: 'nobody', to: 'suspended' }), /no account "nobody"/);
    await assert.rejects(
      creditAccount(store, { id: 'nobody', amount: 10n ** 10n, force: false }),
      /no account "nobody"/,
    );
    await assert.rejects(createKey(store, { accountId: 'nobody', limits: {} }, clock), /no account "nobody"/);
  }));

test('suspend and resume change the status', () =>
  fresh(async (store) => {
    const id = await openAccount(store);
    assert.equal((await changeStatus(store, { id, to: 'suspended' })).json.status, 'suspended');
    assert.equal((await changeStatus(store, { id, to: 'active' })).json.status, 'active');
  }));

test('account close revokes keys and removes members, and an account that does not exist is refused', () =>
  fresh(async (store) => {
    const id = await openAccount(store);
    await createKey(store, { accountId: id, limits: {} }, clock);
    await store.members.invite('ada@example.com', { accountId: id, role: 'owner' }, COMMAND_LINE);
    assert.equal((await closeAccount(store, id)).json.status, 'closed');
    const [key] = (await listKeys(store, id, clock)).json.keys as { revoked_at: string | null }[];
    assert.ok(key?.revoked_at);
    assert.deepEqual(await store.members.list(id), []);
    await assert.rejects(closeAccount(store, 'nobody'), /no account "nobody"/);
  }));

test('nothing about the house account can be changed', () =>
  fresh(async (store) => {
    const { id } = await store.accounts.house();
    const before = (await showAccount(store, id)).json;
    const one = { id, amount: 1n, reason: 'r', force: true };
    for (const change of [
      () => changeStatus(store, { id, to: 'suspended' }),
      () => creditAccount(store, one),
      () => debitAccount(store, one),
      () => closeAccount(store, id),
      () => createKey(store, { accountId: id, limits: {} }, clock),
      () => store.members.invite('ada@example.com', { accountId: id, role: 'owner' }, COMMAND_LINE),
    ])
      await assert.rejects(change(), /The house account is the gateway's own/);
    assert.deepEqual((await showAccount(store, id)).json, before);
  }));

test('a credit repeated with its idempotency key moves money once and says so', () =>
  fresh(async (store) => {
    const id = await openAccount(store);
    const request = { id, amount: 10_000_000_000n, idempotencyKey: 'invoice-7', force: false };
    assert.equal((await creditAccount(store, request)).json.repeated, false);
    const again = await creditAccount(store, request);
    assert.equal(again.json.repeated, true);
    assert.equal(again.json.balance_usd, 35);
    assert.match(again.text, /no money was moved now/);
  }));

test('a refund gives back what was charged, and a debit takes back what was credited', () =>
  fresh(async (store) => {
    const id = await openAccount(store);
    await assert.rejects(
      refundAccount(store, { id, amount: 1n, reason: 'sorry' }),
      /left of the account's charges: \$0\.00/,
    );
    assert.equal((await debitAccount(store, { id, amount: 1n, reason: 'wrong' })).json.balance_usd, 24.999999999);
    await assert.rejects(refundAccount(store, { id, amount: 1n, orderId: 'x' }), /no settled order "x"/);
  }));

test('key create shows the secret, key list never does', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    const { json } = await createKey(
      store,
      { accountId, name: 'laptop', limits: { 'tide-70b': 2_500_000_000 } },
      clock,
    );
    assert.match(String(json.api_key), /^sk-sluice-[0-9A-Za-z]{36}$/);
    assert.deepEqual(json.default_price_limit, { 'tide-70b': 2.5 });
    const listed = await listKeys(store, accountId, clock);
    assert.doesNotMatch(JSON.stringify(listed), new RegExp(String(json.api_key)));
    assert.match(listed.text, /laptop/);
  }));

test('a key is made with a budget, an expiry and models, and listed with them', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    const expiresAtMs = Date.UTC(2100, 0, 1);
    const settings = { budget: 5_000_000_000n, reset: 'month', expiresAtMs, models: ['tide-70b'] } as const;
    const { json } = await createKey(store, { accountId, limits: {}, ...settings }, clock);
    const { since, ...budget } = json.budget as Record<string, unknown>;
    assert.deepEqual(budget, { amount_usd: 5, reset: 'month', spent_usd: 0, held_usd: 0 });
    assert.match(String(since), /-01T00:00:00\.000Z$/);
    assert.deepEqual([json.models, json.expires_at], [['tide-70b'], '2100-01-01T00:00:00.000Z']);
    const listed = await listKeys(store, accountId, clock);
    assert.match(listed.text, /0\.00 of 5\.00 a month {2}tide-70b /);
    assert.deepEqual((listed.json.keys as Record<string, unknown>[])[0]?.spent_this_month_usd, 0);
  }));

test('key update changes what is given, and refuses to change nothing', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    const key = String((await createKey(store, { accountId, limits: {} }, clock)).json.key_id);
    const { json, text } = await updateKey(store, { key, budget: 1_500_000_000n }, clock);
    assert.equal((json.budget as { amount_usd: number }).amount_usd, 1.5);
    assert.match(text, /budget +0\.00 of 1\.50/);
    assert.equal((await updateKey(store, { key, budget: null }, clock)).json.budget, null);
    await assert.rejects(updateKey(store, { key }, clock), /Nothing is to be changed/);
    await assert.rejects(updateKey(store, { key: 'nobody', name: 'x' }, clock), /no key "nobody"/);
  }));

test('key rotate shows a new secret, and until when the former is accepted', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    const made = await createKey(store, { accountId, limits: {} }, clock);
    const rotated = await rotateKey(store, { key: String(made.json.key_id), overlapMs: 3_600_000 }, clock);
    assert.match(String(rotated.json.api_key), /^sk-sluice-[0-9A-Za-z]{36}$/);
    assert.notEqual(rotated.json.api_key, made.json.api_key);
    assert.deepEqual([rotated.json.key_id, rotated.json.created_at], [made.json.key_id, made.json.created_at]);
    assert.match(rotated.text, /The one before is accepted until /);
    const again = await rotateKey(store, { key: String(made.json.key_id), overlapMs: 0 }, clock);
    assert.match(again.text, /The one before is accepted no longer\./);
    const listed = await listKeys(store, accountId, clock);
    assert.doesNotMatch(JSON.stringify(listed), new RegExp(`${rotated.json.api_key}|${again.json.api_key}`));
  }));

test('a 51st active key is refused until one is revoked', () =>
  fresh(async (store) => {
    const accountId = await openAccount(store);
    let last = '';
    for (let made = 0; made < 50; made++)
      last = String((await createKey(store, { accountId, limits: {} }, clock)).json.key_id);
    await assert.rejects(createKey(store, { accountId, limits: {} }, clock), /50 active keys/);
    assert.notEqual((await revokeKey(store, last, clock)).json.revoked_at, null);
    await createKey(store, { accountId, limits: {} }, clock);
  }));

test('a price limit is kept under the real id of its model, and only market models take one', () => {
  assert.deepEqual(limitsById(CONFIG.listings, [{ model: 'tide', price: 5 }]), { 'tide-70b': 5 });
  assert.throws(() => limitsById(CONFIG.listings, [{ model: 'nothing', price: 5 }]), /No model nothing/);
  assert.throws(() => limitsById(CONFIG.listings, [{ model: 'harbor', price: 5 }]), /fixed prices/);
});

test('a first start creates one demo account with $10 and a key with a limit for every market', () =>
  fresh(async (store) => {
    const made = await makeDemoAccount(store, CONFIG.listings.all);
    assert.match(made?.secret ?? '', /^sk-sluice-/);
    const [account] = await store.accounts.list({ limit: 2, after: null });
    assert.deepEqual([account?.id, account?.balance], [made?.accountId, 10_000_000_000n]);
    const [key] = await store.keys.list(account?.id ?? '');
    assert.deepEqual(key?.priceLimits, { 'tide-70b': 4_000_000_000 });
    assert.equal(await makeDemoAccount(store, CONFIG.listings.all), null);
  }));

test('only addresses of this machine are loopback', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '::1']) assert.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com']) assert.ok(!isLoopback(host), host);
});

test('pages of a gateway on loopback are at a name, and others where they listen', () => {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'])
    assert.equal(pagesAddressOf({ host, port: 8080 }), 'http://localhost:8080');
  assert.equal(pagesAddressOf({ host: '10.0.0.1', port: 80 }), 'http://10.0.0.1:80');
  assert.equal(pagesAddressOf({ host: 'fd00::2', port: 80 }), 'http://[fd00::2]:80');
});

test('the welcome shows the models and the demo key, and no password', () => {
  const at = { url: 'http://127.0.0.1:8080', pages: 'http://localhost:8080' };
  const link = `${at.pages}/settings/sign-in#token`;
  const text = welcome(CONFIG, at, { key: 'sk-sluice-demo', link });
  assert.match(
    text,
    /tide-70b +market, level from \$0 to \$4 +2 with 5 slots, 1 of them simulated +default, also tide/,
  );
  assert.match(text, /harbor +fixed, \$1\.00 in, \$4\.00 out per 1M tokens +none, so its orders wait/);
  assert.match(text, /Bearer sk-sluice-demo/);
  assert.match(text, /settings in a browser[^\n]*\n +http:\/\/localhost:8080\/settings\/sign-in#token\n/);
  assert.match(text, /settings +http:\/\/localhost:8080\/settings\n/);
  assert.match(
    text,
    /console +http:\/\/localhost:8080\/console, once invited: npx sluice member invite EMAIL --operator operator\n/,
  );
  assert.match(text, /curl http:\/\/127\.0\.0\.1:8080\/v1/);
  assert.match(text, /mysql:\/\/root:\*\*\*@db\.local\/sluice/);
});

test('without a demo account the welcome says how to open an account; with accounts it says nothing', () => {
  const at = { url: 'http://10.0.0.1:8080', pages: 'http://10.0.0.1:8080' };
  const open = welcome(CONFIG, at, { key: null, link: null });
  assert.match(open, /There is no account yet[^\n]* npx sluice account create NAME\./);
  assert.doesNotMatch(welcome(CONFIG, at, null), /account/);
});

test('order request shows what was sent to the model while it is kept, and refuses otherwise', () =>
  fresh(async (store) => {
    const orderId = '0199aaaa-0000-7000-8000-000000000000';
    const body = { messages: [{ role: 'user', content: 'Grüße' }] };
    const row = { order_id: orderId, account_id: 'a', body: JSON.stringify(body), expires_at_ms: 1000 };
    await store.db.knex('request_logs').insert(row);
    const { json, text } = await showRequest(store, orderId.toUpperCase(), 999);
    const expires_at = new Date(1000).toISOString();
    assert.deepEqual(json, { order_id: orderId, account_id: 'a', expires_at, request: body });
    assert.match(text, /Grüße/);
    await assert.rejects(showRequest(store, orderId, 1000), /No request of order/);
    await assert.rejects(showRequest(store, "' OR 1=1 --", 0), /No request of order/);
  }));

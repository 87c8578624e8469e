import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseConfig } from '#config.ts';
import { changeStanding, createAccount, creditAccount, listAccounts, refundAccount, showAccount } from './accounts.ts';
import { type Books, withBooks } from './books.ts';
import { isLoopback, makeDemoAccount } from './demo.ts';
import { createKey, limitsById, listKeys, revokeKey } from './keys.ts';
import { showRequest } from './orders.ts';
import { welcome } from './welcome.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

function fresh<Value>(use: (books: Books) => Promise<Value>): Promise<Value> {
  return withBooks(`sqlite:${join(folder, `${databases++}.sqlite`)}`, use);
}

const NEW = { name: 'Ada', credit: null, force: false, retentionDays: 30, logPayloads: false };

async function openAccount(books: Books): Promise<string> {
  return String((await createAccount(books, { ...NEW, credit: 25_000_000_000n })).json.account_id);
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
  fresh(async (books) => {
    const { json } = await createAccount(books, { ...NEW, credit: 25_000_000_000n, retentionDays: 7 });
    assert.equal(json.balance_usd, 25);
    assert.deepEqual(json.storage, { retention_days: 7, log_payloads: false });
    assert.equal(json.order_timeout_seconds, 600);
  }));

test('account list and show tell the same of an account', () =>
  fresh(async (books) => {
    const id = await openAccount(books);
    const { json } = await listAccounts(books);
    assert.deepEqual(json.accounts, [(await showAccount(books, id)).json]);
  }));

test('account list of an empty database says which one it is', () =>
  fresh(async (books) => {
    const { json, text } = await listAccounts(books);
    assert.deepEqual(json, { accounts: [] });
    assert.match(text, /^No account is in sqlite:\S+\.sqlite yet; npx sluice account create NAME opens one\.$/);
  }));

test('a key without price limits says what its requests need', () =>
  fresh(async (books) => {
    const accountId = await openAccount(books);
    assert.match(
      (await createKey(books, { accountId, limits: {} })).text,
      /a request for a market model brings its own/,
    );
    const { text } = await createKey(books, { accountId, limits: { 'tide-70b': 1 } });
    assert.doesNotMatch(text, /brings its own/);
  }));

test('an unknown account is refused by its id', () =>
  fresh(async (books) => {
    await assert.rejects(showAccount(books, 'nobody'), /no account "nobody"/);
    await assert.rejects(changeStanding(books, { id: 'nobody', to: 'suspended' }), /no account "nobody"/);
    await assert.rejects(
      creditAccount(books, { id: 'nobody', amount: 10n ** 10n, force: false }),
      /no account "nobody"/,
    );
    await assert.rejects(createKey(books, { accountId: 'nobody', limits: {} }), /no account "nobody"/);
  }));

test('suspend and resume change the standing', () =>
  fresh(async (books) => {
    const id = await openAccount(books);
    assert.equal((await changeStanding(books, { id, to: 'suspended' })).json.status, 'suspended');
    assert.equal((await changeStanding(books, { id, to: 'active' })).json.status, 'active');
  }));

test('a credit repeated under its idempotency key moves money once and says so', () =>
  fresh(async (books) => {
    const id = await openAccount(books);
    const wish = { id, amount: 10_000_000_000n, idempotencyKey: 'invoice-7', force: false };
    assert.equal((await creditAccount(books, wish)).json.repeated, false);
    const again = await creditAccount(books, wish);
    assert.equal(again.json.repeated, true);
    assert.equal(again.json.balance_usd, 35);
    assert.match(again.text, /nothing moved now/);
  }));

test('a refund without an order is money back; for an order that is not theirs it is refused', () =>
  fresh(async (books) => {
    const id = await openAccount(books);
    assert.equal((await refundAccount(books, { id, amount: 1n, reason: 'sorry' })).json.balance_usd, 25.000000001);
    await assert.rejects(refundAccount(books, { id, amount: 1n, orderId: 'x' }), /no settled order "x"/);
  }));

test('key create shows the secret, key list never does', () =>
  fresh(async (books) => {
    const accountId = await openAccount(books);
    const { json } = await createKey(books, { accountId, name: 'laptop', limits: { 'tide-70b': 2_500_000_000 } });
    assert.match(String(json.api_key), /^sk-sluice-[0-9A-Za-z]{43}$/);
    assert.deepEqual(json.default_price_limit, { 'tide-70b': 2.5 });
    const listed = await listKeys(books, accountId);
    assert.doesNotMatch(JSON.stringify(listed), new RegExp(String(json.api_key)));
    assert.match(listed.text, /laptop/);
  }));

test('a 51st active key is refused until one is revoked', () =>
  fresh(async (books) => {
    const accountId = await openAccount(books);
    let last = '';
    for (let made = 0; made < 50; made++)
      last = String((await createKey(books, { accountId, limits: {} })).json.key_id);
    await assert.rejects(createKey(books, { accountId, limits: {} }), /50 active keys/);
    assert.notEqual((await revokeKey(books, last)).json.revoked_at, null);
    await createKey(books, { accountId, limits: {} });
  }));

test('a price limit is kept under the model itself, and only market models take one', () => {
  assert.deepEqual(limitsById(CONFIG.listings, [{ model: 'tide', price: 5 }]), { 'tide-70b': 5 });
  assert.throws(() => limitsById(CONFIG.listings, [{ model: 'nothing', price: 5 }]), /No model nothing/);
  assert.throws(() => limitsById(CONFIG.listings, [{ model: 'harbor', price: 5 }]), /fixed prices/);
});

test('a first start makes one demo account with $10 and a key that bids on every market', () =>
  fresh(async (books) => {
    const secret = await makeDemoAccount(books, CONFIG.listings.all);
    assert.match(secret ?? '', /^sk-sluice-/);
    const [account] = await books.accounts.list({ limit: 2, after: null });
    assert.equal(account?.balance, 10_000_000_000n);
    const [key] = await books.keys.list(account?.id ?? '');
    assert.deepEqual(key?.priceLimits, { 'tide-70b': 4_000_000_000 });
    assert.equal(await makeDemoAccount(books, CONFIG.listings.all), null);
  }));

test('only addresses of this machine are loopback', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '::1']) assert.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com']) assert.ok(!isLoopback(host), host);
});

test('the welcome shows the models and the demo key, and no password', () => {
  const text = welcome(CONFIG, 'http://127.0.0.1:8080', { key: 'sk-sluice-demo' });
  assert.match(
    text,
    /tide-70b +market, level from \$0 to \$4 +2 with 5 slots, 1 of them simulated +default, also tide/,
  );
  assert.match(text, /harbor +fixed, \$1\.00 in, \$4\.00 out per 1M tokens +none, so its orders wait/);
  assert.match(text, /Bearer sk-sluice-demo/);
  assert.match(text, /mysql:\/\/root:\*\*\*@db\.local\/sluice/);
});

test('the welcome says how to open an account where no demo account is made, and nothing where there are accounts', () => {
  const open = welcome(CONFIG, 'http://10.0.0.1:8080', { key: null });
  assert.match(open, /There is no account yet[^\n]* npx sluice account create opens one\./);
  assert.doesNotMatch(welcome(CONFIG, 'http://10.0.0.1:8080', null), /account/);
});

test('order request shows what the model was sent for as long as it is kept, and refuses otherwise', () =>
  fresh(async (books) => {
    const orderId = '0199aaaa-0000-7000-8000-000000000000';
    const body = { messages: [{ role: 'user', content: 'Grüße' }] };
    const row = { order_id: orderId, account_id: 'a', body: JSON.stringify(body), expires_at_ms: 1000 };
    await books.db.knex('request_logs').insert(row);
    const { json, text } = await showRequest(books, orderId.toUpperCase(), 999);
    const expires_at = new Date(1000).toISOString();
    assert.deepEqual(json, { order_id: orderId, account_id: 'a', expires_at, request: body });
    assert.match(text, /Grüße/);
    await assert.rejects(showRequest(books, orderId, 1000), /No request of order/);
    await assert.rejects(showRequest(books, "' OR 1=1 --", 0), /No request of order/);
  }));

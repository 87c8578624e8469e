/** What an operator does without a browser, beside a gateway in a process of its own. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { cannedReply, startMockBackend } from '#testing/mock-backend.ts';
import { fixedModel, selling } from '#testing/test-config.ts';

let site: Site;
let gateway: Awaited<ReturnType<Site['start']>>;
before(async () => {
  site = await makeSite(
    selling([fixedModel('harbor', 2)], { probes: { enabled: false }, database_deadline_ms: 60_000 }),
  );
  gateway = await site.start();
});
after(async () => {
  await gateway?.kill();
  await site?.remove();
});

const ask = (key: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({
      model: 'harbor',
      max_tokens: 2,
      x_simulate: { first_token_ms: 1, token_ms: 1 },
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });

test('a pod is drained and resumed, orders are shown, and the statement has every nano-dollar', async () => {
  const url = ['--url', gateway.url];
  const account = String((await site.command('account', 'create', 'Ada', '--credit', '25')).json.account_id);
  const key = String((await site.command('key', 'create', account)).json.api_key);
  assert.equal((await ask(key, { 'x-request-id': 'request-of-the-test' })).status, 200);
  for (let count = 0; count < 2; count++) assert.equal((await ask(key)).status, 200);

  const without = await site.command('pod', 'list', ...url);
  assert.equal(without.exitCode, 1);
  assert.match(JSON.stringify(without.json), /Set SLUICE_OPERATOR_TOKEN to a token/);

  const { json } = await site.command('operator-token', 'create', 'deploy', '--scopes', 'read,operate');
  site.environment.SLUICE_OPERATOR_TOKEN = String(json.token);
  const drained = await site.command('pod', 'drain', 'harbor-1', ...url);
  assert.deepEqual([drained.exitCode, drained.json.draining], [0, true]);
  const waiting = ask(key);
  assert.equal((await site.command('pod', 'resume', 'harbor-1', ...url)).json.draining, false);
  assert.equal((await waiting).status, 200);
  assert.equal(((await site.command('pod', 'list', ...url)).json.pods as object[]).length, 1);
  const unknown = await site.command('pod', 'drain', 'nothing', ...url);
  assert.equal(unknown.exitCode, 2);
  assert.match(JSON.stringify(unknown.json), /There is no pod \\"nothing\\"/);
  const listed = (await site.command('order', 'list', account, ...url)).json.orders as { id: string }[];
  assert.equal(listed.length, 4);
  const [newest] = listed;
  const [named] = (await site.command('order', 'list', 'request-of-the-test', ...url)).json.orders as { id: string }[];
  assert.equal(named?.id, listed.at(-1)?.id);
  assert.equal((await site.command('order', 'show', 'request-of-the-test')).json.id, named?.id);
  const several = await site.command('order', 'show', account);
  assert.match(JSON.stringify(several.json), /Several orders have the id/);
  assert.deepEqual([several.exitCode, (await site.command('order', 'list', 'nothing', ...url)).exitCode], [2, 2]);
  const shown = await site.command('order', 'show', newest?.id ?? '');
  assert.deepEqual([shown.json.status, shown.json.account_id], ['done', account]);

  const balance = (await site.command('account', 'show', account)).json.balance_usd;
  const statement = await site.command('account', 'statement', account, new Date().toISOString().slice(0, 7));
  assert.deepEqual([statement.json.closing_usd, statement.json.opening_usd], [balance, 0]);
  const entries = (await site.command('account', 'entries', account)).json.entries as { kind: string }[];
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    [...Array.from({ length: 4 }, () => 'charge'), 'top_up'],
  );
  for (const wrong of [
    ['account', 'statement', account, '2026-13'],
    ['account', 'statement', 'nobody', '2026-01'],
    ['account', 'entries', 'nobody'],
    ['account', 'entries', account, '--limit', '0'],
    ['account', 'update', account],
    ['order', 'show', 'nothing'],
    ['operator-token', 'create', 'other', '--scopes', 'everything'],
    ['operator-token', 'revoke', 'nothing'],
  ])
    assert.equal((await site.command(...wrong)).exitCode, 2, wrong.join(' '));
});

test('the statement is that of the page, with credits, orders, refunds and debits', async () => {
  const run = async (...args: string[]) => {
    const { exitCode, json } = await site.command(...args);
    assert.equal(exitCode, 0, JSON.stringify(json));
    return json;
  };
  const { id, apiKey } = await site.openAccount('Eve', '25.000000007');
  const orders: (string | null)[] = [];
  for (let count = 0; count < 3; count++) {
    const reply = await ask(apiKey);
    assert.equal(reply.status, 200, await reply.text());
    orders.push(reply.headers.get('x-service-order-id'));
  }
  await run('account', 'credit', id, '10.000000003');
  await run('account', 'refund', id, '0.000000001', '--order', orders[0] ?? '');
  await run('account', 'refund', id, '0.000000002', '--reason', 'slow');
  await run('account', 'debit', id, '3.000000001', '--reason', 'credited twice');
  const { token } = await run('member', 'invite', 'eve@example.com', '--account', id, '--role', 'viewer');
  const signedIn = await fetch(`${gateway.url}/settings/api/sign-in/link`, {
    method: 'POST',
    headers: { origin: gateway.url, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  assert.equal(signedIn.status, 200, await signedIn.text());
  const [cookie = ''] = signedIn.headers.getSetCookie().map((set) => set.replace(/;.*/, ''));

  const month = new Date().toISOString().slice(0, 7);
  const page = await fetch(`${gateway.url}/settings/api/statements/${month}`, { headers: { cookie } });
  const shown = (await page.json()) as { opening_usd: number; closing_usd: number; sums: Record<string, number> };
  assert.deepEqual(await run('account', 'statement', id, month), shown);
  const { opening_usd, closing_usd, sums } = shown;
  const nano = (usd: number) => BigInt(Math.round(usd * 1e9));
  const moved = ['top_up', 'charge', 'refund', 'reversal'].map((kind) => nano(sums[`${kind}_usd`] ?? Number.NaN));
  assert.deepEqual([moved[0], moved[2], moved[3]], [35_000_000_010n, 3n, -3_000_000_001n]);
  assert.equal(
    moved.reduce((sum, each) => sum + each, nano(opening_usd)),
    nano(closing_usd),
  );
  assert.equal(closing_usd, (await run('account', 'show', id)).balance_usd);
});

test('a pod is added once it answers, and removed; what is refused changes nothing and exits 2', async () => {
  const backend = await startMockBackend({ reply: cannedReply({ chunks: 2 }) });
  after(() => backend.close());
  const url = ['--url', gateway.url];
  const { json } = await site.command('operator-token', 'create', 'adder', '--scopes', 'read,operate');
  site.environment.SLUICE_OPERATOR_TOKEN = String(json.token);
  const keyFile = join(site.folder, 'pod.key');
  writeFileSync(keyFile, 'the-key-of-a-pod\n');
  const add = (id: string, address: string, ...more: string[]) =>
    site.command('pod', 'add', id, '--model', 'harbor', '--address', address, '--slots', '2', ...more, ...url);
  const ids = async () =>
    ((await site.command('pod', 'list', ...url)).json.pods as { pod: string }[]).map(({ pod }) => pod);

  const added = await add('gpu-1', backend.url, '--api-key-file', keyFile, '--served-model', 'llama');
  assert.equal(added.exitCode, 0, JSON.stringify(added.json));
  assert.deepEqual([added.json.reports_usage, added.json.reports_cached_tokens], [true, true]);
  assert.equal(backend.requests[0]?.headers.authorization, 'Bearer the-key-of-a-pod');
  assert.deepEqual(await ids(), ['harbor-1', 'gpu-1']);

  const wrong: readonly (readonly [RegExp, () => ReturnType<Site['command']>])[] = [
    [/nothing listens at http:/, () => add('gpu-2', 'http://127.0.0.1:9/v1')],
    [/There is a pod harbor-1 already/, () => add('harbor-1', backend.url)],
    [/is not an http or https address/, () => add('gpu-2', 'gpu-2')],
    [/cannot be read \(ENOENT\)/, () => add('gpu-2', backend.url, '--api-key-file', 'nothing')],
    [/--slots-min is many; write a whole number/, () => add('gpu-2', backend.url, '--slots-min', 'many')],
    [/There is no pod .*gpu-9/, () => site.command('pod', 'remove', 'gpu-9', ...url)],
    [/The configuration file has the pod harbor-1/, () => site.command('pod', 'remove', 'harbor-1', ...url)],
    [/is no address/, () => site.command('pod', 'list', '--url', 'gateway')],
  ];
  for (const [sentence, run] of wrong) {
    const refused = await run();
    assert.deepEqual([refused.exitCode, sentence.test(JSON.stringify(refused.json))], [2, true], String(sentence));
  }
  assert.deepEqual(await ids(), ['harbor-1', 'gpu-1']);
  const removed = await site.command('pod', 'remove', 'gpu-1', ...url);
  assert.deepEqual([removed.exitCode, removed.json], [0, { pod: 'gpu-1', removed: true }]);
  assert.deepEqual(await ids(), ['harbor-1']);

  const reader = await site.command('operator-token', 'create', 'reader', '--scopes', 'read');
  site.environment.SLUICE_OPERATOR_TOKEN = String(reader.json.token);
  const denied = await site.command('pod', 'drain', 'harbor-1', ...url);
  assert.equal(denied.exitCode, 2);
  assert.match(JSON.stringify(denied.json), /This operator token lacks the scope operate/);
});

/** What an operator does without a browser, beside a gateway in a process of its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeSite, type Site } from '#testing/gateway-process.ts';
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

const ask = (key: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
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
  for (let count = 0; count < 3; count++) assert.equal((await ask(key)).status, 200);

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

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { CommandError } from './output.ts';
import { webhookCommand } from './webhooks.ts';

let opened: OpenedDatabase;
before(async () => {
  const [sqlite] = testedDatabases;
  assert.ok(sqlite);
  opened = await openTested(sqlite);
});
after(() => opened.drop());

const run = (action: Parameters<typeof webhookCommand>[1]['action'], which?: string) =>
  webhookCommand(opened, { action, allow: ['hooks.internal'], ...(which === undefined ? {} : { which }) });

test('the operator adds, tries, rotates and removes a webhook, and sees its deliveries', async () => {
  assert.equal((await run('list')).text, 'The operator has no webhooks yet.');
  const { json } = await run('add', 'http://hooks.internal/pods');
  const { webhook_id: id, secret, events } = json as { webhook_id: string; secret: string; events: string[] };
  assert.deepEqual(events, ['pod.down', 'pod.up']);
  assert.match(secret, /^whsec_/);
  assert.ok(!(await run('list')).text.includes(secret));
  assert.match((await run('test', id)).text, /webhook\.test .*waits/);
  assert.match((await run('deliveries', id)).text, /webhook\.test/);
  assert.notEqual(((await run('rotate', id)).json as { secret: string }).secret, secret);
  assert.match((await run('enable', id)).text, /http:\/\/hooks\.internal\/pods/);
  await run('remove', id);
  await assert.rejects(run('test', id), (error) => error instanceof Fault && error.code === 'not_found');
});

test('what is no public address is refused', async () => {
  for (const address of ['https://10.0.0.1/', 'http://example.com/', ''])
    await assert.rejects(run('add', address), CommandError);
});

test('the help of a webhook command says what it needs, and an unknown one is refused', () => {
  const cli = (...typed: string[]) =>
    spawnSync(process.execPath, ['src/cli.ts', 'webhook', ...typed], { encoding: 'utf8' });
  assert.match(cli('add', '--help').stdout, /Usage: sluice webhook add \[options\] <url>/);
  assert.match(cli('--help').stdout, /rotate \[options\] <webhook> +make a new secret/);
  for (const typed of [['send'], ['add'], ['remove']]) assert.equal(cli(...typed).status, 1);
});

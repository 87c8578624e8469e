import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const CLI = join(import.meta.dirname, 'cli.ts');
const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function sluice(args: readonly string[], environment: Record<string, string> = {}): Promise<Run> {
  // A folder of its own for results too: the audit would find those of a gateway that ran in this checkout.
  const own = { DATABASE_URL: `sqlite:${join(folder, 'a.sqlite')}`, SLUICE_DATA: join(folder, 'data') };
  const env = { ...process.env, ...own, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

function lastLine({ stdout }: Run): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

test('accounts and keys are created and audited from the shell, with one JSON object on each last line', async () => {
  const account = await sluice(['account', 'create', 'Ada', '--credit', '25', '--retention-days', '7', '--json']);
  assert.equal(account.code, 0, account.stderr);
  const id = String(lastLine(account).account_id);
  const key = await sluice(['key', 'create', id, '--price-limit', 'tide=2', '--price-limit', 'surge-400b=3', '--json']);
  assert.equal(key.code, 0, key.stderr);
  assert.match(String(lastLine(key).api_key), /^sk-sluice-/);
  assert.deepEqual(lastLine(key).default_price_limit, { 'tide-70b': 2, 'surge-400b': 3 });
  const audited = await sluice(['audit', '--json']);
  assert.deepEqual(lastLine(audited), { ok: true, accounts: 1, orders: 0, findings: [] });
});

test('a key with a budget is made, changed, rotated and listed from the shell', async () => {
  const account = String(lastLine(await sluice(['account', 'create', 'Budget', '--json'])).account_id);
  const rules = ['--budget', '5', '--reset', 'month', '--expires', '90d', '--models', 'tide,surge-400b'];
  const made = await sluice(['key', 'create', account, ...rules, '--json']);
  assert.equal(made.code, 0, made.stderr);
  const { key_id: id, models, budget } = lastLine(made);
  assert.deepEqual(models, ['tide-70b', 'surge-400b']);
  assert.equal((budget as { reset: string }).reset, 'month');
  const changed = lastLine(
    await sluice(['key', 'update', String(id), '--budget', '6', '--expires', 'never', '--json']),
  );
  assert.deepEqual([(changed.budget as { amount_usd: number }).amount_usd, changed.expires_at], [6, null]);
  const rotated = await sluice(['key', 'rotate', String(id), '--json']);
  assert.equal(lastLine(rotated).key_id, id, rotated.stderr);
  const listed = lastLine(await sluice(['key', 'list', account, '--json']));
  assert.deepEqual(
    (listed.keys as { key_id: string }[]).map(({ key_id }) => key_id),
    [id],
  );
  for (const wrong of [['--reset', 'yearly'], ['--expires', 'soon'], ['--models', 'nothing'], ['--budget', '0'], []]) {
    const refused = await sluice(['key', 'update', String(id), ...wrong]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^sluice: [^\n]+\n$/);
  }
});

test('a key with scopes, addresses and an owner is made, listed and changed from the shell', async () => {
  const account = String(lastLine(await sluice(['account', 'create', 'Scopes', '--json'])).account_id);
  await sluice(['member', 'invite', 'ada@example.com', '--account', account]);
  const rules = ['--scopes', 'read_own,inference', '--addresses', '10.0.0.0/8,::1', '--member', 'ada@example.com'];
  const made = lastLine(await sluice(['key', 'create', account, ...rules, '--json']));
  assert.deepEqual(
    [made.scopes, made.addresses],
    [
      ['inference', 'read_own'],
      ['10.0.0.0/8', '::1'],
    ],
  );
  const id = String(made.key_id);
  const listed = await sluice(['key', 'list', account]);
  assert.match(listed.stdout, /inference, read_own +10\.0\.0\.0\/8, ::1 +ada@example\.com/);
  for (const wrong of [
    ['--scopes', 'all'],
    ['--addresses', 'example.com'],
    ['--member', 'eve@example.com'],
  ]) {
    const refused = await sluice(['key', 'update', id, ...wrong]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^sluice: [^\n]+\n$/);
  }
  const freed = ['--scopes', 'default', '--addresses', 'any', '--member', 'none'];
  const changed = lastLine(await sluice(['key', 'update', id, ...freed, '--json']));
  assert.deepEqual(
    [changed.scopes, changed.addresses, changed.member_id],
    [['inference', 'read_own', 'read_all', 'manage'], null, null],
  );
});

test('a refusal is one sentence on standard error, exit code 2, and an object with --json', async () => {
  const refused = await sluice(['account', 'show', 'nobody', '--json']);
  assert.equal(refused.code, 2);
  const message = 'There is no account "nobody"; sluice account list has the ids.';
  assert.equal(refused.stderr, `sluice: ${message}\n`);
  assert.deepEqual(lastLine(refused), { error: { message } });
});

test('a command in a folder without a database refuses, and leaves nothing there', async () => {
  const elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
  const own = {
    DATABASE_URL: `sqlite:${join(elsewhere, 'data', 'sluice.sqlite')}`,
    SLUICE_DATA: join(elsewhere, 'data'),
  };
  for (const args of [['account', 'list'], ['audit'], ['payments'], ['account', 'suspend', 'x'], ['webhook', 'list']]) {
    const refused = await sluice(args, own);
    assert.equal(refused.code, 1, args.join(' '));
    assert.match(refused.stderr, /cannot be used: it does not exist; run this in the gateway's folder/);
  }
  assert.deepEqual(readdirSync(elsewhere), []);
  assert.equal((await sluice(['account', 'create', 'Ada'], own)).code, 0);
});

test('an invalid price limit is refused with one sentence', async () => {
  const refused = await sluice(['key', 'create', 'nobody', '--price-limit', 'nonsense']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^sluice: nonsense is not a price limit; write MODEL=USD [^\n]+\n$/);
});

test('an account whose first top-up is out of bounds is not opened', async () => {
  const before = lastLine(await sluice(['account', 'list', '--json']));
  const refused = await sluice(['account', 'create', 'Bob', '--credit', '5']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /add --force/);
  assert.deepEqual(lastLine(await sluice(['account', 'list', '--json'])), before);
  assert.equal((await sluice(['account', 'create', 'Bob', '--credit', '5', '--force'])).code, 0);
});

test('simulate refuses seeds and numbers of clusters that are none, and unknown days', async () => {
  const seed = await sluice(['simulate', '--seed', 'x']);
  assert.match(seed.stderr, /^sluice: A seed must be a whole number/);
  const clusters = await sluice(['simulate', '--clusters', '0', '--only', 'cluster']);
  assert.match(clusters.stderr, /The number of clusters must be a whole number from 1 to 100000\./);
  const days = await sluice(['simulate', '--only', 'holidays']);
  assert.match(days.stderr, /^sluice: No day has a name that contains holidays/);
});

test('serve with a wrong configuration stops with one sentence', async () => {
  const refused = await sluice(['serve'], { SLUICE_CONFIG: join(folder, 'none.yaml') });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^sluice: .*none\.yaml does not exist; set SLUICE_CONFIG.*\.\n$/);
});

test('a database that cannot be used stops a command, and the gateway, with one sentence', async () => {
  const nobody = { DATABASE_URL: 'mysql://root:secret@127.0.0.1:1/sluice', PORT: '0', METRICS_PORT: '0' };
  const sentence =
    /^sluice: The database mysql:\/\/root:\*\*\*@127\.0\.0\.1:1\/sluice cannot be used: no server answers.*\.\n$/;
  for (const command of [['audit'], ['serve']]) {
    const refused = await sluice(command, nobody);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, sentence);
    assert.equal(refused.stdout, '');
  }
  const file = join(folder, 'words.sqlite');
  writeFileSync(
    file,
    'these are words and no database, and there are enough of them to fill a page header '.repeat(20),
  );
  assert.match(
    (await sluice(['audit'], { DATABASE_URL: `sqlite:${file}` })).stderr,
    /is not a SQLite database; move it away/,
  );
});

test('an unknown command is refused, with the way to the help', async () => {
  const refused = await sluice(['acount']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^sluice: unknown command 'acount'[\s\S]*sluice --help/);
});

test('a usage error names the help of its command, and is an object with --json', async () => {
  const refused = await sluice(['account', 'credit', 'nobody', '--json']);
  assert.equal(refused.code, 1);
  assert.equal(
    refused.stderr,
    "sluice: missing required argument 'usd'\n(sluice account credit --help shows its usage)\n",
  );
  assert.deepEqual(lastLine(refused), { error: { message: "missing required argument 'usd'" } });
});

test('a folder that is a file, and an unknown host, stop the start with one sentence', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const data = await sluice(['serve'], { PORT: '0', METRICS_PORT: '0', SLUICE_DATA: file });
  assert.equal(data.stderr, `sluice: The folder ${file} of SLUICE_DATA cannot be used: it is a file; name a folder.\n`);
  const host = await sluice(['serve'], { PORT: '0', METRICS_PORT: '0', HOST: 'nowhere.invalid', LOG_LEVEL: 'silent' });
  assert.equal(host.stderr, 'sluice: HOST nowhere.invalid is not known; set an address of this machine.\n');
  assert.deepEqual([data.code, host.code], [1, 1]);
});

test('a record that does not exist or is a folder cannot be replayed', async () => {
  const missing = await sluice(['replay', join(folder, 'none.jsonl')]);
  assert.match(missing.stderr, /^sluice: .*none\.jsonl cannot be replayed: there is no such file\.\n$/);
  assert.match((await sluice(['replay', folder])).stderr, /cannot be replayed: it is a folder; name a file in it\.\n$/);
});

test('config check says what the file sells, and names the line of what is wrong', async () => {
  const right = await sluice(['config', 'check', join(import.meta.dirname, '../sluice.yaml'), '--json']);
  assert.equal(right.code, 0, right.stderr);
  const { ok, models, warnings } = lastLine(right);
  assert.deepEqual([ok, warnings], [true, []]);
  assert.ok((models as string[]).includes('tide-70b'));
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, 'default_model: tide\nmodel: []\n');
  const text = await sluice(['config', 'check', join(import.meta.dirname, '../sluice.yaml')]);
  assert.match(text.stdout, /USD per 1M tokens:\n/);
  assert.match(text.stdout, /\ntide-70b +ceiling +\d+(?: +\d+\.\d+){3}\n/);
  const wrong = await sluice(['config', 'check', file]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /wrong\.yaml:\d+: /);
  const none = await sluice(['config', 'check', join(folder, 'none.yaml')]);
  assert.match(none.stderr, /none\.yaml does not exist; set SLUICE_CONFIG/);
});

test('config schema prints what the repository has', async () => {
  const { stdout, code } = await sluice(['config', 'schema']);
  assert.equal(code, 0);
  assert.equal(stdout, readFileSync(join(import.meta.dirname, '../deploy/configuration.schema.json'), 'utf8'));
});

test('health of a gateway that is not there exits 1 and names the address', async () => {
  const { code, stdout } = await sluice(['health', '--json'], { PORT: '1' });
  assert.equal(code, 1);
  assert.match(stdout, /"url":"http:\/\/127\.0\.0\.1:1","reason":"cannot be reached \(ECONNREFUSED\)/);
});

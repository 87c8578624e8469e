import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fixedModel, selling } from '#testing/test-config.ts';

const CLI = join(import.meta.dirname, '../cli.ts');
const folder = mkdtempSync(join(tmpdir(), 'sluice-main-'));
const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** `serve --json` over a database of this name, with the shipped configuration and a free port. */
function spawnServe(name: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, 'serve', '--json'], {
    env: {
      ...process.env,
      PORT: '0',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: `sqlite:${join(folder, `${name}.sqlite`)}`,
      SLUICE_DATA: join(folder, name),
      LOG_LEVEL: 'info',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return { child, stderr: text(child.stderr), exit: once(child, 'exit') };
}

async function started(
  child: ChildProcess,
): Promise<{ url: string; demo_api_key: string | null; demo_link: string | null }> {
  assert.ok(child.stdout);
  const [line] = await once(createInterface(child.stdout), 'line');
  return JSON.parse(line);
}

function chat(url: string, key: string, body: object): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'What is a sluice?' }], ...body }),
  });
}

interface DemoSession {
  readonly email: string;
  readonly role: string;
  readonly account: { readonly name: string };
}

async function signIn(url: string, token: string): Promise<DemoSession> {
  const answer = await fetch(`${url}/settings/api/sign-in/link`, { method: 'POST', body: JSON.stringify({ token }) });
  assert.equal(answer.status, 200);
  return (await answer.json()) as DemoSession;
}

test('a first start prints a demo key and a link that work; later starts print none', async () => {
  const first = spawnServe('first');
  const { url, demo_api_key, demo_link } = await started(first.child);
  assert.ok(demo_api_key && demo_link);
  const response = await chat(url, demo_api_key, { max_tokens: 3 });
  assert.equal(response.status, 200);
  const { usage } = (await response.json()) as { usage: { x_market: { charged_usd: number; pricing: string } } };
  assert.equal(usage.x_market.pricing, 'market');
  assert.ok(usage.x_market.charged_usd > 0);
  // Passkeys exist at hosts with a name only.
  const { origin } = new URL(demo_link);
  const isNamed = origin === url.replace('127.0.0.1', 'localhost');
  const token = demo_link.slice(demo_link.indexOf('#') + 1);
  const session = await signIn(origin, token);
  assert.deepEqual([session.email, session.role, session.account.name], ['demo@localhost', 'owner', 'demo']);
  first.child.kill('SIGTERM');
  assert.deepEqual(await first.exit, [0, null]);
  assert.ok(isNamed || (await first.stderr).includes('Another process listens there'), origin);
  assert.match(
    await first.stderr,
    /"version":"[\d.]+","url":"http:[^"]+","configuration":"[^"]+","msg":"The gateway is ready\."/,
  );
  assert.match(await first.stderr, /"code":0,"msg":"The gateway has stopped\."/);
  assert.doesNotMatch(await first.stderr, new RegExp(`${demo_api_key}|${token}`), 'the log contains a secret');
  const second = spawnServe('first');
  const { demo_api_key: again, demo_link: another } = await started(second.child);
  assert.deepEqual([again, another], [null, null]);
  second.child.kill('SIGTERM');
  await second.exit;
});

test('the log says what runs where, the code of each refusal, and that it has stopped', async () => {
  const logged = spawnServe('logged');
  const { url } = await started(logged.child);
  assert.equal((await chat(url, 'sk-sluice-wrong', {})).status, 401);
  logged.child.kill('SIGTERM');
  assert.deepEqual(await logged.exit, [0, null]);
  const lines = (await logged.stderr)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const lineOf = (msg: string) => lines.find((line) => line.msg === msg);
  const ready = lineOf('The gateway is ready.');
  assert.match(ready.version, /^\d+\.\d+\.\d+/);
  assert.equal(ready.url, url);
  assert.match(ready.configuration, /sluice\.yaml$/);
  assert.equal(lineOf('A request was refused.').code, 'invalid_api_key');
  assert.equal(lines.at(-1).msg, 'The gateway has stopped.');
});

test('an address that others can reach gets no demo account', async () => {
  const { child, exit } = spawnServe('open', { HOST: '0.0.0.0' });
  assert.equal((await started(child)).demo_api_key, null);
  child.kill('SIGTERM');
  await exit;
});

test('a pod that is not simulated is not given away: no demo account, key or link', async () => {
  const file = join(folder, 'real-pods.yaml');
  const pods = [
    { id: 'a', simulated: true, slots: 1 },
    { id: 'b', url: 'http://127.0.0.1:9', slots: 1 },
  ];
  writeFileSync(file, selling([{ ...fixedModel('harbor', 4), pods }], { probes: { enabled: false } }));
  const { child, exit } = spawnServe('real-pods', { SLUICE_CONFIG: file });
  const { demo_api_key, demo_link } = await started(child);
  assert.deepEqual([demo_api_key, demo_link], [null, null]);
  child.kill('SIGTERM');
  await exit;
});

test('a port in use stops the start with one sentence, and no account is created', async () => {
  const holder = spawnServe('holder');
  const { url } = await started(holder.child);
  const { port } = new URL(url);
  const refused = spawnServe('refused', { PORT: port });
  assert.deepEqual(await refused.exit, [1, null]);
  assert.match(await refused.stderr, new RegExp(`sluice: 127\\.0\\.0\\.1:${port} is in use already; set PORT`));
  const retried = spawnServe('refused');
  assert.ok((await started(retried.child)).demo_api_key, 'the first start that listens shows the key');
  for (const { child, exit } of [holder, retried]) {
    child.kill('SIGTERM');
    await exit;
  }
});

test('SIGHUP reads the configuration again; of a file that is wrong the log names the line, and nothing changes', async () => {
  const file = join(folder, 'hung-up.yaml');
  const write = (own: object) =>
    writeFileSync(file, selling([fixedModel('harbor', 4)], { probes: { enabled: false }, ...own }));
  // It is asked again and again until it has read the file: as often as a fast machine can.
  const limits = { public_requests_per_minute_per_address: 1_000_000 };
  write({ limits });
  const { child, exit, stderr } = spawnServe('hung-up', { SLUICE_CONFIG: file });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes;
  });
  const { url } = await started(child);
  const streamsMax = async () => {
    const limits = (await (await fetch(`${url}/v1/rate-limits`)).json()) as {
      public: { open_streams_per_address: number };
    };
    return limits.public.open_streams_per_address;
  };
  assert.equal(await streamsMax(), 5);
  write({ limits: { ...limits, streams_per_address: 7 } });
  child.kill('SIGHUP');
  while ((await streamsMax()) !== 7) await nextTurn();
  write({ limits: { ...limits, streams_per_adress: 9 } });
  child.kill('SIGHUP');
  // A gateway that ends does not read on.
  while (!said.includes('the previous one stays')) assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal(await streamsMax(), 7);
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  const log = await stderr;
  assert.match(log, /"changed":\["limits\.streams_per_address"\].*was read again/);
  assert.match(log, /hung-up\.yaml:\d+: limits\.streams_per_adress is not a setting here.*the previous one stays/);
});

test('a second gateway on a database is refused, and the orders of the first continue', async () => {
  const serving = spawnServe('shared');
  const { url, demo_api_key } = await started(serving.child);
  assert.ok(demo_api_key);
  const running = await chat(url, demo_api_key, { stream: true, x_simulate: { output_tokens: 20, token_ms: 100 } });
  const refused = spawnServe('shared');
  assert.deepEqual(await refused.exit, [1, null]);
  assert.match(
    await refused.stderr,
    /^sluice: The database sqlite:.*shared\.sqlite cannot be used: another gateway serves it \(process \d+ on .+\); stop that one, or set DATABASE_URL to another\.\n$/,
  );
  assert.match(await running.text(), /"finish_reason":"stop".*data: \[DONE\]\n\n$/s);
  serving.child.kill('SIGKILL');
  await serving.exit;
  const next = spawnServe('shared');
  await started(next.child);
  next.child.kill('SIGTERM');
  assert.deepEqual(await next.exit, [0, null]);
});

test('a drain lets a running stream finish, a second signal ends it', async () => {
  const drained = spawnServe('drained');
  const { url, demo_api_key } = await started(drained.child);
  assert.ok(demo_api_key);
  const slow = { stream: true, x_simulate: { output_tokens: 20, token_ms: 20 } };
  const patient = await chat(url, demo_api_key, slow);
  drained.child.kill('SIGTERM');
  assert.match(await patient.text(), /data: \[DONE\]\n\n$/);
  assert.deepEqual(await drained.exit, [0, null]);

  const hurried = spawnServe('drained');
  const again = await started(hurried.child);
  const cut = await chat(again.url, demo_api_key, { stream: true, x_simulate: { token_ms: 60_000 } });
  const end = cut.text().then(
    () => 'whole',
    () => 'cut',
  );
  hurried.child.kill('SIGTERM');
  while (!(await isDraining(again.url)));
  // A signal that follows at once counts as the same.
  const ended = hurried.exit.then(() => true);
  while (!(await Promise.race([ended, isDraining(again.url).then(() => false)]))) hurried.child.kill('SIGTERM');
  assert.deepEqual(await hurried.exit, [1, null]);
  assert.equal(await end, 'cut');
});

test('a signal that comes twice at once, as Ctrl+C does under npm, still drains', async () => {
  const serving = spawnServe('twice');
  const { url, demo_api_key } = await started(serving.child);
  assert.ok(demo_api_key);
  const running = await chat(url, demo_api_key, { stream: true, x_simulate: { output_tokens: 20, token_ms: 20 } });
  // Two signals of one kind could arrive as one.
  serving.child.kill('SIGINT');
  serving.child.kill('SIGTERM');
  assert.match(await running.text(), /data: \[DONE\]\n\n$/);
  assert.deepEqual(await serving.exit, [0, null]);
});

/** Whether the first signal has arrived: the gateway is draining or has exited. */
async function isDraining(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`).catch(() => null);
  const health = (await response?.json().catch(() => null)) as { readonly role: string } | null;
  return health?.role !== 'leader';
}

test('a call to the disk that hangs stops neither the drain nor the end of the process', async () => {
  const config = join(folder, 'hanging.yaml');
  // With the usual deadline: the upload has to reach a disk that others keep busy.
  writeFileSync(config, selling([fixedModel('harbor', 1)]));
  const { child, stderr, exit } = spawnServe('hanging', { SLUICE_CONFIG: config });
  const { url, demo_api_key } = await started(child);
  const headers = { authorization: `Bearer ${demo_api_key}` };
  const body = new FormData();
  body.append('purpose', 'batch');
  body.append('file', new Blob(['{}\n']), 'in.jsonl');
  const uploaded = await fetch(`${url}/v1/files`, { method: 'POST', headers, body });
  const { id } = (await uploaded.json()) as { id: string };
  const path = join(folder, 'hanging', 'files', id.slice(-3), id);
  // Opening a pipe without a writer takes for ever, like a file on a dead mount.
  rmSync(path);
  execFileSync('mkfifo', [path]);
  const download = await fetch(`${url}/v1/files/${id}/content`, { headers });
  assert.equal(download.status, 503);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  assert.match(await stderr, /does not come back/);
});

/** The demo as people see it over HTTP, in a process of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '#base/time.ts';

const CLI = join(import.meta.dirname, '../cli.ts');
const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** `demo` with these options; its folders are below `folder`, and nothing of the environment leads anywhere else. */
function spawnDemo(...options: string[]) {
  const lost = join(folder, 'not', 'there');
  const env = {
    ...process.env,
    TMPDIR: folder,
    DATABASE_URL: `sqlite:${lost}`,
    SLUICE_DATA: lost,
    SLUICE_CONFIG: lost,
  };
  const child = spawn(process.execPath, [CLI, 'demo', '--json', ...options], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, lines: createInterface(child.stdout), stderr: text(child.stderr), exit: once(child, 'exit') };
}

/** What a demo prints. */
interface Printed {
  readonly url: string;
  readonly market: string;
  readonly buyer_link: string;
  readonly operator_link: string;
  readonly api_key: string;
}

interface Audit {
  readonly running: object | null;
  readonly last: { readonly findings: readonly object[] } | null;
}

describe('a demo', () => {
  const { child, lines, stderr, exit } = spawnDemo('--port', '0', '--orders', '300');
  let printed: Printed;
  after(() => child.kill('SIGKILL'));

  before(async () => {
    const [line] = await Promise.race([once(lines, 'line'), exit.then(async () => assert.fail(await stderr))]);
    printed = JSON.parse(line);
  });

  /** Signs in with a printed link; returns who it is, and a reader of JSON with the session. */
  async function signedIn(link: string) {
    const body = JSON.stringify({ token: link.split('#')[1] });
    const answer = await fetch(`${printed.url}/settings/api/sign-in/link`, { method: 'POST', body });
    assert.equal(answer.status, 200, await answer.clone().text());
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const who = (await answer.json()) as { account: { name: string } | null; csrf_token: string };
    const read = async <Answer>(path: string, method = 'GET') => {
      const headers = { cookie, 'x-csrf-token': who.csrf_token };
      const reply = await fetch(printed.url + path, { method, headers });
      assert.ok(reply.ok, `${path}: ${reply.status}`);
      return (await reply.json()) as Answer;
    };
    return { who, read };
  }

  test('the market page is served, and its charts have 30 days', async () => {
    const page = await fetch(printed.url);
    assert.match(await page.text(), /Tide 70B/);
    const reply = await fetch(`${printed.url}/v1/market/history?model=tide-70b&range=30d`);
    const { points } = (await reply.json()) as { points: { t: string }[] };
    assert.ok(points.length > 1900, `${points.length} points`);
    assert.ok(Date.parse(points.at(-1)?.t ?? '') - Date.parse(points[0]?.t ?? '') > 29 * DAY_MS);
  });

  test('prices move', async () => {
    const { body } = await fetch(`${printed.url}/v1/market/stream?model=tide-70b`);
    assert.ok(body);
    let seen = '';
    const levels = () => new Set(Array.from(seen.matchAll(/"level":([\d.]+)/g), ([, level]) => level));
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      seen += piece;
      if (levels().size >= 3) break;
    }
    assert.ok(levels().size >= 3, seen);
  });

  test('a market whose only pod is down is degraded', async () => {
    const reply = await fetch(`${printed.url}/v1/market?model=ebb-13b`);
    assert.equal(((await reply.json()) as { degraded: boolean }).degraded, true);
  });

  test('the operator sees the pods that are down and orders of several accounts, and the books agree', async () => {
    const { read, who } = await signedIn(printed.operator_link);
    assert.equal(who.account, null);
    const { pods } = await read<{ pods: { out: { pod: string; state: string }[] } }>('/console/api/overview');
    assert.deepEqual(
      pods.out.map(({ pod, state }) => [pod, state]),
      [
        ['surge-2', 'unhealthy'],
        ['ebb-1', 'unhealthy'],
      ],
    );
    const past = await read<{ bins: number; queued: (number | null)[] }>('/console/api/history?range=7d');
    assert.ok(past.queued.filter((queued) => queued !== null).length >= past.bins - 1);
    const { data } = await read<{ data: { account_id: string }[] }>('/console/api/latest-orders');
    assert.ok(new Set(data.map((order) => order.account_id)).size > 1);
    let audit = await read<Audit>('/console/api/audit', 'POST');
    for (; audit.running; await pause(50)) audit = await read<Audit>('/console/api/audit');
    assert.deepEqual(audit.last?.findings, []);
  });

  test('the buyer sees a month of usage and keys with budgets', async () => {
    const { read, who } = await signedIn(printed.buyer_link);
    assert.equal(who.account?.name, 'Tidewater Labs');
    const { data: sums } = await read<{ data: { day: string }[] }>('/settings/api/usage');
    assert.ok(new Set(sums.map(({ day }) => day)).size > 20, `${sums.length} sums`);
    const { data: keys } = await read<{ data: { budget: object | null }[] }>('/settings/api/keys');
    assert.equal(keys.filter(({ budget }) => budget !== null).length, 2);
  });

  test('a key of the buyer works, and Ctrl+C leaves no folder', async () => {
    const headers = { authorization: `Bearer ${printed.api_key}` };
    assert.equal((await fetch(`${printed.url}/v1/orders?limit=1`, { headers })).status, 200);
    assert.equal(readdirSync(folder).length, 1);
    child.kill('SIGINT');
    assert.deepEqual(await exit, [0, null]);
    assert.equal(await stderr, '');
    assert.deepEqual(readdirSync(folder), []);
  });
});

test('Ctrl+C while the history is written ends the demo and leaves no folder', async () => {
  const { child, exit } = spawnDemo('--port', '0');
  while (readdirSync(folder).length === 0) await pause(20);
  child.kill('SIGINT');
  assert.deepEqual(await exit, [0, null]);
  assert.deepEqual(readdirSync(folder), []);
});

test('a wrong option is refused with what to write, before anything is made', async () => {
  const { exit, lines, stderr } = spawnDemo('--models', '4');
  const [line] = await once(lines, 'line');
  assert.deepEqual(JSON.parse(line), {
    error: { message: '--models is 4; write a whole number from 6 to 200.' },
  });
  assert.deepEqual(await exit, [2, null]);
  assert.match(await stderr, /^sluice: --models is 4/);
  assert.deepEqual(readdirSync(folder), []);
});

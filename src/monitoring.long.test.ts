/**
 * The files of deploy/ in a real Prometheus: every query of the dashboard and every alert answers, and alerts fire when
 * they should.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import { AuditRuns, DAILY } from '#operator/background-audit.ts';
import { startAudit } from '#storage/audit/audit-thread.ts';
import { openDatabase } from '#storage/database/database.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';

const DEPLOY = join(import.meta.dirname, '../deploy');
const rules = readFileSync(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8');
/** With alerts that fire at once. */
const hasty = rules.replaceAll(/^ +for: .*\n/gm, '');
const expressions = [...rules.matchAll(/^ +- alert: (\w+)\n(?: +#.*\n)* +expr: (.+)$/gm)].map(
  ([, name = '', expr = '']) => ({ name, expr }),
);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(DEPLOY, 'grafana/sluice.json'), 'utf8'),
);

/** Every market is quoted before a gateway listens; a disk is never as large. */
const SETTINGS = { market: { quote: { interval_ms: 1000 } }, disk_reserve_bytes: 2 ** 49 };
/** More than a clear rate needs. */
const LOCKS = 40;
const MOCK_BACKEND = join(import.meta.dirname, '../testing/mock-backend.ts');
/** How a dashboard names the data source that its reader has chosen. */
const VARIABLE = '$' + '{datasource}';
const WEBHOOK = 'SluiceWebhookDisabled';
/** A scrape a second, for panels that look back over several. */
const RATE_INTERVAL = '15s';

/** Asks ten times a second, because a scrape takes one; a test that waits in vain is ended by the runner. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(100);
}

describe('a gateway in Prometheus', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let prometheus: Prometheus;
  let keys: string[];
  let poorKey: string;
  /** How locks were answered that could not start. */
  let missed: Promise<readonly number[]>;
  /** The server of the model `gone`. */
  let server: ChildProcess;
  let receiver: WebhookReceiver;

  before(async () => {
    requirePrometheus();
    const [metricsPort, serverPort] = [await freePort(), await freePort()];
    server = spawn(process.execPath, [MOCK_BACKEND, '--port', String(serverPort)], { stdio: 'ignore' });
    const pods = [{ id: 'gone-1', url: `http://127.0.0.1:${serverPort}/v1`, slots: 1 }];
    const models = [marketModel('tide', 16), marketModel('jam', 1), { ...marketModel('gone'), pods }] as const;
    receiver = await webhookReceiver();
    receiver.answer = (_message, response) => response.writeHead(410).end();
    const settings = { ...SETTINGS, webhooks: { allow: [receiver.host] } };
    site = await makeSite(selling(models, settings), { METRICS_PORT: String(metricsPort) });
    const [poor = '', ...rich] = await Promise.all([
      keyWith('0.001', 'poor'),
      keyWith('100', 'a'),
      keyWith('100', 'b'),
    ]);
    [poorKey, keys] = [poor, rich];
    await plantFinding();
    gateway = await site.start();
    prometheus = await startPrometheus(`127.0.0.1:${metricsPort}`, hasty);
    await untilIs('sluice_pod_up{pod="gone-1"}', 1);
    await disableWebhook();
    await jam();
  });
  after(async () => {
    server?.kill('SIGKILL');
    await prometheus?.stop();
    await gateway?.stop();
    await receiver?.close();
    site?.remove();
  });

  async function keyWith(credit: string, name: string): Promise<string> {
    const { json } = await site.command('account', 'create', name, '--credit', credit, '--force');
    return String((await site.command('key', 'create', String(json.account_id))).json.api_key);
  }

  /** An endpoint that answered 410. Long before its test: a gateway keeps for a minute what it read of endpoints. */
  async function disableWebhook(): Promise<void> {
    const { json } = await site.command('webhook', 'add', receiver.url);
    await site.command('webhook', 'test', String(json.webhook_id));
  }

  function untilIs(series: string, value: number): Promise<void> {
    return until(async () => (await prometheus.query(series)).some((found) => found.value === value));
  }

  /** The only slot of a model is taken for as long as the gateway lives, so that locks miss their window of ten seconds. */
  async function jam(): Promise<void> {
    const [key = ''] = keys;
    const endless = { output_tokens: 1000, token_ms: 60_000 };
    void order(key, { model: 'jam', x_simulate: endless }).catch(() => {});
    await untilIs('sluice_orders_executing{model="jam"}', 1);
    missed = Promise.all(Array.from({ length: LOCKS }, () => order(key, { model: 'jam', price_lock: true })));
  }

  /** A balance that no entry explains, as an audit found it three days ago. */
  async function plantFinding(): Promise<void> {
    const databaseUrl = site.environment.DATABASE_URL ?? '';
    const db = openDatabase(databaseUrl);
    await db.knex('accounts').where({ name: 'b' }).increment('balance', 1);
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() - 3 * DAY_MS };
    const runs = new AuditRuns({ db, clock, ids: idSource(clock) });
    const id = (await runs.claim(DAILY)) ?? assert.fail('no audit could begin');
    const data = { dataFolder: site.environment.SLUICE_DATA ?? '', dataBucket: null };
    const { result } = startAudit({ databaseUrl, data, nowMs: systemClock.nowMs() });
    await runs.end(id, await result);
    await db.close();
  }

  async function order(key: string, more: object): Promise<number> {
    const simulated = { x_simulate: { output_tokens: 12, first_token_ms: 5, token_ms: 1 } };
    const body = { messages: [{ role: 'user', content: 'Hi' }], model: 'tide', price_limit: 10, ...simulated, ...more };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Orders of every kind until `done`. */
  async function loadUntil(done: () => boolean): Promise<void> {
    const fails = [undefined, undefined, 'no-usage', 'refuse', 'before-output'];
    const streams = keys
      .flatMap((key) => [key, key])
      .map(async (key) => {
        for (let at = 0; !done(); at++) {
          const fail = fails[at % fails.length];
          const failing = fail
            ? { x_simulate: { first_token_ms: 1, fail, ...(fail === 'before-output' ? { fail_attempts: 1 } : {}) } }
            : {};
          await order(key, { ...failing, price_lock: at % 2 === 0, ...(at % 11 === 10 ? { model: 'nobody' } : {}) });
        }
      });
    await Promise.all(streams);
  }

  /** Asks again and again for those that have no number yet; a test that waits in vain names them. */
  async function answered(queries: ReadonlyMap<string, string>): Promise<void> {
    const empty = new Map(queries);
    const deadline = AbortSignal.timeout(400_000);
    const asking = (async () => {
      while (empty.size > 0 && !deadline.aborted)
        for (const [name, expression] of empty) {
          const found = await prometheus.query(expression);
          if (found.some(({ value }) => !Number.isNaN(value))) empty.delete(name);
          else await pause(20);
        }
    })();
    let isOver = false;
    await Promise.all([
      loadUntil(() => isOver),
      asking.finally(() => {
        isOver = true;
      }),
    ]);
    assert.deepEqual([...empty], []);
  }

  test('every query of the dashboard answers under load', async () => {
    const queries = new Map<string, string>();
    for (const { title, targets = [] } of dashboard.panels)
      for (const [at, { expr, datasource }] of targets.entries()) {
        assert.equal(datasource.uid, VARIABLE);
        queries.set(`${title} ${at}`, expr.replaceAll('$__rate_interval', RATE_INTERVAL).replaceAll('$model', '.*'));
      }
    assert.ok(queries.size > 30);
    await answered(queries);
  });

  test('every alert reads series that exist', async () => {
    assert.equal(expressions.length, [...rules.matchAll(/- alert:/g)].length);
    // Left of the comparison: the whole is empty where nothing is wrong.
    await answered(new Map(expressions.map(({ name, expr }) => [name, expr.replace(/ (?:==|<|>) .*$/, '')])));
  });

  /** Waits until exactly these fire, and sooner or later the disabled webhook. */
  function untilFiring(...names: string[]): Promise<void> {
    return until(async () => {
      const firing = await prometheus.firing();
      return firing.difference(new Set([...names, WEBHOOK])).size === 0 && names.every((name) => firing.has(name));
    });
  }

  const wrong = [
    'SluiceUsageEstimated',
    'SluiceAuditFinding',
    'SluiceAuditOld',
    'SluiceDiskReserve',
    'SluiceClearRatioLow',
  ];

  test('estimated usage, findings, an old audit, a full disk and late locks are raised, and nothing else', async () => {
    assert.deepEqual(new Set(await missed), new Set([429]));
    await untilFiring(...wrong);
  });

  test('a pod whose server is killed is raised, and that its market has no other', async () => {
    server.kill('SIGKILL');
    wrong.push('SluicePodDown', 'SluiceMarketDegraded');
    await untilFiring(...wrong);
  });

  test('a charge that a balance does not cover is raised', async () => {
    // A prompt that is far longer for the pod than it can be by its text: the hold was smaller.
    assert.equal(await order(poorKey, { max_tokens: 1, x_simulate: { prompt_tokens: 8000, output_tokens: 1 } }), 200);
    wrong.push('SluiceWrittenOff');
    await untilFiring(...wrong);
  });

  test('a webhook endpoint that answered 410 raises an alert', async () => {
    wrong.push(WEBHOOK);
    await untilFiring(...wrong);
  });

  test('a database that does not commit is raised, and is over when it does', async () => {
    const other = new Sqlite((site.environment.DATABASE_URL ?? '').slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    // Levels, quotes and minutes are written by themselves; an order makes it sooner.
    const [key = ''] = keys;
    const refused = order(key, {});
    await untilFiring(...wrong, 'SluiceJournalStalled');
    other.exec('ROLLBACK');
    other.close();
    await refused;
    await untilFiring(...wrong);
  });

  test('a gateway that is gone is raised', async () => {
    await gateway.kill();
    await until(async () => (await prometheus.firing()).has('SluiceGatewayDown'));
  });

  test('each alert fires on made-up series when it should, and not before', () => {
    execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: join(DEPLOY, 'prometheus') });
  });

  test('promtool finds nothing wrong in the text of the metrics', async () => {
    const again = await site.start();
    const text = await (await fetch(`http://127.0.0.1:${site.environment.METRICS_PORT}/metrics`)).text();
    execFileSync('promtool', ['check', 'metrics'], {
      input: text.replaceAll(/^(?:# \w+ )?(?:nodejs|process)_.*\n/gm, ''),
    });
    await again.stop();
  });
});

/** One series of an answer. */
interface Found {
  readonly metric: Readonly<Record<string, string>>;
  /** NaN for no number. */
  readonly value: number;
}

/** A Prometheus of its own, with the machine's program: it scrapes once a second and says what it knows. */
interface Prometheus {
  /** What an expression is now. Rejects for one that it does not understand. */
  query(expression: string): Promise<readonly Found[]>;
  /** The names of the alerts that fire. */
  firing(): Promise<ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** Fails unless Debian's package, or the like, is installed. */
function requirePrometheus(): void {
  for (const program of ['prometheus', 'promtool']) {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' });
    } catch {
      assert.fail(`${program} is not installed: run scripts/need prometheus prometheus, or install it yourself.`);
    }
  }
}

/** Scrapes the job `sluice` at `target`, such as 127.0.0.1:9464, and evaluates the text of a rule file. */
async function startPrometheus(target: string, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  const port = await freePort();
  writeFileSync(join(folder, 'rules.yaml'), rules);
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'rules.yaml')],
    scrape_configs: [{ job_name: 'sluice', static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = await response.text();
    assert.equal(response.status, 200, `${path}: ${body}`);
    return JSON.parse(body).data;
  };
  while (!(await isReady(port))) assert.equal(child.exitCode, null, said);
  return {
    async query(expression) {
      const { result } = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return result.map(({ metric, value }: { metric: Found['metric']; value: [number, string] }) => {
        return { metric, value: Number(value[1]) };
      });
    },
    async firing() {
      const { alerts } = await ask('/api/v1/alerts');
      const fire = alerts.filter(({ state }: { state: string }) => state === 'firing');
      return new Set(fire.map(({ labels }: { labels: { alertname: string } }) => labels.alertname));
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 200;
}

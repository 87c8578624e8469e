/**
 * The files of deploy/ in a real Prometheus: every query of the dashboard and every alert answers, and alerts fire when
 * they should.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { startAudit } from '#storage/audit/audit-thread.ts';
import { AuditRuns } from '#storage/audit/runs.ts';
import { openDatabase } from '#storage/database/database.ts';
import { freePort, type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { until } from '#testing/mariadb.ts';
import { type Prometheus, requirePrometheus, startPrometheus } from '#testing/prometheus.ts';
import { marketModel, selling } from '#testing/test-config.ts';

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
/** How a dashboard names the data source that its reader has chosen. */
const VARIABLE = '$' + '{datasource}';
/** A scrape a second, for panels that look back over several. */
const RATE_INTERVAL = '15s';

describe('a gateway in Prometheus', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let prometheus: Prometheus;
  let keys: string[];

  before(async () => {
    requirePrometheus();
    const [metricsPort, nobody] = [await freePort(), await freePort()];
    const gone = { ...marketModel('gone'), pods: [{ id: 'gone-1', url: `http://127.0.0.1:${nobody}/v1`, slots: 1 }] };
    site = await makeSite(selling([marketModel('tide', 16), gone], SETTINGS), { METRICS_PORT: String(metricsPort) });
    keys = [];
    for (const name of ['a', 'b']) {
      const { json } = await site.command('account', 'create', name, '--credit', '100');
      keys.push(String((await site.command('key', 'create', String(json.account_id))).json.api_key));
    }
    await plantFinding();
    gateway = await site.start();
    prometheus = await startPrometheus(`127.0.0.1:${metricsPort}`, hasty);
  });
  after(async () => {
    await prometheus?.stop();
    await gateway?.stop();
    site?.remove();
  });

  /** A balance that no entry explains, as the audit finds it. */
  async function plantFinding(): Promise<void> {
    const databaseUrl = site.environment.DATABASE_URL ?? '';
    const db = openDatabase(databaseUrl);
    await db.knex('accounts').where({ name: 'b' }).increment('balance', 1);
    const runs = new AuditRuns({ db, clock: systemClock, ids: idSource(systemClock) });
    const id = (await runs.claim({ who: 'daily' })) ?? assert.fail('no audit could begin');
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

  /** Waits until exactly these fire. */
  function untilFiring(...names: string[]): Promise<void> {
    return until(async () => {
      const firing = await prometheus.firing();
      return names.every((name) => firing.has(name)) && firing.size === names.length;
    });
  }

  const wrong = ['SluicePodDown', 'SluiceMarketDegraded', 'SluiceAuditFinding', 'SluiceDiskReserve'];

  test('a pod that is gone, a finding of the audit and a full disk are raised, and nothing else', async () => {
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

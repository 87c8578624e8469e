/**
 * /metrics of a gateway in a process of its own, after a small load: every documented name, and values that agree with
 * what callers were answered.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { metricCatalogue } from '#observe/metrics/catalogue.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

interface Reply {
  readonly id?: string;
  readonly status?: string;
  readonly usage?: { readonly x_market?: { readonly charged_usd: number } };
}

/** A gateway listens once there are quotes. */
const FAST_QUOTES = { market: { quote: { interval_ms: 1000 } } };

/** A sample by its name and labels as they are printed. */
type Samples = ReadonlyMap<string, number>;

describe('the metrics of a gateway', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let metricsUrl: string;
  let key: string;
  let charged = 0;
  let accountId: string;
  let samples: Samples;

  before(async () => {
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    site = await makeSite(
      selling([marketModel('tide', 4), fixedModel('harbor', 2), marketModel('reef')], FAST_QUOTES),
      {
        METRICS_PORT: String(port),
      },
    );
    const { json: account } = await site.command('account', 'create', 'load', '--credit', '100');
    // An id is made with its account; the environment of a site is what its gateway starts with.
    accountId = String(account.account_id);
    site.environment.METRICS_ACCOUNTS = accountId;
    key = String((await site.command('key', 'create', String(account.account_id))).json.api_key);
    gateway = await site.start();
    await load();
    await scrape();
    // A market learns of its pods with its next level.
    await until(async () => {
      samples = await scrape();
      return samples.get('sluice_market_degraded{model="tide"}') === 0;
    });
  });
  after(async () => {
    assert.equal(await gateway?.stop(), 0);
    site?.remove();
  });

  async function call(path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<[number, Reply]> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return [response.status, text.startsWith('{') ? JSON.parse(text) : {}];
  }

  const chat = (more: object = {}) => ({
    messages: [{ role: 'user', content: 'Hi' }],
    model: 'tide',
    price_limit: 10,
    ...more,
  });
  const simulate = (x_simulate: object) => chat({ x_simulate: { first_token_ms: 1, token_ms: 0, ...x_simulate } });

  /** Sends an order that is charged, and adds its charge up. */
  async function answered(path: string, body: object): Promise<void> {
    const [status, reply] = await call(path, body);
    assert.equal(status, 200, JSON.stringify(reply));
    charged += reply.usage?.x_market?.charged_usd ?? assert.fail('a receipt without a charge');
  }

  async function load(): Promise<void> {
    const tokens = { output_tokens: 20, prompt_tokens: 100, cached_tokens: 40 };
    await answered('/v1/chat/completions', simulate(tokens));
    await answered('/v1/chat/completions', simulate({ ...tokens, fail: 'before-output', fail_attempts: 1 }));
    await answered('/v1/chat/completions', simulate({ fail: 'no-usage' }));
    await answered('/v1/completions', { model: 'harbor', prompt: 'Hi' });
    assert.equal((await call('/v1/chat/completions', simulate({ fail: 'refuse' })))[0], 400);
    assert.equal((await call('/v1/chat/completions', chat({ model: 'reef', max_wait: 1 })))[0], 408);
    const [accepted, { id }] = await call('/v1/chat/completions', chat({ model: 'reef', detached: true }));
    assert.deepEqual([accepted, (await call(`/v1/orders/${id}/cancel`, {}))[0]], [202, 200]);
    await call('/v1/chat/completions', chat({ model: 'reef', detached: true }));
    for (const hostile of ['a"b', 'c\nd', 'e\\f', 'x'.repeat(500)])
      assert.equal((await call('/v1/chat/completions', chat({ model: hostile })))[0], 404);
    assert.equal((await call('/v1/nowhere'))[0], 404);
  }

  async function scrape(): Promise<Samples> {
    const response = await fetch(metricsUrl);
    assert.equal(response.status, 200);
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  }

  const value = (series: string) => samples.get(series) ?? assert.fail(`there is no ${series}`);

  test('have every name that is documented', () => {
    const names = new Set([...samples.keys()].map((series) => series.split('{', 1)[0]));
    for (const [name, { type }] of Object.entries(metricCatalogue)) {
      // Unknown with fewer than 30 locks, and before the first audit.
      if (name === 'sluice_market_clear_ratio' || name.startsWith('sluice_audit_')) continue;
      assert.ok(names.has(type === 'histogram' ? `${name}_count` : name), name);
    }
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      assert.ok(names.has(name), name);
  });

  test('count orders by how they ended', () => {
    const orders = (labels: string) => value(`sluice_orders_total{${labels}}`);
    assert.equal(orders('model="tide",kind="chat",status="done"'), 3);
    assert.equal(orders('model="tide",kind="chat",status="error"'), 1);
    assert.equal(orders('model="harbor",kind="completion",status="done"'), 1);
    assert.equal(orders('model="reef",kind="chat",status="expired"'), 1);
    assert.equal(orders('model="reef",kind="chat",status="canceled"'), 1);
    assert.equal(value('sluice_orders_queued{model="reef"}'), 1);
    assert.equal(value('sluice_orders_executing{model="tide"}'), 0);
    assert.equal(value('sluice_order_queue_seconds_count{model="tide"}'), 3);
    assert.equal(value('sluice_order_pipeline_seconds_count{model="tide"}'), 4);
  });

  test('have the money of the receipts that callers received', () => {
    const revenue = value('sluice_revenue_usd_total{model="tide"}') + value('sluice_revenue_usd_total{model="harbor"}');
    assert.ok(Math.abs(revenue - charged) < 1e-9, `${revenue} is not ${charged}`);
    assert.equal(value('sluice_written_off_usd_total{model="tide"}'), 0);
    assert.equal(value('sluice_estimated_usage_total{model="tide"}'), 1);
    // A minute old at most, so that it may be from before the charges.
    assert.ok(Math.abs(value('sluice_balances_usd') - 100) < 1);
    assert.equal(value('sluice_holds_usd'), 0);
  });

  test('have the account that was named', () => {
    const orders = (status: string) => value(`sluice_account_orders_total{account="${accountId}",status="${status}"}`);
    assert.deepEqual(['done', 'error', 'expired', 'canceled'].map(orders), [4, 1, 1, 1]);
    const revenue = value(`sluice_account_revenue_usd_total{account="${accountId}"}`);
    assert.ok(Math.abs(revenue - charged) < 1e-9, `${revenue} is not ${charged}`);
    assert.ok(value(`sluice_account_tokens_total{account="${accountId}",gen_ai_token_type="input"}`) >= 200);
  });

  test('count tokens, first tokens and attempts', () => {
    const named = 'gen_ai_operation_name="chat",gen_ai_request_model="tide"';
    assert.equal(value(`gen_ai_client_token_usage_count{${named},gen_ai_token_type="input"}`), 3);
    assert.equal(value(`gen_ai_client_token_usage_bucket{${named},gen_ai_token_type="input",le="64"}`), 1);
    assert.equal(value(`gen_ai_client_token_usage_bucket{${named},gen_ai_token_type="input",le="256"}`), 3);
    assert.equal(value(`gen_ai_server_time_to_first_token_seconds_count{${named}}`), 3);
    assert.equal(value(`gen_ai_server_request_duration_seconds_count{${named},error_type="model_refused"}`), 1);
    const attempts = (outcome: string) =>
      value(`sluice_pod_attempts_total{model="tide",pod="tide-1",outcome="${outcome}"}`);
    assert.deepEqual(['answered', 'failed', 'full', 'refused', 'aborted'].map(attempts), [3, 1, 0, 1, 0]);
    assert.equal(value(`gen_ai_client_operation_duration_seconds_count{${named},error_type="failed"}`), 1);
    assert.equal(value(`gen_ai_client_operation_duration_seconds_count{${named}}`), 3);
  });

  test('show markets, pods, journal and disk as they are', () => {
    assert.ok(value('sluice_market_level_usd{model="tide"}') >= 0.5);
    assert.ok(value('sluice_market_quote_usd{model="tide"}') >= 0.5);
    assert.equal(value('sluice_market_clear_ratio_target'), 0.95);
    assert.equal(value('sluice_market_degraded{model="tide"}'), 0);
    assert.equal(value('sluice_market_degraded{model="reef"}'), 1);
    assert.equal(value('sluice_pod_up{model="tide",pod="tide-1"}'), 1);
    assert.equal(value('sluice_pod_slots{model="tide",pod="tide-1"}'), 4);
    assert.equal(value('sluice_pod_slots_busy{model="tide",pod="tide-1"}'), 0);
    assert.ok(value('sluice_journal_stalled') <= 1);
    assert.ok(value('sluice_journal_commit_seconds_count') > 0);
    assert.ok(value('sluice_queued_bytes') > 0);
    assert.ok(value('sluice_disk_free_bytes') > 0);
    assert.equal(value('sluice_disk_reserve_bytes'), 2 ** 30);
  });

  test('make no series of what callers send', () => {
    assert.equal(value('sluice_refusals_total{code="model_not_found"}'), 4);
    assert.equal(value('sluice_refusals_total{code="not_found"}'), 1);
    assert.equal(value('sluice_refusals_total{code="order_expired"}'), 1);
    const models = [...samples.keys()].flatMap(
      (series) => /[{,](?:gen_ai_request_)?model="([^"]*)"/.exec(series)?.[1] ?? [],
    );
    assert.deepEqual([...new Set(models)].sort(), ['harbor', 'reef', 'tide']);
  });

  test('are not on the public port', async () => {
    assert.equal((await call('/metrics'))[0], 404);
  });

  test('a second gateway that is to have the same port does not start', async () => {
    const second = await makeSite(selling([marketModel('tide', 1)]), { METRICS_PORT: new URL(metricsUrl).port });
    const { exitCode, output } = await second.start().then(
      () => assert.fail('it started'),
      (error: Error) => ({ exitCode: 1, output: error.message }),
    );
    assert.equal(exitCode, 1);
    assert.match(
      output,
      /sluice: METRICS_PORT \d+ on 127\.0\.0\.1 cannot be listened on \(EADDRINUSE\); set it to another, or to 0/,
    );
    second.remove();
  });
});

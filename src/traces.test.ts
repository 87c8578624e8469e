/** Traces of gateways in processes of their own: two in a row, and collectors that are away, silent or not there at all. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#testing/otlp-receiver.ts';
import { fixedModel, selling } from '#testing/test-config.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

/** A gateway that has started. */
interface Started {
  readonly site: Site;
  readonly process: GatewayProcess;
  readonly key: string;
}

const started: Started[] = [];
const folder = mkdtempSync(join(tmpdir(), 'sluice-traces-'));
after(async () => {
  for (const { site, process } of started) {
    await process.kill();
    site.remove();
  }
  rmSync(folder, { recursive: true });
});

/** What a gateway of these tests says for each package that it loads. */
const LOADED = 'loaded @opentelemetry/';
const telling = `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    if (name.startsWith('@opentelemetry/')) console.error('loaded ' + name);
    return next(name, context);
  } });`;
const flags = ['--import', `data:text/javascript,${encodeURIComponent(telling)}`];

/** Orders come as fast as the machine can until spans are exported, and each must be answered. */
const LIMITS = { inference_requests_per_minute_per_key: 1_000_000 };

/** Starts a gateway that sells `harbor`; `pods`: in place of a simulated one. */
async function start(environment: NodeJS.ProcessEnv, pods?: readonly object[]): Promise<Started> {
  const model = { ...fixedModel('harbor', 2), ...(pods ? { pods } : {}) };
  // Each has its own, whatever the environment of the tests names.
  const ownDatabase = { DATABASE_URL: `sqlite:${join(folder, `${started.length}.sqlite`)}` };
  const settings = { probes: { enabled: false }, limits: LIMITS };
  const site = await makeSite(selling([model], settings), { ...ownDatabase, ...environment });
  const { json: account } = await site.command('account', 'create', 'traced', '--credit', '100');
  const { json } = await site.command('key', 'create', String(account.account_id));
  const gateway = { site, process: await site.start(flags), key: String(json.api_key) };
  started.push(gateway);
  return gateway;
}

async function ask({ process, key }: Started, headers: Record<string, string> = {}): Promise<void> {
  const body = JSON.stringify({
    model: 'harbor',
    messages: [{ role: 'user', content: 'Hi' }],
    x_simulate: { output_tokens: 3, first_token_ms: 1, token_ms: 0 },
  });
  const response = await fetch(`${process.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  assert.equal(response.status, 200, await response.text());
}

/** How often its log says this. */
function times({ process }: Started, words: string): number {
  return process.log().split(words).length - 1;
}

/** The outcome of its spans, by its metrics. */
async function spansOf(port: number): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = [...text.matchAll(/^sluice_spans_total\{outcome="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, outcome = '', count]) => [outcome, Number(count)]));
}

describe('two gateways, one of which is the pod of the other', () => {
  let collector: OtlpReceiver;
  before(async () => {
    collector = await startOtlpReceiver();
  });
  after(() => collector.close());

  test('have one trace, and export it when they stop', async () => {
    const names = (name: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: name });
    const back = await start(names('back'));
    const pod = { id: 'back', url: `${back.process.url}/v1`, slots: 2, api_key_env: 'BACK_KEY' };
    const front = await start({ ...names('front'), BACK_KEY: back.key }, [pod]);
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    await ask(front, { traceparent });
    assert.equal(await front.process.stop(), 0);
    assert.equal(await back.process.stop(), 0);
    const spanOf = (service: string, kind: string) => {
      const [span, ...more] = collector.spans.filter(
        ({ resource, kind: its, traceId }) =>
          resource['service.name'] === service && its === kind && traceId === CALLER.traceId,
      );
      assert.ok(span && more.length === 0, `${kind} of ${service}`);
      return span;
    };
    const chain = [
      spanOf('front', 'SERVER'),
      spanOf('front', 'CLIENT'),
      spanOf('back', 'SERVER'),
      spanOf('back', 'CLIENT'),
    ];
    let parentId = CALLER.spanId;
    for (const span of chain) {
      assert.equal(span.parentId, parentId, `${span.name} of ${span.resource['service.name']}`);
      parentId = span.spanId;
    }
    assert.equal(new Set(chain.map(({ resource }) => resource['service.instance.id'])).size, 2);
  });
});

describe('two gateways of one database', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  before(async () => {
    opened = await openMariadb();
  });
  after(() => opened.drop());

  test('have the whole trace of an order in the one that took it, whichever gateway owns the market', async () => {
    const collector = await startOtlpReceiver();
    try {
      const member = async (name: string, data: NodeJS.ProcessEnv = {}) =>
        start({
          DATABASE_URL: opened.url,
          SLUICE_PEER_ADDRESS: `127.0.0.1:${await freePort()}`,
          SLUICE_PEER_SECRET: 'a secret that only the gateways of this test know',
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_SERVICE_NAME: name,
          ...data,
        });
      const one = await member('one');
      const other = await member('other', { SLUICE_DATA: one.site.environment.SLUICE_DATA });
      const ids = new Map([
        ['one', '1'.repeat(32)],
        ['other', '2'.repeat(32)],
      ]);
      for (const [name, gateway] of [
        ['one', one],
        ['other', other],
      ] as const)
        await ask(gateway, { traceparent: `00-${ids.get(name)}-${CALLER.spanId}-01` });
      assert.equal(await other.process.stop(), 0);
      assert.equal(await one.process.stop(), 0);
      for (const [name, id] of ids) {
        const spans = collector.spans.filter(({ traceId }) => traceId === id);
        assert.deepEqual(
          spans.map((span) => [span.name, span.resource['service.name']]),
          ['queue', 'admission', 'chat harbor', 'settlement', 'POST /v1/chat/completions'].map((span) => [span, name]),
        );
      }
    } finally {
      await collector.close();
    }
  });
});

test('a collector that is away, refuses or is silent costs a line of log, is counted, and keeps nobody waiting', async () => {
  const [collector, metrics] = [await startOtlpReceiver(), await freePort()];
  try {
    collector.answer = 'reset';
    const gateway = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // Longer than anybody waits here.
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      METRICS_PORT: String(metrics),
      LOG_LEVEL: 'info',
    });
    assert.notEqual(times(gateway, LOADED), 0);
    /** Sends orders, which are answered, until spans were lost or sent. */
    const until = async (outcome: 'sent' | 'failed', more: number) => {
      const before = (await spansOf(metrics))[outcome] ?? assert.fail('It is not counted.');
      do await Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
      while (((await spansOf(metrics))[outcome] ?? 0) < before + more);
    };
    await ask(gateway);
    await collector.asked(1);
    collector.answer = 403;
    await until('failed', 513);
    assert.equal(times(gateway, 'Traces are lost'), 1);
    assert.equal((await spansOf(metrics)).sent, 0);
    collector.answer = 200;
    await until('sent', 1);
    assert.equal(times(gateway, 'The collector takes traces again'), 1);
    collector.answer = 'never';
    await ask(gateway);
    assert.equal(await gateway.process.stop(), 0);
    assert.equal(times(gateway, 'Traces are lost'), 1);
  } finally {
    await collector.close();
  }
});

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  const gateway = await start({});
  await ask(gateway);
  assert.equal(await gateway.process.stop(), 0);
  assert.equal(times(gateway, LOADED), 0, gateway.process.log());
});

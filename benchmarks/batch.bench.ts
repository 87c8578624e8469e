/**
 * A batch of ten thousand lines over two models on simulated pods, compared with the same orders sent one by one over
 * 64 connections to the same gateway: throughput, CPU time and memory. Ends with the audit and a check of every line.
 * Targets: at least 80 % of the throughput, and memory growth below 150 MB.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { markdownTable } from '#simulations/markdown-table.ts';
import { BatchClient, faultsOf } from '#testing/batch-client.ts';
import { type GatewayProcess, makeSite } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { processorTimeUs } from './http/processor-time.ts';

const LINES = process.argv.includes('--quick') ? 2_000 : 10_000;
const CONNECTIONS = 64;
const GROWTH_MB_MAX = 150;
const MEBI = 2 ** 20;
/** More slots than the gateway can fill, because it is measured here and not the pods. */
const CONFIGURATION = selling([marketModel('tide', 64), fixedModel('harbor', 64)], {
  limits: {
    inference_requests_per_minute_per_key: 10_000_000,
    account_operations_per_minute_per_account: 10_000_000,
  },
});

const requests = Array.from({ length: LINES }, (_, index) => ({
  customId: `request-${index}`,
  body: {
    model: index % 2 === 0 ? 'tide' : 'harbor',
    messages: [{ role: 'user', content: `Say a few words about river ${index}. ${'It is long. '.repeat(40)}` }],
    max_tokens: 8,
    x_simulate: { first_token_ms: 0, token_ms: 0 },
  },
}));

const site = await makeSite(CONFIGURATION, { LOG_LEVEL: 'error' });
try {
  const account = await site.command('account', 'create', 'bench', '--credit', '1000');
  const key = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
  const gateway = await site.start();
  const client = new BatchClient(gateway.url, key);
  // Warms up the compiled code, as in a gateway that has been running for a minute.
  await inBatch(gateway, client, 1000);
  await oneByOne(gateway, key, 1000);
  await sleep(1000);
  const batch = await inBatch(gateway, client, LINES);
  const single = await oneByOne(gateway, key, LINES);
  const { json } = await site.command('audit');
  await gateway.stop();

  const row = (name: string, { perSecond, cpuUs, growthMb }: Measured) => [
    name,
    perSecond.toFixed(0),
    cpuUs.toFixed(0),
    growthMb.toFixed(0),
  ];
  const rows = [row('as a batch', batch), row(`one by one, ${CONNECTIONS} connections`, single)];
  console.log(markdownTable([`${LINES} orders`, 'per second', 'CPU µs an order', 'growth MB'], rows));
  const ratio = batch.perSecond / single.perSecond;
  console.log(
    `\nThroughput ${(ratio * 100).toFixed(0)} % of one by one (target 80 %): ${ratio >= 0.8 ? 'yes' : 'NO'}.`,
  );
  const small = batch.growthMb < GROWTH_MB_MAX ? 'yes' : 'NO';
  console.log(`Growth ${batch.growthMb.toFixed(0)} MB (target below ${GROWTH_MB_MAX} MB): ${small}.`);
  console.log(
    `Lines: ${batch.faults.length === 0 ? `${LINES} in the two files, each once` : batch.faults.join('; ')}.`,
  );
  console.log(`Audit: ${json.ok === true ? 'clean' : JSON.stringify(json.findings)}, ${json.orders} orders.`);
  if (json.ok !== true || batch.faults.length > 0) process.exitCode = 1;
} finally {
  site.remove();
}

interface Measured {
  readonly perSecond: number;
  /** CPU time of the gateway, all threads. */
  readonly cpuUs: number;
  /** The peak resident memory above the initial value. */
  readonly growthMb: number;
  readonly faults: readonly string[];
}

async function inBatch(gateway: GatewayProcess, client: BatchClient, lines: number): Promise<Measured> {
  const some = requests.slice(0, lines);
  const inputFileId = await client.upload(
    some.map(({ customId, body }) =>
      JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body }),
    ),
  );
  return measured(gateway, lines, async () => {
    const { id } = await client.create(inputFileId);
    const batch = await client.ended(id);
    return () =>
      faultsOf(
        client,
        batch,
        some.map(({ customId }) => customId),
      );
  });
}

async function oneByOne(gateway: GatewayProcess, key: string, orders: number): Promise<Measured> {
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const bodies = requests.slice(0, orders).map(({ body }) => JSON.stringify({ ...body, price_limit: 5 }));
  const lane = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const { statusCode, body: answer } = await agent.request({
        origin: gateway.url,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      });
      const text = await answer.text();
      if (statusCode !== 200) throw new Error(`an order answered ${statusCode}: ${text}`);
    }
  };
  const result = await measured(gateway, orders, async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, lane));
    return async () => [];
  });
  await agent.close();
  return result;
}

async function measured(
  { pid }: GatewayProcess,
  orders: number,
  run: () => Promise<() => Promise<string[]>>,
): Promise<Measured> {
  const before = residentBytes(pid);
  const cpuBefore = processorTimeUs(pid);
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, residentBytes(pid));
  }, 50);
  const beginMs = performance.now();
  const faults = await run();
  const seconds = (performance.now() - beginMs) / 1000;
  clearInterval(watch);
  const cpuUs = (processorTimeUs(pid) - cpuBefore) / orders;
  return { perSecond: orders / seconds, cpuUs, growthMb: (highest - before) / MEBI, faults: await faults() };
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

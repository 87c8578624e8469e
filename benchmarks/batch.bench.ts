/**
 * A batch of ten thousand lines over two models on simulated pods, compared with the same orders sent one by one over
 * 64 connections to the same gateway: throughput, CPU time and memory. Ends with the audit and a check of every line.
 * Targets: at least 80 % of the throughput, and memory growth below 150 MB.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { type BatchAnswer, type BatchEntry, isActive, lineFaults } from '#scripts/harness/batches.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { type GatewayProcess, makeSite } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling, unlimited } from '#testing/test-config.ts';
import { processorTimeUs } from './http/processor-time.ts';

const LINES = process.argv.includes('--quick') ? 2_000 : 10_000;
const CONNECTIONS = 64;
const GROWTH_MB_MAX = 150;
const MEBI = 2 ** 20;
/** More slots than the gateway can fill, because it is measured here and not the pods. */
const CONFIGURATION = selling([marketModel('tide', 64), fixedModel('harbor', 64)], {
  limits: unlimited,
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
  const { apiKey: key } = await site.openAccount('bench', '1000');
  const gateway = await site.start();
  // Warms up the compiled code, as in a gateway that has been running for a minute.
  await inBatch(gateway, key, 1000);
  await oneByOne(gateway, key, 1000);
  await sleep(1000);
  const batch = await inBatch(gateway, key, LINES);
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

async function inBatch(gateway: GatewayProcess, key: string, lines: number): Promise<Measured> {
  const some = requests.slice(0, lines);
  const texts = some.map(({ customId, body }) =>
    JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([texts.join('\n')]), 'input.jsonl');
  const ask = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(gateway.url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  };
  const entries = async (fileId: string | null): Promise<BatchEntry[]> => {
    const text = fileId === null ? '' : await ask(`/v1/files/${fileId}/content`);
    return text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
  };
  const { id: input_file_id } = JSON.parse(await ask('/v1/files', { method: 'POST', body: form }));
  return measured(gateway, lines, async () => {
    const body = JSON.stringify({ input_file_id, endpoint: '/v1/chat/completions', price_limit: 5 });
    const headers = { 'content-type': 'application/json' };
    let batch: BatchAnswer = JSON.parse(await ask('/v1/batches', { method: 'POST', body, headers }));
    for (; isActive(batch); await sleep(100)) batch = JSON.parse(await ask(`/v1/batches/${batch.id}`));
    return async () => {
      const [output, errors] = [await entries(batch.output_file_id), await entries(batch.error_file_id)];
      const faults = lineFaults({ batch, output, errors, customIds: some.map(({ customId }) => customId) });
      if (batch.status !== 'completed') faults.push(`the batch is ${batch.status}`);
      return [
        ...faults,
        ...errors.slice(0, 3).map(({ custom_id, error }) => `line ${custom_id} failed: ${error?.code}`),
      ];
    };
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

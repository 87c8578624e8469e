/**
 * What people who look at the market page cost a gateway: 500 tabs, each with the stream of levels and a summary twice a
 * minute, as the page asks for it. Its processor time is compared with that of the same gateway without them. `node benchmarks/viewers.bench.ts [--quick]`
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable } from '#simulations/markdown-table.ts';
import { makeSite } from '#testing/gateway-process.ts';
import { processorTimeUs } from './http/processor-time.ts';
import { machine } from './machine.ts';

const VIEWERS = 500;
const SUMMARY_EVERY_MS = 30_000;
const MEASURED_MS = process.argv.includes('--quick') ? 30_000 : 120_000;
const UNBOUNDED = 1_000_000_000;

// The preview in the shipped file has a level that moves every second.
const shipped = readFileSync(join(import.meta.dirname, '../sluice.yaml'), 'utf8');
const limits = `limits: {streams_per_address: ${UNBOUNDED}, public_requests_per_minute_per_address: ${UNBOUNDED}}`;
const site = await makeSite(`${shipped}\n${limits}\n`);
const gateway = await site.start();
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
let frames = 0;
let summaries = 0;
let isOver = false;
try {
  await pause(5_000);
  const quiet = await shareOfACore();
  await Promise.all(Array.from({ length: VIEWERS }, (_, index) => view(index)));
  await pause(2_000);
  [frames, summaries] = [0, 0];
  const watched = await shareOfACore();
  console.log(`\n${VIEWERS} viewers for ${MEASURED_MS / 1000} s on ${machine()}\n`);
  const names = ['frames a second', 'summaries a second', 'of a core without', 'with', 'viewers'];
  const perSecond = (count: number) => ((count * 1000) / MEASURED_MS).toFixed(0);
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  const shares = [quiet, watched, watched - quiet].map(percent);
  console.log(markdownTable(names, [[perSecond(frames), perSecond(summaries), ...shares]]));
} finally {
  isOver = true;
  agent.destroy();
  await gateway.kill();
  site.remove();
}

async function shareOfACore(): Promise<number> {
  const beforeUs = processorTimeUs(gateway.pid);
  const beganMs = performance.now();
  await pause(MEASURED_MS);
  return (processorTimeUs(gateway.pid) - beforeUs) / 1000 / (performance.now() - beganMs);
}

/** Opens one tab; resolves when its stream is open. */
async function view(index: number): Promise<void> {
  const stream = await asked('/v1/market/levels/stream', { accept: 'text/event-stream' });
  stream.on('data', () => void frames++).on('error', () => {});
  void askSummaries((index * SUMMARY_EVERY_MS) / VIEWERS);
}

async function askSummaries(firstMs: number): Promise<void> {
  let etag = '';
  for (await pause(firstMs); !isOver; await pause(SUMMARY_EVERY_MS)) {
    const headers = { 'accept-encoding': 'gzip', ...(etag && { 'if-none-match': etag }) };
    const answer = await asked('/v1/market/summary', headers).catch(() => null);
    if (!answer) return;
    etag = answer.headers.etag ?? etag;
    await once(answer.resume(), 'end');
    summaries++;
  }
}

function asked(path: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${gateway.url}${path}`, { agent, headers }, (answer) => {
      if (answer.statusCode === 200 || answer.statusCode === 304) resolve(answer);
      else reject(new Error(`${path} was answered with ${answer.statusCode}.`));
    }).on('error', reject);
  });
}

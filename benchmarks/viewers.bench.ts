/**
 * What people who look at the market page cost a gateway: 500 browsers, each with the stream of the board and what the
 * page asks for, as often as it does; first on the board, then each on the page of a model. Its processor time is compared
 * with that of the same gateway without them. `node benchmarks/viewers.bench.ts [--quick]`
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable } from '#simulations/markdown-table.ts';
import { ASKED_BY_BOARD, ASKED_BY_MODEL, type Asked } from '#testing/asked-by-pages.ts';
import { makeSite } from '#testing/gateway-process.ts';
import { processorTimeUs } from './http/processor-time.ts';
import { machine } from './machine.ts';

const VIEWERS = 500;
/** Of a core: so much the viewers may cost together. */
const TARGET = 0.01;
const MEASURED_MS = process.argv.includes('--quick') ? 30_000 : 120_000;
const UNBOUNDED = 1_000_000_000;

// The preview in the shipped file has a level that moves every second.
const shipped = readFileSync(join(import.meta.dirname, '../sluice.yaml'), 'utf8');
const limits = `limits: {streams_per_address: ${UNBOUNDED}, public_requests_per_minute_per_address: ${UNBOUNDED}}`;
const site = await makeSite(`${shipped}\n${limits}\n`);
const gateway = await site.start();
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
let frames = 0;
let answers = 0;
let isOver = false;
try {
  await pause(5_000);
  const quiet = await shareOfACore();
  for (let index = 0; index < VIEWERS; index++) await openStream();
  for (let index = 0; index < VIEWERS; index++) askAll(ASKED_BY_BOARD, index);
  const board = await measured('the board', quiet);
  for (let index = 0; index < VIEWERS; index++) askAll(ASKED_BY_MODEL, index);
  const model = await measured('the page of a model', quiet);
  console.log(`\n${VIEWERS} viewers for ${MEASURED_MS / 1000} s on ${machine()}\n`);
  const names = ['all look at', 'frames a second', 'answers a second', 'of a core without', 'with', 'viewers'];
  console.log(
    markdownTable(
      names,
      [board, model].map(({ row }) => row),
    ),
  );
  const most = Math.max(board.cost, model.cost);
  const verdict = most < TARGET ? 'under' : 'over';
  console.log(
    `\n${VIEWERS} viewers cost the gateway ${percent(most)} of a core: ${verdict} the target of ${percent(TARGET)}.`,
  );
} finally {
  isOver = true;
  agent.destroy();
  await gateway.kill();
  site.remove();
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

/**
 * A row of the table, and the share of a core that the viewers cost. The first seconds are not counted: the code that they
 * compile is compiled once.
 */
async function measured(name: string, quiet: number): Promise<{ row: string[]; cost: number }> {
  await pause(MEASURED_MS / 2);
  [frames, answers] = [0, 0];
  const watched = await shareOfACore();
  const perSecond = (count: number) => ((count * 1000) / MEASURED_MS).toFixed(0);
  const cost = watched - quiet;
  return { cost, row: [name, perSecond(frames), perSecond(answers), ...[quiet, watched, cost].map(percent)] };
}

async function shareOfACore(): Promise<number> {
  const beforeUs = processorTimeUs(gateway.pid);
  const beganMs = performance.now();
  await pause(MEASURED_MS);
  return (processorTimeUs(gateway.pid) - beforeUs) / 1000 / (performance.now() - beganMs);
}

async function openStream(): Promise<void> {
  const stream = await asked('/v1/market/levels/stream?view=board', { accept: 'text/event-stream' });
  stream.on('data', () => void frames++).on('error', () => {});
}

/** Viewers come one after the other, so that what they ask for is spread over time. One who is refused ends the benchmark. */
function askAll(requests: readonly Asked[], index: number): void {
  for (const [path, everyMs] of requests)
    ask(path, everyMs, (index * everyMs) / VIEWERS).catch((error) => {
      if (!isOver) throw error;
    });
}

async function ask(path: string, everyMs: number, firstMs: number): Promise<void> {
  let etag = '';
  for (await waited(firstMs); !isOver; await waited(everyMs)) {
    const headers = { 'accept-encoding': 'gzip', ...(etag && { 'if-none-match': etag }) };
    const answer = await asked(path, headers);
    etag = answer.headers.etag ?? etag;
    await once(answer.resume(), 'end');
    answers++;
  }
}

/** Holds nobody up who waits for the end of the benchmark. */
function waited(ms: number): Promise<void> {
  return pause(ms, undefined, { ref: false });
}

function asked(path: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${gateway.url}${path}`, { agent, headers }, (answer) => {
      if (answer.statusCode === 200 || answer.statusCode === 304) resolve(answer);
      else reject(new Error(`${path} was answered with ${answer.statusCode}.`));
    }).on('error', reject);
  });
}

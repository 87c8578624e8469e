/**
 * What a gateway costs before it does anything, and what 64 connections make of its memory: the time and the processor
 * time from `npm start` to the first answer, on an empty database, on one of a million orders and with a thousand models, and its resident
 * memory when nothing happens and under load. The first start of an installation compiles; it is shown by itself.
 *
 * `node benchmarks/start.bench.ts [--quick] [--json]`: the latter prints one JSON object on the last line.
 *
 * A start took 1,310 ms and 193 to 199 MB before the compile cache (−600 ms, −18 MB), packages that load when used (−213 ms,
 * −28 MB), one collection two seconds later (−24 MB), smaller SQLite caches (−45 MB under load) and two arenas for malloc
 * (−60 MB). A young generation of 16 MB would save 30 MB for 4 to 15 % more processor time.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import { freePort } from '#testing/free-port.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import type { LoadOrder, LoadResult } from './http/load.ts';
import { fillOrders, sumOrders } from './lists/fill.ts';
import { machine, median } from './machine.ts';
import { npmStart, type Started } from './start/npm-start.ts';
import { tellFigure } from './targets/figures.ts';

interface Figures {
  readonly firstAnswerMs: number;
  readonly processorMs: number;
  readonly idleMib: number;
}

interface Loaded {
  readonly orders: number;
  readonly nowMib: number;
  readonly highestMib: number;
}

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});
const CONNECTIONS = 64;
const ROUNDS = values.quick ? 5 : 11;
const MODELS = 1000;
const MANY = values.quick ? 100_000 : 1_000_000;
/** How long nothing happens before memory is read: until then what the start left behind is collected, if it ever is. */
const IDLE_MS = values.quick ? 5_000 : 15_000;
const LOAD_MS = values.quick ? 8_000 : 30_000;
const SHIPPED = readFileSync(join(import.meta.dirname, '../sluice.yaml'), 'utf8');

const compiled = mkdtempSync(join(tmpdir(), 'sluice-compiled-'));
const environment = { NODE_COMPILE_CACHE: compiled };
try {
  const rows: [string, Figures][] = [];
  const empty = () => makeSite(SHIPPED, environment);
  rows.push(['the first start after an installation', await starts(1, empty)]);
  rows.push(['an empty database', await starts(ROUNDS, empty)]);
  const filled = await makeSite(SHIPPED, environment);
  await withDatabase(filled, fill);
  rows.push([`${MANY} orders`, await starts(ROUNDS, async () => ({ ...filled, remove() {} }))]);
  filled.remove();
  const models = await makeSite(manyModels(), environment);
  rows.push([`${MODELS} models`, await starts(ROUNDS, async () => ({ ...models, remove() {} }))]);
  await answers(models);
  models.remove();
  print(rows, await underLoad());
} finally {
  rmSync(compiled, { recursive: true, force: true });
}

/** The medians of so many starts, and the memory after the first. */
async function starts(rounds: number, siteOf: () => Promise<Site>): Promise<Figures> {
  const seen: Started[] = [];
  let idleMib = Number.NaN;
  for (let round = 0; round < rounds; round++) {
    const site = await siteOf();
    const gateway = await npmStart(site.environment);
    seen.push(gateway);
    if (round === 0) {
      await pause(IDLE_MS);
      idleMib = gateway.resident().now;
    }
    await gateway.stop();
    site.remove();
  }
  const of = (figure: (start: Started) => number) => median(seen.map(figure));
  return { firstAnswerMs: of((start) => start.firstAnswerMs), processorMs: of((start) => start.processorMs), idleMib };
}

/** How long a gateway with so many models takes to list them and to tell its metrics, which it does at intervals. */
async function answers(site: Site): Promise<void> {
  const port = await freePort();
  const gateway = await npmStart({ ...site.environment, METRICS_PORT: String(port) });
  for (const [path, origin] of [
    ['/v1/models', gateway.url],
    ['/metrics', `http://127.0.0.1:${port}`],
  ]) {
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const sentMs = performance.now();
      const answer = await fetch(`${origin}${path}`);
      await answer.text();
      if (!answer.ok) throw new Error(`${path} was answered ${answer.status}.`);
      took.push(performance.now() - sentMs);
    }
    console.log(`${path} with ${MODELS} models: ${median(took).toFixed(0)} ms`);
    tellFigure(`start: ${path} ms, models`, median(took));
  }
  await gateway.stop();
}

/** A configuration of many models that nobody asks for. */
function manyModels(): string {
  const ratio = { cached: 0.1, uncached: 1, output: 4 };
  const sizes = { context_length: 131_072, max_output_length: 1024 };
  const terms = { type: 'market', floor: 0.5, ceiling: 100, pricing_ratio: ratio, ...sizes };
  const models = Array.from({ length: MODELS }, (_, at) => {
    return { id: `model-${at}`, ...terms, pods: [{ id: `pod-${at}`, simulated: true, slots: 8 }] };
  });
  return JSON.stringify({ default_model: 'model-0', models, probes: { enabled: false } });
}

async function withDatabase<Answer>(site: Site, work: (db: Database) => Promise<Answer>): Promise<Answer> {
  const db = openDatabase(site.environment.DATABASE_URL ?? '');
  try {
    await migrate(db);
    return await work(db);
  } finally {
    await db.close();
  }
}

async function fill(db: Database): Promise<void> {
  const accounts = new Accounts({ db, clock: systemClock, ids: idSource(systemClock) });
  const { id: accountId } = await accounts.create({ name: 'many' }, COMMAND_LINE);
  await fillOrders(db, { accountId, orders: MANY, endMs: systemClock.nowMs(), mark: 1 });
  await sumOrders(db);
}

async function keyOf(db: Database): Promise<string> {
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  const { id } = await new Accounts(parts).create({ name: 'bench', retentionDays: 30 }, COMMAND_LINE);
  await new Transfers(parts).credit(id, 1_000_000_000_000_000n, { force: true }, COMMAND_LINE);
  return (await new Keys(parts).create(id, { priceLimits: {} }, COMMAND_LINE)).secret;
}

/** The memory of a gateway whose connections always have an order: unary answers, then streams. */
async function underLoad(): Promise<Loaded> {
  const port = await freePort();
  const mock = join(import.meta.dirname, '../testing/mock-backend.ts');
  const flags = ['--port', String(port), '--chunks', '8', '--write', 'together'];
  const children = [
    spawn(process.execPath, [mock, ...flags], { stdio: 'ignore' }),
    fork(join(import.meta.dirname, 'http/load.ts')),
  ];
  const site = await makeSite(marketAt(`http://127.0.0.1:${port}/v1`), environment);
  try {
    const key = await withDatabase(site, keyOf);
    const gateway = await npmStart(site.environment);
    let orders = 0;
    for (const stream of [false, true]) orders += (await load(children[1], { gateway, key, stream })).requests;
    const { now, highest } = gateway.resident();
    await gateway.stop();
    return { orders, nowMib: now, highestMib: highest };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    site.remove();
  }
}

async function load(
  generator: ChildProcess | undefined,
  { gateway, key, stream }: { gateway: Started; key: string; stream: boolean },
): Promise<LoadResult> {
  if (!generator) throw new Error('There is no load generator.');
  const shape = stream ? { stream, stream_options: { include_usage: true } } : {};
  const messages = [
    { role: 'user', content: 'Which rivers run into the North Sea, and which carries the most water?' },
  ];
  generator.send({
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'words', messages, max_tokens: 64, price_limit: 10, ...shape }),
    mark: '"charged_usd":',
    connections: CONNECTIONS,
    durationMs: LOAD_MS,
  } satisfies LoadOrder);
  const [result] = (await once(generator, 'message')) as [LoadResult | { error: string }];
  if ('error' in result) throw new Error(`The load generator failed: ${result.error}`);
  if (result.failures > 0 || result.requests === 0)
    throw new Error(`${result.failures} bad answers.\n${result.firstFailure}`);
  return result;
}

function marketAt(url: string): string {
  const limit = 1_000_000_000;
  const market = { id: 'words', type: 'market', floor: 0.5, ceiling: 100, pods: [{ id: 'words', url, slots: 256 }] };
  const sizes = { context_length: 131_072, max_output_length: 1024 };
  return JSON.stringify({
    default_model: 'words',
    models: [{ ...market, ...sizes, pricing_ratio: { cached: 0.1, uncached: 1, output: 4 } }],
    probes: { enabled: false },
    limits: { inference_requests_per_minute_per_key: limit, public_requests_per_minute_per_address: limit },
  });
}

function print(rows: readonly [string, Figures][], loaded: Loaded): void {
  console.log(`\nStarts on ${machine()}; medians of ${ROUNDS}\n`);
  const columns = ['npm start, on', 'first answer ms', 'processor ms', 'idle MiB'];
  const cells = rows.map(([name, { firstAnswerMs, processorMs, idleMib }]) => [
    name,
    ...[firstAnswerMs, processorMs, idleMib].map((figure) => figure.toFixed(0)),
  ]);
  console.log(markdownTable(columns, cells));
  const { orders, nowMib, highestMib } = loaded;
  console.log(
    `\n${CONNECTIONS} connections, ${orders} orders: ${nowMib.toFixed(0)} MiB, at most ${highestMib.toFixed(0)}.`,
  );
  tell(rows, loaded);
  if (values.json) console.log(JSON.stringify({ starts: Object.fromEntries(rows), loaded }));
}

function tell([, empty, many, models]: readonly (readonly [string, Figures])[], loaded: Loaded): void {
  if (!empty || !many || !models) return;
  tellFigure('start: first answer ms, empty', empty[1].firstAnswerMs);
  tellFigure('start: first answer ms, many', many[1].firstAnswerMs);
  tellFigure('start: first answer ms, models', models[1].firstAnswerMs);
  tellFigure('start: idle MiB, models', models[1].idleMib);
  tellFigure('start: idle MiB', empty[1].idleMib);
  tellFigure('start: loaded MiB', loaded.highestMib);
}

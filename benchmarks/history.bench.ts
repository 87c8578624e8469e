/**
 * 30 days of minutes and two days of single changes for twenty markets, in a complete gateway over HTTP. Measures how
 * long each answer takes a reader in another process, right after a start and later, and how long the gateway's event
 * loop was blocked. At the end the past of all markets is read once more, with nothing else running. On a shared
 * machine CPU time is more reliable than wall time. Target: at most 30 ms.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import { silentLog } from '#base/log.ts';
import { LevelRecorder } from '#observe/level-recorder.ts';
import type { LevelUnits } from '#observe/ports.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { openDatabase } from '#storage/database/database.ts';
import { createLevelPast } from '#storage/market/level-past.ts';
import type { ReadOrder, ReadResult } from './history/reader.ts';
import { openPreviewGateway } from './preview-gateway.ts';
import { tellFigure } from './targets/figures.ts';

const quick = process.argv.includes('--quick');
const models = Array.from({ length: quick ? 3 : 20 }, (_, index) => `m${index}`);
const ROUNDS = quick ? 3 : 5;

const reader = fork(join(import.meta.dirname, 'history/reader.ts'));
let databaseUrl = '';
const gateway = await openPreviewGateway(models, (url) => {
  databaseUrl = url;
  const past = [join(import.meta.dirname, 'history/past.ts'), url, String(systemClock.nowMs()), ...models];
  execFileSync(process.execPath, past, { stdio: 'inherit' });
});
const rows: string[][] = [];

// Before the gateway starts reading ahead.
await measure('the first market asked for, at once after a start', models.slice(0, 1), 'ohlc?range=30d');
await measure('markets while the past is being read', models.slice(-2), 'ohlc?range=30d');
await pause(1000 + models.length * 150);
await measure('each market for the first time', models, 'ohlc?range=30d');
for (const path of [
  ...['1h', '24h', '7d', '30d'].map((range) => `history?range=${range}`),
  ...['1h', '24h', '7d', '30d'].map((range) => `ohlc?range=${range}`),
  ...['300', '900', '1800', '3600', '7200'].map((bucket) => `ohlc?range=30d&bucket=${bucket}`),
]) {
  await measure(path, Array.from({ length: ROUNDS }, () => models).flat(), path);
}
for (const path of ['history?range=24h', 'ohlc?range=30d'])
  for (const coding of ['gzip', 'br'])
    await measure(`${path} in ${coding}`, Array.from({ length: ROUNDS }, () => models).flat(), path, coding);
const names = ['query', 'readings', 'p50 ms', 'p95 ms', 'max ms', 'gateway CPU ms', 'body KiB', 'loop delay max ms'];
console.log(`${models.length} markets, each with 43,200 minutes and 172,800 single changes\n`);
console.log(markdownTable(names, rows));
console.log(`\n${await readingThePast()} Resident: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB.`);
reader.kill();
await gateway.close();
process.exit();

async function measure(name: string, asked: readonly string[], path: string, coding = 'identity'): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const paths = asked.map((model) => `/v1/market/${path}&model=${model}`);
  const order: ReadOrder = { origin: gateway.url, paths, coding };
  reader.send(order);
  const [{ timesMs, bytes }] = (await once(reader, 'message')) as [ReadResult];
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  const sorted = [...timesMs].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  if (name === 'ohlc?range=30d') tellFigure('history: 30 days of candles, p95 ms', at(0.95));
  const times = [at(0.5), at(0.95), at(1), (user + system) / 1000 / sorted.length].map(ms);
  rows.push([name, String(sorted.length), ...times, String(Math.round(bytes / 1024)), ms(delay.max / 1e6)]);
}

/** As the gateway does after a start, but without the initial delay. */
async function readingThePast(): Promise<string> {
  const db = openDatabase(databaseUrl);
  const journal = { write: async () => {}, stalled: false } as unknown as JournalPort<LevelUnits>;
  const parts = { models, past: createLevelPast(db), journal, clock: systemClock, log: silentLog };
  const recorder = new LevelRecorder({ ...parts, bootEpoch: Number.MAX_SAFE_INTEGER });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const [beganMs, before] = [performance.now(), process.cpuUsage()];
  delay.enable();
  for (const model of models) await recorder.chart(model);
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  const tookMs = performance.now() - beganMs;
  await recorder.close();
  await db.close();
  const held = `p99 ${ms(delay.percentile(99) / 1e6)} ms, max ${ms(delay.max / 1e6)} ms`;
  return `Reading the past: ${ms(tookMs)} ms, ${ms((user + system) / 1000)} ms of CPU; loop delay ${held}.`;
}

function ms(value: number): string {
  return value.toFixed(1);
}

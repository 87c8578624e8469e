/**
 * Five thousand listeners of one market's stream on a complete gateway, over real sockets from other processes: whether
 * every change reaches all of them, how late, and how long the gateway's event loop was blocked.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable } from '#simulations/markdown-table.ts';
import { openPreviewGateway } from './preview-gateway.ts';
import type { CountOrder, CountResult, ListenOrder } from './streams/listeners.ts';

const LISTENERS = process.argv.includes('--quick') ? 1000 : 5000;
const PROCESSES = 4;
const SECONDS = 30;

const gateway = await openPreviewGateway(['m']);
const order: ListenOrder = {
  port: Number(new URL(gateway.url).port),
  path: '/v1/market/stream?model=m',
  listeners: LISTENERS / PROCESSES,
};
const listeners = Array.from({ length: PROCESSES }, () => fork(join(import.meta.dirname, 'streams/listeners.ts')));
await Promise.all(listeners.map((child) => asked(child, order)));
await pause(2000);

const delay = monitorEventLoopDelay({ resolution: 1 });
const before = process.cpuUsage();
const from = await newest();
delay.enable();
await pause(SECONDS * 1000);
delay.disable();
const to = await newest();
const { user, system } = process.cpuUsage(before);
// The last changes may still be in flight.
await pause(2000);
const counts = await Promise.all(
  listeners.map((child) => asked<CountResult>(child, { from, to } satisfies CountOrder)),
);

const changes = new Set(
  counts.flatMap(({ sequences }) => Object.keys(sequences).flatMap((received) => received.split(','))),
);
const all = [...changes].sort().join();
const receivedAll = counts.reduce((sum, { sequences }) => sum + (sequences[all] ?? 0), 0);
const late = counts.flatMap(({ lateMs }) => lateMs).sort((a, b) => a - b);
const at = (share: number) => String(late[Math.min(late.length - 1, Math.floor(late.length * share))]);
console.log(
  markdownTable(
    [
      'listeners',
      'changes',
      'got every change',
      'got it after p50 ms',
      'p99 ms',
      'max ms',
      'loop delay p50 ms',
      'p99 ms',
      'max ms',
      'CPU of a core',
      'resident MiB',
    ],
    [
      [
        ...[LISTENERS, changes.size, receivedAll].map(String),
        ...[at(0.5), at(0.99), at(1)],
        ...[delay.percentile(50), delay.percentile(99), delay.max].map((ns) => (ns / 1e6).toFixed(1)),
        `${((user + system) / SECONDS / 1e4).toFixed(0)} %`,
        String(Math.round(process.memoryUsage().rss / 2 ** 20)),
      ],
    ],
  ),
);
for (const child of listeners) child.kill();
await gateway.close();
process.exit();

async function asked<Answer>(child: ChildProcess, message: ListenOrder | CountOrder): Promise<Answer> {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

/** When the level last moved, according to the gateway. */
async function newest(): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/market?model=m`);
  return ((await response.json()) as { updated_at: string }).updated_at;
}

/**
 * The cost of reading a backend: microseconds of CPU per chunk, from the socket to the sink. The mock runs in its own
 * process, so that only the gateway's side is measured. `node benchmarks/backend.bench.ts`
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '#base/clock.ts';
import type { AttemptSink } from '#orders/ports.ts';
import { Backend } from '#pods/backend.ts';
import { attemptRequest, podConfig } from '#testing/pods.ts';

const CONNECTIONS = 32;
const CASES = [
  { chunks: 8, write: 'together', attempts: 20_000 },
  { chunks: 50, write: 'together', attempts: 8_000 },
  { chunks: 300, write: 'together', attempts: 2_000 },
  { chunks: 300, write: 'each', attempts: 1_000 },
];

/** Runs one case and prints its row. */
async function measure({ chunks, write, attempts }: (typeof CASES)[number]): Promise<void> {
  const mock = await spawnMock(chunks, write);
  const config = podConfig({ url: mock.url, slots: CONNECTIONS });
  const pod = new Backend(config, { clock: systemClock, onImplausibleUsage: () => {}, onConnectionRefused: () => {} });
  await runAttempts(pod, attempts / 10);
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const events = await runAttempts(pod, attempts);
  const { user, system } = process.cpuUsage(cpu);
  const elapsedS = (performance.now() - startMs) / 1_000;
  const perAttempt = (user + system) / attempts;
  const line = [
    `${chunks} chunks ${write}`.padEnd(22),
    `${perAttempt.toFixed(1)} µs CPU an attempt`.padEnd(26),
    `${((user + system) / (attempts * (chunks + 4))).toFixed(2)} µs a chunk`.padEnd(18),
    `${Math.round(events / elapsedS)} events/s`,
  ];
  process.stdout.write(`${line.join('')}\n`);
  await pod.close();
  mock.stop();
}

/** Runs attempts, a fixed number at a time. Returns the number of events received. */
function runAttempts(pod: Backend, attempts: number): Promise<number> {
  const request = attemptRequest({}, { outputCap: 1_000_000 });
  let started = 0;
  let ended = 0;
  let events = 0;
  return new Promise((resolve, reject) => {
    const sink: AttemptSink = {
      events: (batch) => {
        events += batch.length;
      },
      ended: (outcome) => {
        if (outcome.kind !== 'complete') reject(new Error(JSON.stringify(outcome)));
        if (++ended === attempts) resolve(events);
        else next();
      },
    };
    const next = () => {
      if (started++ < attempts) pod.execute(request, sink);
    };
    for (let connection = 0; connection < CONNECTIONS; connection++) next();
  });
}

function spawnMock(chunks: number, write: string): Promise<{ url: string; stop: () => void }> {
  const script = new URL('../testing/mock-backend.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, '--port', '0', '--chunks', String(chunks), '--write', write], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve) => {
    createInterface(child.stdout).once('line', (url) => resolve({ url, stop: () => child.kill() }));
  });
}

for (const one of CASES) await measure(one);

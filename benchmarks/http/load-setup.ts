/**
 * Everything a measurement needs, each in its own process: the mock backends, this gateway with an account and a key,
 * the peer, and the load generator. `close` ends only what was started.
 */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, makeSite, type Site } from '#testing/gateway-process.ts';
import type { LoadOrder, LoadResult } from './load.ts';

/** How a mock backend answers; each is its own model. */
export interface Upstream {
  readonly model: string;
  readonly chunks: number;
  readonly write: 'together' | 'each';
}

/** A way to reach a model. */
export interface Target {
  readonly name: 'direct' | 'peer' | 'sluice';
  /** 0 for none: the direct call has no process in between. */
  readonly pid: number;
  address(model: string): { url: string; headers: Readonly<Record<string, string>> };
}

export interface LoadSetup {
  readonly targets: readonly Target[];
  load(order: LoadOrder): Promise<LoadResult>;
  close(): Promise<void>;
}

const MOCK = join(import.meta.dirname, '../../testing/mock-backend.ts');
const PEER_FOLDER = join(import.meta.dirname, '../peer');
const PEER_START = 'node_modules/@portkey-ai/gateway/build/start-server.js';
const CHAT = '/chat/completions';
/** How long the measured account keeps answers; 0 keeps none. */
const RETENTION_DAYS = process.env.BENCH_RETENTION_DAYS ?? '30';

/** Starts everything for these upstreams. */
export async function openLoadSetup(upstreams: readonly Upstream[]): Promise<LoadSetup> {
  const children: ChildProcess[] = [];
  const backends = new Map<string, string>();
  for (const upstream of upstreams) {
    const port = await freePort();
    const flags = ['--port', String(port), '--chunks', String(upstream.chunks), '--write', upstream.write];
    children.push(spawn(process.execPath, [MOCK, ...flags], { stdio: 'ignore' }));
    backends.set(upstream.model, `http://127.0.0.1:${port}/v1`);
    await untilOpen(`http://127.0.0.1:${port}/v1/models`);
  }
  const backendOf = (model: string) => backends.get(model) ?? '';
  const direct: Target = {
    name: 'direct',
    pid: 0,
    address: (model) => ({ url: backendOf(model) + CHAT, headers: {} }),
  };
  const peer = await startPeer(children, backendOf);
  const { target: sluice, stop } = await startSluice(backends);
  const generator = fork(join(import.meta.dirname, 'load.ts'));
  children.push(generator);
  return {
    targets: [direct, peer, sluice],
    load: (order) => runLoad(generator, order),
    async close() {
      await stop();
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** The peer, installed from its own lockfile if missing: it is not a dependency of this project. */
async function startPeer(children: ChildProcess[], backendOf: (model: string) => string): Promise<Target> {
  if (!existsSync(join(PEER_FOLDER, PEER_START))) {
    console.log('Installing the peer gateway into benchmarks/peer …');
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: PEER_FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const port = await freePort();
  const flags = [PEER_START, `--port=${port}`, '--headless'];
  const environment = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, flags, { cwd: PEER_FOLDER, stdio: 'ignore', env: environment });
  children.push(child);
  await untilOpen(`http://127.0.0.1:${port}/`);
  return {
    name: 'peer',
    pid: child.pid ?? 0,
    address: (model) => ({
      url: `http://127.0.0.1:${port}/v1${CHAT}`,
      headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': backendOf(model), authorization: 'Bearer x' },
    }),
  };
}

async function startSluice(backends: ReadonlyMap<string, string>): Promise<{ target: Target; stop(): Promise<void> }> {
  const site = await makeSite(configuration(backends));
  const apiKey = await openAccount(site, [...backends.keys()]);
  const gateway = await site.start();
  const target: Target = {
    name: 'sluice',
    pid: gateway.pid,
    address: () => ({ url: `${gateway.url}/v1${CHAT}`, headers: { authorization: `Bearer ${apiKey}` } }),
  };
  return {
    target,
    async stop() {
      await gateway.stop();
      const { json } = await site.command('audit');
      if (json.ok !== true) console.log(`The audit after the benchmark has findings: ${JSON.stringify(json.findings)}`);
      site.remove();
    },
  };
}

async function openAccount({ command }: Site, models: readonly string[]): Promise<string> {
  const account = await command(
    'account',
    'create',
    'bench',
    '--credit',
    '1000000',
    '--force',
    '--retention-days',
    RETENTION_DAYS,
  );
  const limits = models.flatMap((model) => ['--price-limit', `${model}=10`]);
  const key = await command('key', 'create', String(account.json.account_id), ...limits);
  return String(key.json.api_key);
}

/** Every model is a market, like the shipped one; limits are too high to matter. */
function configuration(backends: ReadonlyMap<string, string>): string {
  const models = [...backends].map(([id, url]) => ({
    id,
    type: 'market',
    context_length: 131072,
    max_output_length: 1024,
    pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
    floor: 0.5,
    ceiling: 100,
    pods: [{ id: `pod-${id}`, url, slots: 256 }],
  }));
  const limit = 1_000_000_000;
  return JSON.stringify({
    default_model: models[0]?.id,
    models,
    probes: { enabled: false },
    limits: { inference_requests_per_minute_per_key: limit, public_requests_per_minute_per_address: limit },
  });
}

async function runLoad(generator: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  const answered = once(generator, 'message');
  generator.send(order);
  const [result] = (await answered) as [LoadResult | { error: string }];
  if ('error' in result) throw new Error(`The load generator failed: ${result.error}`);
  return result;
}

async function untilOpen(url: string): Promise<void> {
  for (let tries = 0; tries < 250; tries++) {
    const response = await fetch(url).catch(() => null);
    await response?.body?.cancel();
    if (response) return;
    await sleep(40);
  }
  throw new Error(`Nothing answers at ${url}.`);
}

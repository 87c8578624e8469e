/**
 * Everything a measurement needs, each in its own process: the mock backends, this gateway with an account and a key,
 * the floor, the peer, and the load generator. `close` ends only what was started.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { makeSite, NODE_FLAGS, type Site } from '#testing/gateway-process.ts';
import { type AllocationProbe, allocationProbe } from './allocations.ts';
import { startLitellm } from './litellm.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import type { OpenLoadOrder, OpenLoadResult } from './open-load.ts';
import { portkeyHeaders, startPortkey } from './portkey.ts';
import { startSmg } from './smg.ts';
import { type Answering, startBackend } from './start-backend.ts';
import { untilOpen } from './until-open.ts';
import { startVllmRouter } from './vllm-router.ts';

/** A mock backend; each is its own model. */
export interface Upstream extends Answering {
  readonly model: string;
}

/**
 * `direct` has no process in between; `floor` does what every gateway has to do; `peer`, which is Portkey, and `litellm` are other
 * gateways; `vllm-router` and `smg` route only.
 */
export type TargetName = 'direct' | 'floor' | 'peer' | 'litellm' | 'vllm-router' | 'smg' | 'sluice';

/** A way to reach a model. */
export interface Target {
  readonly name: TargetName;
  /** The process through which requests for a model pass; 0 for none. */
  pidOf(model: string): number;
  /** Null for none. */
  readonly probe: AllocationProbe | null;
  address(model: string): { url: string; headers: Readonly<Record<string, string>> };
}

export interface LoadSetup {
  readonly targets: readonly Target[];
  load(order: LoadOrder): Promise<LoadResult>;
  openLoad(order: OpenLoadOrder): Promise<OpenLoadResult>;
  close(): Promise<void>;
}

const FLOOR = join(import.meta.dirname, '../floor/server.ts');
const CHAT = '/chat/completions';
/** How long the measured account keeps answers; 0 keeps none. */
export const RETENTION_DAYS = process.env.BENCH_RETENTION_DAYS ?? '30';

/** Starts everything for these upstreams, and of the targets those that are named, in this order. */
export async function openLoadSetup(
  upstreams: readonly Upstream[],
  names: readonly TargetName[] = ['direct', 'floor', 'peer', 'sluice'],
): Promise<LoadSetup> {
  const children: ChildProcess[] = [];
  const backends = await startBackends(children, upstreams);
  const opened: OpenTarget[] = [];
  for (const name of names) opened.push(await openers[name](children, backends));
  const closedLoop = fork(join(import.meta.dirname, 'load.ts'));
  const openLoop = fork(join(import.meta.dirname, 'open-load.ts'));
  children.push(closedLoop, openLoop);
  return {
    targets: opened.map(({ target }) => target),
    load: (order) => runLoad<LoadResult>(closedLoop, order),
    openLoad: (order) => runLoad<OpenLoadResult>(openLoop, order),
    async close() {
      for (const { target, stop } of opened) {
        await stop?.();
        target.probe?.remove();
      }
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** Addresses by model. */
type Backends = ReadonlyMap<string, string>;

async function startBackends(children: ChildProcess[], upstreams: readonly Upstream[]): Promise<Backends> {
  const backends = new Map<string, string>();
  for (const upstream of upstreams) backends.set(upstream.model, await startBackend(children, upstream));
  return backends;
}

interface OpenTarget {
  readonly target: Target;
  /** Absent where the process may be killed. */
  stop?(): Promise<void>;
}

const openers: Readonly<Record<TargetName, (children: ChildProcess[], backends: Backends) => Promise<OpenTarget>>> = {
  direct: async (_children, backends) => ({
    target: {
      name: 'direct',
      pidOf: () => 0,
      probe: null,
      address: (model) => ({ url: (backends.get(model) ?? '') + CHAT, headers: {} }),
    },
  }),
  floor: startFloor,
  peer: startPeer,
  litellm: openLitellm,
  'vllm-router': (children, backends) => routers('vllm-router', { children, backends, start: startVllmRouter }),
  smg: (children, backends) =>
    routers('smg', { children, backends, start: (backend, model) => startSmg(backend, 'x', model) }),
  sluice: (_children, backends) => startSluice(backends),
};

async function startFloor(children: ChildProcess[], backends: Backends): Promise<OpenTarget> {
  const port = await freePort();
  const probe = allocationProbe();
  const own = ['--port', String(port), '--backends', JSON.stringify(Object.fromEntries(backends))];
  const child = spawn(process.execPath, [...NODE_FLAGS, ...probe.flags, FLOOR, ...own], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...probe.environment },
  });
  children.push(child);
  await untilOpen(`http://127.0.0.1:${port}/`);
  const address = () => ({ url: `http://127.0.0.1:${port}/v1${CHAT}`, headers: {} });
  return { target: { name: 'floor', pidOf: () => child.pid ?? 0, probe, address } };
}

async function startPeer(children: ChildProcess[], backends: Backends): Promise<OpenTarget> {
  const probe = allocationProbe();
  const { url, process: child } = await startPortkey(probe.flags, probe.environment);
  children.push(child);
  const address = (model: string) => ({
    url: `${url}/v1${CHAT}`,
    headers: { ...portkeyHeaders(backends.get(model) ?? ''), authorization: 'Bearer x' },
  });
  return { target: { name: 'peer', pidOf: () => child.pid ?? 0, probe, address } };
}

/** A router for each model. */
async function routers(
  name: TargetName,
  parts: {
    children: ChildProcess[];
    backends: Backends;
    start: (backend: string, model: string) => Promise<{ url: string; process: ChildProcess }>;
  },
): Promise<OpenTarget> {
  const { children, backends, start } = parts;
  const urls = new Map<string, string>();
  const pids = new Map<string, number>();
  for (const [model, backend] of backends) {
    const { url, process: child } = await start(backend, model);
    children.push(child);
    urls.set(model, `${url}/v1${CHAT}`);
    pids.set(model, child.pid ?? 0);
  }
  const address = (model: string) => ({ url: urls.get(model) ?? '', headers: { authorization: 'Bearer x' } });
  return { target: { name, pidOf: (model) => pids.get(model) ?? 0, probe: null, address } };
}

async function openLitellm(children: ChildProcess[], backends: Backends): Promise<OpenTarget> {
  const { url, key, folder, process: child } = await startLitellm(backends);
  children.push(child);
  await untilOpen(`${url}/health/liveliness`);
  const address = () => ({ url: `${url}/v1${CHAT}`, headers: { authorization: `Bearer ${key}` } });
  const stop = async () => rmSync(folder, { recursive: true });
  return { target: { name: 'litellm', pidOf: () => child.pid ?? 0, probe: null, address }, stop };
}

async function startSluice(backends: Backends): Promise<OpenTarget> {
  const probe = allocationProbe();
  const site = await makeSite(configuration(backends), probe.environment);
  const apiKey = await openAccount(site, [...backends.keys()]);
  const gateway = await site.start(probe.flags);
  const target: Target = {
    name: 'sluice',
    pidOf: () => gateway.pid,
    probe,
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
function configuration(backends: Backends): string {
  const models = [...backends].map(([id, url]) => ({
    id,
    type: 'market',
    context_length: 131072,
    max_output_length: 1024,
    pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
    floor: 0.5,
    ceiling: 100,
    pods: [{ id: `pod-${id}`, url, slots: 1024 }],
  }));
  const limit = 1_000_000_000;
  return JSON.stringify({
    default_model: models[0]?.id,
    models,
    probes: { enabled: false },
    limits: { inference_requests_per_minute_per_key: limit, public_requests_per_minute_per_address: limit },
  });
}

async function runLoad<Result extends object>(
  generator: ChildProcess,
  order: LoadOrder | OpenLoadOrder,
): Promise<Result> {
  const answered = once(generator, 'message');
  generator.send(order);
  const [result] = (await answered) as [Result | { error: string }];
  if ('error' in result) throw new Error(`The load generator failed: ${result.error}`);
  return result;
}

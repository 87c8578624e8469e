/**
 * A gateway in a process of its own. Three markets are served by `backend.ts`, in another process: `quick`, `slow` and
 * `large`. The only slot of `busy` is taken by an order of half an hour, so everything else there waits.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite } from '#testing/gateway-process.ts';
import type { CrowdCount, CrowdOrder } from './crowd.ts';

/** The gateway under test. */
export interface MemorySite {
  readonly url: string;
  /** A key of a new account with so many dollars. */
  newKey(usd: number): Promise<string>;
  /** Resident memory now, and the most it ever was, in MiB. */
  resident(): { readonly now: number; readonly highest: number };
  /** How many orders wait, and how many run; one always does. */
  orders(): Promise<{ readonly queued: number; readonly inflight: number }>;
  /** Sends to the gateway or, for comparison, to another process on this machine, which only receives. */
  crowd(order: Omit<CrowdOrder, 'url'>, elsewhere?: boolean): Crowd;
}

/** Greedy clients at work. */
export interface Crowd {
  count(): Promise<CrowdCount>;
  /** All of them hang up. */
  leave(): Promise<void>;
}

const LIMIT = 1_000_000_000;

/** Runs `work` with a fresh gateway, and removes it. */
export async function withSite<Result>(work: (site: MemorySite) => Promise<Result>): Promise<Result> {
  const backend = await startBackend();
  const receiver = await startBackend();
  const site = await makeSite(configuration(`${backend.url}/v1`));
  const gateway = await site.start();
  const db = openDatabase(site.environment.DATABASE_URL ?? '');
  const newKey = (usd: number) => keyOf(db, usd);
  const crowds: ChildProcess[] = [];
  try {
    await occupy(gateway, await newKey(1000));
    return await work({
      url: gateway.url,
      newKey,
      resident: () => residentMib(gateway.pid),
      orders: () => health(gateway),
      crowd(order, elsewhere = false) {
        const child = fork(join(import.meta.dirname, 'crowd.ts'));
        crowds.push(child);
        child.send({ ...order, url: (elsewhere ? receiver : gateway).url } satisfies CrowdOrder);
        return { count: () => counted(child), leave: () => left(child) };
      },
    });
  } finally {
    for (const child of [...crowds, backend.process, receiver.process]) child.kill('SIGKILL');
    await db.close();
    await gateway.kill();
    site.remove();
  }
}

async function startBackend(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const port = await freePort();
  const file = join(import.meta.dirname, 'backend.ts');
  const child = spawn(process.execPath, [file, '--port', String(port)], { stdio: 'inherit' });
  return { url: `http://127.0.0.1:${port}`, process: child };
}

async function keyOf(db: Database, usd: number): Promise<string> {
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  const { id } = await new Accounts(parts).create({ name: 'bench', retentionDays: 30 }, COMMAND_LINE);
  await new Transfers(parts).credit(id, BigInt(usd * 1e9), { force: true }, COMMAND_LINE);
  return (await new Keys(parts).create(id, { priceLimits: {} }, COMMAND_LINE)).secret;
}

function configuration(backendUrl: string): string {
  const limits = {
    inference_requests_per_minute_per_key: LIMIT,
    public_requests_per_minute_per_address: LIMIT,
  };
  const served = ['quick', 'slow', 'large'].map((id) => market(id, { id, url: backendUrl, model: id, slots: 512 }));
  const models = [...served, market('busy', { id: 'busy', simulated: true, slots: 1 })];
  return JSON.stringify({ default_model: 'quick', models, probes: { enabled: false }, limits });
}

function market(id: string, pod: object): object {
  return {
    ...{ id, display_name: id, type: 'market', owned_by: 'sluice', floor: 0.01, ceiling: 100, pods: [pod] },
    ...{ context_length: 131_072, max_output_length: 32_768 },
    pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
  };
}

/** Takes the only slot of the busy market for as long as the gateway runs. */
async function occupy(gateway: GatewayProcess, key: string): Promise<void> {
  const body = {
    ...{ model: 'busy', max_tokens: 1000, price_limit: 50, detached: true },
    messages: [{ role: 'user', content: 'Hello.' }],
    x_simulate: { output_tokens: 1000, token_ms: 30_000 },
  };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`The busy market answered ${response.status}: ${await response.text()}`);
  while ((await health(gateway)).inflight === 0) await pause(20);
}

async function health(gateway: GatewayProcess): Promise<{ queued: number; inflight: number }> {
  return (await (await fetch(`${gateway.url}/healthz`)).json()) as { queued: number; inflight: number };
}

/** Resident memory of a process in MiB: now, and the most it ever was. */
export function residentMib(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: mib('VmRSS'), highest: mib('VmHWM') };
}

async function counted(child: ChildProcess): Promise<CrowdCount> {
  child.send('count');
  const [count] = await once(child, 'message');
  return count as CrowdCount;
}

async function left(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

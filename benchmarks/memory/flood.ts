/**
 * The flood: accounts with a cent queue bodies of 8 MB at price 0 against a busy market, while others are served. Both
 * kinds of client are in processes of their own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type CrowdCount, TEXT } from './crowd.ts';
import { latenciesOf } from './others.ts';
import { type MemorySite, withSite } from './site.ts';

const WARM_UP_MS = 8_000;
const QUIET_MS = 20_000;
const FLOOD_MS_MAX = 180_000;
/** The others are measured for at least this long. */
const FLOOD_MS_MIN = 20_000;
const BODY_BYTES = 8 * 2 ** 20 - 1024;

/** Who floods, and how. */
export interface Flood {
  readonly name: string;
  readonly accounts: number;
  readonly requests: number;
  readonly path: string;
  readonly body: object;
  /** The same bytes to another process: what a flood costs others because its senders are on this machine. */
  readonly elsewhere?: boolean;
}

/** Every flood; with fewer accounts where `quick`. */
export function floods(quick: boolean): readonly Flood[] {
  const accounts = quick ? 10 : 50;
  const head = { model: 'busy', price_limit: 0, max_wait: 3600 };
  const chat = { ...head, max_tokens: 8, messages: [{ role: 'user', content: TEXT }] };
  const response = { ...head, max_output_tokens: 16, instructions: TEXT, input: 'Hello.', stream: true };
  return [
    { name: 'none: to another process', accounts, requests: 14, path: '/v1', body: chat, elsewhere: true },
    { name: 'chat', accounts, requests: 14, path: '/v1/chat/completions', body: chat },
    { name: 'chat, detached', accounts, requests: 14, path: '/v1/chat/completions', body: { ...chat, detached: true } },
    { name: 'responses, instructions', accounts, requests: 14, path: '/v1/responses', body: response },
  ];
}

export const floodColumns = [
  ...[
    'flood',
    'waiting',
    'after s',
    'refused',
    'asked to retry',
    'resident MiB before',
    'highest',
    'quiet p50 ms',
    'p99',
  ],
  ...['p50 during', 'p99', 'max', 'p99 ÷ quiet', 'p99 once all wait', '÷ quiet'],
];

/** The row of one flood, sent over a link of so many megabits a second, or as fast as this machine can. */
export function flooded(flood: Flood, linkMegabits: number | null): Promise<string[]> {
  return withSite(async (site) => {
    const rich = await site.newKey(1000);
    const keys = await keysOf(site, flood.accounts);
    const calm = (forMs: number) => latenciesOf(site.url, rich, deadline(forMs));
    await calm(WARM_UP_MS);
    const quiet = await calm(QUIET_MS);
    const before = site.resident().now;
    const { path, body, requests } = flood;
    const crowd = site.crowd(
      { keys, requests, path, body, textBytes: BODY_BYTES, reads: true, linkMegabits },
      flood.elsewhere,
    );
    const whole = flood.accounts * requests;
    const beganMs = performance.now();
    let isOver = false;
    const others = latenciesOf(site.url, rich, () => isOver);
    const isDone = async () => {
      const { waiting, ended } = await crowd.count();
      // The other process takes everything and answers nothing. Here what has an answer may wait, too: a detached order, and a stream.
      if (flood.elsewhere) return waiting >= whole;
      return (await site.orders()).queued + refusedOf(ended) >= whole;
    };
    const latest = deadline(FLOOD_MS_MAX);
    while (!latest() && !(await isDone())) await pause(500);
    const tookMs = performance.now() - beganMs;
    await pause(Math.max(0, FLOOD_MS_MIN - tookMs));
    isOver = true;
    const during = await others;
    const waiting = (await site.orders()).queued;
    const after = await calm(QUIET_MS);
    const count = await crowd.count();
    const { highest } = site.resident();
    await crowd.leave();
    return [
      ...[flood.name, String(waiting), (tookMs / 1000).toFixed(0), listed(count.ended), listed(count.retried)],
      ...[String(before), String(highest)],
      ...[quiet.p50, quiet.p99, during.p50, during.p99, during.max].map((ms) => ms.toFixed(1)),
      ...[(during.p99 / quiet.p99).toFixed(2), after.p99.toFixed(1), (after.p99 / quiet.p99).toFixed(2)],
    ];
  });
}

async function keysOf(site: MemorySite, accounts: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < accounts) keys.push(await site.newKey(0.01));
  return keys;
}

function deadline(inMs: number): () => boolean {
  const endMs = performance.now() + inMs;
  return () => performance.now() >= endMs;
}

function refusedOf(ended: CrowdCount['ended']): number {
  return Object.entries(ended).reduce((sum, [status, many]) => sum + (status.startsWith('2') ? 0 : many), 0);
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([status, many]) => `${many} × ${status}`)
    .join(', ');
}

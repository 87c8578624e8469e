/** The kinds of load, and one sample of one target under one of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadSetup, Target, Upstream } from './load-setup.ts';
import { processorTimeUs } from './processor-time.ts';

export interface Scenario {
  readonly name: string;
  readonly upstream: Upstream;
  readonly stream: boolean;
  readonly connections: number;
}

/** What one target did in one round. Per request: processor time, and bytes of heap that the main thread allocated. */
export interface Sample {
  readonly requests: number;
  readonly requestsPerS: number;
  /** NaN where it cannot be known, as also below. */
  readonly processorUs: number;
  readonly allocatedBytes: number;
  readonly p50Ms: number;
}

export const EIGHT: Upstream = { model: 'words-8', chunks: 8, write: 'together' };
const FIFTY: Upstream = { model: 'words-50', chunks: 50, write: 'together' };
export const FIFTY_EACH: Upstream = { model: 'words-50-each', chunks: 50, write: 'each' };
export const upstreams: readonly Upstream[] = [EIGHT, FIFTY, FIFTY_EACH];

/** The rows of the table. */
export const scenarios: readonly Scenario[] = [
  { name: 'unary, 8 chunks', upstream: EIGHT, stream: false, connections: 20 },
  { name: 'unary, 8 chunks', upstream: EIGHT, stream: false, connections: 64 },
  { name: 'unary, 50 chunks', upstream: FIFTY, stream: false, connections: 20 },
  { name: 'unary, 50 chunks', upstream: FIFTY, stream: false, connections: 64 },
  { name: 'stream, 50 chunks together', upstream: FIFTY, stream: true, connections: 20 },
  { name: 'stream, 50 chunks together', upstream: FIFTY, stream: true, connections: 64 },
  { name: 'stream, 50 chunks one by one', upstream: FIFTY_EACH, stream: true, connections: 20 },
  { name: 'stream, 50 chunks one by one', upstream: FIFTY_EACH, stream: true, connections: 64 },
];
/** For the added latency. */
export const single: Scenario = { name: 'one connection', upstream: EIGHT, stream: false, connections: 1 };

/**
 * The warm-up of each target for each kind of answer. The compilers need about ten thousand requests; before that an
 * order costs half as much again, and the first row would show that.
 */
const WARM_UP = { requests: 12_000, msMax: 12_000, windowMs: 3_000 };

/** Warms up each kind of answer in `planned` once, with many connections; the direct call needs no warm-up. */
export async function warmUp(setup: LoadSetup, planned: readonly Scenario[]): Promise<void> {
  const kinds = new Map(planned.map((scenario) => [`${scenario.upstream.model} ${scenario.stream}`, scenario]));
  for (const kind of kinds.values()) {
    const scenario = { ...kind, connections: 64 };
    for (const target of setup.targets.filter(({ name }) => name !== 'direct')) {
      let requests = 0;
      for (let ms = 0; ms < WARM_UP.msMax && requests < WARM_UP.requests; ms += WARM_UP.windowMs)
        requests += (await measure(setup, { scenario, target, durationMs: WARM_UP.windowMs })).requests;
    }
    console.error(`${kind.name}: warmed up`);
  }
}

/** One sample of each target, in turn. */
export async function measureAll(setup: LoadSetup, scenario: Scenario, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const target of setup.targets) samples.push(await measure(setup, { scenario, target, durationMs }));
  return samples;
}

async function measure(
  setup: LoadSetup,
  { scenario, target, durationMs }: { scenario: Scenario; target: Target; durationMs: number },
): Promise<Sample> {
  const { url, headers } = target.address(scenario.upstream.model);
  const endCount = await target.probe?.count();
  const pid = target.pidOf(scenario.upstream.model);
  const beforeUs = processorTimeUs(pid);
  const result = await setup.load({
    url,
    headers,
    body: bodyOf(scenario),
    mark: markOf(scenario, target),
    connections: scenario.connections,
    durationMs,
  });
  const usedUs = processorTimeUs(pid) - beforeUs;
  const allocatedBytes = (await endCount?.()) ?? Number.NaN;
  const { requests } = result;
  if (result.failures > 0 || requests === 0)
    throw new Error(`${target.name}, ${scenario.name}: ${result.failures} bad answers.\n${result.firstFailure}`);
  // Leftover work of this target must not count in the next target's measurement.
  await sleep(50);
  return {
    requests,
    requestsPerS: requests / result.seconds,
    processorUs: usedUs / requests,
    allocatedBytes: allocatedBytes / requests,
    p50Ms: result.p50Ms,
  };
}

/** The request of a scenario. */
export function bodyOf({ upstream, stream }: Pick<Scenario, 'upstream' | 'stream'>): string {
  return JSON.stringify({
    model: upstream.model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant that answers in a few words.' },
      { role: 'user', content: 'Which rivers run into the North Sea, and which of them carries the most water?' },
    ],
    max_tokens: 64,
    temperature: 0.7,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

/** A good answer of this gateway has a receipt, any other one its last words. */
export function markOf({ stream }: Pick<Scenario, 'stream'>, { name }: Pick<Target, 'name'>): string {
  if (name === 'sluice') return '"charged_usd":';
  return stream ? 'data: [DONE]' : '"finish_reason":"stop"';
}

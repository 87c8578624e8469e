/**
 * What something costs an order: processor time of the same load in two gateways that differ in one setting, in turn and
 * many times. Robust beside other work, by which times of a single run differ by a third: both run in one process, what
 * is counted is processor time and not time, and each round is compared with those beside it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { makeSite, NODE_FLAGS, type Site } from '#testing/gateway-process.ts';
import { fixedModel, selling } from '#testing/test-config.ts';
import type { LoadOrder, LoadResult } from './http/load.ts';
import { startBackend } from './http/start-backend.ts';
import type { Asked, Told } from './in-turn/gateways.ts';
import { median } from './machine.ts';

const CONNECTIONS = 20;
const LIMIT = 1_000_000_000;

/** What is compared. */
export interface InTurn {
  /** Variables of the environment of the gateway without, and of the one with it. */
  readonly off: Readonly<Record<string, string>>;
  readonly on: Readonly<Record<string, string>>;
  /** More models that both sell. */
  readonly models?: readonly ReturnType<typeof fixedModel>[];
  /** How often each is measured, in how many pairs of processes, for how long. */
  readonly starts: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

/** Medians, in microseconds of an order. */
export interface Cost {
  readonly offUs: number;
  readonly onUs: number;
  /** The median of the ratios of rounds that follow each other. */
  readonly ratio: number;
  /** Half of the ratios are between these. */
  readonly middle: readonly [from: number, to: number];
  readonly pairs: number;
}

interface Gateway {
  readonly site: Site;
  readonly order: LoadOrder;
}

/** Measures, for several minutes. Orders are unary, of 8 chunks, over 20 connections. */
export async function costInTurn(compared: InTurn): Promise<Cost> {
  const children: ChildProcess[] = [];
  try {
    const backend = await startBackend(children, { chunks: 8, write: 'together' });
    const generator = fork(join(import.meta.dirname, 'http/load.ts'));
    children.push(generator);
    const pairs: { off: number; on: number }[] = [];
    for (let start = 0; start < compared.starts; start++) {
      pairs.push(...(await measured(compared, { backend, generator, children })));
      console.error(`pair ${start + 1} of ${compared.starts}: measured`);
    }
    return costOf(pairs);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

interface Beside {
  readonly backend: string;
  readonly generator: ChildProcess;
  readonly children: ChildProcess[];
}

/** The rounds of one process, in pairs; who is first changes with each, so that what drifts cancels. */
async function measured(
  compared: InTurn,
  { backend, generator, children }: Beside,
): Promise<{ off: number; on: number }[]> {
  const process = fork(join(import.meta.dirname, 'in-turn/gateways.ts'), { execArgv: [...NODE_FLAGS] });
  children.push(process);
  const [off, on] = [await open(compared.off), await open(compared.on)];
  for (const { order } of [off, on]) await load(generator, order, compared.warmUpMs);
  const pairs: { off: number; on: number }[] = [];
  for (let round = 0; round < compared.rounds; round++) {
    const [first, second] = round % 2 === 0 ? [off, on] : [on, off];
    const [one, other] = [await cost(first), await cost(second)];
    pairs.push(round % 2 === 0 ? { off: one, on: other } : { off: other, on: one });
  }
  await ask(process, { end: true });
  for (const { site } of [off, on]) site.remove();
  return pairs;

  async function open(environment: Readonly<Record<string, string>>): Promise<Gateway> {
    const words = { ...fixedModel('words'), pods: [{ id: 'words-1', url: backend, slots: 256 }] };
    const limits = { inference_requests_per_minute_per_key: LIMIT };
    const site = await makeSite(
      selling([words, ...(compared.models ?? [])], { limits, probes: { enabled: false } }),
      environment,
    );
    const { apiKey } = await site.openAccount('bench', '1000000', '--force', '--retention-days', '0');
    const { url } = (await ask(process, { start: site.environment })) as { url: string };
    const body = JSON.stringify({ model: 'words', messages: [{ role: 'user', content: 'Which rivers are long?' }] });
    const order: LoadOrder = {
      ...{ url: `${url}/v1/chat/completions`, headers: { authorization: `Bearer ${apiKey}` }, body },
      ...{ mark: '"charged_usd":', connections: CONNECTIONS, durationMs: 0 },
    };
    return { site, order };
  }

  async function cost({ order }: Gateway): Promise<number> {
    const used = async () => ((await ask(process, { used: true })) as { usedUs: number }).usedUs;
    const beforeUs = await used();
    const { requests } = await load(generator, order, compared.roundMs);
    return ((await used()) - beforeUs) / requests;
  }
}

function costOf(pairs: readonly { off: number; on: number }[]): Cost {
  const ratios = pairs.map(({ off, on }) => on / off).sort((a, b) => a - b);
  const at = (share: number) => ratios[Math.floor(share * (ratios.length - 1))] ?? Number.NaN;
  return {
    offUs: median(pairs.map(({ off }) => off)),
    onUs: median(pairs.map(({ on }) => on)),
    ratio: median(ratios),
    middle: [at(0.25), at(0.75)],
    pairs: pairs.length,
  };
}

async function ask(process: ChildProcess, asked: Asked): Promise<Told> {
  const told = once(process, 'message');
  process.send(asked);
  return (await told)[0] as Told;
}

async function load(generator: ChildProcess, order: LoadOrder, durationMs: number): Promise<LoadResult> {
  const answered = once(generator, 'message');
  generator.send({ ...order, durationMs });
  const [result] = (await answered) as [LoadResult | { error: string }];
  if ('error' in result || result.failures > 0) throw new Error(`The load failed: ${JSON.stringify(result)}`);
  return result;
}

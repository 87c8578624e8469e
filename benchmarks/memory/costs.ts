/** What one order costs in memory while it waits, runs, or is read too slowly: each row with a gateway of its own. */
import { setTimeout as pause } from 'node:timers/promises';
import { type CrowdOrder, TEXT } from './crowd.ts';
import { type MemorySite, withSite } from './site.ts';

/** How long memory may settle. */
const SETTLE_MS = 4_000;

/** Orders of one kind. */
export interface Cost {
  readonly name: string;
  readonly count: number;
  /** Sent before, for what is loaded and compiled once. */
  readonly warmUp: number;
  readonly order: Pick<CrowdOrder, 'body' | 'textBytes' | 'reads'>;
  /** Whether all of `count` orders are where they are to be measured. */
  readonly isReady: (orders: { readonly queued: number; readonly inflight: number }, count: number) => boolean;
}

const waits: Cost['isReady'] = ({ queued }, count) => queued >= count;
/** One more always runs. */
const runs: Cost['isReady'] = ({ inflight }, count) => inflight > count;
const hasEnded: Cost['isReady'] = ({ inflight }) => inflight <= 1;

const KB = 1000;
const LARGE = 8 * 2 ** 20 - 1024;

/** Every row; fewer orders where `quick`. */
export function costs(quick: boolean): readonly Cost[] {
  // With those that warm up, within `queued_orders_per_account`.
  const many = quick ? 500 : 1900;
  const some = quick ? 100 : 500;
  const few = quick ? 12 : 50;
  return [
    cost('waits with its caller, 1 KB', { count: many, isReady: waits }, { textBytes: KB }),
    cost('waits with its caller, 10 KB', { count: many, isReady: waits }, { textBytes: 10 * KB }),
    cost('waits with its caller, 100 KB', { count: some, isReady: waits }, { textBytes: 100 * KB }),
    cost('waits with its caller, 8 MB', { count: few, isReady: waits }, { textBytes: LARGE }),
    cost('waits detached, 1 KB', { count: many, isReady: waits }, { textBytes: KB, detached: true }),
    cost('waits detached, 8 MB', { count: few, isReady: waits }, { textBytes: LARGE, detached: true }),
    cost('runs as a stream, 10 KB', { count: 400, isReady: runs }, { model: 'slow', textBytes: 10 * KB }),
    cost('runs as a stream, 8 MB', { count: few, isReady: runs }, { model: 'slow', textBytes: LARGE }),
    cost('12 MB are not read', { count: 8, isReady: hasEnded }, { model: 'large', textBytes: 100, reads: false }),
  ];
}

function cost(
  name: string,
  { count, isReady }: Pick<Cost, 'count' | 'isReady'>,
  { model = 'busy', textBytes, detached = false, reads = true }: Sent,
): Cost {
  const head = {
    model,
    max_tokens: 4000,
    max_wait: 3600,
    price_limit: model === 'busy' ? 0 : 50,
    detached,
    stream: !detached,
  };
  const body = { ...head, messages: [{ role: 'user', content: TEXT }] };
  return { name, count, warmUp: 4, order: { body, textBytes, reads }, isReady };
}

interface Sent {
  readonly model?: string;
  readonly textBytes: number;
  readonly detached?: boolean;
  readonly reads?: boolean;
}

export const costColumns = ['an order that', 'orders', 'before MiB', 'after MiB', 'KiB each'];

/** The row of one cost. */
export function measured(what: Cost): Promise<string[]> {
  return withSite(async (site) => {
    const key = await site.newKey(10_000);
    await sent(site, key, what, what.warmUp);
    const before = site.resident().now;
    await sent(site, key, what, what.count);
    const after = site.resident().now;
    const each = Math.round(((after - before) * 1024) / what.count);
    return [what.name, ...[what.count, before, after, each].map(String)];
  });
}

async function sent(site: MemorySite, key: string, what: Cost, count: number): Promise<void> {
  const { queued, inflight } = await site.orders();
  const crowd = site.crowd({
    ...what.order,
    path: '/v1/chat/completions',
    keys: [key],
    requests: count,
    linkMegabits: null,
  });
  const isAnswered = async () => {
    const { waiting, ended } = await crowd.count();
    const answered = Object.values(ended).reduce((sum, many) => sum + many, 0);
    if (Object.keys(ended).some((status) => !status.startsWith('2')))
      throw new Error(`Refused: ${JSON.stringify(ended)}`);
    return waiting + answered >= count;
  };
  const isThere = async () => {
    const orders = await site.orders();
    return what.isReady({ queued: orders.queued - queued, inflight: orders.inflight - inflight + 1 }, count);
  };
  while (!(await isAnswered()) || !(await isThere())) await pause(100);
  await pause(SETTLE_MS);
}

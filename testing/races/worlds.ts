/**
 * Worlds in which races show: simulated clusters with the real order service, where everything that is waited for ends
 * when the seed says. What must always hold is checked after every step, and what must be left at the end. The same
 * seed repeats a world.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LiveOrder } from '#orders/live-order.ts';
import { live } from '#simulations/cluster/life.ts';
import type { SimulatedCluster } from '#simulations/cluster/simulated-cluster.ts';
import { RaceOrders, type RaceParts } from './race-orders.ts';
import { RacePods } from './race-pods.ts';
import { RaceRows } from './race-rows.ts';

/** One gateway after the other, or three at a time. */
export type WorldKind = 'alone' | 'cluster';

/** Something that must not be; its message has the seed and the last steps. */
export class Finding extends Error {}

const SIZE = { markets: 1, orders: 70, podSlots: 2, faultMs: 600, tradingMs: 6_000, quoteIntervalMs: 10_000 };
/** How long trading takes, with the start before it. */
const CALM_AT_MS = 1_500 + SIZE.tradingMs;
/** How many worlds end before their memory is searched: a collection takes as long as a world. */
const WORLDS_PER_SEARCH = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how: object) => void;

/** Lives the worlds of these seeds to their end; the kinds of what happened. Rejects with the first Finding. */
export async function liveAll(kind: WorldKind, seeds: readonly number[]): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (let first = 0; first < seeds.length; first += WORLDS_PER_SEARCH) {
    const worlds: World[] = [];
    for (const seed of seeds.slice(first, first + WORLDS_PER_SEARCH)) {
      const world = new World(kind, seed);
      for (const what of await world.live()) seen.add(what);
      worlds.push(world);
    }
    // What dies while a collection is under way is only found by the next one.
    for (let search = 0; search < 4 && worlds.some((world) => search === 0 || world.kept !== null); search++) {
      await new Promise(setImmediate);
      collect({ type: 'major', execution: 'sync', flavor: search === 0 ? 'regular' : 'last-resort' });
    }
    for (const world of worlds) if (world.kept !== null) throw new Finding(`${world.title}: ${world.kept}`);
  }
  return seen;
}

class World {
  readonly title: string;
  readonly #kind: WorldKind;
  readonly #seed: number;
  readonly #memories = new Map<string, { readonly gateway: number; readonly order: WeakRef<LiveOrder> }>();
  #parts: RaceParts | null = null;
  #cluster: SimulatedCluster | null = null;

  constructor(kind: WorldKind, seed: number) {
    this.#kind = kind;
    this.#seed = seed;
    this.title = `${kind} ${seed}`;
  }

  /** What happened. Rejects with a Finding. */
  async live(): Promise<string[]> {
    const alone = this.#kind === 'alone';
    const size = { ...SIZE, gateways: alone ? 1 : 3 };
    const living = live(this.#seed, size, null, {
      databaseOf: (options) => {
        const rows = new RaceRows(options, options.clock.nowMs() + CALM_AT_MS);
        this.#parts = { rows, pods: new RacePods(rows, options), alone };
        return rows;
      },
      ordersOf: (options) => new RaceOrders(options, this.#now),
      watch: (cluster) => {
        this.#cluster = cluster;
        cluster.time.onStep = () => this.#look();
      },
    });
    const life = await living.catch((error) => this.#now.rows.breaks(error.stack));
    const { rows } = this.#now;
    if (life && life.broken.length === 0) this.#checkEnds();
    if (!life || rows.broken[0] !== undefined) throw new Finding(`${this.title}: ${rows.broken[0]}`);
    const statuses = rows.journal.orders.values().map(({ status }) => status);
    return [...life.happened.keys(), ...life.faults.keys(), ...statuses];
  }

  /** An order that has ended and is still in the memory of a gateway that lives; null for none. */
  get kept(): string | null {
    const ids = new Set(this.#cluster?.living.map(({ id }) => id));
    const live = new Set(this.#now.rows.live.map(({ id }) => id));
    for (const [id, { gateway, order }] of this.#memories) {
      if (ids.has(gateway) && !live.has(id) && order.deref()) return `${id} has ended, and gateway ${gateway} keeps it`;
    }
    return null;
  }

  get #now(): RaceParts {
    if (!this.#parts) throw new Error('the world has not begun');
    return this.#parts;
  }

  /** The orders of gateways that live and do not stand still. */
  get #working(): [id: number, orders: RaceOrders][] {
    const working = this.#cluster?.living.filter(({ paused }) => !paused) ?? [];
    return working.map(({ id, orders }) => [id, orders as RaceOrders]);
  }

  /** What is counted is what is there, and no order is in two memories. */
  #look(): void {
    const { rows } = this.#now;
    const homes = new Map<string, number>();
    for (const [gateway, { live: all, service, writing }] of this.#working) {
      const queued = all.filter(({ phase }) => phase === 'queued');
      const inMemory = all.filter(({ input }) => input?.place === 'memory' || input?.place === 'moving');
      const counts = service.counts();
      const counted = [counts.queued, counts.inflight, service.waitingBytes.waiting];
      const waiting = bytesOf(queued.filter(({ row }) => row.batchId === null));
      const real = [queued.length, all.length - queued.length, waiting];
      // A new order whose input is being kept is not in memory yet.
      if (writing === 0) {
        counted.push(service.waitingBytes.inMemory);
        real.push(bytesOf(inMemory));
      }
      if (counted.join() !== real.join()) {
        const what = 'queued and other orders, bytes that wait and bytes in memory';
        rows.breaks(`${gateway} counts ${counted}, and has ${real} ${what}`);
      }
      for (const order of all) {
        const { orderId } = order;
        const other = homes.get(orderId);
        if (other !== undefined && rows.table.passes(gateway) && rows.table.passes(other))
          rows.breaks(`${orderId} is in the memories of ${other} and ${gateway}`);
        homes.set(orderId, gateway);
        if (this.#memories.get(orderId)?.gateway === gateway) continue;
        this.#memories.set(orderId, { gateway, order: new WeakRef(order) });
      }
    }
  }

  /** The money is right, and so is what callers heard. */
  #checkEnds(): void {
    const { rows, pods } = this.#now;
    rows.audit();
    const isDone = (id: string) => rows.journal.orders.get(id)?.status === 'done';
    for (const [id, { lives }] of pods.delivered)
      if (lives() && !isDone(id)) rows.breaks(`${id} was delivered whole, and is not charged`);
    for (const [, { told }] of this.#working) {
      for (const [id, status] of told)
        if ((status === 'done') !== isDone(id)) rows.breaks(`the caller of ${id} heard that it is ${status}`);
    }
  }
}

function bytesOf(orders: readonly LiveOrder[]): number {
  return orders.reduce((sum, { input }) => sum + (input?.bytes ?? 0), 0);
}

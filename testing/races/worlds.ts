/**
 * Worlds in which races show: simulated clusters with the real order service, where everything that is waited for ends
 * when the seed says. After every step it is compared what must always hold, in the end what must be left. The same
 * seed repeats a world.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LiveOrder } from '#orders/live-order.ts';
import { isTerminal } from '#orders/order.ts';
import { live } from '#simulations/cluster/life.ts';
import type { SimulatedCluster } from '#simulations/cluster/simulated-cluster.ts';
import type { Mistake } from '#simulations/cluster/simulated-gateway.ts';
import { RaceOrders } from './race-orders.ts';
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
export async function liveAll(
  kind: WorldKind,
  seeds: readonly number[],
  mistake: Mistake | null = null,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (let first = 0; first < seeds.length; first += WORLDS_PER_SEARCH) {
    const worlds: World[] = [];
    for (const seed of seeds.slice(first, first + WORLDS_PER_SEARCH)) {
      const world = new World(kind, seed);
      for (const what of await world.live(mistake)) seen.add(what);
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
  readonly #memories: { readonly gateway: number; readonly id: string; readonly order: WeakRef<LiveOrder> }[] = [];
  readonly #known = new Set<string>();
  #rows: RaceRows | null = null;
  #cluster: SimulatedCluster | null = null;

  constructor(kind: WorldKind, seed: number) {
    this.#kind = kind;
    this.#seed = seed;
    this.title = `${kind} ${seed}`;
  }

  /** What happened. Rejects with a Finding. */
  async live(mistake: Mistake | null): Promise<string[]> {
    const alone = this.#kind === 'alone';
    const { happened, faults, broken } = await live(this.#seed, { ...SIZE, gateways: alone ? 1 : 3 }, mistake, {
      databaseOf: (options) => {
        this.#rows = new RaceRows(options, options.clock.nowMs() + CALM_AT_MS);
        return this.#rows;
      },
      ordersOf: (options) => new RaceOrders(options, this.#rows as RaceRows, alone),
      watch: (cluster) => {
        this.#cluster = cluster;
        cluster.time.onStep = () => this.#look(cluster);
      },
    });
    if (broken[0] === undefined) this.#checkEnds();
    if (broken[0] !== undefined) throw new Finding(`${this.title}: ${broken[0]}`);
    return [...happened.keys(), ...faults.keys(), ...(this.#rows?.journal.orders.values() ?? []).map(({ status }) => status)];
  }

  /** An order that has ended and is still in the memory of a gateway that lives; null for none. */
  get kept(): string | null {
    const ids = new Set(this.#cluster?.living.map(({ id }) => id));
    for (const { gateway, id, order } of this.#memories) {
      const row = this.#rows?.journal.orders.get(id);
      if (ids.has(gateway) && (!row || isTerminal(row.status)) && order.deref()) return `${id} has ended, and is in the memory of ${gateway}`;
    }
    return null;
  }

  /** What is counted is what is there. */
  #look({ living }: SimulatedCluster): void {
    for (const { id, paused, orders } of living) {
      if (paused || !(orders instanceof RaceOrders)) continue;
      const { live: all, service, writing } = orders;
      const queued = all.filter(({ phase }) => phase === 'queued');
      const bytes = (some: readonly LiveOrder[]) => some.reduce((sum, { input }) => sum + (input?.bytes ?? 0), 0);
      const waiting = bytes(queued.filter(({ row }) => row.batchId === null));
      const inMemory = bytes(all.filter(({ input }) => input?.place === 'memory' || input?.place === 'moving'));
      this.#compare(`${id} counts queued and running orders`, Object.values(service.counts()), [queued.length, all.length - queued.length]);
      const counted = service.waitingBytes;
      this.#compare(`${id} counts bytes that wait`, [counted.waiting], [waiting]);
      if (writing === 0) this.#compare(`${id} counts bytes in memory`, [counted.inMemory], [inMemory]);
      for (const order of all) {
        const known = `${id} ${order.orderId}`;
        if (!this.#known.has(known)) this.#memories.push({ gateway: id, id: order.orderId, order: new WeakRef(order) });
        this.#known.add(known);
      }
    }
  }

  #compare(what: string, counted: readonly number[], real: readonly number[]): void {
    if (counted.join() !== real.join()) this.#rows?.breaks(`${what}: ${counted}, and has ${real}`);
  }

  /** The money is right, and so is what callers heard. */
  #checkEnds(): void {
    const rows = this.#rows;
    if (!rows) return;
    rows.audit();
    for (const [id, { lives }] of rows.pods.delivered) {
      const status = rows.journal.orders.get(id)?.status;
      if (lives() && status !== 'done') rows.breaks(`${id} was delivered whole, and is ${status}`);
    }
    for (const { orders } of this.#cluster?.living ?? []) {
      for (const [id, told] of orders instanceof RaceOrders ? orders.told : []) {
        const status = rows.journal.orders.get(id)?.status;
        if ((told === 'done') !== (status === 'done')) rows.breaks(`the caller of ${id} heard ${told}, and it is ${status}`);
      }
    }
  }
}

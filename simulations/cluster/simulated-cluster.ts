/**
 * A cluster of simulated gateways with its callers and its faults; a seed repeats all of it. The clock, the network, the
 * database and the chance are simulated, the gateways are not.
 */
import type { Log } from '#base/log.ts';
import { type Random, seededRandom } from '#base/random.ts';
import type { MarketTerms } from '#market/listing.ts';
import { newOrder } from './new-order.ts';
import { OutOfReach, SimulatedDatabase, type SimulatedDatabaseOptions } from './simulated-database.ts';
import { type Mistake, SimulatedGateway, type SimulatedGatewayOptions } from './simulated-gateway.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedTime } from './simulated-time.ts';

/** The sizes of a cluster, and how long callers and faults act on it. */
export interface ClusterSize {
  readonly gateways: number;
  readonly markets: number;
  readonly orders: number;
  readonly podSlots: number;
  /** How often a fault begins, on average. */
  readonly faultMs: number;
  readonly tradingMs: number;
  readonly quoteIntervalMs: number;
}

/** What is not simulated; by default everything is that is outside a gateway, and its orders. */
export interface ClusterParts extends Pick<SimulatedGatewayOptions, 'ordersOf'> {
  /** Gets the cluster before it begins. */
  readonly watch?: (cluster: SimulatedCluster) => void;
  readonly databaseOf?: (options: SimulatedDatabaseOptions) => SimulatedDatabase;
}

/** What can befall a cluster. */
export const faults = [
  ...['killed', 'killed unseen', 'paused', 'left', 'cut', 'half-open', 'cut off', 'reset', 'slow network'],
  ...['database down', 'cut from the database', 'clock set'],
] as const;
export type Mishap = (typeof faults)[number];

/** How much lower a bid may be than this. */
const BID_MAX = 8e8;
const FLOOR = 1e8;
const CEILING = 100e9;
const OFFSET_MS_MAX = 1_500;
const HOUR_MS = 3_600_000;

/** Gateways, callers and faults. */
export class SimulatedCluster {
  readonly time = new SimulatedTime();
  readonly database: SimulatedDatabase;
  readonly network: SimulatedNetwork;
  readonly listings: readonly MarketTerms[];
  readonly slots: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** How often each fault began. */
  readonly begun = new Map<string, number>();
  /** While true attempts do not end. */
  busy = false;
  readonly #seed: number;
  readonly #size: ClusterSize;
  readonly #mistake: Mistake | null;
  readonly #parts: ClusterParts;
  readonly #random: Random;
  readonly #gateways: SimulatedGateway[] = [];
  readonly #delayMs = { min: 0, max: 3 };
  readonly #ends = new Set<string>();
  #made = 0;

  constructor(seed: number, size: ClusterSize, mistake: Mistake | null = null, parts: ClusterParts = {}) {
    this.#seed = seed;
    this.#size = size;
    this.#mistake = mistake;
    this.#parts = parts;
    this.#random = this.#drawsOf(0);
    this.listings = Array.from({ length: size.markets }, (_, at) => listing(`market-${at + 1}`));
    this.slots = new Map(
      this.listings.map(({ id }) => [
        id,
        new Map([
          [`${id}/a`, 1 + Math.floor(this.draw() * size.podSlots)],
          [`${id}/b`, 1 + Math.floor(this.draw() * size.podSlots)],
        ]),
      ]),
    );
    const slots = new Map([...this.slots.values()].flatMap((pods) => [...pods]));
    const noFence = mistake === 'no fence';
    const { databaseOf = (options) => new SimulatedDatabase(options) } = parts;
    this.database = databaseOf({ clock: this.time, random: this.#drawsOf(1), slots, noFence });
    this.network = new SimulatedNetwork({ clock: this.time, random: this.#drawsOf(2), delayMs: this.#delayMs });
    parts.watch?.(this);
  }

  /** The gateways whose processes have not ended. */
  get living(): readonly SimulatedGateway[] {
    return this.#gateways.filter(({ ended }) => !ended);
  }

  draw(): number {
    return this.#random.next();
  }

  /** One of them; undefined of none. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.draw() * items.length)];
  }

  /** Gateways start, callers order, faults come and go, until trading ends. */
  async trade(): Promise<void> {
    const { gateways, tradingMs, orders, faultMs } = this.#size;
    for (let joined = 0; joined < gateways; joined++) this.time.after(this.draw() * 1_000, () => this.join());
    await this.time.pass(1_500);
    this.#repeat(tradingMs / orders, tradingMs, () => this.order());
    this.#repeat(tradingMs / orders, tradingMs, () => this.#touch());
    this.#repeat(faultMs, tradingMs, () => this.#fail());
    await this.time.pass(tradingMs);
  }

  /** All that was broken works again, and what stood still goes on. */
  heal(): void {
    this.network.heal();
    this.#delayMs.max = 3;
    this.database.down = false;
    this.database.unreachable.clear();
    for (const gateway of this.living) this.#resume(gateway);
  }

  join(): void {
    const id = this.#gateways.length + 1;
    const gateway = new SimulatedGateway({
      ...{ id, network: this.network, database: this.database, listings: this.listings, slots: this.slots },
      offsetMs: Math.round((this.draw() * 2 - 1) * OFFSET_MS_MAX),
      random: this.#drawsOf(10 + id),
      log: this.#log(id),
      runMs: () => (this.busy ? 1e9 : 200 + this.draw() * (this.draw() < 0.2 ? 12_000 : 3_000)),
      quoteIntervalMs: this.#size.quoteIntervalMs,
      mistake: this.#mistake,
      ...this.#parts,
      orderEnded: (order) => {
        if (this.#ends.has(order)) this.database.breaks(`${order} ended twice for its caller`);
        this.#ends.add(order);
      },
    });
    this.#gateways.push(gateway);
  }

  /** A caller orders, at a gateway that runs. */
  order(model = this.pick(this.listings)?.id ?? '', bid = FLOOR + Math.ceil(this.draw() * BID_MAX)): void {
    const gateway = this.pick(this.living.filter(({ paused, leaving }) => !paused && !leaving));
    if (!gateway) return;
    const id = `order-${++this.#made}`;
    const accountId = `account-${Math.ceil(this.draw() * 4)}`;
    const outlives = this.draw() < 0.5;
    gateway.orders.submit(
      newOrder({ id, accountId, model, bid, outlives, bootEpoch: gateway.id, nowMs: this.time.nowMs() }),
    );
  }

  /** A caller leaves, or bids another price. */
  #touch(): void {
    const gateway = this.pick(this.living.filter(({ paused }) => !paused));
    const row = this.pick(gateway?.orders.waiting ?? []);
    if (!gateway || !row) return;
    const draw = this.draw();
    if (draw < 0.3) gateway.orders.cancel(row.id);
    else if (draw < 0.6) gateway.orders.reprice(row.id, FLOOR + Math.ceil(this.draw() * BID_MAX));
  }

  #fail(): void {
    const fault = this.pick(faults);
    const running = this.living.filter(({ paused, leaving }) => !paused && !leaving);
    const victim = this.pick(running);
    const isAlone = this.#size.gateways === 1;
    const other = isAlone ? victim : this.pick(this.living.filter((gateway) => gateway !== victim));
    if (!fault || !victim || !other) return;
    const isFatal = fault === 'killed' || fault === 'killed unseen' || fault === 'left';
    if (isFatal && running.length < 2 && !isAlone) return;
    this.begun.set(fault, (this.begun.get(fault) ?? 0) + 1);
    const mend = this.#befall(fault, victim, other);
    if (mend) this.time.after(300 + this.draw() * (this.draw() < 0.5 ? 4_000 : 18_000), mend);
    const replace = () => {
      if (isAlone && this.living.length > 0) this.time.after(500, replace);
      else this.join();
    };
    if (isFatal) this.time.after(500 + this.draw() * 8_000, replace);
  }

  /** Begins it; what mends it, null for what cannot be mended. */
  #befall(mishap: Mishap, victim: SimulatedGateway, other: SimulatedGateway): (() => void) | null {
    const { network, database } = this;
    const heal = () => network.heal();
    switch (mishap) {
      case 'killed':
      case 'killed unseen':
        victim.end(mishap === 'killed');
        return null;
      case 'left':
        void victim.leave();
        return null;
      case 'paused':
        victim.paused = true;
        network.pause(victim.id);
        return () => this.#resume(victim);
      case 'cut':
        network.cut(other.id, victim.id);
        network.cut(victim.id, other.id);
        return heal;
      case 'half-open':
        network.cut(victim.id, other.id);
        return heal;
      case 'cut off':
        network.isolate(victim.id);
        return heal;
      case 'reset':
        network.reset(victim.id, other.id);
        return null;
      case 'slow network':
        this.#delayMs.max = 50 + this.draw() * 600;
        return () => {
          this.#delayMs.max = 3;
        };
      case 'clock set':
        victim.stepMs += this.draw() < 0.5 ? HOUR_MS : -HOUR_MS;
        return null;
      case 'database down':
        database.down = true;
        return () => {
          database.down = false;
        };
      case 'cut from the database':
        database.unreachable.add(victim.id);
        return () => void database.unreachable.delete(victim.id);
    }
  }

  #resume(gateway: SimulatedGateway): void {
    if (!gateway.paused || gateway.ended) return;
    gateway.paused = false;
    this.network.resume(gateway.id);
  }

  /** Again and again, at random times, with this mean. */
  #repeat(everyMs: number, forMs: number, run: () => void): void {
    const untilMs = this.time.nowMs() + forMs;
    const next = () => {
      this.time.after(everyMs * 2 * this.draw(), () => {
        if (this.time.nowMs() >= untilMs) return;
        run();
        next();
      });
    };
    next();
  }

  /** What a gateway calls an error must come from the database. */
  #log(id: number): Log {
    const error = (fields: { err?: unknown }, sentence: string) => {
      if (!(fields.err instanceof OutOfReach)) this.database.breaks(`gateway ${id}: ${sentence} ${fields.err}`);
    };
    return { debug: () => {}, info: () => {}, warn: () => {}, error };
  }

  #drawsOf(part: number): Random {
    return seededRandom(Math.imul(this.#seed, 0x9e3779b1) + Math.imul(part, 0x85ebca6b));
  }
}

function listing(id: string): MarketTerms {
  return { id, type: 'market', floor: FLOOR, ceiling: CEILING, reserve: 0, preview: false, accountShareMax: null };
}

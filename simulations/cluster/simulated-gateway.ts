/**
 * One gateway of a simulated cluster: the real member, with its membership, keeper of leases, adoption and exchange, on a
 * simulated network, database and clock.
 */
import type { Clock } from '#base/clock.ts';
import { setClock, steadyClock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { ClusterExchange } from '#cluster/markets/cluster-exchange.ts';
import { ClusterMember } from '#cluster/membership/member.ts';
import { type ClusterView, Membership } from '#cluster/membership/membership.ts';
import type { GatewayId } from '#cluster/messages.ts';
import { Calls } from '#cluster/peers/calls.ts';
import type { ClusterStore } from '#cluster/ports.ts';
import { marketEventWriter } from '#market/exchange/event-writer.ts';
import type { MarketTerms } from '#market/listing.ts';
import type { Joining } from './lease-table.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedJournal } from './simulated-journal.ts';
import type { SimulatedNetwork } from './simulated-network.ts';
import { type GatewayOrders, SimulatedOrders, type SimulatedOrdersOptions } from './simulated-orders.ts';

const JOBS = ['cleanup'];
/** How long a gateway that leaves waits in all for its callers' orders. */
const DRAIN_MS = 5_000;
const ANNOUNCE_MS = 1_000;

/** What can be left out, to see that a simulation finds it. */
export const mistakes = ['no fence', 'no barrier', 'late burial', 'early levels'] as const;
export type Mistake = (typeof mistakes)[number];

/** What a gateway is made of. */
export interface SimulatedGatewayOptions {
  readonly id: GatewayId;
  readonly network: SimulatedNetwork;
  readonly database: SimulatedDatabase;
  /** How far its machine's clock is ahead. */
  readonly offsetMs: number;
  readonly random: Random;
  readonly log: Log;
  readonly listings: readonly MarketTerms[];
  /** The slots of the pods of each market. */
  readonly slots: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly runMs: () => number;
  readonly quoteIntervalMs: number;
  readonly mistake: Mistake | null;
  readonly orderEnded: (order: string) => void;
  /** Default: simulated ones. */
  readonly ordersOf?: (options: SimulatedOrdersOptions) => GatewayOrders;
}

/** A gateway. It joins at once. */
export class SimulatedGateway {
  readonly id: GatewayId;
  readonly orders: GatewayOrders;
  readonly exchange: ClusterExchange;
  /** Its process has ended. */
  ended = false;
  /** Its process stands still. */
  paused = false;
  leaving = false;
  /** How far its machine's clock was set ahead. */
  stepMs = 0;
  readonly #options: SimulatedGatewayOptions;
  readonly #machine: Clock;
  readonly #clock: Clock;
  readonly #journal: SimulatedJournal;
  readonly #store: ClusterStore & { leave(): Promise<void> };
  readonly #membership: Membership;
  readonly #member: ClusterMember;
  /** Those that it began to take over. */
  readonly #adopted = new Set<GatewayId>();

  constructor(options: SimulatedGatewayOptions) {
    const { id: self, network, database, offsetMs, random, log } = options;
    this.#options = options;
    this.id = self;
    const host = network.clockOf(self, offsetMs);
    this.#machine = {
      nowMs: () => host.nowMs() + this.stepMs,
      monotonicMs: () => host.monotonicMs(),
      after: (delayMs, run) => host.after(delayMs, run),
    };
    const set = setClock(this.#machine);
    const clock = steadyClock(set, 0);
    this.#clock = clock;
    const end = () => this.end(true);
    this.#journal = new SimulatedJournal({ gateway: self, clock, database, onLost: end });
    this.#store = this.#join();
    this.exchange = this.#createExchange();
    const { ordersOf = (parts) => new SimulatedOrders(parts) } = options;
    this.orders = ordersOf({
      ...{ gateway: self, clock, random, database, journal: this.#journal, exchange: this.exchange },
      ...{ lives: () => !this.ended, runMs: options.runMs, ended: options.orderEnded },
    });
    this.exchange.listen((event) => this.orders.take(event));
    this.#membership = new Membership({
      ...{ self, store: this.#store, clock: this.#machine, log, lose: end },
      isGone: (process) => process === 'ended',
      onClock: (aheadMs, roundTripMs) => set.set(aheadMs, roundTripMs),
    });
    this.#member = new ClusterMember({
      ...{
        self,
        store: this.#store,
        membership: this.#membership,
        exchange: this.exchange,
        calls: new Calls({ clock, log, isOutage: () => false }),
        announceMs: ANNOUNCE_MS,
        clock,
        log,
      },
      jobs: JOBS,
      connect: (listener) =>
        network.join({ id: self, address: addressOf(self) }, listener, (atMs) => clock.follow(atMs)),
      started: () => this.#membership.start(),
      takeOver: (gateway) => {
        if (!this.#adopted.has(gateway)) database.counts('burials');
        this.#adopted.add(gateway);
        return this.orders.takeOver(gateway);
      },
    });
    void this.#member.start();
  }

  /** The cluster as this gateway saw it last. */
  get view(): ClusterView | null {
    return this.#member.view;
  }

  /** The epoch under which it believes to own a market; null when it does not. */
  owns(model: string): number | null {
    return this.#member.owns(model);
  }

  /** Its process ends at once. `isProvable`: others see that it has. */
  end(isProvable: boolean): void {
    if (this.ended) return;
    this.ended = true;
    const { network, database } = this.#options;
    network.crash(this.id);
    if (isProvable) database.table.ended(this.id);
  }

  /** Gives its markets away, waits for its callers, and ends. */
  async leave(): Promise<void> {
    this.leaving = true;
    await this.#member.leave();
    await this.orders.drain(DRAIN_MS - ANNOUNCE_MS);
    await this.#member.close();
    await this.#membership.stop();
    await this.#store.leave().catch(() => {});
    this.end(true);
  }

  #join(): ClusterStore & { leave(): Promise<void> } {
    const { database, id, mistake } = this.#options;
    const { table } = database;
    const joining: Joining = { id, address: addressOf(id), process: `process ${id}`, protocol: 1 };
    const own = table.join(joining);
    const ask = <Answer>(run: () => Promise<Answer>) => database.ask(id, this.#machine, run);
    const store = {
      beat: () => ask(() => own.beat()),
      take: (name: string, seenEpoch: number) => ask(() => own.take(name, seenEpoch)),
      free: (name: string, epoch: number) => ask(() => own.free(name, epoch)),
      bury: (gateway: GatewayId, epoch: number) => ask(() => own.bury(gateway, epoch)),
      passOn: (gateway: GatewayId, to: GatewayId) => ask(() => own.passOn(gateway, to)),
      forget: (gateway: GatewayId) => ask(() => own.forget(gateway)),
      slotsHeld: (model: string, reported: readonly GatewayId[]) => ask(() => own.slotsHeld(model, reported)),
      leave: () => ask(() => own.leave()),
    };
    if (mistake === 'no barrier') return { ...store, slotsHeld: () => Promise.resolve([]) };
    if (mistake !== 'late burial') return store;
    const epochs = new Map<GatewayId, number>();
    return {
      ...store,
      async bury(gateway, epoch) {
        epochs.set(gateway, epoch);
        return true;
      },
      async forget(gateway) {
        await store.bury(gateway, epochs.get(gateway) ?? 0);
        await store.forget(gateway);
      },
    };
  }

  #createExchange(): ClusterExchange {
    const { id: self, database, random, log, listings, slots, quoteIntervalMs, mistake } = this.#options;
    const write = marketEventWriter({ journal: this.#journal, log });
    const early: typeof write = (event, epoch) => {
      const written = write(event, epoch);
      return event.type === 'level' ? Promise.resolve('committed') : written;
    };
    const quotes = { intervalMs: quoteIntervalMs, targetStartRate: 0.95, executeWindowMs: 10_000 };
    return new ClusterExchange({
      ...{ self, clock: this.#clock, log, listings, store: this.#store },
      exchange: () => ({ quotes, random, levelTimeConstantMs: 20_000 }),
      past: (model) => {
        database.counts('takeovers');
        return database.ask(self, this.#clock, () => database.past(model));
      },
      write: mistake === 'early levels' ? early : write,
      standing: (model) => this.orders.standing(model),
      askCapacity: (model) => {
        for (const [pod, count] of slots.get(model) ?? []) {
          this.exchange.send({ type: 'capacity', model, pod, slots: count, healthy: true });
        }
      },
      onLost: (model, epoch) => this.#member.lost(model, epoch),
    });
  }
}

function addressOf(id: GatewayId): string {
  return `gateway-${id}:1`;
}

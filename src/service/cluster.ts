/**
 * Builds what several gateways on one database need of each other: sessions, beats, leases of markets and jobs, the
 * orders of gateways that died, and calls. Only with SLUICE_PEER_ADDRESS. docs/decisions/0039.
 */
import { type Grant, SharedRates, type Taking } from '#access/shared-rates.ts';
import { withOwnFiles } from '#batches/adopting.ts';
import type { BatchRow } from '#batches/batch.ts';
import { Adoption } from '#cluster/adoption.ts';
import type { Calls } from '#cluster/calls.ts';
import type { ClusterExchange } from '#cluster/cluster-exchange.ts';
import { forwardedBatches, forwardedOrders } from '#cluster/forwarding.ts';
import { HomeGateways, type HomeGatewaysOptions } from '#cluster/home-gateways.ts';
import { LeaseKeeper } from '#cluster/lease-keeper.ts';
import { type ClusterView, Membership } from '#cluster/membership.ts';
import type { GatewayId, PeerMessage } from '#cluster/messages.ts';
import type { PeerSession } from '#cluster/ports.ts';
import type { WebSocketPeers } from '#cluster/web-socket-peers.ts';
import { adoptOrders } from '#orders/adopting.ts';
import type { OrderPort } from '#orders/order-port.ts';
import type { Database } from '#storage/database/database.ts';
import type { JoinedCluster } from '#storage/leases/join-cluster.ts';
import { isGone } from '#storage/leases/process.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { createHomes } from '#storage/orders/homes.ts';
import type { BuiltOrders } from './orders.ts';
import type { Joined } from './serving.ts';
import type { BuiltStorage, Outside } from './storage.ts';

const MARKET = 'market:';
/** For how long a gateway that leaves still takes requests. */
const LEAVING_MS = 1_000;

/** Work that one gateway of all does. */
export const JOBS = ['cleanup', 'housekeeping', 'probes'] as const;
export type Job = (typeof JOBS)[number];

/** What the cluster is built from. */
export interface ClusterParts extends Outside, Pick<BuiltStorage, 'db' | 'journal' | 'contents' | 'readKeptInputs'> {
  readonly joined: JoinedCluster;
  readonly peers: WebSocketPeers;
  readonly calls: Calls;
  readonly exchange: ClusterExchange;
  readonly orders: Pick<BuiltOrders, 'orderService' | 'batches'>;
  /** The machine's clock, which beats are compared with. */
  readonly machineClock: Outside['clock'];
  /** What each beat says of it. */
  readonly setClock: (aheadMs: number, roundTripMs: number) => void;
  readonly beaten: () => void;
}

/** This gateway's part of the cluster. */
export class ClusterMember {
  readonly #parts: ClusterParts;
  readonly #keeper: LeaseKeeper;
  readonly #adoption: Adoption;
  readonly #membership: Membership;
  readonly #sessions = new Map<GatewayId, PeerSession>();
  /** Batches that are this gateway's and not resumed yet. */
  readonly #adopted: BatchRow[] = [];
  #leaving = false;
  #living: readonly GatewayId[];
  #ownerlessSinceMs: number | null = null;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#living = [parts.joined.gateway];
    const { joined, clock, log, exchange, config } = parts;
    const { gateway: self, store } = joined;
    const common = { self, store, log };
    this.#keeper = new LeaseKeeper({
      ...common,
      names: [...config.listings.all.map(({ id }) => MARKET + id), ...JOBS.map((job) => `job:${job}`)],
      onTaken: (name, epoch) => whenMarket(name, (model) => exchange.owns(model, epoch)),
      onLost: (name, epoch) => whenMarket(name, (model) => exchange.lost(model, epoch)),
    });
    this.#adoption = new Adoption({
      ...{ ...common, clock },
      onBuried: (gateway) => exchange.buried(gateway, self),
      takeOver: (gateway) => this.#takeOver(gateway),
      onForgotten: () => void this.#membership.soon(),
    });
    this.#membership = new Membership({
      ...{ ...common, clock: parts.machineClock, isGone },
      // The right to serve says so by itself.
      lose: () => {},
      onState: (view) => this.#look(view),
      onClock: (aheadMs, roundTripMs) => {
        parts.beaten();
        parts.setClock(aheadMs, roundTripMs);
      },
    });
  }

  /** Joins: sessions with the others, then leases and the orders of the dead. Resolves after the first beat. */
  async start(): Promise<void> {
    const { joined, peers } = this.#parts;
    peers.start(joined.gateway, {
      opened: (session) => this.#opened(session),
      message: (session, message) => this.#heard(session, message),
      closed: (session, refused) => this.#closed(session, refused),
    });
    await joined.started();
    await this.#membership.start();
  }

  /** Tells whether this gateway does the work; false while another does. */
  doing(job: Job): () => boolean {
    return () => this.#keeper.epoch(`job:${job}`) !== null;
  }

  /** The gateways that live, this one included. */
  get living(): readonly GatewayId[] {
    return this.#living;
  }

  /** Since when a market has had no owner that this gateway reaches; now when all have one. */
  get tickedAtMs(): number {
    const { exchange, clock } = this.#parts;
    return Math.min(exchange.tickedAtMs, this.#ownerlessSinceMs ?? clock.nowMs());
  }

  /** The market's lease was given to another gateway. */
  lost(model: string, epoch: number): void {
    this.#keeper.lost(MARKET + model, epoch);
    void this.#membership.soon();
  }

  /** Gives every lease away, so that others go on at once. Its orders stay, at markets of others. */
  async leave(): Promise<void> {
    const { exchange, config, joined } = this.#parts;
    this.#leaving = true;
    this.#keeper.leaves(joined.gateway);
    this.#say({ type: 'leaving' });
    const models = config.listings.all.map(({ id }) => id);
    await Promise.all(
      models.map(async (model) => {
        if (this.#keeper.epoch(MARKET + model) === null) return;
        await exchange.handOver(model);
        await this.#keeper.giveAway(MARKET + model);
      }),
    );
    for (const job of JOBS) await this.#keeper.giveAway(`job:${job}`);
    // What was sent here before a load balancer heard of it is still taken.
    await new Promise<void>((resolve) => this.#parts.clock.after(LEAVING_MS, resolve));
  }

  /** Ends everything; the lease of this gateway is freed by its right to serve. */
  async close(): Promise<void> {
    await this.#keeper.close();
    await this.#adoption.close();
    await this.#membership.stop();
    await this.#parts.peers.close();
  }

  #look(view: ClusterView): void {
    const { exchange, peers, joined } = this.#parts;
    const { gateways } = view.state;
    exchange.gatewaysAlive(
      gateways.map(({ id }) => id),
      view.fresh.map(({ id }) => id),
    );
    this.#living = view.fresh.map(({ id }) => id);
    for (const { id, adopter } of gateways) if (adopter !== null) exchange.buried(id, adopter);
    const living = gateways.filter(({ id, adopter, beatAgeMs }) => {
      return id !== joined.gateway && adopter === null && beatAgeMs !== null;
    });
    peers.follow(living);
    this.#keeper.look(view);
    this.#adoption.look(view);
    const { clock, config } = this.#parts;
    const isOwned = config.listings.all.every(({ id }) => exchange.ownerOf(id) !== null);
    this.#ownerlessSinceMs = isOwned ? null : (this.#ownerlessSinceMs ?? clock.nowMs());
  }

  #opened(session: PeerSession): void {
    const { exchange, calls } = this.#parts;
    this.#sessions.set(session.gateway, session);
    this.#membership.connected(session.gateway);
    if (this.#leaving) session.send({ type: 'leaving' });
    calls.opened(session);
    exchange.opened(session);
  }

  #heard(session: PeerSession, message: PeerMessage): void {
    const { exchange, calls } = this.#parts;
    if (exchange.message(session, message)) {
      // A market that is given away is free: the next beat takes it.
      if (message.type === 'left') void this.#membership.soon();
      return;
    }
    if (message.type === 'call' || message.type === 'answer' || message.type === 'refusal')
      calls.message(session, message);
    else if (message.type === 'leaving') this.#keeper.leaves(session.gateway);
  }

  #closed(session: PeerSession, refused: boolean): void {
    const { exchange, calls } = this.#parts;
    if (this.#sessions.get(session.gateway) === session) this.#sessions.delete(session.gateway);
    calls.closed(session);
    exchange.closed(session);
    if (refused) this.#membership.refused(session.gateway);
  }

  #say(message: PeerMessage): void {
    for (const session of this.#sessions.values()) session.send(message);
  }

  async #takeOver(from: GatewayId): Promise<void> {
    const { db, clock, journal, joined, readKeptInputs, orders } = this.#parts;
    const store = createAdoptionStore(db);
    const to = joined.gateway;
    const failures: unknown[] = [];
    for await (const page of store.liveOrders(from)) {
      const result = await adoptOrders(page, { clock, journal, from, to });
      failures.push(...result.failures);
      if (result.adopted.length > 0) orders.orderService.recover(result.adopted, await readKeptInputs());
    }
    for (const batch of await store.activeBatches(from)) {
      const own = await withOwnFiles(batch, this.#parts);
      await journal.write({ kind: 'adopt', from, to, orders: [], batches: [own] });
      this.#adopted.push({ ...own, bootEpoch: to });
    }
    // Also those of a step before that failed after it had made them this gateway's.
    await orders.batches.resume(this.#adopted);
    this.#adopted.length = 0;
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} orders could not be taken over`);
  }
}

function whenMarket(name: string, then: (model: string) => void): void {
  if (name.startsWith(MARKET)) then(name.slice(MARKET.length));
}

/** Asks the other gateways about their orders and batches, and answers them. */
export interface Others {
  readonly orders: Pick<OrderPort, 'cancel' | 'reprice'>;
  readonly batches: ReturnType<typeof forwardedBatches>;
  readonly rates: SharedRates;
  /** Whether the gateway with this boot epoch may still store the results that it promised. */
  readonly isServing: (bootEpoch: number) => Promise<boolean>;
}

/** Call once: it also begins to answer. `living`: the gateways that live. */
export function othersOf(
  { joined, calls }: Pick<Joined, 'joined' | 'calls'>,
  db: Database,
  parts: BuiltOrders & Pick<Outside, 'config' | 'clock'> & { readonly living: () => readonly GatewayId[] },
): Others {
  const { orderService, batches, clock, config, living } = parts;
  const asked = { self: joined.gateway, homes: createHomes(db), calls };
  return {
    orders: forwardedOrders({ ...asked, orders: orderService, isHere: (id) => orderService.ticket(id) !== null }),
    batches: forwardedBatches({ ...asked, batches }),
    rates: sharedRates({ self: joined.gateway, calls, living }, { limits: config.limits, clock }),
    isServing: (bootEpoch) => createAdoptionStore(db).isServing(bootEpoch),
  };
}

function sharedRates(
  homes: Omit<HomeGatewaysOptions<Taking, Grant>, 'serve'>,
  parts: Pick<ConstructorParameters<typeof SharedRates>[0], 'limits' | 'clock'>,
): SharedRates {
  const serve = (taking: Taking): Grant => rates.serve(taking);
  const rates: SharedRates = new SharedRates({ ...parts, homes: new HomeGateways<Taking, Grant>({ ...homes, serve }) });
  return rates;
}

/**
 * Builds what several gateways on one database need of each other: the member, with what it takes over from gateways
 * that died, and calls. Only with SLUICE_PEER_ADDRESS. docs/decisions/0039.
 */
import { type Grant, SharedRates, type Taking } from '#access/shared-rates.ts';
import { withOwnFiles } from '#batches/adopting.ts';
import type { BatchRow } from '#batches/batch.ts';
import type { ClusterExchange } from '#cluster/markets/cluster-exchange.ts';
import { ClusterMember } from '#cluster/membership/member.ts';
import type { GatewayId } from '#cluster/messages.ts';
import { type ForwardedFollowing, forwardedFollowing } from '#cluster/orders/following.ts';
import { forwardedBatches, forwardedOrders } from '#cluster/orders/forwarding.ts';
import { HomeGateways } from '#cluster/orders/home-gateways.ts';
import { adoptOrders } from '#orders/adopting.ts';
import type { OrderPort } from '#orders/order-port.ts';
import type { Database } from '#storage/database/database.ts';
import { isGone } from '#storage/database/process.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { createHomes } from '#storage/orders/homes.ts';
import type { BuiltOrders } from './orders.ts';
import type { Joined } from './serving.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** Work that one gateway of all does. */
export const JOBS = ['cleanup', 'housekeeping', 'probes', 'webhooks'] as const;
export type Job = (typeof JOBS)[number];

/** What the member is built from. */
export interface MemberParts {
  readonly outside: Outside;
  readonly storage: BuiltStorage;
  readonly cluster: Joined;
  readonly orders: Pick<BuiltOrders, 'orderService' | 'batches'>;
  readonly exchange: ClusterExchange;
}

/** This gateway's part of the cluster; `start` joins. */
export function buildMember(parts: MemberParts): ClusterMember {
  const { outside, cluster, exchange } = parts;
  const { clock, log, config } = outside;
  const { joined, peers, calls, machineClock } = cluster;
  const { gateway: self, store, started } = joined;
  return new ClusterMember({
    self,
    store,
    started,
    isGone,
    jobs: JOBS,
    clock,
    machineClock,
    log,
    calls,
    exchange,
    models: config.listings.all.map(({ id }) => id),
    connect: (listener) => {
      peers.start(self, listener);
      return peers;
    },
    takeOver: takesOver(parts),
    // The right to serve says so by itself.
    lose: () => {},
    onClock: (aheadMs, roundTripMs) => {
      cluster.beaten();
      cluster.setClock(aheadMs, roundTripMs);
    },
  });
}

/** Takes over the orders and batches of a gateway that died. */
function takesOver({ outside, storage, cluster, orders }: MemberParts): (from: GatewayId) => Promise<void> {
  const { clock, ids } = outside;
  const { db, journal, contents, readKeptInputs } = storage;
  const store = createAdoptionStore(db);
  const to = cluster.joined.gateway;
  /** Batches that are this gateway's and not resumed yet. */
  const adopted: BatchRow[] = [];
  return async (from) => {
    const failures: unknown[] = [];
    for await (const page of store.liveOrders(from)) {
      const result = await adoptOrders(page, { clock, journal, from, to });
      failures.push(...result.failures);
      if (result.adopted.length > 0) orders.orderService.recover(result.adopted, await readKeptInputs());
    }
    for (const batch of await store.activeBatches(from)) {
      const own = await withOwnFiles(batch, { contents, ids });
      await journal.write({ kind: 'adopt', from, to, orders: [], batches: [own] });
      adopted.push({ ...own, bootEpoch: to });
    }
    // Also those of a step before that failed after it had made them this gateway's.
    await orders.batches.resume(adopted);
    adopted.length = 0;
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} orders could not be taken over`);
  };
}

/** Asks the other gateways about their orders and batches, and answers them. */
export interface Others {
  readonly orders: Pick<OrderPort, 'cancel' | 'reprice'>;
  readonly following: ForwardedFollowing;
  readonly batches: ReturnType<typeof forwardedBatches>;
  readonly rates: SharedRates;
  /** Whether the gateway with this boot epoch may still store the results that it promised. */
  readonly isServing: (bootEpoch: number) => Promise<boolean>;
}

/** Call once: it also begins to answer. */
export function othersOf({
  cluster,
  db,
  orders,
  member,
  outside,
}: {
  readonly cluster: Pick<Joined, 'joined' | 'calls'>;
  readonly db: Database;
  readonly orders: Pick<BuiltOrders, 'orderService' | 'batches'>;
  readonly member: Pick<ClusterMember, 'living'>;
  readonly outside: Pick<Outside, 'config' | 'clock'>;
}): Others {
  const { orderService, batches } = orders;
  const { clock, config } = outside;
  const self = cluster.joined.gateway;
  const { calls } = cluster;
  const asked = { self, homes: createHomes(db), calls };
  const isHere = (orderId: string) => orderService.ticket(orderId) !== null;
  const serve = (taking: Taking): Grant => rates.serve(taking);
  const homes = new HomeGateways<Taking, Grant>({ self, calls, living: () => member.living, serve });
  const rates: SharedRates = new SharedRates({ limits: config.limits, clock, homes });
  return {
    orders: forwardedOrders({ ...asked, orders: orderService, isHere }),
    following: forwardedFollowing({ ...asked, clock, orders: orderService, isHere }),
    batches: forwardedBatches({ ...asked, batches }),
    rates,
    isServing: (bootEpoch) => createAdoptionStore(db).isServing(bootEpoch),
  };
}

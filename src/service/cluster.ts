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
import { homeGateways } from '#cluster/orders/home-gateways.ts';
import { adoptOrders } from '#orders/adopting.ts';
import type { OrderRow } from '#orders/order.ts';
import type { OrderPort } from '#orders/order-port.ts';
import type { SetApart } from '#orders/ports.ts';
import type { Database } from '#storage/database/database.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { createHomes } from '#storage/orders/homes.ts';
import type { BuiltOrders } from './orders.ts';
import type { PickUp } from './pick-up.ts';
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
  readonly pickUp: PickUp;
  readonly exchange: ClusterExchange;
}

type TakingOver = Pick<MemberParts, 'pickUp'> & {
  readonly outside: Pick<Outside, 'clock' | 'ids'>;
  /** Whether orders of this model run here. */
  readonly sells: (model: string) => boolean;
  readonly passOn: ClusterMember['passOn'];
  readonly storage: Pick<BuiltStorage, 'db' | 'journal' | 'contents'>;
  readonly cluster: { readonly joined: Pick<Joined['joined'], 'gateway'> };
};

/** This gateway's part of the cluster; `start` joins. */
export function buildMember(parts: MemberParts): ClusterMember {
  const { outside, cluster, exchange } = parts;
  const { clock, log, config } = outside;
  const { joined, peers, calls } = cluster;
  const { gateway: self, store, membership } = joined;
  const member = new ClusterMember({
    self,
    store,
    membership,
    started: () => joined.started(),
    jobs: JOBS,
    clock,
    log,
    calls,
    exchange,
    announceMs: config.drainAnnounceMs,
    connect: (listener) => {
      peers.start(self, listener);
      return peers;
    },
    takeOver: takesOver({
      ...parts,
      sells: (model) => config.listings.find(model)?.preview === false,
      passOn: (from, models) => member.passOn(from, models),
    }),
  });
  return member;
}

/**
 * Makes the orders and batches of a gateway that died this one's, which then picks them up. An order that outlives its
 * caller, of a model that is not sold here, is left to the owner of its market; without one it waits for a gateway that
 * sells the model, until it expires.
 */
export function takesOver(parts: TakingOver): (from: GatewayId) => Promise<boolean> {
  const { outside, storage, cluster, pickUp, sells, passOn } = parts;
  const { clock, ids } = outside;
  const { db, journal, contents } = storage;
  const store = createAdoptionStore(db);
  const to = cluster.joined.gateway;
  const isForOthers = ({ model, outlives, expiresAtMs }: OrderRow) =>
    outlives && expiresAtMs > clock.nowMs() && !sells(model);
  const adoptBatch = async (batch: BatchRow, from: GatewayId): Promise<SetApart[]> => {
    try {
      const own = await withOwnFiles(batch, { contents, ids });
      await journal.write({ kind: 'adopt', from, to, orders: [], batches: [own] });
      return [];
    } catch (error) {
      // Perhaps only its files are missing. The other rows do not wait for it, whatever the cause.
      return [{ id: batch.id, error }];
    }
  };
  return async (from) => {
    const apart: SetApart[] = [];
    const unsold = new Set<string>();
    try {
      for await (const { orders, unreadable } of store.liveOrders(from)) {
        const own = orders.filter((order) => !isForOthers(order));
        for (const order of orders) if (!own.includes(order)) unsold.add(order.model);
        apart.push(...unreadable, ...(await adoptOrders(own, { clock, journal, from, to })));
      }
      const { batches, unreadable } = await store.activeBatches(from);
      apart.push(...unreadable);
      for (const batch of batches) apart.push(...(await adoptBatch(batch, from)));
    } finally {
      // Also picks up rows that became this gateway's before a failure.
      void pickUp.untilDone();
    }
    if (unsold.size > 0 && apart.length === 0 && (await passOn(from, [...unsold]))) return true;
    for (const id of unsold) apart.push({ id, error: new Error('this gateway does not sell this model') });
    pickUp.setApart(apart);
    return apart.length === 0;
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
export function othersOf(parts: {
  readonly cluster: Pick<Joined, 'joined' | 'calls'>;
  readonly db: Database;
  readonly orders: Pick<BuiltOrders, 'orderService' | 'batches'>;
  readonly member: Pick<ClusterMember, 'living'>;
  readonly outside: Pick<Outside, 'config' | 'clock'>;
}): Others {
  const { cluster, db, member } = parts;
  const { orderService, batches } = parts.orders;
  const { clock, config } = parts.outside;
  const self = cluster.joined.gateway;
  const { calls } = cluster;
  const asked = { self, homes: createHomes(db), calls };
  const isHere = (orderId: string) => orderService.ticket(orderId) !== null;
  const serve = (taking: Taking): Grant => rates.serve(taking);
  const homes = homeGateways<Taking, Grant>({ self, calls, living: () => member.living, serve });
  const rates: SharedRates = new SharedRates({ limits: config.limits, clock, homes });
  return {
    orders: forwardedOrders({ ...asked, orders: orderService, isHere }),
    following: forwardedFollowing({ ...asked, clock, orders: orderService, isHere }),
    batches: forwardedBatches({ ...asked, batches }),
    rates,
    isServing: (bootEpoch) => createAdoptionStore(db).isServing(bootEpoch),
  };
}

/**
 * The place of a gateway among those that serve one database on a server. A gateway that serves alone is a cluster of
 * one: it registers, beats and declares the dead dead like any other, and starts only while no other lives. If a gateway
 * was declared dead and lives on, its commits are fenced off and it ends.
 */
import type { Connection } from 'mysql2/promise';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { Membership } from '#cluster/membership/membership.ts';
import type { GatewayId } from '#cluster/messages.ts';
import { CLOCK_OFF_MS_MAX, type ClusterGateway, type ClusterState, DEAD_MS } from '#cluster/ports.ts';
import { unlessSilent } from '../database/mysql-connection.ts';
import { isGone, nameOf } from '../database/process.ts';
import { DatabaseInOtherUse, DatabaseInUse, DatabaseRefused } from '../database/refusal.ts';
import { MysqlClusterStore } from './cluster-store.ts';
import { type Fence, fenceOf, LeaseLost } from './fence.ts';
import { gatewayLease, type PeerTerms, registerOrphans } from './gateway-rows.ts';
import type { FenceKind, HeldLease } from './leases.ts';
import { pauseOn, type SeenGateway, whenNoneLives, whoIs } from './living-gateways.ts';

/** The lease of a start: two gateways do not start at once. */
const START = 'job:start';
/** How long a start waits for another one. */
const START_MS_MAX = 120_000;
/** How long a gateway that ends tries to leave. */
const LEAVE_MS_MAX = 5_000;

/** What the right to serve is made of. */
export interface PlaceOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** What others must know; null where this gateway serves alone. */
  readonly peer: PeerTerms | null;
  /** What each beat says about the clocks: how far this machine's is ahead of the database's. */
  readonly onClock?: (aheadMs: number, roundTripMs: number) => void;
  /** Default: `locks`. */
  readonly fence?: FenceKind;
}

/** Which gateways must not be alive when one starts with `peer`, or alone without it, and the message if one is. */
export function excludedBy(peer: PeerTerms | null) {
  return {
    which: ({ alone }: Pick<SeenGateway, 'alone'>) => alone || peer === null,
    inUse: ({ alone, process }: Pick<SeenGateway, 'alone' | 'process'>) => {
      const who = whoIs({ process });
      return alone && peer === null
        ? new DatabaseInUse(who)
        : new DatabaseInOtherUse(who, alone ? 'alone' : 'with others');
    },
  };
}

/** A gateway with a lease, from its registration on. `take` makes it the right to serve: see `ServingRight`. */
export class GatewayPlace {
  /** The number of the gateway, which is its boot epoch. */
  readonly gateway: GatewayId;
  readonly store: MysqlClusterStore;
  /** It beats from `take` on. */
  readonly membership: Membership;
  readonly fence: Fence;
  readonly lost: Promise<DatabaseRefused>;
  readonly place = this;
  clockAheadMs: number | null = null;
  /** Every other gateway was declared dead, or waits to start: nothing of them commits until `started`. */
  alone = true;
  readonly #options: PlaceOptions;
  /** The epoch of the lease of the start. */
  #startEpoch = 0;
  #clockOff = false;

  constructor(url: string, { gateway, lease }: { gateway: GatewayId; lease: HeldLease }, options: PlaceOptions) {
    const { promise: lost, resolve } = Promise.withResolvers<DatabaseRefused>();
    const lose = () => resolve(new LeaseLost());
    const { clock, log, fence: kind = 'locks' } = options;
    this.#options = options;
    this.gateway = gateway;
    this.lost = lost;
    this.fence = fenceOf(lease, lose, { kind });
    this.store = new MysqlClusterStore({ url, lease, gateway, fence: kind });
    this.membership = new Membership({
      ...{ self: gateway, store: this.store, clock, log, isGone, lose },
      onClock: (aheadMs, roundTripMs) => this.#compareClocks(aheadMs, roundTripMs),
    });
  }

  /**
   * Begins to beat, waits for the start of another gateway, and declares those dead that certainly are. `before`: those
   * that were seen to be dead before it registered.
   */
  async take(connection: Connection, before: readonly SeenGateway[]): Promise<void> {
    const { peer, log } = this.#options;
    await this.membership.start();
    this.#startEpoch = await this.#takeStart(connection);
    // Gateways that began to serve after the `before` look and before this registration. A later one finds this gateway.
    const { which, inUse } = excludedBy(peer);
    const own = gatewayLease(this.gateway);
    const isKnown = ({ name, beatMs }: SeenGateway) => before.some((one) => one.name === name && one.beatMs === beatMs);
    const others = (seen: SeenGateway) =>
      which(seen) && seen.name !== own && seen.state !== 'starting' && !isKnown(seen);
    const later = await whenNoneLives(connection, { which: others, log, inUse });
    if (peer) await registerOrphans(connection, this.gateway);
    await this.#buryDead([...before, ...later]);
    // Where this gateway serves alone it forgets the dead: the start recovers what they left.
    const all = (await this.#beat()).gateways.filter(({ id }) => id !== this.gateway);
    const left = all.filter(({ adopter, state }) => adopter !== this.gateway && state !== 'starting');
    const living = left.map(facts).find(which);
    if (living) throw inUse(living);
    this.alone = left.length === 0;
    if (peer === null) for (const { id, adopter } of all) if (adopter === this.gateway) await this.store.forget(id);
  }

  /** A server is where it is, or does not answer. */
  check(): boolean {
    return true;
  }

  async started(): Promise<void> {
    await this.store.serve();
    await this.store.free(START, this.#startEpoch);
  }

  async release(): Promise<void> {
    await this.membership.stop();
    // If this fails, the others wait until the beat is old.
    await unlessSilent(this.store.leave(), LEAVE_MS_MAX).catch(() => {});
  }

  /** Waits for the start of another gateway, and returns the epoch of the lease. */
  async #takeStart(connection: Connection): Promise<number> {
    const { log, peer } = this.#options;
    const { which, inUse } = excludedBy(peer);
    let sinceMs: number | null = null;
    for (;;) {
      const { nowMs, gateways, leases } = await this.#beat();
      const lease = leases.find(({ name }) => name === START);
      const holder = gateways.find(({ id }) => id === lease?.holder);
      if (!holder || holder.id === this.gateway || isOver(holder)) {
        const epoch = await this.store.take(START, lease?.epoch ?? 0);
        if (epoch !== null) return epoch;
        continue;
      }
      if (which(facts(holder))) {
        const isHolder = ({ name }: SeenGateway) => name === gatewayLease(holder.id);
        await whenNoneLives(connection, { which: isHolder, log, inUse });
      }
      // Perhaps no other gateway is left to do it.
      if ((holder.beatAgeMs ?? 0) > DEAD_MS && (await this.store.bury(holder.id, holder.epoch))) continue;
      const who = nameOf(holder.process);
      if (sinceMs === null) log.info({ gateway: who }, 'Another gateway is starting; waiting for it.');
      sinceMs ??= nowMs;
      if (nowMs - sinceMs > START_MS_MAX) throw new DatabaseRefused(`another gateway is still starting (${who})`);
      await pauseOn(connection);
    }
  }

  /** Declares those dead that are; `dead` were seen to be. For the others the cluster waits until their beats are old. */
  async #buryDead(dead: readonly SeenGateway[]): Promise<void> {
    const { peer, log } = this.#options;
    const others = (await this.#beat()).gateways.filter(({ id, adopter }) => ![id, adopter].includes(this.gateway));
    // An adopter comes before the gateways that it adopted.
    for (const one of others.toSorted((a, b) => Number(a.adopter !== null) - Number(b.adopter !== null))) {
      const seen = dead.find(({ name }) => name === gatewayLease(one.id));
      if (!(seen || isOver(one)) || !(await this.store.bury(one.id, one.epoch))) continue;
      if (peer !== null || !seen?.holder || one.state === 'adopted') continue;
      const { ageMs } = seen;
      log.warn({ holder: whoIs(seen), ageMs }, 'Took the database over from a gateway that ended without leaving it.');
    }
  }

  /** Rejects with LeaseLost when this gateway was declared dead. */
  async #beat(): Promise<ClusterState> {
    const state = await this.store.beat();
    if (!state) throw new LeaseLost();
    return state;
  }

  #compareClocks(aheadMs: number, roundTripMs: number): void {
    const { log, onClock } = this.#options;
    this.clockAheadMs = aheadMs;
    onClock?.(aheadMs, roundTripMs);
    // The server may have read its clock at any time in between.
    const off = Math.abs(aheadMs) - Math.abs(roundTripMs) / 2 > CLOCK_OFF_MS_MAX;
    if (off === this.#clockOff) return;
    this.#clockOff = off;
    if (off) log.warn({ aheadMs }, "The clock of this machine differs from the database's: set both right (NTP).");
    else log.info({ aheadMs }, "The clock of this machine agrees with the database's again.");
  }
}

/** Unlike a market, the start of a gateway that merely hangs is not taken over: it may be deleting files. */
function isOver({ adopter, beatAgeMs, process }: ClusterGateway): boolean {
  return adopter !== null || beatAgeMs === null || isGone(process);
}

function facts({ address, adopter, process }: ClusterGateway): Pick<SeenGateway, 'alone' | 'process'> {
  return { alone: address === '' && adopter === null, process: process === '' ? null : process };
}

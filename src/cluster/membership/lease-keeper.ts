/**
 * Which leases of markets and jobs this gateway holds. It takes those that nobody living holds: the gateway that all
 * would choose takes at once, any other a little later, should the first not do it. Of several that try, the database
 * lets one succeed. A gateway keeps what it has until it leaves; the beats of `membership.ts` renew it.
 */
import type { Log } from '#base/log.ts';
import type { GatewayId } from '../messages.ts';
import type { ClusterStore, SharedLease } from '../ports.ts';
import type { ClusterView } from './membership.ts';
import { preferredFor } from './rendezvous.ts';

/** At how many beats in a row a lease must be seen without a living holder before any gateway takes it. */
const LOOKS_OF_OTHERS = 3;

interface LeaseKeeperOptions {
  readonly self: GatewayId;
  readonly store: Pick<ClusterStore, 'take' | 'free'>;
  readonly log: Log;
  /** Every lease that some gateway should hold, as far as this one knows: `market:<model>`, `job:<name>`. */
  readonly names: () => readonly string[];
  /** This gateway holds the lease from now on. */
  readonly onTaken: (name: string, epoch: number) => void;
  /** Another gateway has it, or it was given away; never called twice for one epoch. */
  readonly onLost: (name: string, epoch: number) => void;
}

/** Takes, keeps and gives away leases. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Map<string, number>();
  readonly #taking = new Map<string, Promise<void>>();
  readonly #looks = new Map<string, number>();
  readonly #leaving = new Set<GatewayId>();
  #closed = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  /** The epoch under which this gateway holds the lease; null when it does not. */
  epoch(name: string): number | null {
    return this.#held.get(name) ?? null;
  }

  /** A gateway gives its leases away and takes no more. */
  leaves(gateway: GatewayId): void {
    this.#leaving.add(gateway);
  }

  /** Compares the leases that it should hold with those that it holds. */
  look(view: ClusterView): void {
    if (this.#closed) return;
    const leases = new Map(view.state.leases.map((lease) => [lease.name, lease]));
    const candidates = view.fresh.map(({ id }) => id).filter((id) => !this.#leaving.has(id));
    for (const name of this.#options.names()) {
      const lease = leases.get(name) ?? { name, epoch: 0, holder: null };
      const held = this.#held.get(name);
      // A state that was read before this gateway took the lease has an older epoch.
      if (held !== undefined && lease.epoch > held) this.lost(name, held);
      if (this.#held.has(name) || this.#taking.has(name)) continue;
      const { self } = this.#options;
      if (lease.holder !== null && lease.holder !== self && view.isFresh(lease.holder)) {
        this.#looks.delete(name);
        continue;
      }
      const looks = (this.#looks.get(name) ?? 0) + 1;
      this.#looks.set(name, looks);
      if (preferredFor(name, candidates) !== self && looks < LOOKS_OF_OTHERS) continue;
      this.#taking.set(
        name,
        this.#take(lease).finally(() => this.#taking.delete(name)),
      );
    }
  }

  /** Loses a lease that the database has given to somebody else. */
  lost(name: string, epoch: number): void {
    if (this.#held.get(name) !== epoch) return;
    this.#held.delete(name);
    this.#options.onLost(name, epoch);
  }

  /** Frees one lease, so that another gateway may take it at once. Never rejects: then it is taken as from the dead. */
  async giveAway(name: string): Promise<void> {
    const epoch = this.#held.get(name);
    if (epoch === undefined) return;
    this.#held.delete(name);
    await this.#options.store.free(name, epoch).catch((error) => {
      this.#options.log.warn({ lease: name, err: error }, 'A lease could not be freed; others take it later.');
    });
    this.#options.onLost(name, epoch);
  }

  /** Takes nothing more, and resolves when nothing is being taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#taking.values());
  }

  async #take({ name, epoch: seenEpoch, holder }: SharedLease): Promise<void> {
    const { store, log, onTaken } = this.#options;
    let epoch: number | null;
    try {
      epoch = await store.take(name, seenEpoch);
    } catch (error) {
      log.warn({ lease: name, err: error }, 'A lease could not be taken; trying again.');
      return;
    }
    if (epoch === null) return;
    this.#looks.delete(name);
    if (this.#closed) {
      await store.free(name, epoch).catch(() => {});
      return;
    }
    log.info({ lease: name, epoch, from: holder }, 'This gateway took a lease.');
    this.#held.set(name, epoch);
    onTaken(name, epoch);
  }
}

/** What a cluster needs from outside: the table of leases and beats, the orders of others, and sessions with peers. */
import type { Reach } from '#base/reach.ts';
import type { GatewayId, HeldSlot, PeerMessage } from './messages.ts';

/**
 * A gateway with an older beat may be declared dead, which ends its callers' orders. With 2 s, a gateway that merely
 * stalled was declared dead.
 */
export const DEAD_MS = 10_000;
/** How far two clocks may differ: far above what NTP leaves, far below a quote's ten seconds. */
export const CLOCK_OFF_MS_MAX = 2_000;

/**
 * `starting`: it has no orders, and no other reckons with it. `serving`. `adopted`: it was declared dead, or left
 * orders before it had a lease. `left`: it ended in order. The orders of gateways in the last two states belong to
 * their adopter.
 */
export type GatewayState = 'starting' | 'serving' | 'adopted' | 'left';

/** A gateway with a lease. */
export interface ClusterGateway {
  readonly id: GatewayId;
  /** The epoch of its lease `gateway:<id>`. */
  readonly epoch: number;
  readonly state: GatewayState;
  /** `host:port` where the others reach it; empty when it serves alone. */
  readonly address: string;
  /** Its process, as `storage/database/process.ts` writes it. */
  readonly process: string;
  readonly protocol: number;
  /** How long ago it last beat, by the database's clock; null when it left or was declared dead. */
  readonly beatAgeMs: number | null;
  /** The gateway that is taking its orders over; null unless it is `adopted`. */
  readonly adopter: GatewayId | null;
}

/** The lease of a market (`market:<model>`) or of a job (`job:<name>`). */
export interface SharedLease {
  readonly name: string;
  readonly epoch: number;
  /** Null when it is free. */
  readonly holder: GatewayId | null;
}

/** The cluster as the database had it at a beat. */
export interface ClusterState {
  /** The database's clock. */
  readonly nowMs: number;
  /** Every gateway with a lease, this one included, by id. */
  readonly gateways: readonly ClusterGateway[];
  readonly leases: readonly SharedLease[];
}

/** The leases and beats of the cluster, for one gateway. All methods reject when the database does not answer. */
export interface ClusterStore {
  /** Beats, and reads the state, in one round trip. Null when this gateway was declared dead: it must end at once. */
  beat(): Promise<ClusterState | null>;
  /**
   * Takes a lease of a market or job whose epoch still is `seenEpoch` (0 for one that does not exist yet), after ending
   * the connection of its holder; the new epoch, or null when somebody was faster. Once this has resolved, the previous
   * holder commits nothing under the old epoch.
   */
  take(name: string, seenEpoch: number): Promise<number | null>;
  /** Frees a lease that is still held under `epoch`. */
  free(name: string, epoch: number): Promise<void>;
  /**
   * Declares another gateway dead, whose lease still has `epoch`, and makes this one its adopter; also one whose
   * adopter died. False when somebody was faster, or it beat again. Once this has resolved true, the dead gateway
   * commits nothing any more.
   */
  bury(gateway: GatewayId, epoch: number): Promise<boolean>;
  /** Makes another gateway the adopter of one that this gateway has buried; it then takes over what is left. */
  passOn(gateway: GatewayId, to: GatewayId): Promise<void>;
  /** Forgets a buried gateway whose orders and batches have all been adopted. */
  forget(gateway: GatewayId): Promise<void>;
  /** The slots that orders of `model` hold, by the committed rows, but for those of `reported`; with their gateways. */
  slotsHeld(
    model: string,
    reported: readonly GatewayId[],
  ): Promise<readonly (HeldSlot & { readonly gateway: GatewayId })[]>;
}

/** Where orders and batches live; each read sees committed rows only. */
export interface Homes {
  /** The gateway of each of these orders of the account that is queued or executing; the others are absent. */
  ofOrders(reach: Reach, orderIds: readonly string[]): Promise<ReadonlyMap<string, GatewayId>>;
  /** The gateway that runs a batch; null for one that has ended or never was. */
  ofBatch(batchId: string): Promise<GatewayId | null>;
}

/** A session with another gateway: both have said hello. Messages arrive in order; after `closed` none does. */
export interface PeerSession {
  readonly gateway: GatewayId;
  /** Never throws. Messages of one turn of the event loop travel together. Nothing is sent on a closed session. */
  send(message: PeerMessage): void;
  close(): void;
}

/** What happens on sessions; each is called from its own turn of the event loop. */
export interface PeerListener {
  opened(session: PeerSession): void;
  message(session: PeerSession, message: PeerMessage): void;
  /** `refused`: nobody listens at its address any more, so its process has most likely ended. */
  closed(session: PeerSession, refused: boolean): void;
}

/** Keeps one session with every gateway that it is given. */
export interface Peers {
  /** The gateways of the cluster but for this one: connects to new ones, leaves those that are gone. */
  follow(gateways: readonly Pick<ClusterGateway, 'id' | 'address'>[]): void;
  close(): Promise<void>;
}

/**
 * The gateways in the cluster, as this gateway sees it: it beats twice a second, which renews its leases, reads the
 * table of leases at each beat, and calls its listeners. Only the database's clock measures the age of other gateways'
 * beats. Between two beats this gateway adds its own elapsed time. So a silent database makes no gateway look dead.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { GatewayId } from '../messages.ts';
import { type ClusterGateway, type ClusterState, type ClusterStore, DEAD_MS } from '../ports.ts';

/** How often a gateway beats. */
export const CLUSTER_BEAT_MS = 500;
/** A gateway with an older beat may lose its markets. Taking one too early harms nothing: its epoch fences. */
export const FRESH_MS = 3_000;
/** How long a beat must be seen old before it costs a gateway its markets, and before it is declared dead. */
const SEEN_OLD_MS = CLUSTER_BEAT_MS;
const WATCHED_MS = 3 * CLUSTER_BEAT_MS;
/** A gateway that starts has no orders and owns nothing: it may stall for longer. */
const DEAD_IN_START_MS = 120_000;

/** What membership is made of. */
export interface MembershipOptions {
  readonly self: GatewayId;
  readonly store: Pick<ClusterStore, 'beat'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a process has certainly ended; false when that cannot be known. */
  readonly isGone: (process: string) => boolean;
  /** Another gateway has declared this one dead. */
  readonly lose: () => void;
  /** What each beat says about the clocks: how far this one is ahead of the database's. */
  readonly onClock?: (aheadMs: number, roundTripMs: number) => void;
}

/** What this gateway has noticed about other gateways. */
interface Noticed {
  /** Their processes have certainly ended. */
  readonly gone: ReadonlySet<GatewayId>;
  /** Nothing listens at their addresses: most likely they have ended. */
  readonly refusing: ReadonlySet<GatewayId>;
  /** For how long each has been seen with an old beat: after an outage of the database all beats are old at first. */
  readonly oldForMs: ReadonlyMap<GatewayId, number>;
}

/** The cluster at one beat. */
export class ClusterView {
  readonly #self: GatewayId;
  readonly #noticed: Noticed;
  readonly state: ClusterState;

  constructor(state: ClusterState, self: GatewayId, noticed: Noticed) {
    this.state = state;
    this.#self = self;
    this.#noticed = noticed;
  }

  /** Gateways that may own and adopt: they serve, and have beaten lately. */
  get fresh(): ClusterGateway[] {
    return this.state.gateways.filter((gateway) => this.isFresh(gateway.id));
  }

  /** Whether a gateway may own a market; true for this one, which just beat. */
  isFresh(id: GatewayId): boolean {
    const gateway = this.find(id);
    if (!gateway || gateway.adopter !== null) return false;
    if (id === this.#self) return true;
    if (gateway.state !== 'serving') return false;
    const { gone, refusing, oldForMs } = this.#noticed;
    return gateway.beatAgeMs !== null && !gone.has(id) && !refusing.has(id) && (oldForMs.get(id) ?? 0) < SEEN_OLD_MS;
  }

  /** Whether a gateway may be declared dead: it left, its process has ended, or its beat is too old. */
  isDead({ id, state, adopter, beatAgeMs }: ClusterGateway): boolean {
    if (id === this.#self) return false;
    // This gateway continues adoptions that it began. Another adopter must be declared dead first: it may only be slow.
    if (adopter !== null) {
      const itself = this.find(adopter);
      return adopter === this.#self || !itself || itself.adopter !== null || itself.beatAgeMs === null;
    }
    if (beatAgeMs === null || this.#noticed.gone.has(id)) return true;
    const limitMs = state === 'starting' ? DEAD_IN_START_MS : DEAD_MS;
    return Math.abs(beatAgeMs) > limitMs && (this.#noticed.oldForMs.get(id) ?? 0) >= WATCHED_MS;
  }

  /** The gateway with this number; null when it is not in the table. */
  find(id: GatewayId): ClusterGateway | null {
    return this.state.gateways.find((gateway) => gateway.id === id) ?? null;
  }
}

/** Sends the beats of this gateway, and reads from them which others live. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #refusing = new Set<GatewayId>();
  /** When each gateway was first seen with a beat that is still old. */
  readonly #oldSinceMs = new Map<GatewayId, number>();
  #timer: Timer | null = null;
  #view: ClusterView | null = null;
  #failing = false;
  #stopped = false;
  #onState: (cluster: ClusterView) => void = () => {};
  #beating: Promise<void> = Promise.resolve();

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** The cluster at the last beat that succeeded; null before the first. */
  get view(): ClusterView | null {
    return this.#view;
  }

  /** `onState` is called after each beat that succeeds from now on. */
  listen(onState: (cluster: ClusterView) => void): void {
    this.#onState = onState;
  }

  /** Beats now and from now on. Resolves after the first. */
  async start(): Promise<void> {
    await this.soon();
    this.#later();
  }

  /** Nobody listens at the address of a gateway any more: its markets may be taken at once. */
  refused(gateway: GatewayId): void {
    if (this.#refusing.has(gateway)) return;
    this.#refusing.add(gateway);
    void this.soon();
  }

  connected(gateway: GatewayId): void {
    this.#refusing.delete(gateway);
  }

  /** Beats at once, after the one under way. */
  soon(): Promise<void> {
    this.#beating = this.#beating.then(() => (this.#stopped ? undefined : this.#beatOnce()));
    return this.#beating;
  }

  /** Beats no more. Resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#beating;
  }

  #later(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(CLUSTER_BEAT_MS, () => {
      void this.soon().then(() => this.#later());
    });
  }

  async #beatOnce(): Promise<void> {
    const { store, clock, log, lose, self, onClock } = this.#options;
    const [askedAtMs, askedMs] = [clock.nowMs(), clock.monotonicMs()];
    let state: ClusterState | null;
    try {
      state = await store.beat();
    } catch (error) {
      if (!this.#failing && !this.#stopped)
        log.warn({ err: error }, 'The lease on the database could not be renewed; trying again.');
      this.#failing = true;
      return;
    }
    if (this.#failing) log.info({}, 'The lease on the database is renewed again.');
    this.#failing = false;
    if (this.#stopped) return;
    if (!state) {
      this.#stopped = true;
      lose();
      return;
    }
    const answeredMs = clock.monotonicMs();
    const roundTripMs = answeredMs - askedMs;
    onClock?.(askedAtMs + Math.round(roundTripMs / 2) - state.nowMs, roundTripMs);
    this.#view = new ClusterView(state, self, this.#notice(state, answeredMs));
    this.#onState(this.#view);
  }

  #notice(state: ClusterState, nowMs: number): Noticed {
    const known = new Set(state.gateways.map(({ id }) => id));
    for (const id of this.#refusing) if (!known.has(id)) this.#refusing.delete(id);
    for (const id of this.#oldSinceMs.keys()) if (!known.has(id)) this.#oldSinceMs.delete(id);
    const gone = new Set<GatewayId>();
    const oldForMs = new Map<GatewayId, number>();
    for (const { id, process, beatAgeMs } of state.gateways) {
      if (id === this.#options.self) continue;
      if (this.#options.isGone(process)) gone.add(id);
      // A beat of the future counts as old: the server's clock was set back, and a living gateway corrects its beat.
      if (beatAgeMs === null || Math.abs(beatAgeMs) <= FRESH_MS) {
        this.#oldSinceMs.delete(id);
        continue;
      }
      const sinceMs = this.#oldSinceMs.get(id) ?? nowMs;
      this.#oldSinceMs.set(id, sinceMs);
      oldForMs.set(id, nowMs - sinceMs);
    }
    return { gone, refusing: new Set(this.#refusing), oldForMs };
  }
}

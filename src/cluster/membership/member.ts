/**
 * One gateway's part of its cluster, put together: at each beat it learns who lives, what it should own and whom it
 * should adopt, and what arrives on sessions goes where it belongs. Rows, sockets and orders are behind what it is given,
 * so that the simulated clusters run it, too. docs/decisions/0039.
 */
import { type Clock, pause, waitAtMost } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { ClusterExchange } from '../markets/cluster-exchange.ts';
import type { GatewayId, PeerMessage } from '../messages.ts';
import type { Calls } from '../peers/calls.ts';
import type { ClusterStore, PeerListener, PeerSession, Peers, SharedLease } from '../ports.ts';
import { Adoption } from './adoption.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { ClusterView, Membership } from './membership.ts';

const MARKET = 'market:';
const JOB = 'job:';
/** How long a gateway that starts waits for the others, which look for newcomers twice a second. */
const MEETING_MS = 2_000;

interface ClusterMemberOptions {
  readonly self: GatewayId;
  readonly store: ClusterStore;
  /** Its beats. The code that made it stops it, after `close`. */
  readonly membership: Pick<Membership, 'view' | 'listen' | 'soon' | 'connected' | 'refused'>;
  readonly exchange: ClusterExchange;
  readonly calls: Pick<Calls, 'opened' | 'closed' | 'message' | 'gateways' | 'tell'>;
  /** Opens sessions with the others; called once, by `start`. */
  readonly connect: (listener: PeerListener) => Peers;
  /** Ends the start: the others see this gateway from then on. After `connect`. */
  readonly started: () => Promise<void>;
  /** See `Adoption`. */
  readonly takeOver: (from: GatewayId) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long a gateway that leaves still takes requests: `/healthz` says by then that it drains. */
  readonly announceMs: number;
  /** Work that only one of the gateways does. */
  readonly jobs: readonly string[];
}

/** This gateway's part of the cluster. */
export class ClusterMember {
  readonly #options: ClusterMemberOptions;
  readonly #keeper: LeaseKeeper;
  readonly #adoption: Adoption;
  readonly #met = Promise.withResolvers<void>();
  #peers: Peers | null = null;
  #leaving = false;
  #living: readonly GatewayId[];
  #ownerlessSinceMs: number | null = null;

  constructor(options: ClusterMemberOptions) {
    const { self, store, log, exchange, clock, jobs, takeOver, membership } = options;
    this.#options = options;
    this.#living = [self];
    const common = { self, store, log };
    this.#keeper = new LeaseKeeper({
      ...common,
      names: () => [...exchange.models.map((model) => MARKET + model), ...jobs.map((job) => JOB + job)],
      onTaken: (name, epoch) => whenMarket(name, (model) => exchange.owns(model, epoch)),
      onLost: (name, epoch) => whenMarket(name, (model) => exchange.lost(model, epoch)),
    });
    this.#adoption = new Adoption({
      ...{ ...common, clock, takeOver },
      onBuried: (gateway) => exchange.buried(gateway, self),
      onForgotten: () => void membership.soon(),
    });
  }

  /** Joins: sessions with the others, then leases and the orders of the dead. Resolves after the first beat. */
  async start(): Promise<void> {
    const { exchange, calls, started, membership, connect } = this.#options;
    this.#peers = connect({
      opened: (session) => {
        membership.connected(session.gateway);
        if (this.#leaving) session.send({ type: 'leaving' });
        calls.opened(session);
        exchange.opened(session);
        this.#checkMet();
      },
      message: (session, message) => this.#takeMessage(session, message),
      closed: (session, refused) => {
        calls.closed(session);
        exchange.closed(session);
        if (refused) membership.refused(session.gateway);
      },
    });
    await started();
    membership.listen((view) => this.#look(view));
    await membership.soon();
  }

  /**
   * Resolves when every gateway that lives is connected. Until then the others do not know this gateway: they would
   * refuse questions about its orders, and count its callers elsewhere. Waits 2 s at most, because one of them may be
   * paused. After `start`.
   */
  async metAll(): Promise<void> {
    this.#checkMet();
    await waitAtMost(this.#options.clock, MEETING_MS, this.#met.promise);
  }

  /** The cluster at the last beat; null before the first. */
  get view(): ClusterView | null {
    return this.#options.membership.view;
  }

  /** The gateways that live, this one included. */
  get living(): readonly GatewayId[] {
    return this.#living;
  }

  /** Whether this gateway does the work; false while another does. */
  does(job: string): boolean {
    return this.#keeper.epoch(JOB + job) !== null;
  }

  /** The epoch under which this gateway owns a market, as far as it knows; null when it does not. */
  owns(model: string): number | null {
    return this.#keeper.epoch(MARKET + model);
  }

  /** Since when a market has had no owner that this gateway reaches; now when all have one. */
  get tickedAtMs(): number {
    const { exchange, clock } = this.#options;
    return Math.min(exchange.tickedAtMs, this.#ownerlessSinceMs ?? clock.monotonicMs());
  }

  /** The market's lease was given to another gateway. */
  lost(model: string, epoch: number): void {
    this.#keeper.lost(MARKET + model, epoch);
    void this.#options.membership.soon();
  }

  /**
   * Leaves what this gateway cannot take over of a dead one to the owner of one of these markets; false when there is no
   * other that lives.
   */
  async passOn(dead: GatewayId, models: readonly string[]): Promise<boolean> {
    const { self, store } = this.#options;
    const isOwner = ({ name, holder }: SharedLease) =>
      holder !== null &&
      holder !== self &&
      models.some((model) => name === MARKET + model) &&
      this.view?.isFresh(holder);
    const owner = this.view?.state.leases.find(isOwner)?.holder ?? null;
    if (owner !== null) await store.passOn(dead, owner);
    return owner !== null;
  }

  /** Gives every lease away, so that others go on at once. Its orders stay, at other gateways' markets. */
  async leave(): Promise<void> {
    const { self, exchange, calls, jobs, clock, announceMs } = this.#options;
    this.#leaving = true;
    this.#keeper.leaves(self);
    calls.tell({ type: 'leaving' });
    await Promise.all(
      exchange.models.map(async (model) => {
        if (this.owns(model) === null) return;
        await exchange.handOver(model);
        await this.#keeper.giveAway(MARKET + model);
      }),
    );
    for (const job of jobs) await this.#keeper.giveAway(JOB + job);
    // Requests sent here before the load balancer noticed are still taken.
    await pause(clock, announceMs);
  }

  /** Ends everything. Its orders stay until its own lease is freed. */
  async close(): Promise<void> {
    await this.#keeper.close();
    await this.#adoption.close();
    this.#options.membership.listen(() => {});
    await this.#peers?.close();
  }

  #look(view: ClusterView): void {
    const { self, exchange, clock } = this.#options;
    const { gateways } = view.state;
    this.#living = view.fresh.map(({ id }) => id);
    const known = gateways.filter(({ id, state }) => id === self || state !== 'starting');
    exchange.gatewaysAlive(
      known.map(({ id }) => id),
      this.#living,
    );
    for (const { id, adopter } of gateways) if (adopter !== null) exchange.buried(id, adopter);
    this.#peers?.follow(gateways.filter(({ id, state }) => id !== self && state === 'serving'));
    this.#keeper.look(view);
    this.#adoption.look(view);
    const isOwned = exchange.models.every((model) => exchange.ownerOf(model) !== null);
    this.#ownerlessSinceMs = isOwned ? null : (this.#ownerlessSinceMs ?? clock.monotonicMs());
    this.#checkMet();
  }

  #checkMet(): void {
    const { self, calls } = this.#options;
    const met = new Set(calls.gateways);
    if (this.view && this.#living.every((id) => id === self || met.has(id))) this.#met.resolve();
  }

  #takeMessage(session: PeerSession, message: PeerMessage): void {
    const { exchange, calls } = this.#options;
    if (exchange.message(session, message)) {
      // A market that is given away is free: the next beat takes it.
      if (message.type === 'left') void this.#options.membership.soon();
      return;
    }
    if (message.type === 'call' || message.type === 'answer' || message.type === 'refusal')
      calls.message(session, message);
    else if (message.type === 'leaving') this.#keeper.leaves(session.gateway);
  }
}

function whenMarket(name: string, then: (model: string) => void): void {
  if (name.startsWith(MARKET)) then(name.slice(MARKET.length));
}

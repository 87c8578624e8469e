/**
 * The gateways that trade in one market, as its owner knows them before it decides anything: which have said what they
 * have, and when that is enough to begin. Nothing that a gateway says is looked at before.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { GatewayId, ToOwner } from '../messages.ts';

/** How long an owner waits for gateways that beat but say nothing. */
const BARRIER_MS = 3_000;

/** A gateway with a session; another session makes another member. */
export interface Member {
  readonly gateway: GatewayId;
  /** Its messages, in order, until they are processed. */
  inbox: ToOwner[];
  /** Whether all that it has is in the inbox, or was taken from it. */
  reported: boolean;
  /** Its orders that it has not named yet in the resync under way; null when there is none. */
  unnamed: Set<string> | null;
}

/** The members of one market. */
export class MarketMembers {
  readonly #self: GatewayId;
  readonly #members = new Map<GatewayId, Member>();
  readonly #complete = Promise.withResolvers<void>();
  readonly #timer: Timer;
  #fresh: readonly GatewayId[] | null = null;
  #timedOut = false;

  constructor(self: GatewayId, clock: Clock) {
    this.#self = self;
    this.#timer = clock.after(BARRIER_MS, () => {
      this.#timedOut = true;
      this.#check();
    });
  }

  /** Resolves once every gateway that beats has reported; after three seconds without those that have not. */
  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  get all(): Member[] {
    return [...this.#members.values()];
  }

  get(gateway: GatewayId): Member | null {
    return this.#members.get(gateway) ?? null;
  }

  /** Whether this is the present session of its gateway. */
  has(member: Member): boolean {
    return this.get(member.gateway) === member;
  }

  join(gateway: GatewayId): Member {
    const member = { gateway, inbox: [], reported: false, unnamed: null };
    this.#members.set(gateway, member);
    return member;
  }

  leave(gateway: GatewayId): void {
    this.#members.delete(gateway);
    this.#check();
  }

  /** The gateways whose beat is fresh. */
  beat(fresh: readonly GatewayId[]): void {
    this.#fresh = fresh;
    this.#check();
  }

  /** Keeps what a member says. It says nothing before it has begun its resync. */
  keep(member: Member, message: ToOwner): void {
    member.inbox.push(message);
    if (message.type !== 'resync' || !message.last) return;
    member.reported = true;
    this.#check();
  }

  close(): void {
    this.#timer.cancel();
  }

  #check(): void {
    const isIn = (gateway: GatewayId) => this.get(gateway)?.reported === true;
    if (!isIn(this.#self) || !(this.#timedOut || this.#fresh?.every(isIn))) return;
    this.close();
    this.#complete.resolve();
  }
}

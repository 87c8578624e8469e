/**
 * One session with every other gateway, whatever the transport. Of two gateways the one with the lower id dials, so that
 * there are never two connections to choose from; a newcomer has the highest id and is dialled by all. When a session
 * breaks, both ask the other's port at once whether anybody listens: if not, its process has ended, and what it owned
 * can be taken over without waiting for its beats to grow old.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId } from '../messages.ts';
import type { PeerListener, PeerSession, Peers } from '../ports.ts';
import type { Connection, Dial, PeerName, PeerRefusal } from './connection.ts';

/** How long a dial may take, up to the last hello. */
export const DIAL_MS = 2_000;
/** The wait before the first dial after a break, doubled with each that fails. */
const REDIAL_MS = 50;
const REDIAL_MS_MAX = 1_000;
/** A session that lasted this long was a good one: the next break begins with the shortest wait again. */
const GOOD_SESSION_MS = 5_000;
/** How long `closed` waits to learn whether anybody listens, and how long between two questions. */
const PROBE_MS = 300;
const PROBE_AGAIN_MS = 20;
/** For how long a gateway that was not followed yet may have a session: it may be newer than the list. */
const UNLISTED_MS = 5_000;

interface PeerRosterOptions {
  readonly self: GatewayId;
  readonly listener: PeerListener;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A session as the listener has it: it says nothing more once it has ended, and is no longer `open`. */
interface Session extends PeerSession {
  open: boolean;
}

/** What is known about one other gateway. */
interface Peer extends PeerName {
  listed: boolean;
  session: Session | null;
  /** The session whose end is to be reported as soon as it is known whether anybody listens. */
  ending: Session | null;
  refusal: PeerRefusal | null;
  sinceMs: number;
  failures: number;
  timer: Timer | null;
  giveUp: (() => void) | null;
}

/** Keeps the sessions of one gateway. */
export class PeerRoster implements Peers {
  readonly #options: PeerRosterOptions;
  readonly #peers = new Map<GatewayId, Peer>();
  /** Gateways that were listed and left. They never return: no two processes have the same id. */
  readonly #gone = new Set<GatewayId>();
  #closed = false;

  constructor(options: PeerRosterOptions) {
    this.#options = options;
  }

  follow(gateways: readonly PeerName[]): void {
    if (this.#closed) return;
    const listed = new Set(gateways.map(({ id }) => id));
    for (const peer of [...this.#peers.values()]) {
      const unknown = !peer.listed && this.#options.clock.monotonicMs() - peer.sinceMs < UNLISTED_MS;
      if (listed.has(peer.id) || unknown) continue;
      this.#peers.delete(peer.id);
      this.#gone.add(peer.id);
      this.#rest(peer);
      // Not from inside `follow`.
      this.#options.clock.after(0, () => this.#report(peer, false));
    }
    for (const gateway of gateways) {
      if (gateway.id === this.#options.self || this.#gone.has(gateway.id)) continue;
      const known = this.#peers.get(gateway.id);
      const peer = known ?? this.#meet(gateway);
      peer.listed = true;
      if (!known) this.#dialIn(peer, 0);
    }
  }

  /** Whether a gateway may have a session: not one that has left. */
  admits(gateway: GatewayId): boolean {
    return !this.#closed && gateway !== this.#options.self && !this.#gone.has(gateway);
  }

  /** A gateway has dialled this one. Its earlier connection, if there is one, is dead: it would not dial otherwise. */
  accept(gateway: PeerName, connection: Connection): void {
    if (!this.admits(gateway.id)) {
      connection.begin({ message: () => {}, broken: () => {} });
      connection.close();
      return;
    }
    const peer = this.#peers.get(gateway.id) ?? this.#meet(gateway);
    this.#rest(peer);
    this.#report(peer, false);
    this.#open(peer, connection);
  }

  /** Says that a peer cannot join; once per cause until it has joined. */
  refuse(refusal: PeerRefusal): void {
    if (!this.admits(refusal.gateway)) return;
    const peer = this.#peers.get(refusal.gateway) ?? this.#meet({ id: refusal.gateway, address: refusal.address });
    if (peer.refusal?.cause === refusal.cause) return;
    peer.refusal = refusal;
    this.#options.log.warn({ gateway: refusal.gateway, address: refusal.address }, refusal.sentence);
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const peer of this.#peers.values()) {
      this.#rest(peer);
      peer.session?.close();
    }
    this.#peers.clear();
    return Promise.resolve();
  }

  #meet({ id, address }: PeerName): Peer {
    const nothing = {
      listed: false,
      session: null,
      ending: null,
      refusal: null,
      failures: 0,
      timer: null,
      giveUp: null,
    };
    const peer: Peer = { id, address, ...nothing, sinceMs: this.#options.clock.monotonicMs() };
    this.#peers.set(id, peer);
    return peer;
  }

  /** Stops pending work for a peer. */
  #rest(peer: Peer): void {
    peer.timer?.cancel();
    peer.giveUp?.();
    peer.timer = null;
    peer.giveUp = null;
    if (!peer.session) return;
    peer.ending = peer.session;
    peer.session = null;
    peer.ending.close();
  }

  #open(peer: Peer, connection: Connection): void {
    const { clock, log, listener } = this.#options;
    const session: Session = {
      gateway: peer.id,
      open: true,
      send: (message) => {
        if (session.open) connection.send(message);
      },
      close: () => {
        session.open = false;
        connection.close();
      },
    };
    peer.session = session;
    peer.refusal = null;
    peer.sinceMs = clock.monotonicMs();
    log.info({ gateway: peer.id, address: peer.address }, 'Connected with another gateway.');
    listener.opened(session);
    connection.begin({
      message: (message) => {
        if (session.open && !this.#closed) listener.message(session, message);
      },
      broken: (reason) => {
        if (peer.session !== session || this.#closed) return;
        session.open = false;
        peer.session = null;
        peer.ending = session;
        if (clock.monotonicMs() - peer.sinceMs >= GOOD_SESSION_MS) peer.failures = 0;
        log.warn({ gateway: peer.id, address: peer.address, reason }, 'The connection with another gateway ended.');
        this.#probe(peer, clock.monotonicMs() + PROBE_MS);
      },
    });
  }

  /** A process that ends closes its port last, and one that is paused answers nothing: asks until it is clear. */
  #probe(peer: Peer, untilMs: number): void {
    const { clock, dial } = this.#options;
    const timeoutMs = Math.max(1, untilMs - clock.monotonicMs());
    peer.giveUp = dial(peer, { purpose: 'probe', timeoutMs }, (outcome) => {
      peer.giveUp = null;
      const again = outcome.type === 'failed' && clock.monotonicMs() + PROBE_AGAIN_MS < untilMs;
      if (again) {
        peer.timer = clock.after(PROBE_AGAIN_MS, () => this.#probe(peer, untilMs));
        return;
      }
      this.#report(peer, outcome.type === 'gone');
      this.#dialIn(peer, this.#pause(peer));
    });
  }

  #report(peer: Peer, refused: boolean): void {
    const { ending } = peer;
    peer.ending = null;
    if (!ending) return;
    ending.open = false;
    if (!this.#closed) this.#options.listener.closed(ending, refused);
  }

  #dialIn(peer: Peer, waitMs: number): void {
    if (this.#closed || this.#gone.has(peer.id) || peer.id < this.#options.self) return;
    peer.timer = this.#options.clock.after(waitMs, () => {
      peer.timer = null;
      peer.giveUp = this.#options.dial(peer, { purpose: 'session', timeoutMs: DIAL_MS }, (outcome) => {
        peer.giveUp = null;
        if (outcome.type === 'open') {
          this.#open(peer, outcome.connection);
          return;
        }
        const { id: gateway, address } = peer;
        if (outcome.type === 'incompatible') this.refuse(outcome.refusal);
        if (outcome.type === 'failed')
          this.#options.log.debug({ gateway, address, reason: outcome.reason }, 'A dial failed.');
        this.#dialIn(peer, this.#pause(peer));
      });
    });
  }

  /** Half of it is chance, so that gateways do not dial in step. */
  #pause(peer: Peer): number {
    const longestMs = Math.min(REDIAL_MS_MAX, REDIAL_MS * 2 ** peer.failures);
    peer.failures++;
    return (longestMs * (1 + this.#options.random.next())) / 2;
  }
}

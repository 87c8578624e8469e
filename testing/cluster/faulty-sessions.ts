/** Sessions between the gateways of a test: messages arrive late and in order, until the session breaks for either. */
import type { Random } from '#base/random.ts';
import type { GatewayId, PeerMessage } from '#cluster/messages.ts';
import type { PeerListener, PeerSession } from '#cluster/ports.ts';
import type { ProcessTime, SharedTime } from './shared-time.ts';

/** A gateway that has sessions. */
export interface Peer {
  readonly id: GatewayId;
  readonly process: ProcessTime;
  readonly listener: PeerListener;
  readonly ended: boolean;
}

interface End {
  readonly peer: Peer;
  readonly session: PeerSession;
  /** When the last thing sent to it arrives. */
  lastMs: number;
  closed: boolean;
}

/** One session between two gateways; connects again by itself while both live. */
export class FaultySession {
  readonly #time: SharedTime;
  readonly #random: Random;
  readonly #peers: readonly [Peer, Peer];
  #ends: readonly [End, End] | null = null;

  constructor(time: SharedTime, random: Random, peers: readonly [Peer, Peer]) {
    this.#time = time;
    this.#random = random;
    this.#peers = peers;
    this.#connect();
  }

  /** Breaks it. Each side learns that at another moment, and may still get what was sent before. */
  cut(): void {
    const ends = this.#ends;
    if (!ends) return;
    this.#ends = null;
    for (const end of ends) {
      const close = () => {
        if (end.closed) return;
        end.closed = true;
        end.peer.listener.closed(end.session, false);
      };
      if (this.#random.next() < 0.5) this.#time.after(this.#random.next() * 30, () => end.peer.process.turn(close));
      else this.#arrive(end, close);
    }
    this.#time.after(60 + this.#random.next() * 400, () => this.#connect());
  }

  #connect(): void {
    if (this.#ends || this.#peers.some(({ ended }) => ended)) return;
    // A gateway that stands still accepts nobody.
    if (this.#peers.some(({ process }) => process.paused)) {
      this.#time.after(200, () => this.#connect());
      return;
    }
    const [one, two] = this.#peers;
    const ends: [End, End] = [this.#end(one, two, () => ends), this.#end(two, one, () => ends)];
    this.#ends = ends;
    for (const end of ends) this.#arrive(end, () => end.peer.listener.opened(end.session));
  }

  #end(peer: Peer, other: Peer, ends: () => readonly [End, End]): End {
    const session: PeerSession = {
      gateway: other.id,
      send: (message) => {
        const to = ends().find((end) => end.peer === other);
        if (!to || this.#ends !== ends()) return;
        const copy = structuredClone(message) as PeerMessage;
        this.#arrive(to, () => to.peer.listener.message(to.session, copy));
      },
      close: () => {
        if (this.#ends === ends()) this.cut();
      },
    };
    return { peer, session, lastMs: 0, closed: false };
  }

  #arrive(end: End, run: () => void): void {
    end.lastMs = Math.max(end.lastMs, this.#time.nowMs + this.#random.next() * 15);
    this.#time.after(end.lastMs - this.#time.nowMs, () => end.peer.process.turn(() => end.closed || run()));
  }
}

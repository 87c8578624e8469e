/**
 * A network of gateways that exists only in a clock: with delays, cut links, paused and crashed processes. Its sessions
 * are kept by the roster that keeps the real ones, so a simulation runs that too. Each gateway has a clock of its own
 * that stands still for it while it is paused and for ever once it has crashed: everything of that gateway must use it.
 */
import type { Clock } from '#base/clock.ts';
import { type Log, silentLog } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId, PeerMessage } from '#cluster/messages.ts';
import type { Connection, ConnectionEvents, Dial, PeerName } from '#cluster/peers/connection.ts';
import { PeerRoster } from '#cluster/peers/peer-roster.ts';
import type { PeerListener, Peers } from '#cluster/ports.ts';
import { HostClock } from './simulated-clock.ts';

/** After how long a link is dead on which nothing comes. */
const SILENCE_MS = 3_000;

/** What the network needs. */
export interface SimulatedNetworkOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a message takes, at random between both. */
  readonly delayMs?: { readonly min: number; readonly max: number };
  readonly log?: Log;
}

interface Host {
  readonly name: PeerName;
  readonly clock: HostClock;
  readonly onPeerTime: (nowMs: number) => void;
  roster: PeerRoster | null;
}

/** The network. */
export class SimulatedNetwork {
  readonly #options: SimulatedNetworkOptions;
  readonly #hosts = new Map<GatewayId, Host>();
  readonly #cuts = new Set<string>();
  readonly #ends = new Set<End>();
  readonly #clocks = new Map<GatewayId, HostClock>();

  constructor(options: SimulatedNetworkOptions) {
    this.#options = options;
  }

  /** The clock of a gateway, which everything of it must use; `offsetMs` ahead of the network's. */
  clockOf(id: GatewayId, offsetMs = 0): Clock {
    return this.#hostClock(id, offsetMs);
  }

  /** A gateway joins. `onPeerTime` is called with the sender's time before messages. */
  join(name: PeerName, listener: PeerListener, onPeerTime: (nowMs: number) => void = () => {}): Peers {
    const clock = this.#hostClock(name.id, 0);
    const host: Host = { name, clock, onPeerTime, roster: null };
    this.#hosts.set(name.id, host);
    const { random, log = silentLog } = this.#options;
    const parts = { listener, clock, random, log };
    const roster = new PeerRoster({ self: name.id, dial: this.#dialOf(host), ...parts });
    host.roster = roster;
    return {
      follow: (gateways) => roster.follow(gateways),
      close: () => {
        this.#hosts.delete(name.id);
        return roster.close();
      },
    };
  }

  /** Breaks the connections between two gateways; they make new ones. */
  reset(one: GatewayId, other: GatewayId): void {
    for (const end of [...this.#ends]) if (end.from === one && end.to === other) end.breakBoth('reset');
  }

  /** From now on nothing gets from one to the other, not even that the connection is closed. */
  cut(from: GatewayId, to: GatewayId): void {
    this.#cuts.add(`${from}>${to}`);
    for (const end of this.#ends) if (end.from === to && end.to === from) this.#listenInVain(end);
  }

  /** Cuts a gateway off, in both directions. */
  isolate(id: GatewayId): void {
    for (const other of this.#hosts.keys()) {
      if (other === id) continue;
      this.cut(id, other);
      this.cut(other, id);
    }
  }

  /** Mends all that was cut. What was sent meanwhile arrives, unless its connection was given up. */
  heal(): void {
    this.#cuts.clear();
  }

  /** Its process ends: the machine closes its connections, and nobody listens at its address. */
  crash(id: GatewayId): void {
    this.#hosts.delete(id);
    this.#hostClock(id, 0).crash();
    for (const end of [...this.#ends]) if (end.from === id) end.breakBoth('its process ended');
  }

  /** Its process stands still: connections stay, and nothing is read or sent. */
  pause(id: GatewayId): void {
    this.#hostClock(id, 0).pause();
    for (const end of this.#ends) if (end.to === id) this.#listenInVain(end);
  }

  resume(id: GatewayId): void {
    this.#hostClock(id, 0).resume();
  }

  /** Whether something can get from one to the other now. */
  passes(from: GatewayId, to: GatewayId): boolean {
    return !this.isCut(from, to) && !this.#hostClock(from, 0).paused;
  }

  /** Whether the way from one to the other is cut. */
  isCut(from: GatewayId, to: GatewayId): boolean {
    return this.#cuts.has(`${from}>${to}`);
  }

  /** How long the next message takes. */
  delayMs(): number {
    const { random, delayMs: { min, max } = { min: 0, max: 2 } } = this.#options;
    return min + Math.floor(random.next() * (max - min + 1));
  }

  #hostClock(id: GatewayId, offsetMs: number): HostClock {
    const known = this.#clocks.get(id);
    if (known) return known;
    const clock = new HostClock(this.#options.clock, offsetMs);
    this.#clocks.set(id, clock);
    return clock;
  }

  #dialOf(host: Host): Dial {
    return (peer, { purpose, timeoutMs }, done) => {
      const { clock } = host;
      let over = false;
      const finish = (outcome: Parameters<typeof done>[0]) => {
        if (over || !this.passes(peer.id, host.name.id)) return;
        over = true;
        timer.cancel();
        done(outcome);
      };
      const timer = clock.after(timeoutMs, () => {
        if (over) return;
        over = true;
        done({ type: 'failed', reason: 'it does not answer' });
      });
      this.#options.clock.after(this.delayMs(), () => {
        if (over || !this.passes(host.name.id, peer.id)) return;
        const there = this.#hosts.get(peer.id);
        const back = (outcome: Parameters<typeof done>[0]) => clock.after(this.delayMs(), () => finish(outcome));
        if (!there || there.name.address !== peer.address) return back({ type: 'gone' });
        there.clock.after(0, () => {
          if (over || this.#hosts.get(host.name.id) !== host) return;
          if (!there.roster?.admits(host.name.id)) return back({ type: 'failed', reason: 'it is refused' });
          if (purpose === 'probe') return back({ type: 'alive' });
          const [own, other] = this.#pair(host, there);
          there.roster.accept(host.name, other);
          back({ type: 'open', connection: own });
        });
      });
      return () => {
        over = true;
        timer.cancel();
      };
    };
  }

  #pair(one: Host, two: Host): [End, End] {
    const ends: [End, End] = [
      new End(this, { from: one.name.id, to: two.name.id, host: one }),
      new End(this, { from: two.name.id, to: one.name.id, host: two }),
    ];
    ends[0].meet(ends[1]);
    ends[1].meet(ends[0]);
    for (const end of ends) {
      this.#ends.add(end);
      end.onBroken = () => void this.#ends.delete(end);
    }
    return ends;
  }

  #listenInVain(end: End): void {
    const waitMs = SILENCE_MS + Math.floor(this.#options.random.next() * 1_000);
    end.host.clock.after(waitMs, () => {
      if (!this.passes(end.to, end.from)) end.breakBoth('it is silent');
    });
  }
}

interface Packet {
  readonly sentAtMs: number;
  readonly messages: string[];
}

const RETRY_MS = 50;

/** One end of a connection. */
class End implements Connection {
  readonly from: GatewayId;
  readonly to: GatewayId;
  readonly host: Host;
  onBroken: () => void = () => {};
  readonly #network: SimulatedNetwork;
  #other: End | null = null;
  #events: ConnectionEvents | null = null;
  #early: Packet[] = [];
  #packets: Packet[] = [];
  #arrivesAtMs = 0;
  #over = false;

  constructor(network: SimulatedNetwork, { from, to, host }: Pick<End, 'from' | 'to' | 'host'>) {
    this.#network = network;
    this.from = from;
    this.to = to;
    this.host = host;
  }

  meet(other: End): void {
    this.#other = other;
  }

  begin(events: ConnectionEvents): void {
    this.#events = events;
    for (const packet of this.#early.splice(0)) this.#deliver(packet);
    if (this.#over) this.host.clock.after(0, () => events.broken('reset'));
  }

  /** Messages of one millisecond travel together. Text, so that only plain data passes. */
  send(message: PeerMessage): void {
    if (this.#over) return;
    const { clock } = this.host;
    const nowMs = clock.nowMs();
    const last = this.#packets.at(-1);
    const text = JSON.stringify(message);
    if (last?.sentAtMs === nowMs) {
      last.messages.push(text);
      return;
    }
    const packet = { sentAtMs: nowMs, messages: [text] };
    this.#packets.push(packet);
    this.#arrivesAtMs = Math.max(this.#arrivesAtMs, nowMs + this.#network.delayMs());
    this.#carry(packet, this.#arrivesAtMs - nowMs);
  }

  close(): void {
    this.breakBoth('the other gateway closed it');
  }

  /** Breaks this end, and the other once that is heard of. */
  breakBoth(reason: string): void {
    if (this.#over) return;
    this.broke(reason);
    this.#tell(reason);
  }

  /** Never from inside `send` or `close`. */
  broke(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.onBroken();
    this.host.clock.after(0, () => this.#events?.broken(reason));
  }

  #tell(reason: string): void {
    const other = this.#other;
    // The machine speaks for a process that is paused or gone, and repeats what does not get through.
    other?.host.clock.after(this.#network.delayMs(), () => {
      if (this.#network.isCut(this.from, this.to)) other.host.clock.after(RETRY_MS, () => this.#tell(reason));
      else other.broke(reason);
    });
  }

  #carry(packet: Packet, delayMs: number): void {
    const other = this.#other;
    other?.host.clock.after(delayMs, () => {
      if (!this.#network.passes(this.from, this.to)) return this.#carry(packet, RETRY_MS);
      if (this.#packets[0] !== packet) return this.#carry(packet, 1);
      this.#packets.shift();
      other.#take(packet);
    });
  }

  #take(packet: Packet): void {
    if (this.#events) this.#deliver(packet);
    else this.#early.push(packet);
  }

  #deliver({ sentAtMs, messages }: Packet): void {
    if (this.#over) return;
    this.host.onPeerTime(sentAtMs);
    for (const text of messages) if (!this.#over) this.#events?.message(JSON.parse(text));
  }
}

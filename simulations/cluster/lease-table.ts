/**
 * The table of leases and beats in memory, with the rules of the real one (`storage/leases`): compare and set, epochs
 * that only rise, one clock for all beats. Every call takes a turn of the event loop and fails while the table is down.
 */
import type { Clock } from '#base/clock.ts';
import type { GatewayId, HeldSlot } from '#cluster/messages.ts';
import type { ClusterGateway, ClusterState, ClusterStore } from '#cluster/ports.ts';
import { DEAD_MS } from '#cluster/ports.ts';

type Row = { -readonly [Name in keyof Omit<ClusterGateway, 'beatAgeMs'>]: ClusterGateway[Name] } & {
  beatMs: number | null;
};

/** What a gateway says of itself when it joins. */
export type Joining = Pick<ClusterGateway, 'id' | 'address' | 'process' | 'protocol'> &
  Partial<Pick<ClusterGateway, 'state'>>;

/** A gateway's view of the table; `leave` frees its own lease. */
export type LeaseTableStore = ClusterStore & { leave(): Promise<void> };

/** The table that all gateways share. */
export class LeaseTable {
  readonly #clock: Clock;
  readonly #gateways = new Map<GatewayId, Row>();
  readonly #leases = new Map<string, { epoch: number; holder: GatewayId | null }>();
  /** While true, nobody gets an answer. */
  down = false;
  /** Where executing orders are looked up. */
  slots: (model: string) => readonly (HeldSlot & { readonly gateway: GatewayId })[] = () => [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The epoch of a lease, 0 before anybody had it. */
  epoch(name: string): number {
    return this.#leases.get(name)?.epoch ?? 0;
  }

  /** Who holds a lease; null for nobody. */
  holder(name: string): GatewayId | null {
    return this.#leases.get(name)?.holder ?? null;
  }

  /** Whether the commits of a gateway still pass the fence. */
  passes(gateway: GatewayId): boolean {
    return this.#gateways.get(gateway)?.adopter === null;
  }

  /** Who takes the orders of a gateway over; null for nobody. */
  adopter(gateway: GatewayId): GatewayId | null {
    return this.#gateways.get(gateway)?.adopter ?? null;
  }

  /** The start of a gateway is over. */
  serves(gateway: GatewayId): void {
    const row = this.#gateways.get(gateway);
    if (row) row.state = 'serving';
  }

  /** The process of a gateway has ended, and everybody can see that. */
  ended(gateway: GatewayId): void {
    const row = this.#gateways.get(gateway);
    if (row) row.process = 'ended';
  }

  join(joining: Joining): LeaseTableStore {
    const { id: self } = joining;
    const nowMs = this.#clock.nowMs();
    this.#gateways.set(self, { state: 'serving', ...joining, epoch: nowMs, adopter: null, beatMs: nowMs });
    return {
      beat: () => this.#answer(() => this.#beat(self)),
      take: (name, seenEpoch) => this.#answer(() => this.#take(name, seenEpoch, self)),
      free: (name, epoch) => this.#answer(() => this.#free(name, epoch)),
      bury: (gateway, epoch) => this.#answer(() => this.#bury(gateway, epoch, self)),
      passOn: (gateway, to) =>
        this.#answer(() => {
          const row = this.#gateways.get(gateway);
          if (row?.adopter === self) row.adopter = to;
        }),
      forget: (gateway) => this.#answer(() => void this.#gateways.delete(gateway)),
      slotsHeld: (model, reported) =>
        this.#answer(() => this.slots(model).filter(({ gateway }) => !reported.includes(gateway))),
      leave: () =>
        this.#answer(() => {
          const row = this.#gateways.get(self);
          if (row) Object.assign(row, { beatMs: null, state: 'left' });
        }),
    };
  }

  async #answer<Answer>(read: () => Answer): Promise<Answer> {
    await Promise.resolve();
    if (this.down) throw new Error('the database does not answer');
    return read();
  }

  #beat(self: GatewayId): ClusterState | null {
    const own = this.#gateways.get(self);
    if (own?.adopter !== null || own.beatMs === null) return null;
    const nowMs = this.#clock.nowMs();
    own.beatMs = nowMs;
    const gateways = [...this.#gateways.values()].map(({ beatMs, ...gateway }) => ({
      ...gateway,
      beatAgeMs: beatMs === null ? null : nowMs - beatMs,
    }));
    const leases = [...this.#leases].map(([name, lease]) => ({ name, ...lease }));
    return { nowMs, gateways: gateways.sort((one, other) => one.id - other.id), leases };
  }

  #take(name: string, seenEpoch: number, self: GatewayId): number | null {
    if (this.epoch(name) !== seenEpoch || !this.passes(self)) return null;
    const epoch = Math.max(seenEpoch + 1, this.#clock.nowMs());
    this.#leases.set(name, { epoch, holder: self });
    return epoch;
  }

  #free(name: string, epoch: number): void {
    const lease = this.#leases.get(name);
    if (lease?.epoch === epoch) lease.holder = null;
  }

  #bury(gateway: GatewayId, epoch: number, self: GatewayId): boolean {
    const row = this.#gateways.get(gateway);
    if (!row || row.epoch !== epoch || !this.passes(self)) return false;
    if (row.adopter === self) return true;
    // An adopter that beats, however late, may go on with what it began.
    if (row.adopter !== null && this.#beats(row.adopter)) return false;
    const isAlive = row.adopter === null && row.beatMs !== null && this.#clock.nowMs() - row.beatMs <= DEAD_MS;
    if (isAlive && row.process !== 'ended') return false;
    Object.assign(row, { adopter: self, state: 'adopted', epoch: epoch + 1 });
    return true;
  }

  #beats(gateway: GatewayId): boolean {
    const row = this.#gateways.get(gateway);
    return row !== undefined && row.adopter === null && row.beatMs !== null;
  }
}

/**
 * The database of a simulated cluster: the table of leases, rows of orders, levels and quotes, and the journals' rules
 * for them. Every statement takes a while, and fails while the database cannot be reached. At every commit it compares
 * what must always hold, and remembers what did not.
 */
import type { Clock } from '#base/clock.ts';
import type { OutcomeOf, UnitOf } from '#base/journal.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId, HeldSlot } from '#cluster/messages.ts';
import type { LevelRow, RecoveredQuote } from '#market/ports.ts';
import type { MarketUnits } from '#market/units.ts';
import { isTerminal, type OrderRow, transitions } from '#orders/order.ts';
import type { Admission, OrderUnits } from '#orders/units.ts';
import { LeaseTable } from './lease-table.ts';

/** What journals of simulated gateways write. */
export type GatewayUnits = OrderUnits & MarketUnits;
/** One of them. */
export type GatewayUnit = UnitOf<GatewayUnits>;
/** The outcome of one. */
export type GatewayOutcome = OutcomeOf<GatewayUnits, GatewayUnit['kind']>;
/** A group of units that commits together; a second try finds its outcomes. */
export interface Group {
  readonly gateway: GatewayId;
  readonly units: readonly GatewayUnit[];
  outcomes: readonly GatewayOutcome[] | null;
}

type Row = { -readonly [Name in keyof OrderRow]: OrderRow[Name] };
type Admitting = Pick<Extract<GatewayUnit, { kind: 'admit' }>, 'orderId' | 'admission'>;

type Change = OrderUnits['settle' | 'fail' | 'requeue' | 'close' | 'reprice']['unit'];

const FUNDS = { balance: 1n, held: 0n };

/** What a simulated database is made of. */
export interface SimulatedDatabaseOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The slots of each pod. */
  readonly slots: ReadonlyMap<string, number>;
  /** Planted: epochs of markets are not compared. */
  readonly noFence: boolean;
}

/** The rows that all gateways share. */
export class SimulatedDatabase {
  readonly table: LeaseTable;
  readonly #options: SimulatedDatabaseOptions;
  readonly #orders = new Map<string, Row>();
  readonly #running = new Map<string, number>();
  readonly #levels = new Map<string, LevelRow & { readonly epoch: number }>();
  readonly #quotes = new Map<string, RecoveredQuote>();
  readonly #broken: string[] = [];
  /** While true nobody gets an answer. */
  down = false;
  /** Gateways that cannot reach it. */
  readonly unreachable = new Set<GatewayId>();
  /** How many units have committed. */
  commits = 0;
  /** How often something worth knowing happened. */
  readonly happened = new Map<string, number>();

  constructor(options: SimulatedDatabaseOptions) {
    this.#options = options;
    this.table = new LeaseTable(options.clock);
    this.table.slots = (model) => slotsIn(this.executing, model);
  }

  /** What did not hold, in the order in which it was seen. */
  get broken(): readonly string[] {
    return this.#broken;
  }

  /** Orders that wait or run. */
  get live(): readonly OrderRow[] {
    return [...this.#orders.values()].filter(({ status }) => !isTerminal(status));
  }

  /** Orders that run. */
  get executing(): readonly OrderRow[] {
    return this.live.filter(({ status }) => status === 'executing');
  }

  /** The rows of a gateway that wait or run, as they are now. */
  liveOf(gateway: GatewayId): OrderRow[] {
    return this.live.filter(({ bootEpoch }) => bootEpoch === gateway).map((row) => ({ ...row }));
  }

  /** The newest level and quote of a market. */
  past(model: string): { levels: LevelRow[]; quotes: RecoveredQuote[] } {
    const level = this.#levels.get(model);
    const quote = this.#quotes.get(model);
    return { levels: level ? [level] : [], quotes: quote ? [quote] : [] };
  }

  /** Remembers something that must not be. */
  breaks(what: string): void {
    this.#broken.push(what);
  }

  /** Counts something that happened. */
  counts(what: string, times = 1): void {
    if (times > 0) this.happened.set(what, (this.happened.get(what) ?? 0) + times);
  }

  /**
   * Runs a statement for a gateway. It takes place a little later, whatever has become of the gateway, and its answer
   * comes by the clock of the gateway. Rejects when the database was out of reach, also after it took place.
   */
  ask<Answer>(gateway: GatewayId, clock: Clock, run: () => Answer | Promise<Answer>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const isOut = () => this.down || this.unreachable.has(gateway);
    const fail = () => clock.after(this.#delayMs() * 20, () => reject(new OutOfReach()));
    this.#options.clock.after(this.#delayMs(), async () => {
      if (isOut()) return fail();
      const answer = await run();
      this.#options.clock.after(this.#delayMs(), () => {
        if (isOut()) fail();
        else clock.after(0, () => resolve(answer));
      });
    });
    return promise;
  }

  /** Commits a group. Null when the gateway was declared dead: nothing was written. */
  commit(group: Group): readonly GatewayOutcome[] | null {
    const { gateway, units } = group;
    if (!this.table.passes(gateway)) return null;
    group.outcomes ??= units.map((unit) => {
      this.commits++;
      return this.#apply(gateway, unit);
    });
    return group.outcomes;
  }

  #apply(gateway: GatewayId, unit: GatewayUnit): GatewayOutcome {
    switch (unit.kind) {
      case 'level':
      case 'quote':
      case 'locks':
        return this.#publish(unit);
      case 'accept':
        return this.#accept(gateway, unit);
      case 'admit':
        return this.#admit(gateway, unit);
      case 'adopt':
        for (const id of unit.orders) {
          const row = this.#orders.get(id);
          if (row?.bootEpoch !== unit.from) continue;
          row.bootEpoch = unit.to;
          this.counts('adopted');
        }
        return { result: 'changed' };
      default:
        return this.#change(gateway, unit);
    }
  }

  #publish(unit: Extract<GatewayUnit, { kind: 'level' | 'quote' | 'locks' }>): GatewayOutcome {
    const { model, epoch = 0 } = unit;
    const isPresent = epoch === this.#epoch(model);
    if (!isPresent && !this.#options.noFence) {
      this.counts('refused by the fence');
      return { result: 'stale' };
    }
    if (unit.kind === 'quote') this.#quotes.set(model, { ...unit, lockMinutes: [] });
    if (unit.kind !== 'level') return { result: 'changed' };
    const before = this.#levels.get(model);
    if (!isPresent || epoch < (before?.epoch ?? 0)) this.breaks(`${model}: an earlier owner wrote a level`);
    if (unit.levelSeq !== (before?.levelSeq ?? 0) + 1) {
      this.breaks(`${model}: level ${unit.levelSeq} after ${before?.levelSeq ?? 0}`);
    }
    this.#levels.set(model, { ...unit, epoch });
    return { result: 'changed' };
  }

  #accept(gateway: GatewayId, { order, admission }: Extract<GatewayUnit, { kind: 'accept' }>): GatewayOutcome {
    if (admission && this.#isStale(admission)) return { result: 'stale-epoch' };
    if (this.#orders.has(order.id)) this.breaks(`${order.id} was written twice`);
    this.#orders.set(order.id, { ...order });
    if (!admission) return { result: 'queued' };
    return this.#admit(gateway, { orderId: order.id, admission });
  }

  #admit(gateway: GatewayId, { orderId, admission }: Admitting): GatewayOutcome {
    const row = this.#own(gateway, orderId);
    if (row?.status !== 'queued') return { result: 'gone' };
    if (this.#isStale(admission)) return { result: 'stale-epoch' };
    const { attempt, pod, restedSeq, levelSeq, atMs } = admission;
    const { model } = row;
    if (admission.epoch !== this.#epoch(model)) this.breaks(`${orderId} was admitted by an earlier owner`);
    if (attempt !== row.attempt + 1) this.breaks(`${orderId}: attempt ${attempt} after ${row.attempt}`);
    if (levelSeq > (this.#levels.get(model)?.levelSeq ?? 0)) this.breaks(`${orderId} names a level that is not there`);
    this.#turn(row, 'executing');
    this.counts('admissions');
    Object.assign(row, { attempt, pod, restedSeq, levelSeq, admittedAtMs: atMs });
    const running = (this.#running.get(pod) ?? 0) + 1;
    this.#running.set(pod, running);
    const slots = this.#options.slots.get(pod) ?? 0;
    if (running > slots) this.breaks(`${pod} has ${running} orders and ${slots} slots`);
    return { result: 'executing', funds: FUNDS };
  }

  #change(gateway: GatewayId, unit: Change): GatewayOutcome {
    const row = this.#own(gateway, unit.orderId);
    if (unit.kind === 'close' || unit.kind === 'reprice') {
      if (row?.status !== 'queued') return { result: 'stale' };
      if (unit.kind === 'close') this.#turn(row, unit.status);
      else Object.assign(row, { bid: unit.bid, restedSeq: unit.restedSeq });
      return { result: 'changed' };
    }
    if (row?.status !== 'executing' || row.attempt !== unit.attempt) return { result: 'stale' };
    this.#running.set(row.pod ?? '', (this.#running.get(row.pod ?? '') ?? 0) - 1);
    if (unit.kind === 'requeue') Object.assign(row, { failures: unit.failures, expiresAtMs: unit.expiresAtMs });
    this.#turn(row, unit.kind === 'settle' ? 'done' : unit.kind === 'fail' ? 'error' : 'queued');
    if (unit.kind !== 'settle') return { result: 'released', funds: FUNDS };
    return { result: 'settled', charged: 0n, writtenOff: 0n, funds: FUNDS };
  }

  /** A row that this gateway may change: its own, or that of a buried one that it adopts. */
  #own(gateway: GatewayId, id: string): Row | undefined {
    const row = this.#orders.get(id);
    const isOwn = !row || row.bootEpoch === gateway || this.table.adopter(row.bootEpoch) === gateway;
    if (!isOwn) this.breaks(`${id} of gateway ${row.bootEpoch} was changed by ${gateway}`);
    return row;
  }

  #turn(row: Row, status: OrderRow['status']): void {
    if (!transitions[row.status].includes(status)) this.breaks(`${row.id} was ${row.status} and became ${status}`);
    row.status = status;
  }

  #isStale({ epoch, model }: Admission): boolean {
    const isStale = !this.#options.noFence && epoch !== this.#epoch(model ?? '');
    this.counts('refused by the fence', isStale ? 1 : 0);
    return isStale;
  }

  #epoch(model: string): number {
    return this.table.epoch(`market:${model}`);
  }

  #delayMs(): number {
    const draw = this.#options.random.next();
    return draw < 0.02 ? draw * 10_000 : draw * 12;
  }
}

/** The slots that these orders hold in a market. */
function slotsIn(orders: readonly OrderRow[], market: string): (HeldSlot & { readonly gateway: GatewayId })[] {
  return orders.flatMap((row) => {
    if (row.model !== market || row.pod === null) return [];
    const { id: order, accountId: account, attempt, pod, bid, restedSeq, house, bootEpoch: gateway, model } = row;
    return [{ model, order, account, attempt, pod, bid, restedSeq: restedSeq ?? 0, house, gateway }];
  });
}

/** The database does not answer. */
export class OutOfReach extends Error {
  constructor() {
    super('the database does not answer');
  }
}

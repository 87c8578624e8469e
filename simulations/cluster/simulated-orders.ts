/**
 * The orders of one simulated gateway: what the order service says to the exchange and writes to the journal, without
 * money, inputs and pods. An order runs for a while by chance. A slot is given back once the end of its attempt has
 * committed.
 */
import { type Clock, pause } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId } from '#cluster/messages.ts';
import { isMarketEvent } from '#market/exchange/event-writer.ts';
import type { Admit, ExchangeEvent, ExchangePort, HeldSlot, Release, Rest } from '#market/ports.ts';
import { adoptOrders } from '#orders/adopting.ts';
import type { Standing } from '#orders/market-standing.ts';
import type { OrderRow } from '#orders/order.ts';
import type { Admission } from '#orders/units.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import type { SimulatedJournal } from './simulated-journal.ts';

const FAILURES_MAX = 2;
const REASON = { error: 'internal_error', errorMessage: '' } as const;

/** What they need. */
export interface SimulatedOrdersOptions {
  readonly gateway: GatewayId;
  readonly clock: Clock;
  readonly random: Random;
  readonly database: SimulatedDatabase;
  readonly journal: SimulatedJournal;
  readonly exchange: ExchangePort;
  /** Whether the process of the gateway has not ended. */
  readonly lives: () => boolean;
  /** How long an attempt takes. */
  readonly runMs: () => number;
  /** An order has ended, as its caller sees it. */
  readonly ended: (order: string) => void;
}

/** The orders of a gateway as its cluster sees them. */
export type GatewayOrders = Pick<SimulatedOrders, keyof SimulatedOrders>;

/** An order of this gateway. `opening`: nothing of it is written yet. `closing`: it ends without running. */
interface HeldOrder {
  readonly row: OrderRow;
  phase: 'opening' | 'queued' | 'admitting' | 'executing' | 'ending' | 'closing';
  written: boolean;
  bid: number;
  restedSeq: number | null;
  /** Admissions that have committed. */
  attempt: number;
  failures: number;
  slot: { readonly attempt: number; readonly pod: string } | null;
  lastPod: string | null;
  /** Its caller has left, or canceled it. */
  left: boolean;
}

/** The orders of a gateway. */
export class SimulatedOrders {
  readonly #options: SimulatedOrdersOptions;
  readonly #orders = new Map<string, HeldOrder>();
  #pickedUp: Promise<void> = Promise.resolve();

  constructor(options: SimulatedOrdersOptions) {
    this.#options = options;
  }

  /** How many orders have not ended. */
  get size(): number {
    return this.#orders.size;
  }

  /** The orders that wait, whatever they wait for. */
  get waiting(): readonly OrderRow[] {
    return [...this.#orders.values()].flatMap(({ phase, row }) =>
      phase === 'opening' || phase === 'queued' ? row : [],
    );
  }

  /** Whether an order runs here, or is about to. */
  runs(id: string): boolean {
    return this.#orders.get(id)?.slot != null;
  }

  /** A caller orders. */
  submit(row: OrderRow): void {
    const order = heldOrder(row, false);
    this.#orders.set(row.id, order);
    this.#rest(order);
  }

  /** Takes over what a dead gateway left. False when that is not all of it. */
  async takeOver(from: GatewayId): Promise<boolean> {
    const { gateway: to, database, clock, journal } = this.#options;
    const page = await database.ask(to, clock, () => database.liveOf(from));
    const apart = await adoptOrders(page, { clock, journal, from, to });
    const turn = this.#pickedUp.then(() => this.#pickUp());
    this.#pickedUp = turn.catch(() => {});
    await turn;
    return apart.length === 0;
  }

  /**
   * As the service does, one look at a time: what is here is asked before the rows are read, for an order that ended in
   * between is not live any more.
   */
  async #pickUp(): Promise<void> {
    const { gateway, database, clock } = this.#options;
    const read = () => database.ask(gateway, clock, () => database.liveOf(gateway));
    const missing = new Set((await read()).map(({ id }) => id).filter((id) => !this.#orders.has(id)));
    for (const row of await read()) {
      if (row.status !== 'queued' || !missing.has(row.id)) continue;
      const order = heldOrder(row, true);
      this.#orders.set(row.id, order);
      this.#rest(order);
    }
  }

  /** The gateway ends soon. */
  async drain(limitMs: number): Promise<void> {
    await pause(this.#options.clock, limitMs);
  }

  /** An order is to rest at another price. */
  reprice(id: string, bid: number): void {
    const order = this.#orders.get(id);
    if (order?.phase !== 'queued') return;
    this.#options.exchange.send({ type: 'reprice', model: order.row.model, order: id, bid });
  }

  /** The caller leaves: the order ends as soon as it can. */
  cancel(id: string): void {
    const order = this.#orders.get(id);
    if (!order || order.left) return;
    order.left = true;
    if (order.phase === 'opening' || order.phase === 'queued') this.#close(order);
    else if (order.phase === 'executing') void this.#end(order, 'fail');
  }

  /** What this gateway has in a market. */
  standing(model: string): Standing {
    const rests: Rest[] = [];
    const holds: HeldSlot[] = [];
    for (const order of this.#orders.values()) {
      const { row, slot, phase } = order;
      if (row.model !== model) continue;
      if (slot) holds.push({ ...of(row), ...slot, bid: order.bid, restedSeq: order.restedSeq ?? 0, house: false });
      else if (phase === 'opening' || phase === 'queued') rests.push(restOf(order));
    }
    return { rests: rests.sort((one, two) => seqOf(one) - seqOf(two)), holds };
  }

  /** Takes an event of the exchange. */
  take(event: ExchangeEvent): void {
    if (isMarketEvent(event)) return;
    const order = this.#orders.get(event.order);
    if (event.type === 'admit') this.#chosen(order, event);
    else if (event.type === 'rested' && order) this.#rested(order, event.restedSeq);
    else if (event.type === 'repriced' && order?.phase === 'queued') {
      const { bid, restedSeq } = event;
      Object.assign(order, { bid, restedSeq });
      void this.#options.journal.write({ kind: 'reprice', orderId: order.row.id, bid, restedSeq });
    }
  }

  #rested(order: HeldOrder, restedSeq: number): void {
    order.restedSeq = restedSeq;
    if (order.phase !== 'opening') return;
    order.phase = 'queued';
    if (!order.written) void this.#accept(order, null);
  }

  #chosen(order: HeldOrder | undefined, event: Admit): void {
    const isWaiting = order?.phase === 'opening' || order?.phase === 'queued';
    if (!order || !isWaiting || event.attempt !== order.attempt + 1) {
      this.#release(event, 'refused');
      return;
    }
    const { attempt, pod, restedSeq, level: price, levelSeq, model, epoch = 0 } = event;
    const atMs = this.#options.clock.nowMs();
    order.restedSeq = restedSeq;
    order.slot = { attempt, pod };
    order.phase = 'admitting';
    const admission = { attempt, pod, restedSeq, price, levelSeq, model, epoch, atMs, hold: 0n };
    if (order.written) void this.#admit(order, admission);
    else void this.#accept(order, admission);
  }

  async #accept(order: HeldOrder, admission: Admission | null): Promise<void> {
    order.written = true;
    const { row, bid, restedSeq } = order;
    const others = { idempotency: null, line: null, lineWarning: null, body: null, requestLog: null };
    const unit = { kind: 'accept', order: { ...row, bid, restedSeq }, admission, ...others } as const;
    const { result } = await this.#options.journal.write(unit);
    if (result !== 'stale-epoch') {
      if (admission) this.#held(order, admission, result);
      return;
    }
    order.written = false;
    this.#giveBack(order, 'refused');
    order.phase = 'opening';
    if (order.left) return this.#close(order);
    this.#rest(order);
    this.#rested(order, order.restedSeq ?? 0);
  }

  async #admit(order: HeldOrder, admission: Admission): Promise<void> {
    const { id: orderId, accountId } = order.row;
    const { result } = await this.#options.journal.write({ kind: 'admit', orderId, accountId, admission });
    if (result !== 'stale-epoch') {
      this.#held(order, admission, result);
      return;
    }
    this.#giveBack(order, 'refused');
    order.phase = 'queued';
    if (order.left) this.#close(order);
    else this.#rest(order);
  }

  #held(order: HeldOrder, { attempt, pod }: Admission, result: string): void {
    const { random, clock, runMs, database } = this.#options;
    if (result !== 'executing') database.breaks(`${order.row.id} could not run: ${result}`);
    Object.assign(order, { attempt, lastPod: pod, phase: 'executing' });
    if (order.left) {
      void this.#end(order, 'fail');
      return;
    }
    clock.after(runMs(), () => {
      if (order.phase !== 'executing' || order.attempt !== attempt) return;
      const draw = random.next();
      const fails = draw < 0.2;
      void this.#end(order, fails ? (order.failures < FAILURES_MAX ? 'requeue' : 'fail') : 'settle');
    });
  }

  async #end(order: HeldOrder, kind: 'settle' | 'fail' | 'requeue'): Promise<void> {
    order.phase = 'ending';
    const { journal, clock, database } = this.#options;
    const { id: orderId, accountId, expiresAtMs, model, createdAtMs, outlives } = order.row;
    const { attempt } = order;
    const finishedAtMs = clock.nowMs();
    const common = { orderId, accountId, attempt };
    if (kind === 'requeue') order.failures++;
    const { result } = await (kind === 'settle'
      ? journal.write({ ...SETTLED, ...common, model, finishedAtMs, running: { ...RUNNING, createdAtMs, outlives } })
      : kind === 'fail'
        ? journal.write({ kind, ...common, finishedAtMs, ...REASON })
        : journal.write({ kind, ...common, expiresAtMs, failures: order.failures }));
    if (result === 'stale') database.breaks(`${orderId}: its attempt ${attempt} had ended before`);
    this.#giveBack(order, 'finished');
    if (kind !== 'requeue') return this.#forget(order);
    order.phase = 'queued';
    if (order.left) this.#close(order);
    else this.#rest(order);
  }

  #close(order: HeldOrder): void {
    const { id: orderId, accountId, model } = order.row;
    const { journal, clock, exchange, database } = this.#options;
    order.phase = 'closing';
    exchange.send({ type: 'withdraw', model, order: orderId, expired: false });
    if (!order.written) {
      this.#forget(order);
      return;
    }
    const unit = {
      kind: 'close',
      orderId,
      accountId,
      status: 'canceled',
      finishedAtMs: clock.nowMs(),
      ...REASON,
    } as const;
    void journal.write(unit).then(({ result }) => {
      if (result === 'stale') database.breaks(`${orderId} could not be closed`);
      this.#forget(order);
    });
  }

  #forget({ row }: HeldOrder): void {
    this.#orders.delete(row.id);
    this.#options.ended(row.id);
  }

  #rest(order: HeldOrder): void {
    this.#options.exchange.send(restOf(order));
  }

  #giveBack(order: HeldOrder, reason: Release['reason']): void {
    const { slot, row } = order;
    order.slot = null;
    if (slot) this.#release({ model: row.model, order: row.id, ...slot }, reason);
  }

  #release({ model, order, attempt, pod }: Omit<Release, 'type' | 'reason'>, reason: Release['reason']): void {
    this.#options.exchange.send({ type: 'release', model, order, attempt, pod, reason });
  }
}

const RUNNING = { kind: 'chat', market: true, batchId: null, hold: 0n } as const;
const TOKENS = { uncached: 1, cached: 0, output: 1 };
const NO_RESULT = { resultBytes: null, resultText: null, resultExpiresAtMs: null };
const SETTLED = {
  ...({ kind: 'settle', pricing: 'market', price: 0, charge: 0n, atBid: 0n, estimated: false } as const),
  ...{ keyId: null, budgeted: false },
  ...{ tokens: TOKENS, ...NO_RESULT },
};

function heldOrder(row: OrderRow, written: boolean): HeldOrder {
  const { bid, restedSeq, attempt, failures, pod: lastPod } = row;
  const phase = written ? 'queued' : 'opening';
  return { row, phase, written, bid, restedSeq, attempt, failures, lastPod, slot: null, left: false };
}

function restOf({ row, bid, restedSeq, attempt, lastPod: avoidPod }: HeldOrder): Rest {
  const of = { model: row.model, order: row.id, account: row.accountId };
  return { type: 'rest', ...of, bid, lockLimit: null, restedSeq, attempt: attempt + 1, avoidPod, house: false };
}

function of({ model, id: order, accountId: account }: OrderRow) {
  return { model, order, account };
}

function seqOf({ restedSeq }: Rest): number {
  return restedSeq ?? Number.MAX_SAFE_INTEGER;
}

/**
 * The order service: it takes orders, keeps them in memory while they live, and is the only one that changes their
 * state. Every change is written to the journal before anybody is notified; the exchange only proposes which order runs
 * next. A newcomer's trap: writes commit in the order in which they were made, so the order service may decide more
 * while one is under way, but it notifies nobody before the commit. docs/understand/lifecycle.md.
 */

import type { Clock, Timer } from '#base/clock.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Reach } from '#base/reach.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import type { Listings } from '#market/listing.ts';
import type { Command, ExchangePort, OrderEvent } from '#market/ports.ts';
import { ResultKeeper } from '#results/keeper.ts';
import type { ResultStore, ResultUnits } from '#results/ports.ts';
import { Admissions, type AdmissionsOptions } from './admissions.ts';
import { Closings } from './closings.ts';
import { DryRuns } from './dry-run.ts';
import { Executor } from './executor.ts';
import { FundsBook } from './funds.ts';
import { Idempotency } from './idempotency.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import { holdNow, LiveOrder, type LiveOrderEvents, restCommand } from './live-order.ts';
import { LiveOrders } from './live-orders.ts';
import { type Standing, standingOf } from './market-standing.ts';
import type { OrderRow } from './order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type {
  BatchLine,
  LineCancelReason,
  LinePort,
  OrderPort,
  RepricedOrder,
  Submission,
  Ticket,
} from './order-port.ts';
import type { FollowedOrder, FollowPort } from './order-stream.ts';
import { keptInput } from './packed-input.ts';
import { type PendingLimits, PendingOrders } from './pending-orders.ts';
import type { FundsStore, OrderStore, PodPort, StandingStore } from './ports.ts';
import { Repricing } from './repricing.ts';
import type { Customer, InferenceRequest } from './request.ts';
import { startReviews } from './reviews.ts';
import { drainingFault, Stops } from './stops.ts';
import type { OrderUnits } from './units.ts';
import { WaitingInputs, type WaitingInputsOptions } from './waiting-inputs.ts';

/** How long a drain waits for the writes of the orders that it cut off. */
export const CUT_OFF_MS_MAX = 5_000;

interface OrderServiceOptions
  extends Omit<IntakeOptions, 'funds' | 'events' | 'queueRefusal' | 'disk'>,
    WaitingInputsOptions,
    Pick<AdmissionsOptions, 'marketAnswerMs'>,
    Pick<OrderServiceParts, 'releaseAfterCommit' | 'settled' | 'onEnd'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly listings: Listings;
  readonly exchange: ExchangePort;
  readonly journal: JournalPort<OrderUnits & ResultUnits>;
  readonly store: OrderStore;
  readonly funds: FundsStore & StandingStore;
  readonly pods: PodPort;
  readonly results: ResultStore;
  /** How many orders may be queued across all models; batch lines have a limit of their own. Spec 8. */
  readonly pendingLimits: PendingLimits;
}

/** Takes orders and manages them until they end. */
export class OrderService implements OrderPort, LinePort, FollowPort {
  readonly #options: OrderServiceOptions;
  readonly dryRuns: DryRuns;
  readonly #orders = new LiveOrders();
  /** Orders that ended here, but whose rows do not say so because the database refused the write. */
  readonly #unwritten = new Set<string>();
  readonly #inputs: WaitingInputs;
  readonly #pending: PendingOrders;
  readonly #funds: FundsBook;
  readonly #intake: Intake;
  readonly #idempotency: Idempotency;
  readonly #executor: Executor;
  readonly #closings: Closings;
  readonly #keeper: ResultKeeper;
  readonly #admissions: Admissions;
  readonly #repricing: Repricing;
  readonly #events: LiveOrderEvents = {
    moved: (order, before) => this.#pending.moved(order, before),
    left: (order) => this.#left(order),
    failed: ({ orderId }, error) =>
      this.#options.log.error({ order: orderId, err: error }, 'The end of an order could not be passed to its caller.'),
  };
  readonly #reviews: Timer;
  readonly #stops: Stops;

  constructor(options: OrderServiceOptions) {
    this.#options = options;
    this.#stops = new Stops(options.listings);
    this.#inputs = new WaitingInputs(options);
    this.#pending = new PendingOrders({
      clock: options.clock,
      inputs: this.#inputs,
      limits: options.pendingLimits,
      onDue: (order) => this.#closings.expire(order),
    });
    const sendCommand = (command: Command) => this.#send(command);
    this.#funds = new FundsBook(options.funds, {
      ofAccount: (accountId) => this.#orders.allOf(accountId),
      holdNow: (order) => holdNow(order, options.market.current(order.listing.id)?.level),
      sendCommand,
    });
    this.#idempotency = new Idempotency(options);
    this.#intake = new Intake({
      ...options,
      funds: this.#funds,
      events: this.#events,
      queueRefusal: (accountId, lines) => this.#pending.refusal(accountId, lines),
    });
    this.#keeper = new ResultKeeper(options);
    const parts = {
      ...options,
      sendCommand,
      funds: this.#funds,
      pending: this.#pending,
      inputs: this.#inputs,
      idempotency: this.#idempotency,
      keeper: this.#keeper,
      stops: this.#stops,
      forget: (order: LiveOrder, written?: Promise<unknown>) => this.#forget(order, written),
      requeued: (order: LiveOrder) => this.#rejoin(order),
    };
    this.dryRuns = new DryRuns({ ...parts, intake: this.#intake });
    this.#closings = new Closings(parts);
    this.#executor = new Executor(parts);
    this.#admissions = new Admissions({
      ...parts,
      start: (order) => this.#executor.start(order),
      nowQueued: (order) => this.#nowQueued(order),
    });
    const find = (reach: Reach, orderId: string) => this.#orders.answered(reach, orderId);
    this.#repricing = new Repricing({ ...parts, find });
    this.#reviews = startReviews({
      ...{ clock: options.clock, log: options.log, standing: options.funds, funds: this.#funds },
      executor: this.#executor,
      listings: options.listings,
      sellsOtherwise: () => {
        for (const order of [...this.#orders.values()]) this.#nowQueued(order);
      },
      waitingAccounts: () => this.#pending.accounts,
      queuedOf: (accounts) =>
        [...this.#orders.values()].filter(({ phase, row }) => phase === 'queued' && accounts.has(row.accountId)),
      cancel: (order) => this.#closings.suspend(order),
    });
  }

  async submit(customer: Customer, request: InferenceRequest, line: BatchLine | null = null): Promise<Submission> {
    if (this.#stops.closing) throw drainingFault();
    const terms = this.#intake.terms(customer, request, line);
    const earlier = request.idempotency && (await this.#idempotency.find(customer, request));
    if (earlier) return earlier;
    const made = this.#intake.orderNow(customer, request, terms);
    const order = made ?? (await this.#intake.order(customer, request, terms));
    if (this.#inputs.mustKeep(order)) await this.#inputs.keep(order);
    if (this.#stops.closing) throw drainingFault();
    this.#orders.set(order.orderId, order);
    return new Promise<Submission>((resolve, reject) => {
      const { logPayloads, readsOwn } = customer;
      order.opening = { request, line, logPayloads, readsOwn, resolve, reject };
      this.#admissions.open(order);
    });
  }

  async cancel(reach: Reach, orderId: string): Promise<void> {
    const order = this.#orders.within(reach, orderId);
    if (order?.phase === 'queued') {
      if (await this.#closings.cancel(order)) return;
    } else if (!order && !(await this.#options.store.find(reach, orderId))) {
      throw new Fault('not_found', { message: 'You have no order with this id.' });
    }
    throw new Fault('order_not_cancelable', { orderId });
  }

  follow = (reach: Reach, orderId: string): FollowedOrder | null => this.#orders.follow(reach, orderId);

  async reprice(...asked: Parameters<OrderPort['reprice']>): Promise<RepricedOrder[]> {
    if (this.#stops.closing) throw drainingFault();
    return this.#repricing.reprice(...asked);
  }

  /** Whether the order is in memory, or has ended here although its row does not say so: then it must not be picked up. */
  has(orderId: string): boolean {
    return this.#orders.has(orderId) || this.#unwritten.has(orderId);
  }

  ticket(orderId: string): Ticket | null {
    return this.#orders.get(orderId) ?? null;
  }

  cancelLines(batchId: string, reason: LineCancelReason = 'order_canceled'): void {
    for (const order of [...this.#orders.values()]) {
      if (order.row.batchId !== batchId) continue;
      order.batchCanceled = reason;
      if (!order.opening) this.#nowQueued(order);
    }
  }

  roomForLines(accountId: string): number {
    return this.#pending.roomForLines(accountId);
  }

  /** Handles the exchange's next event about an order. */
  onExchangeEvent(event: OrderEvent): void {
    switch (event.type) {
      case 'rested':
        this.#admissions.rested(this.#orders.get(event.order), event);
        return;
      case 'admit':
        this.#admissions.chosen(this.#orders.get(event.order), event);
        return;
      case 'moved':
      case 'repriced':
      case 'not-resting':
        this.#repricing.answered(this.#orders.get(event.order), event);
    }
  }

  /**
   * Puts queued orders that outlived another process back at their old places, and ends those that can no longer run. May
   * be called again at any time; an order that is here already stays as it is. `cancelReason`: why a batch that is here
   * already is canceled, so that its lines end as well.
   */
  recover(
    rows: readonly OrderRow[],
    kept: ReadonlySet<string> = new Set(),
    cancelReason: (batchId: string) => LineCancelReason | null = () => null,
  ): void {
    for (const row of rows) {
      if (this.has(row.id)) continue;
      const order = this.#returned(row, kept);
      if (typeof order === 'string') this.#closings.orphan(row, order);
      else {
        this.#orders.set(order.orderId, order);
        order.batchCanceled = row.batchId === null ? null : cancelReason(row.batchId);
        this.#rejoin(order);
      }
    }
  }

  /**
   * The live order of a row, or why it can no longer run. Its input is read back when it runs: from a file for those in
   * `kept`, else from its row.
   */
  #returned(row: OrderRow, kept: ReadonlySet<string>): LiveOrder | FaultCode {
    const listing = this.#options.listings.find(row.model);
    if (!listing || listing.preview) return 'model_not_found';
    const own = { row, listing, tariff: tariffFromId(row.tariffId), input: kept.has(row.id) ? keptInput() : null };
    return new LiveOrder({ ...own, generation: null, events: this.#events, trace: this.#options.newTrace?.() });
  }

  /** The slots and waiting orders that this gateway has in a market now. */
  standing(model: string): Standing {
    return standingOf(this.#orders.values(), model);
  }

  /** How many orders wait for money in a market. */
  waitingForMoney(model: string): number {
    return this.#funds.waits.count(model);
  }

  /** The bytes that queued orders hold, and those of them that are in memory. */
  get waitingBytes(): WaitingInputs['counts'] {
    return this.#inputs.counts;
  }

  /** How many live orders are queued, and how many run. */
  counts(): { queued: number; inflight: number } {
    return { queued: this.#pending.size, inflight: this.#orders.size - this.#pending.size };
  }

  /** The same of each model that has any. */
  countsByModel(): Map<string, { queued: number; executing: number }> {
    return this.#orders.countsByModel();
  }

  /**
   * Takes nothing more, ends queued orders that do not outlive their callers, lets running orders finish for at most
   * `limitMs`, then ends them uncharged, which takes at most `CUT_OFF_MS_MAX` longer. Orders that outlive their callers
   * are left for the next process; a caller who still waits for one is notified. With `callersMayWait` what callers wait
   * for stays queued until the limit, and may start: other gateways own the markets.
   */
  async drain(limitMs: number, { callersMayWait = false }: { callersMayWait?: boolean } = {}): Promise<void> {
    this.#stops.closing = callersMayWait ? 'callers-wait' : 'queue-ends';
    for (const order of [...this.#orders.values()]) this.#nowQueued(order);
    await this.#orders.emptyWithin(this.#options.clock, limitMs);
    this.#stops.closing = 'cut-off';
    for (const order of [...this.#orders.values()]) {
      this.#nowQueued(order);
      order.running?.abort();
    }
    await this.#orders.emptyWithin(this.#options.clock, CUT_OFF_MS_MAX);
    await this.#keeper.close(CUT_OFF_MS_MAX);
    this.#reviews.cancel();
    this.#admissions.close();
    this.#pending.close();
  }

  #rejoin(order: LiveOrder): void {
    order.moveTo('queued');
    this.#inputs.pack(order);
    this.#nowQueued(order);
    if (order.phase === 'queued' && !order.heldBack) this.#send(restCommand(order));
  }

  /** Ends an order that must not wait here, if it is queued and its row says so. */
  #nowQueued(order: LiveOrder): void {
    const stop = order.phase === 'queued' ? this.#stops.mustStop(order) : null;
    if (stop) this.#closings.stop(order, stop);
  }

  #left(order: LiveOrder): void {
    if (!order.row.outlives) order.running?.abort();
    this.#nowQueued(order);
  }

  #forget(order: LiveOrder, written?: Promise<unknown>): void {
    const { orderId } = order;
    order.moveTo('ended');
    this.#funds.waits.forget(order);
    this.#inputs.forget(order);
    if (!written) {
      this.#orders.delete(orderId);
      return;
    }
    const unwritten = (error: unknown) => {
      this.#unwritten.add(orderId);
      const sentence = 'The end of an order could not be written: its row stays as it is until the next start.';
      this.#options.log.error({ order: orderId, err: error }, sentence);
    };
    written.catch(unwritten).finally(() => this.#orders.delete(orderId));
  }

  /** Never throws. An order that the exchange does not receive expires. */
  #send(command: Command): void {
    try {
      this.#options.exchange.send(command);
    } catch (error) {
      this.#options.log.error({ command: command.type, err: error }, 'A command did not reach the exchange.');
    }
  }
}

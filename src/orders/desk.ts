/**
 * The desk: it takes orders, keeps them in memory while they live, and is the only one that changes their state. Every
 * change is written to the journal first and told afterwards; the exchange only proposes who runs next. A newcomer's
 * trap: writes commit in the order in which they were written, so the desk may decide further while one is under way,
 * but it tells nobody before the answer. docs/lifecycle.md.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { PriceNano } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { Command, ExchangeEvent, ExchangePort, QuoteLatched } from '#market/ports.ts';
import { Admissions } from './admissions.ts';
import { Closings, drainingFault } from './closings.ts';
import { Executor } from './executor.ts';
import { FundsBook } from './funds.ts';
import { Idempotency } from './idempotency.ts';
import { Intake, type IntakeParts } from './intake.ts';
import type { JournalPort } from './journal-port.ts';
import type { BatchLine, LinePort } from './line-port.ts';
import { type LiveOrder, restCommand } from './live-order.ts';
import { MarketRecord } from './market-record.ts';
import type { OrderRow } from './order.ts';
import type { OrderPort, RepricedOrder, Submission, Ticket } from './order-port.ts';
import type { FundsStore, OrderStore, PodPort, ResultStore, StandingStore } from './ports.ts';
import { Repricing } from './repricing.ts';
import type { Customer, InferenceRequest } from './request.ts';
import { ResultKeeper } from './result-keeper.ts';
import { returningOrder } from './returning.ts';
import { reviewStanding } from './standing.ts';
import { WaitingRoom } from './waiting-room.ts';

const REVIEW_MS = 1_000;
/** How long the orders that a drain cut off may take to be written. */
export const CUT_OFF_MS_MAX = 5_000;

/** What the desk is built from. */
export interface DeskParts extends Omit<IntakeParts, 'funds' | 'callerEvents' | 'queueFull'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly listings: Listings;
  readonly exchange: ExchangePort;
  readonly journal: JournalPort;
  readonly store: OrderStore;
  readonly funds: FundsStore & StandingStore;
  readonly pods: PodPort;
  readonly results: ResultStore;
  /** A quote is in the database, and may be shown. */
  readonly quoteCommitted: (quote: QuoteLatched) => void;
  /** Queued orders one account may have across every model, and lines of batches apart from them. Spec 8. */
  readonly queuedOrdersMax: number;
  readonly queuedLinesMax: number;
}

/** Takes orders and looks after them until they end. */
export class Desk implements OrderPort, LinePort {
  readonly #parts: DeskParts;
  readonly #orders = new Map<string, LiveOrder>();
  readonly #waiting: WaitingRoom;
  readonly #funds: FundsBook;
  readonly #intake: Intake;
  readonly #idempotency: Idempotency;
  readonly #executor: Executor;
  readonly #closings: Closings;
  readonly #keeper: ResultKeeper;
  readonly #admissions: Admissions;
  readonly #record: MarketRecord;
  readonly #repricing: Repricing;
  #review: Timer | null = null;
  #draining = false;
  #onEmpty: (() => void) | null = null;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#waiting = new WaitingRoom({
      clock: parts.clock,
      ordersMax: parts.queuedOrdersMax,
      linesMax: parts.queuedLinesMax,
      onDue: (order) => this.#closings.expire(order),
    });
    this.#funds = new FundsBook(parts.funds, (account) => this.#tell({ type: 'unpark', account }));
    this.#idempotency = new Idempotency(parts);
    this.#intake = new Intake({
      ...parts,
      funds: this.#funds,
      callerEvents: { left: (order) => this.#left(order) },
      queueFull: (accountId, lines) => this.#waiting.isFull(accountId, lines),
    });
    const shared = { ...parts, funds: this.#funds, waiting: this.#waiting, idempotency: this.#idempotency };
    const tellExchange = (command: Command) => this.#tell(command);
    const forget = (order: LiveOrder) => this.#forget(order);
    this.#closings = new Closings({ ...shared, tellExchange, forget });
    this.#keeper = new ResultKeeper(parts);
    this.#executor = new Executor({
      ...shared,
      keeper: this.#keeper,
      tellExchange,
      requeued: (order) => this.#rejoin(order),
      finished: forget,
    });
    this.#admissions = new Admissions({
      ...shared,
      tellExchange,
      start: (order) => this.#executor.start(order),
      nowQueued: (order) => this.#nowQueued(order),
      forget,
    });
    // Repricing answers with the new price, so an order that nobody was told of yet is not its business.
    const find = (accountId: string, orderId: string) => {
      const order = this.#find(accountId, orderId);
      return order?.opening === null ? order : null;
    };
    this.#repricing = new Repricing({ ...shared, tellExchange, find });
    this.#record = new MarketRecord(parts);
    this.#scheduleReview();
  }

  async submit(customer: Customer, request: InferenceRequest, line: BatchLine | null = null): Promise<Submission> {
    if (this.#draining) throw drainingFault();
    const terms = this.#intake.terms(customer, request, line);
    const earlier = await this.#idempotency.find(customer.accountId, request);
    if (earlier) return earlier;
    const order = await this.#intake.order(customer, request, terms);
    if (this.#draining) throw drainingFault();
    this.#orders.set(order.orderId, order);
    return new Promise((resolve, reject) => {
      order.opening = { request, line, logPayloads: customer.logPayloads, resolve, reject };
      this.#tell(restCommand(order));
    });
  }

  async cancel(accountId: string, orderId: string): Promise<void> {
    const order = this.#find(accountId, orderId);
    if (order?.phase === 'queued') {
      if (await this.#closings.cancel(order)) return;
    } else if (!order && !(await this.#parts.store.find(accountId, orderId))) {
      throw new Fault('not_found', { message: 'You have no order with this id.' });
    }
    throw new Fault('order_not_cancelable', { orderId });
  }

  async reprice(accountId: string, orderIds: readonly string[], limit: PriceNano): Promise<RepricedOrder[]> {
    if (this.#draining) throw drainingFault();
    return this.#repricing.reprice(accountId, orderIds, limit);
  }

  ticket(orderId: string): Ticket | null {
    return this.#orders.get(orderId) ?? null;
  }

  cancelLines(batchId: string): void {
    for (const order of [...this.#orders.values()]) {
      if (order.row.batchId !== batchId) continue;
      order.unwanted = true;
      if (order.phase === 'queued' && !order.opening) this.#closings.cancelLine(order);
    }
  }

  roomForLines(accountId: string): number {
    return this.#waiting.roomForLines(accountId);
  }

  /** Takes the next event of the exchange. */
  onExchangeEvent(event: ExchangeEvent): void {
    switch (event.type) {
      case 'level':
      case 'quote':
      case 'locks':
        this.#record.take(event);
        return;
      case 'rested': {
        const order = this.#orders.get(event.order);
        if (order) this.#admissions.rested(order, event.restedSeq);
        return;
      }
      case 'admit':
        this.#admissions.chosen(this.#orders.get(event.order), event);
        return;
      case 'repriced':
      case 'not-resting':
        this.#repricing.answered(this.#orders.get(event.order), event);
    }
  }

  /** Puts orders that outlived an earlier process back at their old places, and ends those that can run no more. */
  recover(rows: readonly OrderRow[]): void {
    for (const row of rows) {
      const order = returningOrder(row, this.#parts.listings);
      if (typeof order === 'string') {
        this.#closings.orphan(row.id, order);
        continue;
      }
      this.#orders.set(order.orderId, order);
      this.#rejoin(order);
    }
  }

  /** Orders alive now, by what they do. */
  counts(): { queued: number; inflight: number } {
    const queued = this.#waiting.size;
    return { queued, inflight: this.#orders.size - queued };
  }

  /**
   * Takes nothing more, ends what waits with its caller, lets running orders finish for at most `limitMs`, then ends
   * them uncharged, which takes at most `CUT_OFF_MS_MAX` longer. Orders that outlive their callers are left for the next
   * process; a caller who is still there is told so.
   */
  async drain(limitMs: number): Promise<void> {
    this.#draining = true;
    for (const order of [...this.#orders.values()]) if (order.phase === 'queued') this.#closings.turnAway(order);
    await this.#emptyWithin(limitMs);
    for (const order of this.#orders.values()) {
      order.cutOff = true;
      order.running?.abort();
    }
    await this.#emptyWithin(CUT_OFF_MS_MAX);
    await this.#keeper.close(CUT_OFF_MS_MAX);
    this.#review?.cancel();
    this.#waiting.close();
  }

  /** The account's living order. One whose first write is under way counts: its row may be read before the desk is told. */
  #find(accountId: string, orderId: string): LiveOrder | null {
    const order = this.#orders.get(orderId);
    return order && order.row.accountId === accountId && order.phase !== 'opening' ? order : null;
  }

  #rejoin(order: LiveOrder): void {
    this.#waiting.enter(order);
    if (this.#draining) this.#closings.turnAway(order);
    else if (order.unwanted) this.#closings.cancelLine(order);
    else this.#tell(restCommand(order));
  }

  /** The order's row says queued: what had to wait for that happens now. */
  #nowQueued(order: LiveOrder): void {
    if (order.phase !== 'queued') return;
    if (this.#draining) this.#closings.turnAway(order);
    else if (order.unwanted) this.#closings.cancelLine(order);
    else if (order.callerLeft) this.#left(order);
  }

  #left(order: LiveOrder): void {
    if (order.row.outlives) return;
    if (order.phase === 'queued') this.#closings.leave(order);
    else order.running?.abort();
  }

  #forget(order: LiveOrder): void {
    this.#waiting.leave(order, 'ended');
    this.#orders.delete(order.orderId);
    if (this.#orders.size === 0) this.#onEmpty?.();
  }

  #tell(command: Command): void {
    this.#parts.exchange.send(command);
  }

  #scheduleReview(): void {
    this.#review = this.#parts.clock.after(REVIEW_MS, () => {
      this.#executor.review();
      this.#funds
        .review()
        .catch((error) => this.#parts.log.error({ err: error }, 'The money of parked accounts could not be read.'));
      this.#reviewStanding().catch((error) =>
        this.#parts.log.error({ err: error }, 'The standing of accounts could not be read.'),
      );
      this.#scheduleReview();
    });
  }

  /** Cancels what waits for accounts that were suspended. */
  #reviewStanding(): Promise<void> {
    return reviewStanding({
      standing: this.#parts.funds,
      waitingAccounts: () => this.#waiting.accounts,
      queuedOf: (accounts) =>
        [...this.#orders.values()].filter(({ phase, row }) => phase === 'queued' && accounts.has(row.accountId)),
      cancel: (order) => this.#closings.suspend(order),
    });
  }

  #emptyWithin(limitMs: number): Promise<void> {
    if (this.#orders.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(limitMs, resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

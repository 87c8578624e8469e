/**
 * The real order service and the real units of the journal for simulated clusters: orders with money, inputs and results,
 * in a SQLite database in memory that all gateways share. Callers have too little money until trading is over.
 */
import { silentLog } from '#base/log.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { type Listing, Listings } from '#market/listing.ts';
import type { ExchangeEvent, LevelRow, RecoveredQuote } from '#market/ports.ts';
import type { Standing } from '#orders/market-standing.ts';
import type { OrderRow } from '#orders/order.ts';
import type { Ticket } from '#orders/order-port.ts';
import { OrderService } from '#orders/order-service.ts';
import type { Attempt, AttemptRequest, AttemptSink, PodPort } from '#orders/ports.ts';
import {
  type GatewayOutcome,
  type Group,
  SimulatedDatabase,
  type SimulatedDatabaseOptions,
} from '#simulations/cluster/simulated-database.ts';
import type { GatewayOrders, SimulatedOrdersOptions } from '#simulations/cluster/simulated-orders.ts';
import { MemoryJournal } from './memory-journal.ts';
import { MemoryResults } from './memory-results.ts';
import { benchListing, customerOf, roomy, testRequest } from './order-service-bench.ts';
import { ScriptedAttempt } from './scripted-pods.ts';

/** The one market of such a cluster. */
const MARKET = 'market-1';
const LISTING: Listing = benchListing({ id: MARKET, floor: 1e8 });
const ACCOUNTS = ['account-1', 'account-2', 'account-3', 'account-4'];
/** So little that in almost every life an order waits for money. */
const BALANCE = 100_000n;
const CREDIT = { everyMs: 500, amount: 30_000n, finallyAfterMs: 16_000, finally: 10_000_000_000n };

/** The rows of a cluster with one market, in tables. */
export class StoredDatabase extends SimulatedDatabase {
  readonly journal = new MemoryJournal();
  readonly #slots: ReadonlyMap<string, number>;
  readonly #noFence: boolean;
  readonly #credited = new Map<string, bigint>();
  readonly #storedQuotes: RecoveredQuote[] = [];

  constructor(options: SimulatedDatabaseOptions) {
    super(options);
    this.#slots = options.slots;
    this.#noFence = options.noFence;
    this.#credit(BALANCE);
    for (let atMs = CREDIT.everyMs; atMs < CREDIT.finallyAfterMs; atMs += CREDIT.everyMs)
      options.clock.after(atMs, () => this.#credit(CREDIT.amount));
    options.clock.after(CREDIT.finallyAfterMs, () => this.#credit(CREDIT.finally));
  }

  override get live(): readonly OrderRow[] {
    return this.journal.orders.where("status IN ('queued', 'executing')");
  }

  override past(): { levels: LevelRow[]; quotes: RecoveredQuote[] } {
    const levels = this.journal.levels.slice(-1).map((row) => ({ ...row, atMs: 0 }));
    return { levels, quotes: this.#storedQuotes.slice(-1) };
  }

  override commit(group: Group): readonly GatewayOutcome[] | null {
    if (!this.table.passes(group.gateway)) return null;
    if (group.outcomes) return group.outcomes;
    if (!this.#noFence) this.journal.presentEpoch = this.table.epoch(`market:${MARKET}`);
    const outcomes = this.journal.commitTogether(group.units) as GatewayOutcome[];
    for (const [index, { result }] of outcomes.entries()) {
      const unit = group.units[index];
      this.counts(result);
      if (unit?.kind === 'quote' && result === 'changed') this.#storedQuotes.push({ ...unit, lockMinutes: [] });
      if (unit?.kind === 'adopt') this.counts('adopted', unit.orders.length);
      if (result === 'executing' && (unit?.kind === 'accept' || unit?.kind === 'admit')) this.#check(unit.admission);
    }
    group.outcomes = outcomes;
    return outcomes;
  }

  /** Throws unless the accounts agree with their orders. */
  audit(): void {
    this.journal.audit(this.#credited);
  }

  #check(admission: { readonly pod: string; readonly levelSeq: number } | null): void {
    if (!admission) return;
    const { pod, levelSeq } = admission;
    const running = this.journal.orders.count("status = 'executing' AND pod = ?", pod);
    if (running > (this.#slots.get(pod) ?? 0)) this.breaks(`${pod} has ${running} orders`);
    if (!this.journal.levels.some((level) => level.levelSeq === levelSeq))
      this.breaks(`an admission names level ${levelSeq} before it has committed`);
  }

  #credit(amount: bigint): void {
    for (const id of ACCOUNTS) {
      const { balance, held } = this.journal.accounts.get(id) ?? { balance: 0n, held: 0n };
      this.journal.accounts.set(id, { balance: balance + amount, held });
      this.#credited.set(id, (this.#credited.get(id) ?? 0n) + amount);
    }
  }
}

/** The orders of one gateway: those of the real order service, on pods whose attempts end by chance. */
export class StoredOrders implements GatewayOrders {
  readonly #options: SimulatedOrdersOptions;
  readonly #database: StoredDatabase;
  readonly #service: OrderService;
  readonly #board: LevelBoard;
  /** Of the orders whose callers wait for them. */
  readonly #tickets = new Map<string, Ticket>();
  #made = 0;

  /** `releaseAfterCommit`: false lets it give slots back too early. */
  constructor(options: SimulatedOrdersOptions, database: StoredDatabase, releaseAfterCommit: boolean) {
    const { gateway, clock, journal, exchange } = options;
    this.#options = options;
    this.#database = database;
    this.#board = new LevelBoard([LISTING], [], clock.nowMs());
    this.#service = new OrderService({
      ...roomy(),
      ...{ clock, log: silentLog, ids: { uuid: () => `${gateway}-${++this.#made}` }, bootEpoch: gateway },
      listings: new Listings([LISTING], MARKET),
      market: this.#board,
      exchange,
      journal: journal as never,
      store: database.journal as never,
      funds: database.journal,
      pods: podsByChance(options),
      results: new MemoryResults(database.journal),
      releaseAfterCommit,
      marketAnswerMs: 10_000,
    });
  }

  get size(): number {
    const { queued, inflight } = this.#service.counts();
    return queued + inflight;
  }

  get waiting(): readonly OrderRow[] {
    const { gateway } = this.#options;
    return this.#database.journal.orders.where("status = 'queued' AND boot_epoch = ?", gateway);
  }

  has(id: string): boolean {
    return this.#service.ticket(id) !== null;
  }

  runs(id: string): boolean {
    return this.standing().holds.some(({ order }) => order === id);
  }

  /** A caller orders with the bid and the account of this row; the id is the service's own. */
  submit({ accountId, bid, outlives: detached }: OrderRow): void {
    const { random, ended } = this.#options;
    const [isShort, priceLock] = [random.next() < 0.1, random.next() < 0.1];
    const wishes = { limit: bid, detached, priceLock, maxWaitS: isShort ? 10 : 6000 };
    const customer = { ...customerOf(accountId), orderTimeoutS: 6000 };
    this.#service.submit(customer, testRequest(wishes, { model: MARKET })).then(
      (submission) => {
        if (submission.type !== 'order') return;
        const { ticket } = submission;
        ticket.watch({ events: () => {}, ended: () => ended(ticket.orderId) });
        if (!detached) this.#tickets.set(ticket.orderId, ticket);
      },
      () => {},
    );
  }

  recover(rows: readonly OrderRow[]): void {
    this.#service.recover([...rows]);
  }

  reprice(id: string, bid: number): void {
    this.#service.reprice(this.#ownerOf(id), [id], bid).catch(() => {});
  }

  /** The caller leaves, or cancels. */
  cancel(id: string): void {
    const ticket = this.#options.random.next() < 0.5 ? this.#tickets.get(id) : null;
    if (ticket) ticket.leave();
    else this.#service.cancel(this.#ownerOf(id), id).catch(() => {});
  }

  standing(): Standing {
    return this.#service.standing(MARKET);
  }

  take(event: ExchangeEvent): void {
    if (event.type === 'level') this.#board.apply(event);
    else if (event.type === 'quote') this.#board.applyQuote(event);
    else if (event.type !== 'locks') this.#service.onExchangeEvent(event);
  }

  #ownerOf(id: string): string {
    return this.#database.journal.orders.get(id)?.accountId ?? '';
  }
}

/** Pods whose attempts run for a while and end well, badly or not at all. */
function podsByChance({ clock, random, runMs }: Pick<SimulatedOrdersOptions, 'clock' | 'random' | 'runMs'>): PodPort {
  return {
    execute(request: AttemptRequest, sink: AttemptSink): Attempt {
      const attempt = new ScriptedAttempt(request, sink);
      clock.after(runMs(), () => {
        if (attempt.ended) return;
        const draw = random.next();
        if (draw < 0.8) attempt.say('done').finish({ promptTokens: 90, cachedTokens: 30, outputTokens: 20 });
        else if (draw < 0.88) attempt.end({ kind: 'no-slot' });
        else if (draw < 0.97) attempt.end({ kind: 'failed', reason: 'planted' });
        else attempt.end({ kind: 'refused', message: 'planted' });
      });
      return attempt;
    },
  };
}

/**
 * An order service over a real database that can be killed and restarted, with pods and an exchange played by the test:
 * every order rests until the test chooses it, so a model can predict what must happen next.
 */

import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { AccessStore } from '#accounts/keys/key-lookup.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import type { Clock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { Listings } from '#market/listing.ts';
import type { Command, ExchangePort, OrderEvent, Rest } from '#market/ports.ts';
import { OrderService } from '#orders/order-service.ts';
import type { Customer } from '#orders/request.ts';
import type { ResultStore } from '#results/ports.ts';
import { HostClock } from '#simulations/cluster/simulated-clock.ts';
import type { Database } from '#storage/database/database.ts';
import { createJournal, type Journal } from '#storage/journal/journal.ts';
import { recover } from '#storage/orders/recovery.ts';
import { createOrderStore } from '#storage/orders/store.ts';
import { createResultStore } from '#storage/results/store.ts';
import { liveOrdersOf, nextBootEpoch } from './databases.ts';
import { emptyDisk } from './empty-disk.ts';
import { fixedListing } from './listings.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { benchListing, customerOf, roomy, stillMarket } from './order-service-bench.ts';
import { ScriptedPods } from './scripted-pods.ts';

/** The published level and the quote, in nano-dollars. */
export const BENCH_LEVEL = 1_000_000_000;
/** The opening balance of the account. */
export const BENCH_CREDIT = 1_000_000_000_000n;
/** How long its orders wait. */
export const BENCH_ORDER_TIMEOUT_S = 40;
const MODEL = 'tide';

/** The model at fixed prices. */
const FIXED_MODEL = 'ebb';

/** One account, one market and one model at fixed prices, with one gateway after another. */
export class RestartBench {
  readonly clock = new ManualClock();
  /** The market listing; a test may replace it before a restart. */
  listing = benchListing();
  /** The other listing, at fixed prices. */
  readonly fixed = fixedListing({ id: FIXED_MODEL, contextLength: 8192, outputLengthMax: 4096 });
  readonly transfers: Transfers;
  readonly accounts: Accounts;
  readonly results: ResultStore;
  /** How many lines may wait. */
  queuedLinesMax = 5000;
  accountId = '';
  pods = new ScriptedPods();
  readonly disk = emptyDisk();
  /** When the current gateway was started. */
  bootedAtMs = 0;
  bootEpoch = 0;
  readonly db: Database;
  readonly #resting = new Map<string, Rest>();
  #clockOfBoot = new HostClock(this.clock, 0);
  #orderService: OrderService | null = null;
  #journal: Journal | null = null;
  #seq = 0;
  #restedSeq = 0;

  constructor(db: Database) {
    this.db = db;
    const parts = { db, clock: this.clock, ids: idSource(this.clock) };
    this.accounts = new Accounts(parts);
    this.results = createResultStore(db, new MemoryBlobs());
    this.transfers = new Transfers(parts);
  }

  get orderService(): OrderService {
    if (!this.#orderService) throw new Error('the gateway is not running');
    return this.#orderService;
  }

  get journal(): Journal {
    if (!this.#journal) throw new Error('the gateway is not running');
    return this.#journal;
  }

  /** A clock whose timers stop with the current gateway. */
  get bootClock(): Clock {
    return this.#clockOfBoot;
  }

  /** The resting orders, oldest first. */
  get resting(): string[] {
    return [...this.#resting.keys()];
  }

  get customer(): Customer {
    return { ...customerOf(this.accountId, null), orderTimeoutS: BENCH_ORDER_TIMEOUT_S };
  }

  /** Opens the account and starts the first gateway. */
  async open(credit = BENCH_CREDIT): Promise<void> {
    this.accountId = (await this.accounts.create({ name: 'bench' }, COMMAND_LINE)).id;
    await this.transfers.credit(this.accountId, credit, { force: true }, COMMAND_LINE);
    await this.#boot();
    const level = { model: MODEL, levelSeq: 1, level: BENCH_LEVEL, atMs: this.clock.nowMs() };
    await this.#journal?.write({ kind: 'level', ...level });
  }

  /** Ends the gateway as a kill does, after its writes have committed, and starts another. */
  async restart(): Promise<void> {
    this.#clockOfBoot.crash();
    await this.#journal?.close();
    this.#resting.clear();
    this.pods = new ScriptedPods();
    this.#clockOfBoot = new HostClock(this.clock, 0);
    await this.#boot();
    await this.settle();
  }

  async close(): Promise<void> {
    this.#clockOfBoot.crash();
    await this.#journal?.close();
  }

  /** Whether the order may be chosen: one that waits for money is in no book. */
  isResting(orderId: string): boolean {
    return this.#resting.has(orderId);
  }

  /** The exchange chooses a resting order. */
  async admit(orderId: string): Promise<void> {
    const rest = this.#resting.get(orderId);
    if (!rest) throw new Error(`${orderId} does not rest`);
    this.#resting.delete(orderId);
    const { attempt, model } = rest;
    const restedSeq = rest.restedSeq ?? ++this.#restedSeq;
    const chosen = { type: 'admit', order: orderId, attempt, restedSeq, pod: 'pod-1' } as const;
    const price = model === MODEL ? { level: BENCH_LEVEL, levelSeq: 1 } : { level: rest.bid, levelSeq: 0 };
    this.#emit({ ...chosen, ...price, model, seq: ++this.#seq });
    await this.settle();
  }

  /** Waits until everything that was begun has finished. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 6; quiet++) {
      await new Promise(setImmediate);
      if (this.#isBusy()) quiet = 0;
    }
  }

  /** Whether the database is busy: a server does not answer at once. */
  #isBusy(): boolean {
    const pool: { numUsed(): number; numPendingAcquires(): number } = this.db.knex.client.pool;
    return (this.#journal?.pending ?? 0) + pool.numUsed() + pool.numPendingAcquires() > 0;
  }

  async #boot(): Promise<void> {
    const { clock, pods } = this;
    this.bootedAtMs = clock.nowMs();
    this.bootEpoch = await nextBootEpoch(this.db);
    const { bootEpoch } = this;
    await recover(this.db, { bootEpoch, clock });
    this.#journal = createJournal(this.db, { clock: this.#clockOfBoot, log: silentLog });
    const exchange: ExchangePort = {
      send: (command) => this.#take(command),
      positions: async (_model, asked) => asked.map(() => null),
      listen: () => {},
    };
    const room = roomy();
    this.#orderService = new OrderService({
      ...room,
      clock: this.#clockOfBoot,
      log: silentLog,
      ids: idSource(clock),
      listings: new Listings([this.listing, this.fixed], MODEL),
      market: stillMarket(MODEL, BENCH_LEVEL),
      exchange,
      journal: this.#journal,
      store: createOrderStore(this.db),
      funds: new AccessStore(this.db),
      pods,
      results: this.results,
      disk: this.disk,
      bootEpoch,
      pendingLimits: { ...room.pendingLimits, queuedBatchOrdersPerAccount: this.queuedLinesMax },
    });
    this.#orderService.recover(await liveOrdersOf(this.db, bootEpoch));
  }

  #take(command: Command): void {
    if (command.type === 'rest') {
      const restedSeq = command.restedSeq ?? ++this.#restedSeq;
      this.#resting.set(command.order, { ...command, restedSeq });
      this.#emit({ type: 'rested', model: command.model, seq: ++this.#seq, order: command.order, restedSeq });
    } else if (command.type === 'withdraw') this.#resting.delete(command.order);
    else if (command.type === 'reprice') this.#reprice(command.order, command.bid);
  }

  #reprice(order: string, bid: number): void {
    const rest = this.#resting.get(order);
    const seq = ++this.#seq;
    if (!rest) {
      this.#emit({ type: 'not-resting', model: MODEL, seq, order });
      return;
    }
    const restedSeq = ++this.#restedSeq;
    this.#resting.set(order, { ...rest, bid, restedSeq });
    this.#emit({ type: 'repriced', model: MODEL, seq, order, bid, restedSeq });
  }

  /** Delivers the event later, as the port promises, and never to a gateway that has ended since. */
  #emit(event: OrderEvent): void {
    const orderService = this.#orderService;
    queueMicrotask(() => {
      if (orderService === this.#orderService) orderService?.onExchangeEvent(event);
    });
  }
}

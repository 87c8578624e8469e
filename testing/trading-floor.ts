/**
 * A desk over a real database that can be killed and started again, with pods and an exchange played by the test: every
 * order rests until the test chooses it, so a model can say what must happen next.
 */
import { type Clock, ManualClock, type Timer } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { Listings } from '#market/listing.ts';
import type { Command, ExchangeEvent, ExchangePort, Release, Rest } from '#market/ports.ts';
import { Desk } from '#orders/desk.ts';
import type { ResultStore } from '#orders/ports.ts';
import type { Customer } from '#orders/request.ts';
import { createAccessStore } from '#storage/access.ts';
import { Accounts } from '#storage/accounts.ts';
import type { Database } from '#storage/database.ts';
import { createJournal, type Journal } from '#storage/journal/index.ts';
import { createOrderStore } from '#storage/orders.ts';
import { nextBootEpoch, recover } from '#storage/recovery.ts';
import { createResultStore } from '#storage/stored-answers.ts';
import { Treasury } from '#storage/treasury.ts';
import { benchListing } from './desk-bench.ts';
import { fixedListing } from './listings.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { ScriptedPods } from './scripted-pods.ts';

/** The published level and the quote, in nano-dollars. */
export const FLOOR_LEVEL = 1_000_000_000;
/** What the account starts with. */
export const FLOOR_CREDIT = 1_000_000_000_000n;
/** How long its orders wait. */
export const ORDER_TIMEOUT_S = 40;
const MODEL = 'tide';
const SNAPSHOT = {
  level: FLOOR_LEVEL,
  levelSeq: 1,
  mode: 'clearing',
  degraded: false,
  updatedAtMs: 0,
  preview: false,
} as const;
const QUOTE = { price: FLOOR_LEVEL, previousPrice: null, validUntilMs: 0, clearRate: null, preview: false } as const;

/** What a model at fixed prices costs at the reference mix. */
const FIXED_MODEL = 'ebb';

/** One account, one market, one model at fixed prices, one gateway after another. */
export class TradingFloor {
  readonly clock = new ManualClock();
  /** What is sold; another takes its place at the next restart. */
  listing = benchListing();
  /** What is sold beside it, at fixed prices. */
  readonly fixed = fixedListing({ id: FIXED_MODEL, contextLength: 8192, outputLengthMax: 4096 });
  readonly treasury: Treasury;
  readonly accounts: Accounts;
  readonly results: ResultStore;
  /** Lines that may wait. */
  queuedLinesMax = 5000;
  accountId = '';
  pods = new ScriptedPods();
  /** Whether nothing of the account is to be chosen. */
  parked = false;
  /** When the gateway that runs now was started. */
  bootedAtMs = 0;
  readonly db: Database;
  readonly #resting = new Map<string, Rest>();
  readonly #chosen = new Map<string, Rest>();
  #clockOfBoot = new MortalClock(this.clock);
  #desk: Desk | null = null;
  #journal: Journal | null = null;
  #seq = 0;
  #restedSeq = 0;

  constructor(db: Database) {
    this.db = db;
    const parts = { db, clock: this.clock, ids: idSource(this.clock) };
    this.accounts = new Accounts(parts);
    this.results = createResultStore(db, new MemoryBlobs());
    this.treasury = new Treasury(parts);
  }

  get desk(): Desk {
    if (!this.#desk) throw new Error('the gateway is not running');
    return this.#desk;
  }

  get journal(): Journal {
    if (!this.#journal) throw new Error('the gateway is not running');
    return this.#journal;
  }

  /** A clock whose timers die with the gateway that runs now. */
  get bootClock(): Clock {
    return this.#clockOfBoot;
  }

  /** The orders that rest, in the order in which they came. */
  get resting(): string[] {
    return [...this.#resting.keys()];
  }

  get customer(): Customer {
    return {
      accountId: this.accountId,
      keyId: null,
      priceLimitFor: () => null,
      priceLock: false,
      orderTimeoutS: ORDER_TIMEOUT_S,
      retentionDays: 30,
      logPayloads: false,
      house: false,
    };
  }

  /** Opens the account and starts the first gateway. */
  async open(credit = FLOOR_CREDIT): Promise<void> {
    this.accountId = (await this.accounts.create({ name: 'floor' })).id;
    await this.treasury.credit(this.accountId, credit, { force: true });
    await this.#boot();
    const level = { model: MODEL, levelSeq: 1, level: FLOOR_LEVEL, atMs: this.clock.nowMs() };
    await this.#journal?.write({ kind: 'level', ...level });
  }

  /** Ends the gateway as a kill does, once what it wrote has committed, and starts another one. */
  async restart(): Promise<void> {
    this.#clockOfBoot.die();
    await this.#journal?.close();
    this.#resting.clear();
    this.#chosen.clear();
    this.parked = false;
    this.pods = new ScriptedPods();
    this.#clockOfBoot = new MortalClock(this.clock);
    await this.#boot();
    await this.settle();
  }

  async close(): Promise<void> {
    this.#clockOfBoot.die();
    await this.#journal?.close();
  }

  /** The exchange chooses a resting order. */
  async admit(orderId: string): Promise<void> {
    const rest = this.#resting.get(orderId);
    if (!rest || this.parked) throw new Error(`${orderId} does not rest, or its account is parked`);
    this.#resting.delete(orderId);
    this.#chosen.set(orderId, rest);
    const { attempt, model } = rest;
    const restedSeq = rest.restedSeq ?? ++this.#restedSeq;
    const chosen = { type: 'admit', order: orderId, attempt, restedSeq, pod: 'pod-1' } as const;
    const price = model === MODEL ? { level: FLOOR_LEVEL, levelSeq: 1 } : { level: rest.bid, levelSeq: 0 };
    this.#tell({ ...chosen, ...price, model, seq: ++this.#seq });
    await this.settle();
  }

  /** Lets everything that was begun come to rest. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 6; quiet++) {
      await new Promise(setImmediate);
      if (this.#isBusy()) quiet = 0;
    }
  }

  /** Whether the database has something to do: a server takes its time. */
  #isBusy(): boolean {
    const pool: { numUsed(): number; numPendingAcquires(): number } = this.db.knex.client.pool;
    return (this.#journal?.pending ?? 0) + pool.numUsed() + pool.numPendingAcquires() > 0;
  }

  async #boot(): Promise<void> {
    const { clock, pods } = this;
    this.bootedAtMs = clock.nowMs();
    const bootEpoch = await nextBootEpoch(this.db);
    const { orders } = await recover(this.db, { bootEpoch, clock });
    this.#journal = createJournal(this.db, { clock: this.#clockOfBoot, log: silentLog });
    const exchange: ExchangePort = {
      send: (command) => this.#take(command),
      positions: async (_model, asked) => asked.map(() => null),
      listen: () => {},
    };
    this.#desk = new Desk({
      clock: this.#clockOfBoot,
      log: silentLog,
      ids: idSource(clock),
      listings: new Listings([this.listing, this.fixed], MODEL),
      market: {
        current: (model) => (model === MODEL ? { ...SNAPSHOT, model } : null),
        quote: (model) => (model === MODEL ? { ...QUOTE, model } : null),
      },
      quoteCommitted: () => {},
      exchange,
      journal: this.#journal,
      store: createOrderStore(this.db),
      funds: createAccessStore(this.db),
      pods,
      results: this.results,
      waits: { minS: 10, maxS: 2_592_000, lockWindowS: 10 },
      bootEpoch,
      queuedLinesMax: this.queuedLinesMax,
      queuedOrdersMax: 2000,
    });
    this.#desk.recover(orders);
  }

  #take(command: Command): void {
    if (command.type === 'rest') {
      const restedSeq = command.restedSeq ?? ++this.#restedSeq;
      this.#resting.set(command.order, { ...command, restedSeq });
      this.#tell({ type: 'rested', model: command.model, seq: ++this.#seq, order: command.order, restedSeq });
    } else if (command.type === 'withdraw') this.#resting.delete(command.order);
    else if (command.type === 'reprice') this.#reprice(command.order, command.bid);
    else if (command.type === 'release') this.#release(command);
    else if (command.type === 'park' || command.type === 'unpark') this.parked = command.type === 'park';
  }

  #release({ order, reason }: Release): void {
    const rest = this.#chosen.get(order);
    this.#chosen.delete(order);
    if (reason !== 'refused-parked' || !rest) return;
    this.#resting.set(order, rest);
    this.parked = true;
  }

  #reprice(order: string, bid: number): void {
    const rest = this.#resting.get(order);
    const seq = ++this.#seq;
    if (!rest) {
      this.#tell({ type: 'not-resting', model: MODEL, seq, order });
      return;
    }
    const restedSeq = ++this.#restedSeq;
    this.#resting.set(order, { ...rest, bid, restedSeq });
    this.#tell({ type: 'repriced', model: MODEL, seq, order, bid, restedSeq });
  }

  /** Later, as the port promises; never to a gateway that has died since. */
  #tell(event: ExchangeEvent): void {
    const desk = this.#desk;
    queueMicrotask(() => {
      if (desk === this.#desk) desk?.onExchangeEvent(event);
    });
  }
}

/** A clock whose timers stop with the process that set them. */
class MortalClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  after(delayMs: number, run: () => void): Timer {
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(timer);
      if (!this.#dead) run();
    });
    this.#timers.add(timer);
    return timer;
  }

  die(): void {
    this.#dead = true;
    for (const timer of this.#timers) timer.cancel();
  }
}

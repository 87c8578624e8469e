/**
 * The orders of one gateway of a world: those of the real order service, with all that it waits for delayed by chance,
 * and callers who leave, cancel and reprice at any moment.
 */

import knex from 'knex';
import { silentLog } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { Listings } from '#market/listing.ts';
import type { ExchangeEvent } from '#market/ports.ts';
import type { LiveOrder } from '#orders/live-order.ts';
import type { Standing } from '#orders/market-standing.ts';
import type { OrderRow } from '#orders/order.ts';
import type { OrderEnd, Ticket } from '#orders/order-port.ts';
import { OrderService } from '#orders/order-service.ts';
import type { PodPort } from '#orders/ports.ts';
import { takesOver } from '#service/cluster.ts';
import { PickUp } from '#service/pick-up.ts';
import type { GatewayOrders, SimulatedOrdersOptions } from '#simulations/cluster/simulated-orders.ts';
import type { Database } from '#storage/database/database.ts';
import { sqlite } from '#storage/database/dialects/sqlite.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { MemoryBlobs } from '../memory-blobs.ts';
import { MemoryResults } from '../memory-results.ts';
import { benchListing, customerOf, roomy, testLine, testRequest } from '../order-service-bench.ts';
import type { RacePods } from './race-pods.ts';
import { MARKET, type RaceRows } from './race-rows.ts';

const LISTING = benchListing({ id: MARKET, floor: 1e8 });
const FAILS = { reads: 0.02, files: 0.1, listings: 0.3 };
/** Little enough that inputs of waiting orders move to files. */
const IN_MEMORY_BYTES_MAX = 4_000;

/** What the gateways of a world share. */
export interface RaceParts {
  readonly rows: RaceRows;
  readonly pods: RacePods;
  /** Slots are given back before the end of their attempt has committed, as where one gateway serves alone. */
  readonly alone: boolean;
}

/** The orders of a gateway. */
export class RaceOrders implements GatewayOrders {
  readonly service: OrderService;
  /** How its orders ended for their callers; those that did not learn it for certain are absent. */
  readonly told = new Map<string, OrderEnd['status']>();
  /** The files of inputs that are being written. */
  writing = 0;
  readonly #options: SimulatedOrdersOptions;
  readonly #rows: RaceRows;
  readonly #board: LevelBoard;
  readonly #pickUp: PickUp;
  readonly #takesOver: (from: number) => Promise<boolean>;

  constructor(options: SimulatedOrdersOptions, { rows, pods, alone }: RaceParts) {
    const { gateway, clock, journal } = options;
    this.#options = options;
    this.#rows = rows;
    this.#board = new LevelBoard([LISTING], [], clock.nowMs());
    this.service = this.#createService(this.#portOf(pods), alone);
    const db = this.#slowDatabase();
    const common = { clock, log: silentLog, journal: journal as never };
    this.#pickUp = new PickUp({
      ...{ ...common, self: gateway, store: createAdoptionStore(db), orders: this.service },
      batches: { has: () => true, cancelReason: () => null, resume: async () => [] },
      readKeptInputs: () => this.#slow(() => new Set(rows.kept.blobs.keys()), FAILS.listings),
    });
    this.#takesOver = takesOver({
      outside: { clock, ids: { uuid: () => '' } },
      storage: { db, journal: journal as never, contents: {} as never },
      cluster: { joined: { gateway } },
      pickUp: this.#pickUp,
      sells: () => true,
      passOn: async () => false,
    });
  }

  get size(): number {
    return this.live.length;
  }

  get waiting(): readonly OrderRow[] {
    const isOut = ({ phase, heldBack }: LiveOrder) => phase !== 'queued' || heldBack !== null;
    const out = new Set(this.live.filter(isOut).map(({ orderId }) => orderId));
    return this.#rows.live.filter(({ id, status, bootEpoch }) => {
      return status === 'queued' && bootEpoch === this.#options.gateway && !out.has(id);
    });
  }

  /** The orders in memory. */
  get live(): LiveOrder[] {
    return [...this.#rows.made].map((id) => this.service.ticket(id) as LiveOrder).filter((order) => order !== null);
  }

  runs(id: string): boolean {
    return this.service.ticket(id) !== null;
  }

  /** A caller orders, and decides what else it will do. The row only says with which bid. */
  submit({ bid, outlives: detached }: OrderRow): void {
    // Those that only fill the slots in the end do nothing else.
    const isLast = bid > 1e10;
    const draw = () => (isLast ? 0.3 : this.#rows.draw());
    const accountId = draw() < 0.5 ? 'acct' : 'ben';
    const size = draw() < 0.02 ? 300_000 : draw() < 0.5 ? 20 : draw() * 3_000;
    const generation = { body: { text: 'x'.repeat(size) }, promptBound: 100, promptEstimate: 50, images: 0 };
    const maxWaitS = draw() < 0.1 ? 10 : 2_000_000;
    const wishes = { limit: bid, detached, priceLock: draw() < 0.1, maxWaitS, retentionDays: draw() < 0.2 ? 0 : 30 };
    const key = draw() < 0.1 ? { key: `key ${Math.floor(draw() * 5)}`, fingerprint: 'same' } : null;
    const number = this.#rows.made.size;
    const expiresAtMs = this.#options.clock.nowMs() + 9e9;
    const place = { batchId: `batch of ${accountId}`, line: number, customId: `${number}`, expiresAtMs };
    const line = draw() < 0.1 ? testLine({ ...place, tariffIds: { [MARKET]: LISTING.tariff.id } }) : null;
    const request = testRequest(wishes, { model: MARKET, generation, idempotency: line ? null : key });
    const customer = { ...customerOf(accountId), budget: accountId === 'acct' ? ('counted' as const) : null };
    this.service.submit(customer, request, line).then(
      (submission) => submission.type === 'order' && !isLast && this.#follow(submission.ticket, accountId),
      () => {},
    );
  }

  reprice(id: string, bid: number): void {
    void this.#reprice(id, bid).catch(() => {});
  }

  cancel(id: string): void {
    this.service.cancel(wholeAccount(this.#accountOf(id)), id).catch(() => {});
  }

  standing(): Standing {
    return this.service.standing(MARKET);
  }

  take(event: ExchangeEvent): void {
    if (event.type === 'level') this.#board.apply(event);
    else if (event.type === 'quote') this.#board.applyQuote(event);
    else if (event.type !== 'locks') this.service.onExchangeEvent(event);
  }

  takeOver(from: number): Promise<boolean> {
    return this.#takesOver(from);
  }

  async drain(limitMs: number): Promise<void> {
    await this.#pickUp.close();
    await this.service.drain(limitMs, { callersMayWait: true });
  }

  #follow(ticket: Ticket, accountId: string): void {
    const { orderId } = ticket;
    const later = (share: number, run: () => void) => {
      if (this.#rows.draw() < share) this.#options.clock.after(this.#rows.draw() ** 2 * 3_000, run);
    };
    if (this.#rows.draw() < 0.8) ticket.watch({ events: () => {}, ended: (end) => this.#ended(orderId, end) });
    later(0.2, () => ticket.leave());
    later(0.1, () => this.cancel(orderId));
    later(0.2, () => this.reprice(orderId, 1e8 * Math.ceil(1 + 8 * this.#rows.draw())));
    later(0.02, () => this.service.cancelLines(`batch of ${accountId}`));
    later(0.02, () => this.#suspend(accountId));
  }

  #ended(id: string, end: OrderEnd): void {
    this.#options.ended(id);
    const isUncertain = end.status !== 'done' && ['settlement_uncertain', 'unavailable'].includes(end.fault.code);
    if (!isUncertain) this.told.set(id, end.status);
  }

  #suspend(accountId: string): void {
    const { journal } = this.#rows;
    journal.suspend(accountId);
    this.#options.clock.after(2_500, () => journal.database.exec("UPDATE accounts SET status = 'active'"));
  }

  async #reprice(id: string, bid: number): Promise<void> {
    const [answer] = await this.service.reprice(wholeAccount(this.#accountOf(id)), [id], bid);
    const { units } = this.#rows.journal;
    const isWritten = units.some((unit) => unit.kind === 'reprice' && unit.orderId === id && unit.bid === bid);
    if (answer?.refusal === null && !isWritten) this.#rows.breaks(`${id} was said to rest at ${bid}`);
  }

  #accountOf(id: string): string {
    return this.#rows.journal.orders.get(id)?.accountId ?? '';
  }

  #createService(pods: PodPort, alone: boolean): OrderService {
    const { gateway, clock, exchange } = this.#options;
    const journal = this.#slowly(this.#rows.journal, FAILS.reads);
    const room = roomy();
    return new OrderService({
      ...{ ...room, clock, log: silentLog, bootEpoch: gateway, listings: new Listings([LISTING], MARKET) },
      ids: {
        uuid: () => {
          const id = `${gateway}-${this.#rows.made.size + 1}`;
          this.#rows.made.add(id);
          return id;
        },
      },
      ...{ market: this.#board, exchange, journal: this.#options.journal as never },
      ...{ store: journal as never, funds: journal, pods },
      results: this.#slowly(new MemoryResults(this.#rows.journal), FAILS.files),
      waitingBounds: { ...room.waitingBounds, queuedBytesInMemory: IN_MEMORY_BYTES_MAX },
      inputFiles: this.#inputFiles(),
      releaseAfterCommit: !alone,
      marketAnswerMs: 10_000,
    });
  }

  #portOf(pods: RacePods): PodPort {
    const { gateway, clock: host, runMs } = this.#options;
    return pods.of({
      ...{ gateway, host },
      lives: this.#options.lives,
      isLeft: (id) => this.live.some(({ orderId, callerLeft, row }) => orderId === id && callerLeft && !row.outlives),
      stepMs: () => (runMs() < 1e9 ? 20 + 400 * this.#rows.draw() : 1e9),
    });
  }

  #inputFiles() {
    const own = new MemoryBlobs();
    const { kept } = this.#rows;
    const write = async (work: () => Promise<void>) => {
      this.writing++;
      await this.#slow(work, FAILS.files).finally(() => this.writing--);
    };
    return {
      putSafely: (id: string, bytes: Uint8Array) => write(() => kept.putSafely(id, bytes)),
      putGently: (id: string, bytes: Uint8Array) => write(() => own.putGently(id, bytes)),
      get: (id: string) => this.#slow(async () => (await own.get(id)) ?? kept.get(id), FAILS.files),
      delete: async (id: string) => {
        await this.#slow(() => Promise.all([own.delete(id), kept.delete(id)]), FAILS.files);
      },
    };
  }

  /** The tables as a database whose reads are slow. */
  #slowDatabase(): Database {
    const options = { connection: { filename: '' }, useNullAsDefault: true, pool: { max: 0 } };
    const reads = knex({ ...options, client: 'better-sqlite3' });
    const { client } = reads;
    const query = client._query.bind(client);
    client.acquireConnection = async () => this.#rows.journal.database;
    client.releaseConnection = async () => {};
    client._query = (...asked: unknown[]) => this.#slow(() => query(...asked), FAILS.reads);
    const address = { type: 'sqlite', filename: '' } as const;
    return {
      address,
      dialect: sqlite,
      knex: reads,
      inWriteTurn: (work) => work(),
      noteUnreadable() {},
      close: async () => {},
    };
  }

  #slow<Answer>(work: () => Answer | Promise<Answer>, fails: number): Promise<Answer> {
    return this.#rows.slow(this.#options.gateway, this.#options.clock, work, fails);
  }

  /** `target`, whose methods are all slow. */
  #slowly<Target extends object>(target: Target, fails: number): Target {
    return new Proxy(target, {
      get: (_target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => this.#slow(() => Reflect.apply(value, target, given), fails);
      },
    });
  }
}

/** One gateway of a test: the real order service, exchange and hosts, with a membership that is just enough for them. */
import type { Clock } from '#base/clock.ts';
import { every } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { type Random, seededRandom } from '#base/random.ts';
import { ClusterExchange } from '#cluster/markets/cluster-exchange.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { PeerListener } from '#cluster/ports.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { isMarketEvent, marketEventWriter } from '#market/exchange/event-writer.ts';
import { type Listing, Listings } from '#market/listing.ts';
import type { Command } from '#market/ports.ts';
import { OrderService } from '#orders/order-service.ts';
import { someQuotes } from '../listings.ts';
import { MemoryBlobs } from '../memory-blobs.ts';
import { MemoryResults } from '../memory-results.ts';
import { ScriptedPods } from '../scripted-pods.ts';
import { type SharedDatabase, SharedJournal } from './shared-database.ts';
import { ProcessTime, type SharedTime } from './shared-time.ts';

const FRESH_MS = 3_000;
const DEAD_MS = 10_000;

/** What a test leaves out of the gateways, to see that it finds what follows. */
export interface GatewayOmissions {
  /** Slots are given back before the end of their attempt has committed. */
  readonly commits?: boolean;
  /** A new owner neither waits for others nor counts their slots by the rows. */
  readonly barrier?: boolean;
  /** Others hear of a level before it has committed. */
  readonly levels?: boolean;
}

export interface BenchGatewayOptions {
  readonly id: GatewayId;
  readonly time: SharedTime;
  readonly random: Random;
  readonly database: SharedDatabase;
  readonly listing: Listing;
  readonly slots: Readonly<Record<string, number>>;
  readonly omit: GatewayOmissions;
}

/** A gateway; it begins to beat at once. */
export class BenchGateway {
  readonly id: GatewayId;
  readonly process: ProcessTime;
  readonly pods = new ScriptedPods();
  readonly exchange: ClusterExchange;
  readonly orderService: OrderService;
  readonly listener: PeerListener;
  ended = false;
  readonly #options: BenchGatewayOptions;
  readonly #journal: SharedJournal;
  #beating = false;
  #owned = 0;
  #made = 0;
  readonly #adopting = new Set<GatewayId>();

  constructor(options: BenchGatewayOptions) {
    const { id, time, database, listing, omit } = options;
    this.#options = options;
    this.id = id;
    this.process = new ProcessTime(time);
    database.gateways.set(id, { beatMs: time.nowMs, adopter: null });
    this.#journal = new SharedJournal({ database, process: this.process, gateway: id, onLost: () => this.end() });
    const board = new LevelBoard([listing], [], time.nowMs);
    const clock = this.process;
    this.exchange = this.#createExchange(clock);
    this.exchange.listen((event) => {
      if (!isMarketEvent(event)) this.orderService.onExchangeEvent(event);
      else if (event.type === 'level') board.apply(event);
      else if (event.type === 'quote') board.applyQuote(event);
    });
    this.orderService = new OrderService({
      ...{
        clock,
        log: silentLog,
        ids: { uuid: () => `${id}-${++this.#made}` },
        listings: new Listings([listing], listing.id),
      },
      ...{ market: board, exchange: this.exchange, journal: this.#journal, store: database.journal as never },
      ...{ funds: database.journal, pods: this.pods, results: new MemoryResults(database.journal.results) },
      disk: { low: false, willWrite: () => {} },
      waits: { minS: 10, maxS: 2_592_000, lockWindowS: 10 },
      bootEpoch: id,
      pendingLimits: {
        queuedOrdersPerAccount: 2000,
        queuedBatchOrdersPerAccount: 5000,
        queuedOrders: 8000,
        queuedBatchOrders: 20_000,
      },
      waitingBounds: { queuedBytesPerAccount: 2 ** 32, queuedBytes: 2 ** 33, queuedBytesInMemory: 2 ** 27 },
      inputFiles: new MemoryBlobs(),
      releaseAfterCommit: omit.commits !== true,
      marketAnswerMs: 10_000,
    });
    this.listener = {
      opened: (session) => this.exchange.opened(session),
      message: (session, message) => void this.exchange.message(session, message),
      closed: (session) => this.exchange.closed(session),
    };
    every(clock, 500, () => void this.#beat());
  }

  get owns(): boolean {
    return this.exchange.ownerOf(this.#options.listing.id) === this.id;
  }

  /** Gives its market to whoever takes it. */
  async handOver(): Promise<void> {
    const { database, listing } = this.#options;
    const epoch = this.#owned;
    if (epoch === 0) return;
    this.#owned = 0;
    await this.exchange.handOver(listing.id);
    await database.ask(this.process, () => {
      if (database.market.epoch !== epoch) return;
      database.market.holder = null;
      database.seen.add('handover');
    });
    this.exchange.lost(listing.id, epoch);
  }

  /** Its process ends at once. */
  end(): void {
    this.ended = true;
    this.process.end();
  }

  #createExchange(clock: Clock): ClusterExchange {
    const { id: self, listing, database, slots, omit } = this.#options;
    const write = marketEventWriter({ journal: this.#journal, log: silentLog });
    const capacity = (pod: string, count: number): Command => {
      return { type: 'capacity', model: listing.id, pod, slots: count, healthy: true };
    };
    return new ClusterExchange({
      ...{ self, clock, log: silentLog, listings: [listing] },
      exchange: () => {
        const { quotes, random } = someQuotes(self);
        return { quotes, random, levelTimeConstantMs: 20_000 };
      },
      past: (model) =>
        database.ask(this.process, () => ({
          levels: database.journal.levels.slice(-1).map((row) => ({ ...row, model, atMs: 0 })),
          quotes: database.quotes.slice(-1),
        })),
      store: {
        slotsHeld: (_model, reported) =>
          database.ask(this.process, () => (omit.barrier ? [] : database.slotsHeld(reported))),
      },
      write: (event, epoch) => {
        const written = write(event, epoch);
        return omit.levels && event.type === 'level' ? Promise.resolve('committed') : written;
      },
      standing: (model) => this.orderService.standing(model),
      askCapacity: () => {
        for (const [pod, count] of Object.entries(slots)) this.exchange.send(capacity(pod, count));
      },
      onLost: () => {
        this.#owned = 0;
      },
    });
  }

  async #beat(): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    const { database, time, omit, listing } = this.#options;
    const state = await database.ask(this.process, () => {
      const own = database.gateways.get(this.id);
      if (!own || own.adopter !== null) return null;
      own.beatMs = time.nowMs;
      const gateways = [...database.gateways].map(([id, { beatMs, adopter }]) => {
        return { id, ageMs: time.nowMs - beatMs, adopter };
      });
      return { gateways, market: { ...database.market } };
    });
    if (!state) {
      this.end();
      return;
    }
    const { gateways, market } = state;
    const fresh = gateways.filter(({ ageMs, adopter }) => ageMs < FRESH_MS && adopter === null).map(({ id }) => id);
    for (const { id, adopter } of gateways) if (adopter !== null) this.exchange.buried(id, adopter);
    this.exchange.gatewaysAlive(
      gateways.map(({ id }) => id),
      omit.barrier ? [this.id] : fresh,
    );
    if (this.#owned !== 0 && market.epoch > this.#owned) {
      this.#owned = 0;
      this.exchange.lost(listing.id);
    }
    if (market.holder === null || !fresh.includes(market.holder)) await this.#take(market.epoch);
    for (const { id, ageMs, adopter } of gateways) {
      const isOrphan = adopter !== null && !fresh.includes(adopter) && ageMs > DEAD_MS;
      if ((adopter === null && ageMs > DEAD_MS) || (isOrphan && adopter !== this.id)) await this.#bury(id, adopter);
    }
    this.#beating = false;
  }

  async #take(seenEpoch: number): Promise<void> {
    const { database, listing } = this.#options;
    const epoch = await database.ask(this.process, () => database.take(this.id, seenEpoch));
    if (epoch === null) return;
    this.#owned = epoch;
    this.exchange.owns(listing.id, epoch);
  }

  async #bury(gateway: GatewayId, seenAdopter: GatewayId | null): Promise<void> {
    const { database, time } = this.#options;
    const isMine = await database.ask(this.process, () => {
      const lease = database.gateways.get(gateway);
      if (!lease || lease.adopter !== seenAdopter || time.nowMs - lease.beatMs <= DEAD_MS) return false;
      lease.adopter = this.id;
      return true;
    });
    if (!isMine || this.#adopting.has(gateway)) return;
    this.#adopting.add(gateway);
    this.exchange.buried(gateway, this.id);
    void this.#adopt(gateway);
  }

  /** Ends or requeues what the gateway left, then takes what waits. */
  async #adopt(gateway: GatewayId): Promise<void> {
    const { database, time } = this.#options;
    const rows = await database.ask(this.process, () => {
      return database.journal.orders.where('boot_epoch = ?', gateway);
    });
    const error = { finishedAtMs: time.nowMs, error: 'gateway_restarted', errorMessage: '' };
    const writes = rows.map(({ id: orderId, accountId, attempt, status, outlives, expiresAtMs, failures }) => {
      const of = { orderId, accountId, attempt };
      if (status === 'queued' && !outlives) {
        return this.#journal.write({ kind: 'close', orderId, accountId, status: 'canceled', ...error });
      }
      if (status !== 'executing') return null;
      if (!outlives) return this.#journal.write({ kind: 'fail', ...of, ...error });
      return this.#journal.write({ kind: 'requeue', ...of, expiresAtMs, failures });
    });
    await Promise.all(writes);
    const returned = await database.ask(this.process, () => {
      const lease = database.gateways.get(this.id);
      if (!lease || lease.adopter !== null) return [];
      const queued = database.journal.orders.where("status = 'queued' AND boot_epoch = ?", gateway);
      const orders = queued.map(({ id }) => id);
      database.journal.commit({ kind: 'adopt', from: gateway, to: this.id, orders, batches: [] });
      return queued.map((row) => ({ ...row, bootEpoch: this.id }));
    });
    database.seen.add('burial');
    if (returned.length > 0) database.seen.add('adopted');
    this.orderService.recover(returned);
    await database.ask(this.process, () => database.gateways.delete(gateway));
  }
}

/** The random numbers of one part of a test, apart from those of others. */
export function drawsOf(seed: number, part: number): Random {
  return seededRandom(seed * 1000 + part);
}

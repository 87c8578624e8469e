/** One gateway of a world: the real order service, exchange and member. All that they wait for is delayed, and fails. */
import { type Clock, setClock, steadyClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { ClusterExchange } from '#cluster/markets/cluster-exchange.ts';
import type { ClusterMember } from '#cluster/membership/member.ts';
import { type GatewayId, PROTOCOL } from '#cluster/messages.ts';
import { Calls } from '#cluster/peers/calls.ts';
import type { PeerListener, Peers } from '#cluster/ports.ts';
import { LevelBoard } from '#market/data/market-view.ts';
import { isMarketEvent, marketEventWriter } from '#market/exchange/event-writer.ts';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import { Listings } from '#market/listing.ts';
import type { ExchangeEvent, ExchangePort } from '#market/ports.ts';
import type { LiveOrder } from '#orders/live-order.ts';
import { OrderService } from '#orders/order-service.ts';
import { buildMember, type MemberParts } from '#service/cluster.ts';
import type { LeaseTable, LeaseTableStore } from '#simulations/cluster/lease-table.ts';
import type { SimulatedNetwork } from '#simulations/cluster/simulated-network.ts';
import type { Database } from '#storage/database/database.ts';
import { recover } from '#storage/orders/recovery.ts';
import { someQuotes } from '../listings.ts';
import { MemoryBlobs } from '../memory-blobs.ts';
import { MemoryResults } from '../memory-results.ts';
import { benchListing, roomy } from '../order-service-bench.ts';
import { slowExchange } from '../slow-exchange.ts';
import type { Delays } from './delays.ts';
import type { History } from './history.ts';
import type { RacePods } from './race-pods.ts';
import { RaceJournal, type SharedRows } from './shared-rows.ts';

const LISTING = benchListing({ floor: 2e8 });
const FAILS = 0.02;
const FILE_FAILS = 0.1;
const LISTING_FAILS = 0.3;

/** What the gateways of a world share. */
export interface Shared {
  readonly network: SimulatedNetwork;
  readonly delays: Delays;
  readonly history: History;
  readonly pods: RacePods;
  readonly rows: SharedRows;
  /** Null where one gateway at a time serves. */
  readonly table: LeaseTable | null;
  /** The folder with the inputs of orders that outlive their callers. */
  readonly kept: MemoryBlobs;
  /** The ids of all orders. */
  readonly made: Set<string>;
}

/** Recovers what an earlier gateway left, and begins the next one. */
export async function restart(id: GatewayId, shared: Shared): Promise<RaceGateway> {
  const { delays, network, rows, kept } = shared;
  const clock = network.clockOf(id);
  const database = delays.slowDatabase(clock, rows.journal.database, 0);
  const { orders } = await recover(database, { bootEpoch: id, clock });
  const gateway = new RaceGateway(id, shared);
  gateway.orderService.recover(orders, new Set(kept.blobs.keys()));
  return gateway;
}

/** A gateway. It begins at once. */
export class RaceGateway {
  readonly id: GatewayId;
  readonly orderService: OrderService;
  readonly exchange: ExchangePort;
  /** Its process has ended. */
  ended = false;
  draining = false;
  paused = false;
  /** How far its machine's clock was set ahead or back. */
  stepMs = 0;
  /** The files that are being written now. */
  writing = 0;
  readonly #shared: Shared;
  readonly #host: Clock;
  readonly #machine: Clock;
  readonly #set: ReturnType<typeof setClock>;
  readonly #clock: ReturnType<typeof steadyClock>;
  readonly #journal: RaceJournal;
  readonly #database: Database;
  readonly #store: LeaseTableStore | null;
  readonly #member: ClusterMember | null;
  #ids = 0;

  constructor(id: GatewayId, shared: Shared) {
    const { network, delays, rows, table } = shared;
    this.id = id;
    this.#shared = shared;
    this.#host = network.clockOf(id);
    this.#machine = { nowMs: () => this.#host.nowMs() + this.stepMs, after: (ms, run) => this.#host.after(ms, run) };
    this.#set = setClock(this.#machine);
    this.#clock = steadyClock(this.#set, 0);
    this.#journal = new RaceJournal({ rows, delays, host: this.#host, gateway: id, onLost: () => this.end() });
    this.#database = delays.slowDatabase(this.#host, rows.journal.database, FAILS);
    const joining = { id, address: `gateway-${id}:1`, process: `gateway-${id}`, protocol: PROTOCOL, listingHash: '' };
    this.#store = table && delays.slow(this.#host, table.join(joining), FAILS);
    const board = new LevelBoard([LISTING], [], this.#clock.nowMs());
    this.exchange = this.#store ? this.#clusterExchange(this.#store) : this.#localExchange();
    this.orderService = this.#createOrderService(board);
    this.exchange.listen((event) => this.#take(event, board));
    this.#member = this.#store && this.#createMember(this.#store);
    void this.#member?.start();
    if (!this.#member) this.#tellCapacity();
  }

  /** Whether this gateway owns the market. */
  get owns(): boolean {
    return this.#member === null || this.#member.owns('tide') !== null;
  }

  /** Whether it works now. */
  get works(): boolean {
    return !this.ended && !this.paused && !this.draining;
  }

  /** What it has in memory. */
  get orders(): LiveOrder[] {
    const found: LiveOrder[] = [];
    for (const id of this.#shared.made) {
      const order = this.orderService.ticket(id);
      if (order) found.push(order as LiveOrder);
    }
    return found;
  }

  /** Its process ends at once. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    const { network, pods, history } = this.#shared;
    history.note(`${this.id} ends`);
    network.crash(this.id);
    pods.lose(this.id);
  }

  /** Gives its markets away, drains and ends. */
  async leave(): Promise<void> {
    this.draining = true;
    this.#shared.history.note(`${this.id} drains`);
    await this.#member?.leave();
    await this.orderService.drain(1_000, { callersMayWait: this.#member !== null });
    await this.#member?.close();
    await this.#store?.leave().catch(() => {});
    this.end();
  }

  #take(event: ExchangeEvent, board: LevelBoard): void {
    if (!isMarketEvent(event)) this.orderService.onExchangeEvent(event);
    else if (this.#member === null) {
      if (event.type === 'level') board.apply(event);
      void marketEventWriter({ journal: this.#journal, log: silentLog, quoteCommitted: (quote) => board.applyQuote(quote) })(event);
    } else if (event.type === 'level') board.apply(event);
    else if (event.type === 'quote') board.applyQuote(event);
  }

  #localExchange(): ExchangePort {
    const { levels, quotes } = this.#shared.rows.past;
    const local = new LocalExchange({
      ...{ ...someQuotes(this.id), clock: this.#clock, listings: [LISTING], recovered: levels },
      ...{ levelTimeConstantMs: 20_000, recoveredQuotes: quotes },
    });
    return slowExchange(local, { clock: this.#host, random: seededRandom(this.#shared.delays.draw(2 ** 32)) });
  }

  #clusterExchange(store: LeaseTableStore): ClusterExchange {
    const { rows, delays } = this.#shared;
    return new ClusterExchange({
      ...{ self: this.id, clock: this.#clock, log: silentLog, listings: [LISTING], store },
      exchange: () => ({ ...someQuotes(this.id), levelTimeConstantMs: 20_000 }),
      past: () => delays.run(this.#host, () => rows.past),
      write: marketEventWriter({ journal: this.#journal, log: silentLog }),
      standing: (model) => this.orderService.standing(model),
      askCapacity: () => this.#tellCapacity(),
      onLost: (model, epoch) => this.#member?.lost(model, epoch),
    });
  }

  /** Its pods say how many slots they have. */
  #tellCapacity(): void {
    for (const [pod, slots] of this.#shared.pods.slots)
      this.exchange.send({ type: 'capacity', model: 'tide', pod, slots, healthy: true });
  }

  #createOrderService(board: LevelBoard): OrderService {
    const { rows, delays, pods, table, kept } = this.#shared;
    const host = this.#host;
    const journal = delays.slow(host, rows.journal, FAILS);
    const room = roomy();
    return new OrderService({
      ...room,
      ...{ clock: this.#clock, log: silentLog, listings: new Listings([LISTING], 'tide') },
      ids: { uuid: () => this.#id() },
      ...{ market: board, exchange: this.exchange, journal: this.#journal, store: journal as never, funds: journal },
      pods: pods.portOf(this.id, host, (id) => this.orders.some((order) => order.orderId === id && order.callerLeft && !order.row.outlives)),
      results: delays.slow(host, new MemoryResults(rows.journal), FILE_FAILS),
      waitingBounds: { ...room.waitingBounds, queuedBytesInMemory: 4_000 },
      bootEpoch: this.id,
      inputFiles: this.#inputFiles(kept),
      releaseAfterCommit: table !== null,
      ...(table ? { marketAnswerMs: 10_000 } : {}),
    });
  }

  #id(): string {
    const id = `${this.id}-${++this.#ids}`;
    this.#shared.made.add(id);
    return id;
  }

  #inputFiles(kept: MemoryBlobs) {
    const { delays } = this.#shared;
    const own = new MemoryBlobs();
    const write = async (work: () => Promise<void>) => {
      this.writing++;
      await delays.run(this.#host, work, FILE_FAILS).finally(() => this.writing--);
    };
    return {
      putSafely: (id: string, bytes: Uint8Array) => write(() => kept.putSafely(id, bytes)),
      putGently: (id: string, bytes: Uint8Array) => write(() => own.putGently(id, bytes)),
      get: (id: string) => delays.run(this.#host, async () => (await own.get(id)) ?? kept.get(id), FILE_FAILS),
      delete: async (id: string) => {
        await delays.run(this.#host, () => Promise.all([own.delete(id), kept.delete(id)]), FILE_FAILS);
      },
    };
  }

  #createMember(store: LeaseTableStore): ClusterMember {
    const { network, delays, kept } = this.#shared;
    const clock = this.#clock;
    let peers: Peers | null = null;
    const start = (id: GatewayId, listener: PeerListener) => {
      peers = network.join({ id, address: `gateway-${id}:1` }, listener, (atMs) => clock.follow(atMs));
    };
    const beating = async () => {
      const state = await store.beat();
      if (!state) this.end();
      return state;
    };
    const parts = {
      outside: { clock, log: silentLog, ids: { uuid: () => '' }, config: { listings: { all: [LISTING] } } },
      storage: {
        ...{ db: this.#database, journal: this.#journal, contents: {} },
        readKeptInputs: () => delays.run(this.#host, () => new Set(kept.blobs.keys()), LISTING_FAILS),
      },
      cluster: {
        joined: { gateway: this.id, store: { ...store, beat: beating }, started: async () => {} },
        peers: { start, follow: (...of: Parameters<Peers['follow']>) => peers?.follow(...of), close: () => peers?.close() },
        calls: new Calls({ clock, log: silentLog, isOutage: () => false }),
        ...{ machineClock: this.#machine, beaten: () => {}, setClock: this.#set.set },
      },
      orders: { orderService: this.orderService, batches: { resume: async () => {} } },
      exchange: this.exchange,
    };
    return buildMember(parts as unknown as MemberParts);
  }
}

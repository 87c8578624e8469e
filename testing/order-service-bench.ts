/** An order service under test: a journal in memory, scripted pods, and an exchange played by the test. */
import assert from 'node:assert/strict';
import type { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { type Log, silentLog } from '#base/log.ts';
import { DAY_MS } from '#base/time.ts';
import { isMarketEvent, marketEventWriter } from '#market/exchange/event-writer.ts';
import { type Listing, Listings } from '#market/listing.ts';
import type { Command, ExchangeEvent, ExchangePort, MarketView } from '#market/ports.ts';
import type { OrderRow } from '#orders/order.ts';
import type { EndedOrder } from '#orders/order-facts.ts';
import type { BatchLine, OrderEnd, Submission, Ticket } from '#orders/order-port.ts';
import { OrderService } from '#orders/order-service.ts';
import type { PendingLimits } from '#orders/pending-orders.ts';
import type { PodPort, RunTimes } from '#orders/ports.ts';
import type { Customer, Extensions, InferenceRequest } from '#orders/request.ts';
import type { Funds } from '#orders/units.ts';
import type { WaitingBounds } from '#orders/waiting-inputs.ts';
import type { JournalUnit } from '#storage/journal/units.ts';
import { emptyDisk } from './empty-disk.ts';
import { marketListing } from './listings.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { MemoryJournal } from './memory-journal.ts';
import { MemoryResults } from './memory-results.ts';
import { ScriptedPods } from './scripted-pods.ts';

const LEVEL = 1e9;

/** The listing of the bench: 8,192 tokens of context, half of them output. */
export function benchListing(change: Partial<Listing> = {}): Listing {
  return marketListing({ id: 'tide', contextLength: 8192, outputLengthMax: 4096, ...change });
}

/** More text than a settlement writes: such a result goes to the result store. */
export const LARGE_TEXT = 'Hi'.repeat(50_000);

/** A request for at most 100 prompt tokens and 50 of output, bidding 5 dollars. */
export function testRequest(change: Partial<Extensions> = {}, other: Partial<InferenceRequest> = {}): InferenceRequest {
  const extensions = {
    limit: 5e9,
    maxChargeNano: null,
    priceLock: null,
    maxWaitS: null,
    detached: false,
    store: null,
    retentionDays: null,
  };
  return {
    kind: 'chat',
    model: null,
    stream: false,
    outputCap: 50,
    generation: { body: { messages: [] }, promptBound: 100, promptEstimate: 50 },
    extensions: { ...extensions, ...change },
    askedBy: null,
    idempotency: null,
    ...other,
  };
}

/** The first line of a batch that runs for a day at the prices of the bench, changed by `change`. */
export function testLine(change: Partial<BatchLine> = {}): BatchLine {
  const { id, tariff } = benchListing();
  const expiresAtMs = new ManualClock().nowMs() + DAY_MS;
  return { batchId: 'batch', line: 1, customId: 'first', expiresAtMs, tariffIds: { [id]: tariff.id }, ...change };
}

/** A customer with the settings of a new account. */
export function customerOf(accountId: string, keyId: string | null = 'key'): Customer {
  const wishes = { limitFor: () => null, priceLock: false, orderTimeoutS: 600, retentionDays: 30 };
  return { accountId, keyId, readsOwn: false, ...wishes, logPayloads: false, house: false };
}

/** The parts of an order service that bound it, so wide that no test reaches them unasked. */
export function roomy() {
  return {
    disk: emptyDisk(),
    waits: { minS: 10, maxS: 2_592_000, lockWindowS: 10 },
    pendingLimits: {
      queuedOrdersPerAccount: 2000,
      queuedBatchOrdersPerAccount: 5000,
      queuedOrders: 8000,
      queuedBatchOrders: 20_000,
    },
    waitingBounds: { queuedBytesPerAccount: 2 ** 32, queuedBytes: 2 ** 33, queuedBytesInMemory: 2 ** 27 },
    inputFiles: new MemoryBlobs(),
  };
}

/** The view of one market whose level and quote do not move. */
export function stillMarket(market: string, price: number): Pick<MarketView, 'current' | 'quote'> {
  const of = { model: market, preview: false };
  const figures = { clearRate: null, scarceClearRate: null, attainable: null };
  const snapshot = { ...of, level: price, levelSeq: 1, mode: 'clearing', degraded: false, updatedAtMs: 0 } as const;
  const quote = { ...of, quoteSeq: 1, price, previousPrice: null, validUntilMs: 0, ...figures };
  return {
    current: (model) => (model === market ? snapshot : null),
    quote: (model) => (model === market ? quote : null),
  };
}

/** The customer that submits, and the line of a batch, if any. */
interface Sender {
  readonly customer?: Customer;
  readonly line?: BatchLine;
}

/** The fault of an order that is not done. */
export function faultOf(end: OrderEnd): Fault {
  assert.ok(end.status !== 'done', 'the order is not done');
  return end.fault;
}

type FollowedTicket = Ticket & { readonly outcome: Promise<OrderEnd> };

/** An order service and everything around it. */
export class OrderServiceBench {
  readonly clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly pods = new ScriptedPods();
  readonly disk = emptyDisk();
  readonly results = new MemoryResults(this.journal);
  readonly inputFiles: MemoryBlobs;
  readonly listings: Listings;
  readonly commands: Command[] = [];
  /** How long the settled orders took. */
  readonly runs: RunTimes[] = [];
  /** What observers received of orders that ended. */
  readonly ends: EndedOrder[] = [];
  readonly orderService: OrderService;
  readonly #writeMarketEvent = marketEventWriter({ journal: this.journal, log: silentLog, quoteCommitted: () => {} });
  readonly #start = new Map([['acct', 10_000_000_000n]]);
  #restedSeq = 0;
  #seq = 0;

  /**
   * `exchange` replaces the one that the test plays, `pods` those that it scripts; `wrap` wraps everything that the order
   * service calls, except for the clock, the ids and the log.
   */
  constructor(
    options: {
      limits?: Partial<PendingLimits>;
      bounds?: Partial<WaitingBounds>;
      files?: MemoryBlobs;
      listings?: Listing[];
      level?: number;
      exchange?: (clock: ManualClock) => ExchangePort;
      pods?: (clock: ManualClock) => PodPort;
      log?: Log;
      releaseAfterCommit?: boolean;
      marketAnswerMs?: number;
      wrap?: <Part extends object>(name: string, part: Part) => Part;
    } = {},
  ) {
    const { log = silentLog, wrap = (_name, part) => part, limits, bounds, level = LEVEL } = options;
    const room = roomy();
    this.inputFiles = options.files ?? room.inputFiles;
    this.listings = new Listings(options.listings ?? [benchListing()], 'tide');
    this.journal.accounts.set('acct', { balance: 10_000_000_000n, held: 0n });
    const played: ExchangePort = {
      send: (command) => void this.commands.push(command),
      positions: async (_model, orders) => orders.map(() => null),
      listen: () => {},
    };
    const exchange = options.exchange?.(this.clock) ?? played;
    this.orderService = new OrderService({
      ...room,
      clock: this.clock,
      log,
      ids: idSource(this.clock),
      listings: this.listings,
      market: stillMarket('tide', level),
      exchange: wrap('exchange', exchange),
      journal: wrap('journal', this.journal),
      store: wrap('store', this.journal) as never,
      funds: wrap('funds', this.journal),
      pods: wrap('pods', options.pods?.(this.clock) ?? this.pods),
      results: wrap('results', this.results),
      disk: this.disk,
      bootEpoch: 1,
      settled: (times) => void this.runs.push(times),
      onEnd: (order) => void this.ends.push(order),
      pendingLimits: { ...room.pendingLimits, ...limits },
      waitingBounds: { ...room.waitingBounds, ...bounds },
      inputFiles: this.inputFiles,
      releaseAfterCommit: options.releaseAfterCommit ?? false,
      ...(options.marketAnswerMs === undefined ? {} : { marketAnswerMs: options.marketAnswerMs }),
    });
    exchange.listen((event) => this.#deliver(event));
  }

  get customer(): Customer {
    return customerOf('acct');
  }

  /** The balance and holds of the account. */
  get funds(): Funds {
    const account = this.journal.accounts.get('acct');
    if (!account) throw new Error('the account is gone');
    return account;
  }

  setBalance(balance: bigint): void {
    this.setFunds({ balance, held: 0n });
    this.#start.set('acct', balance);
  }

  /** Changes the account without telling the order service. */
  setFunds(funds: Funds): void {
    this.journal.accounts.set('acct', funds);
  }

  /** Adds money in a way that the order service does not see. */
  credit(amount: bigint): void {
    this.setFunds({ ...this.funds, balance: this.funds.balance + amount });
    this.#start.set('acct', (this.#start.get('acct') ?? 0n) + amount);
  }

  /** Runs what promises have queued. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Submits an order, and waits until the order service has asked the exchange or refused. */
  async submit(
    request = testRequest(),
    { customer = this.customer, line }: Sender = {},
  ): Promise<{ id: string; submission: Promise<Submission> }> {
    const before = this.commands.length;
    const submission = this.orderService.submit(customer, request, line);
    submission.catch(() => {});
    await this.settle();
    const rest = this.commands.slice(before).find((command) => command.type === 'rest');
    return { id: rest?.type === 'rest' ? rest.order : '', submission };
  }

  /** Submits several orders in turn; none has committed when it returns. */
  async submitMany(count: number, request = testRequest()) {
    const submitted = [];
    for (let made = 0; made < count; made++) submitted.push(await this.submit(request));
    return submitted;
  }

  /** The exchange reports that the order rests. */
  async rest(order: string): Promise<void> {
    const restedSeq = ++this.#restedSeq;
    await this.emit({ type: 'rested', model: 'tide', seq: ++this.#seq, order, restedSeq });
  }

  /** The exchange chooses the order. */
  async admit(
    order: string,
    options: { attempt?: number; pod?: string; level?: number; epoch?: number } = {},
  ): Promise<void> {
    const { attempt = 1, pod = 'pod-1', level = LEVEL, epoch } = options;
    const restedSeq = ++this.#restedSeq;
    await this.emit({
      type: 'admit',
      model: 'tide',
      seq: ++this.#seq,
      order,
      attempt,
      restedSeq,
      pod,
      level,
      levelSeq: 1,
      ...(epoch === undefined ? {} : { epoch }),
    });
  }

  async emit(event: ExchangeEvent): Promise<void> {
    this.#deliver(event);
    await this.settle();
  }

  #deliver(event: ExchangeEvent): void {
    if (isMarketEvent(event)) void this.#writeMarketEvent(event);
    else this.orderService.onExchangeEvent(event);
  }

  /** Submits an order that starts at once. */
  async running(request = testRequest(), sender: Sender = {}): Promise<FollowedTicket> {
    const { id, submission } = await this.submit(request, sender);
    await this.admit(id);
    return followed(await submission);
  }

  /** Submits an order that rests. */
  async waiting(request = testRequest(), sender: Sender = {}): Promise<FollowedTicket> {
    const { id, submission } = await this.submit(request, sender);
    await this.rest(id);
    return followed(await submission);
  }

  /** The commands of one type, newest last. */
  sent<Type extends Command['type']>(type: Type): Extract<Command, { type: Type }>[] {
    return this.commands.filter((command): command is Extract<Command, { type: Type }> => command.type === type);
  }

  row(id: string) {
    const row = this.journal.orders.get(id);
    if (!row) throw new Error(`no row of order ${id}`);
    return row;
  }

  /** From now on the journal rejects units of these kinds. */
  refuse(...kinds: readonly JournalUnit['kind'][]): void {
    const { journal } = this;
    const write = journal.write.bind(journal);
    journal.write = (unit, overdue) =>
      kinds.includes(unit.kind) ? Promise.reject(new Error(`planted in ${unit.kind}`)) : write(unit, overdue);
  }

  /** Changes the row of an order without telling the order service. */
  change(id: string, change: Partial<OrderRow>): void {
    this.journal.orders.set(id, { ...this.row(id), ...change });
  }

  /** Fails unless the accounts agree with the orders. */
  audit(): void {
    this.journal.audit(this.#start);
  }
}

function followed(submission: Submission): FollowedTicket {
  if (submission.type !== 'order') throw new Error(`expected an order, got a ${submission.type}`);
  const { ticket } = submission;
  const outcome = new Promise<OrderEnd>((resolve) => {
    ticket.watch({ events: () => {}, ended: resolve });
  });
  return Object.assign(ticket, { outcome });
}

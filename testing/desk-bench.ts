/** A desk on a workbench: model journal, scripted pods, and an exchange that the test plays by hand. */
import { ManualClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { type Listing, Listings } from '#market/listing.ts';
import type { Command, ExchangeEvent, ExchangePort } from '#market/ports.ts';
import { Desk } from '#orders/desk.ts';
import type { OrderEnd, Submission, Ticket } from '#orders/order-port.ts';
import type { ResultStore } from '#orders/ports.ts';
import type { Customer, Extensions, InferenceRequest } from '#orders/request.ts';
import { marketListing } from './listings.ts';
import { MemoryJournal } from './memory-journal.ts';
import { ScriptedPods } from './scripted-pods.ts';

const LEVEL = 1e9;

/** The listing of the bench: 8,192 tokens of context, half of them output. */
export function benchListing(change: Partial<Listing> = {}): Listing {
  return marketListing({ id: 'tide', contextLength: 8192, outputLengthMax: 4096, ...change });
}

/** More text than a settlement takes along: such a result goes to the result store. */
export const LARGE_TEXT = 'Hi'.repeat(50_000);

/** A request for 100 prompt tokens at most and 50 of output, bidding 5 dollars. */
export function testRequest(change: Partial<Extensions> = {}, other: Partial<InferenceRequest> = {}): InferenceRequest {
  const extensions = {
    priceLimit: 5e9,
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
    generation: { body: { messages: [] }, promptBound: 100, promptEstimate: 50, images: 0 },
    extensions: { ...extensions, ...change },
    askedBy: null,
    idempotency: null,
    ...other,
  };
}

/** Results in memory, those of a journal among them; `failing` plays a full disk. */
class MemoryResults implements ResultStore {
  /** What was put. */
  readonly bodies = new Map<string, string>();
  failing = false;
  readonly #settled: ReadonlyMap<string, string>;

  /** `settled` are the bodies that settlements kept. */
  constructor(settled: ReadonlyMap<string, string>) {
    this.#settled = settled;
  }

  async put(orderId: string, body: string): Promise<void> {
    if (this.failing) throw new Error('no space left on device');
    this.bodies.set(orderId, body);
  }
  async putLightly(orderId: string, body: string): Promise<void> {
    await this.put(orderId, body);
  }
  async getCheap(): Promise<ReadonlyMap<string, string>> {
    return this.bodies;
  }
  async get(orderId: string): Promise<string | null> {
    return this.#settled.get(orderId) ?? this.bodies.get(orderId) ?? null;
  }
  async delete(orderId: string): Promise<void> {
    this.bodies.delete(orderId);
  }
}

/** A desk and everything around it. */
export class DeskBench {
  readonly clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly pods = new ScriptedPods();
  readonly results = new MemoryResults(this.journal.answers);
  readonly commands: Command[] = [];
  readonly desk: Desk;
  readonly #start = new Map([['acct', 10_000_000_000n]]);
  #restedSeq = 0;
  #seq = 0;

  /** `exchange` takes the place of the one that the test plays. */
  constructor(
    options: {
      queuedOrdersMax?: number;
      queuedLinesMax?: number;
      listings?: Listing[];
      level?: number;
      exchange?: (clock: ManualClock) => ExchangePort;
    } = {},
  ) {
    const level = options.level ?? LEVEL;
    this.journal.accounts.set('acct', { balance: 10_000_000_000n, held: 0n });
    const played: ExchangePort = {
      send: (command) => void this.commands.push(command),
      positions: async (_model, orders) => orders.map(() => null),
      listen: () => {},
    };
    const exchange = options.exchange?.(this.clock) ?? played;
    this.desk = new Desk({
      clock: this.clock,
      log: silentLog,
      ids: idSource(this.clock),
      listings: new Listings(options.listings ?? [benchListing()], 'tide'),
      market: {
        current: (model) =>
          model === 'tide'
            ? { model, level, levelSeq: 1, mode: 'clearing', degraded: false, updatedAtMs: 0, preview: false }
            : null,
        quote: (model) =>
          model === 'tide'
            ? { model, price: level, previousPrice: null, validUntilMs: 0, clearRate: null, preview: false }
            : null,
      },
      quoteCommitted: () => {},
      exchange,
      journal: this.journal,
      store: this.journal as never,
      funds: this.journal,
      pods: this.pods,
      results: this.results,
      waits: { minS: 10, maxS: 2_592_000, lockWindowS: 10 },
      bootEpoch: 1,
      queuedOrdersMax: options.queuedOrdersMax ?? 2000,
      queuedLinesMax: options.queuedLinesMax ?? 5000,
    });
    exchange.listen((event) => this.desk.onExchangeEvent(event));
  }

  get customer(): Customer {
    return {
      accountId: 'acct',
      keyId: 'key',
      priceLimitFor: () => null,
      priceLock: false,
      orderTimeoutS: 600,
      retentionDays: 30,
      logPayloads: false,
      house: false,
    };
  }

  /** What the account has. */
  get funds(): { balance: bigint; held: bigint } {
    const account = this.journal.accounts.get('acct');
    if (!account) throw new Error('the account is gone');
    return account;
  }

  setBalance(balance: bigint): void {
    this.journal.accounts.set('acct', { balance, held: 0n });
    this.#start.set('acct', balance);
  }

  /** Money arrives by a way that the desk does not see. */
  credit(amount: bigint): void {
    this.funds.balance += amount;
    this.#start.set('acct', (this.#start.get('acct') ?? 0n) + amount);
  }

  /** Lets promises run. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Submits and waits until the desk has asked the exchange, or has refused. */
  async submit(request = testRequest()): Promise<{ id: string; submission: Promise<Submission> }> {
    const before = this.commands.length;
    const submission = this.desk.submit(this.customer, request);
    submission.catch(() => {});
    await this.settle();
    const rest = this.commands.slice(before).find((command) => command.type === 'rest');
    return { id: rest?.type === 'rest' ? rest.order : '', submission };
  }

  /** Submits several, one after the other; none has committed when it returns. */
  async submitMany(count: number, request = testRequest()) {
    const submitted = [];
    for (let made = 0; made < count; made++) submitted.push(await this.submit(request));
    return submitted;
  }

  /** The exchange says that the order rests. */
  async rest(order: string): Promise<void> {
    const restedSeq = ++this.#restedSeq;
    await this.tell({ type: 'rested', model: 'tide', seq: ++this.#seq, order, restedSeq });
  }

  /** The exchange chooses the order. */
  async admit(order: string, options: { attempt?: number; pod?: string; level?: number } = {}): Promise<void> {
    const { attempt = 1, pod = 'pod-1', level = LEVEL } = options;
    const restedSeq = ++this.#restedSeq;
    await this.tell({
      type: 'admit',
      model: 'tide',
      seq: ++this.#seq,
      order,
      attempt,
      restedSeq,
      pod,
      level,
      levelSeq: 1,
    });
  }

  async tell(event: ExchangeEvent): Promise<void> {
    this.desk.onExchangeEvent(event);
    await this.settle();
  }

  /** Submits an order that starts at once. */
  async running(request = testRequest()): Promise<Ticket & { outcome: Promise<OrderEnd> }> {
    const { id, submission } = await this.submit(request);
    await this.admit(id);
    return followed(await submission);
  }

  /** Submits an order that rests. */
  async waiting(request = testRequest()): Promise<Ticket & { outcome: Promise<OrderEnd> }> {
    const { id, submission } = await this.submit(request);
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

  /** Fails unless the model's books agree. */
  audit(): void {
    this.journal.audit(this.#start);
  }
}

function followed(submission: Submission): Ticket & { outcome: Promise<OrderEnd> } {
  if (submission.type !== 'order') throw new Error(`expected an order, got a ${submission.type}`);
  const { ticket } = submission;
  const outcome = new Promise<OrderEnd>((resolve) => {
    ticket.watch({ events: () => {}, ended: resolve });
  });
  return Object.assign(ticket, { outcome });
}

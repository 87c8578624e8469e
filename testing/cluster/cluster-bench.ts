/** Several gateways under test, what their callers do, and what befalls them; a seed repeats all of it. */
import assert from 'node:assert/strict';
import type { Random } from '#base/random.ts';
import type { OrderEnd, Ticket } from '#orders/order-port.ts';
import { benchListing, testRequest } from '../order-service-bench.ts';
import { BenchGateway, drawsOf, type GatewayOmissions } from './bench-gateway.ts';
import { FaultySession } from './faulty-sessions.ts';
import { type Omissions, SharedDatabase } from './shared-database.ts';
import { SharedTime } from './shared-time.ts';

const SLOTS = { 'pod-1': 3, 'pod-2': 2 };
const BALANCE = 900_000n;

export interface BenchOptions {
  readonly omit?: Omissions & GatewayOmissions;
}

/** Gateways, callers and faults. */
export class ClusterBench {
  readonly time = new SharedTime();
  readonly database: SharedDatabase;
  readonly #seed: number;
  readonly #options: BenchOptions;
  readonly #random: Random;
  readonly #sessions: FaultySession[] = [];
  readonly #gateways: BenchGateway[] = [];
  readonly #tickets: { readonly ticket: Ticket; readonly gateway: BenchGateway }[] = [];
  readonly #ends = new Map<string, number>();
  readonly #start = new Map<string, bigint>();
  #error: unknown = null;

  constructor(seed: number, options: BenchOptions = {}) {
    this.#seed = seed;
    this.#options = options;
    this.#random = drawsOf(seed, 0);
    this.database = new SharedDatabase(this.time, drawsOf(seed, 1), SLOTS, options.omit ?? {});
    for (const account of ['ann', 'ben']) {
      this.database.journal.accounts.set(account, { balance: BALANCE, held: 0n });
      this.#start.set(account, BALANCE);
    }
    for (let made = 0; made < 3; made++) this.#join();
  }

  /** What has happened. */
  get seen(): Set<string> {
    return this.database.seen;
  }

  draw(): number {
    return this.#random.next();
  }

  get alive(): BenchGateway[] {
    return this.#gateways.filter(({ ended }) => !ended);
  }

  async pass(ms: number): Promise<void> {
    await this.time.pass(ms, () => {
      if (this.#error) throw this.#error;
    });
  }

  /** Callers order, leave, cancel and reprice; pods go on. */
  act(): void {
    for (const gateway of this.alive) {
      if (gateway.process.paused) continue;
      if (this.draw() < 0.5) this.#order(gateway);
      this.#playPods(gateway, 0.12);
    }
    const chosen = this.#pick(this.#tickets);
    if (chosen && !chosen.gateway.ended && !chosen.gateway.process.paused) this.#touch(chosen.ticket, chosen.gateway);
    this.draw();
    if (this.draw() < 0.2) this.#credit(150_000n);
  }

  /** Sessions break, gateways end or stand still, others come. */
  fail(): void {
    if (this.draw() < 0.06) this.#pick(this.#sessions)?.cut();
    const victim = this.#pick(this.alive.filter(({ process }) => !process.paused));
    const spare = this.alive.filter(({ process }) => !process.paused).length > 1;
    if (victim && spare && this.draw() < 0.012) {
      victim.end();
      this.#cutAll();
      this.seen.add('killed');
    } else if (victim && spare && this.draw() < 0.02) {
      victim.process.pause();
      this.time.after(500 + this.draw() * (this.draw() < 0.3 ? 20_000 : 6_000), () => victim.process.resume());
    }
    if (this.alive.length < 3 && this.draw() < 0.05) this.#join();
    if (this.draw() < 0.01) void this.alive.find(({ owns, process }) => owns && !process.paused)?.handOver();
  }

  heal(): void {
    for (const { process } of this.alive) if (process.paused) process.resume();
  }

  /** Every order that waits is in the book of the owner, at its place, and every slot is one of a row. */
  async checkBook(): Promise<void> {
    const owners = this.alive.filter(({ owns }) => owns);
    assert.equal(owners.length, 1, 'one gateway owns the market');
    const rows = this.database.journal.orders.values();
    const waiting = rows.filter(({ status }) => status === 'queued');
    const ids = new Set(this.alive.map(({ id }) => id));
    for (const { bootEpoch, status } of rows) {
      if (status === 'queued' || status === 'executing')
        assert.ok(ids.has(bootEpoch), 'every live order is of a living gateway');
    }
    const written = new Set(waiting.map(({ id }) => id));
    // An order that waited for money has its place from then on, which its row does not say.
    const inBook = this.alive.flatMap(({ orderService }) =>
      orderService.standing('tide').rests.filter(({ order }) => written.has(order)),
    );
    for (const gateway of this.alive) {
      const asked = gateway.exchange.positions(
        'tide',
        inBook.map(({ order }) => order),
      );
      await this.pass(1_900);
      const places = await asked;
      // An owner that does not know yet that it is none may give a place that the next one gave: then either is first.
      const placeOf = ({ bid, restedSeq }: (typeof inBook)[number]) => [-bid, restedSeq ?? 0] as const;
      const expected = inBook.map(placeOf).toSorted(([bid, seq], [bid2, seq2]) => bid - bid2 || seq - seq2);
      const found = inBook.map((row, index) => [placeOf(row), places[index] ?? -1] as const);
      const ranked = found.toSorted(([, one], [, two]) => one - two).map(([place]) => place);
      const isSame = found.every(([, place]) => place > 0);
      if (this.#settled()) {
        assert.ok(isSame, 'every order that waits is in the book');
        assert.deepEqual(ranked, expected, 'in its place');
      }
    }
  }

  /** Lets every order end, and looks at the books. */
  async end(): Promise<void> {
    this.#credit(10_000_000_000n);
    for (let turn = 0; turn < 600 && this.#live().length > 0; turn++) {
      for (const gateway of this.alive) this.#playPods(gateway, 1);
      await this.pass(200);
    }
    assert.deepEqual(
      this.#live().map(({ status, bootEpoch }) => [status, bootEpoch]),
      [],
      'every order has ended',
    );
    await this.pass(2_000);
    this.database.journal.audit(this.#start);
    for (const [order, times] of this.#ends) assert.equal(times, 1, `${order} ended once`);
    for (const row of this.database.journal.orders.values()) this.seen.add(row.status);
    for (const { orderService } of this.alive) {
      const { rests, holds } = orderService.standing('tide');
      assert.deepEqual([rests, holds], [[], []]);
      assert.deepEqual(orderService.counts(), { queued: 0, inflight: 0 });
    }
    if (this.database.journal.parked > 0) this.seen.add('parked');
    await this.#everySlotIsFree();
  }

  /** As many orders as there are slots start at once. */
  async #everySlotIsFree(): Promise<void> {
    const [gateway] = this.alive;
    assert.ok(gateway);
    for (let made = 0; made < 5; made++) this.#order(gateway, 9e9);
    await this.pass(1_000);
    assert.equal(this.#live().filter(({ status }) => status === 'executing').length, 5, 'every slot came back');
  }

  #settled(): boolean {
    return this.alive.every(({ process }) => !process.paused);
  }

  #live() {
    return this.database.journal.orders.where("status IN ('queued', 'executing')");
  }

  #join(): void {
    const id = 100 + this.#gateways.length;
    const gateway = new BenchGateway({
      ...{ id, time: this.time, random: drawsOf(this.#seed, id), database: this.database, slots: SLOTS },
      listing: benchListing({ floor: 2e8 }),
      omit: this.#options.omit ?? {},
    });
    for (const other of this.alive) {
      this.#sessions.push(new FaultySession(this.time, drawsOf(this.#seed, id * 10 + other.id), [other, gateway]));
    }
    this.#gateways.push(gateway);
  }

  #cutAll(): void {
    for (const session of this.#sessions) session.cut();
  }

  #order(gateway: BenchGateway, limit = Math.ceil(this.draw() * 8) * 1e8): void {
    const wishes = {
      limit,
      maxWaitS: this.draw() < 0.1 ? 10 : 6000,
      detached: this.draw() < 0.5,
      priceLock: this.draw() < 0.1,
    };
    const customer = {
      ...{ accountId: this.draw() < 0.5 ? 'ann' : 'ben', keyId: 'key', limitFor: () => null, priceLock: false },
      ...{ orderTimeoutS: 6000, retentionDays: 30, logPayloads: false, house: false },
    };
    gateway.orderService.submit(customer, testRequest(wishes)).then(
      (submission) => {
        if (submission.type !== 'order') return;
        const { ticket } = submission;
        this.#tickets.push({ ticket, gateway });
        ticket.watch({ events: () => {}, ended: (end) => this.#ended(ticket.orderId, end) });
      },
      () => {},
    );
  }

  #ended(order: string, { status }: OrderEnd): void {
    this.seen.add(status);
    this.#ends.set(order, (this.#ends.get(order) ?? 0) + 1);
  }

  #touch(ticket: Ticket, { orderService }: BenchGateway): void {
    const draw = this.draw();
    const { accountId = 'ann' } = this.database.journal.orders.get(ticket.orderId) ?? {};
    if (draw < 0.2) ticket.leave();
    else if (draw < 0.4) orderService.cancel(accountId, ticket.orderId).catch(() => {});
    else if (draw < 0.7) {
      orderService.reprice(accountId, [ticket.orderId], Math.ceil(this.draw() * 8) * 1e8).catch(() => {});
    }
  }

  #playPods(gateway: BenchGateway, rate: number): void {
    for (const attempt of gateway.pods.attempts) {
      if (attempt.ended || gateway.process.paused || this.draw() > rate) continue;
      const draw = this.draw();
      if (draw < 0.3) attempt.say('more');
      else if (draw < 0.8) attempt.say('done').finish({ promptTokens: 90, cachedTokens: 30, outputTokens: 20 });
      else if (draw < 0.9) attempt.end({ kind: 'no-slot' });
      else if (draw < 0.97) attempt.end({ kind: 'failed', reason: 'planted' });
      else attempt.end({ kind: 'refused', message: 'planted' });
    }
  }

  #credit(amount: bigint): void {
    const { accounts } = this.database.journal;
    for (const name of this.#start.keys()) {
      const { balance, held } = accounts.get(name) ?? { balance: 0n, held: 0n };
      accounts.set(name, { balance: balance + amount, held });
      this.#start.set(name, (this.#start.get(name) ?? 0n) + amount);
    }
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.draw() * items.length)];
  }
}

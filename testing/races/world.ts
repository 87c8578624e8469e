/**
 * A world in which races show: gateways, pods and callers, where everything that is waited for ends when the seed says.
 * After every step it looks at what must always hold, and in the end at what must be left. The same seed repeats it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '#base/clock.ts';
import { seededRandom } from '#base/random.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { LiveOrder } from '#orders/live-order.ts';
import { isTerminal } from '#orders/order.ts';
import type { OrderEnd, Ticket } from '#orders/order-port.ts';
import { LeaseTable } from '#simulations/cluster/lease-table.ts';
import { SimulatedNetwork } from '#simulations/cluster/simulated-network.ts';
import { SimulatedTime } from '#simulations/cluster/simulated-time.ts';
import { MemoryBlobs } from '../memory-blobs.ts';
import { customerOf, testRequest } from '../order-service-bench.ts';
import { Delays } from './delays.ts';
import { History } from './history.ts';
import { RaceGateway, restart, type Shared } from './race-gateway.ts';
import { RacePods } from './race-pods.ts';
import { SharedRows } from './shared-rows.ts';

const BALANCE = 900_000n;
const HOUR_MS = 3_600_000;
const STEPS = 60;
/** Longer than any delay, and than it takes until a dead gateway is adopted. */
const CALM_MS = 20_000;
const DRAIN_MS = 10_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** One gateway after the other, or three at a time that share a database. */
export type WorldKind = 'alone' | 'cluster';

/** How many worlds end before the memory is searched: a collection takes as long as a world. */
const WORLDS_PER_SEARCH = 10;

/** Lives worlds of these seeds to their end; the kinds of what happened. Rejects with the first Finding. */
export async function liveAll(kind: WorldKind, from: number, to: number): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (let first = from; first <= to; first += WORLDS_PER_SEARCH) {
    const worlds: World[] = [];
    for (let seed = first; seed <= Math.min(to, first + WORLDS_PER_SEARCH - 1); seed++) {
      const world = new World(kind, seed);
      for (const what of await world.live()) seen.add(what);
      worlds.push(world);
    }
    // What dies while a collection is under way is only found by the next one.
    for (let search = 0; search < 2 && worlds.some((world) => search === 0 || world.kept !== null); search++) {
      await new Promise(setImmediate);
      collect();
    }
    for (const world of worlds) world.checkMemory();
  }
  return seen;
}

class World {
  readonly #time = new SimulatedTime();
  readonly #clock: Clock = {
    nowMs: () => this.#time.nowMs(),
    after: (ms, run) =>
      this.#time.after(ms, () => {
        this.#look();
        run();
      }),
  };
  readonly #shared: Shared;
  readonly #gateways: RaceGateway[] = [];
  readonly #size: number;
  #joined = 0;
  readonly #ends = new Map<string, OrderEnd['status'] | 'uncertain'>();
  readonly #seenOrders = new Map<string, { readonly gateway: GatewayId; readonly memory: WeakRef<LiveOrder> }>();
  readonly #start = new Map([['ann', BALANCE], ['ben', BALANCE]]);

  constructor(kind: WorldKind, seed: number) {
    const clock = this.#clock;
    const table = kind === 'alone' ? null : new LeaseTable(clock);
    const delays = new Delays(clock, seededRandom(seed * 2));
    const history = new History(`${kind} ${seed}`, () => clock.nowMs());
    const pods = new RacePods(clock, delays, history);
    const rows = new SharedRows({ delays, history, table, pods });
    const network = new SimulatedNetwork({ clock, random: seededRandom(seed * 2 + 1), delayMs: { min: 0, max: 15 } });
    pods.isBuried = (gateway) => !rows.passes(gateway);
    this.#shared = { network, delays, history, pods, rows, table, kept: new MemoryBlobs(), made: new Set() };
    if (table) table.slots = () => rows.slotsHeld;
    this.#size = kind === 'alone' ? 1 : 3;
    for (const [account, balance] of this.#start) rows.journal.accounts.set(account, { balance, held: 0n });
    rows.journal.budgets.set('key', { amount: BALANCE * 1000n, spent: 0n, held: 0n });
  }

  async live(): Promise<ReadonlySet<string>> {
    const { delays, history } = this.#shared;
    for (let made = 0; made < this.#size; made++) this.#join();
    await this.#pass(1_500);
    for (let step = 0; step < STEPS; step++) {
      this.#act();
      this.#fail();
      await this.#pass(delays.draw(150));
    }
    delays.failing = false;
    for (const gateway of this.#alive) this.#resume(gateway);
    // A gateway that drains ends first.
    if (this.#alive.every(({ draining }) => draining)) await this.#pass(DRAIN_MS);
    if (this.#alive.length === 0) this.#join();
    await this.#pass(CALM_MS);
    this.#checkPlaces();
    await this.#checkBook();
    this.#shared.rows.stuck.clear();
    this.#credit(10_000_000_000n);
    await this.#pass(10_000);
    await this.#checkSlots();
    await this.#end();
    return history.seen;
  }

  get #alive(): RaceGateway[] {
    return this.#gateways.filter(({ ended }) => !ended);
  }

  async #pass(ms: number): Promise<void> {
    await this.#time.pass(ms);
    this.#look();
  }

  /** What a gateway left in its only database is recovered when all that it sent has arrived there. */
  #join(): void {
    const { history } = this.#shared;
    const id = 101 + this.#joined++;
    const begun = (gateway: RaceGateway) => {
      this.#gateways.push(gateway);
      history.note(`${id} begins`);
    };
    if (this.#size > 1) begun(new RaceGateway(id, this.#shared));
    else this.#clock.after(id === 101 ? 0 : 5_000, () => void restart(id, this.#shared).then(begun, (error) => history.find(error)));
  }

  #act(): void {
    const { delays, made, rows } = this.#shared;
    for (const gateway of this.#alive) if (gateway.works && delays.draw() < 0.7) this.#order(gateway);
    if (delays.draw() < 0.2) this.#credit(150_000n);
    for (const id of made) {
      const row = rows.journal.orders.get(id);
      if (row && isTerminal(row.status) && !this.#alive.some(({ orderService }) => orderService.ticket(id))) made.delete(id);
    }
  }

  #fail(): void {
    const { delays, network, rows, history } = this.#shared;
    const working = this.#alive.filter(({ works }) => works);
    const victim = working[Math.floor(delays.draw(working.length))];
    const draw = delays.draw();
    if (this.#gateways.length === this.#joined && this.#alive.length < this.#size && delays.draw() < 0.05) this.#join();
    if (!victim) return;
    const isSpare = this.#size === 1 || working.length > 1;
    if (draw < 0.02 && isSpare) {
      const own = rows.live.filter(({ bootEpoch, outlives }) => bootEpoch === victim.id && !outlives);
      if (own[0] && this.#size > 1 && delays.draw() < 0.5) rows.stuck.add(own[0].id);
      victim.end();
    } else if (draw < 0.03 && isSpare) void victim.leave();
    else if (draw < 0.045 && this.#size > 1 && isSpare) {
      victim.paused = true;
      history.note(`${victim.id} stands still`);
      network.pause(victim.id);
      this.#clock.after(500 + delays.draw(delays.draw() < 0.3 ? 20_000 : 6_000), () => this.#resume(victim));
    } else if (draw < 0.055) {
      victim.stepMs += delays.draw() < 0.5 ? HOUR_MS : -HOUR_MS;
      history.note(`the clock of ${victim.id} steps to ${victim.stepMs}`);
    } else if (draw < 0.1) for (const { id } of working) network.reset(victim.id, id);
  }

  #resume(gateway: RaceGateway): void {
    if (!gateway.paused) return;
    gateway.paused = false;
    this.#shared.history.note(`${gateway.id} goes on`);
    this.#shared.network.resume(gateway.id);
  }

  /** An order, and what its caller will do. */
  #order(gateway: RaceGateway, limit?: number): void {
    const { delays } = this.#shared;
    const bid = () => limit ?? Math.ceil(delays.draw(8)) * 1e8;
    const size = delays.draw() < 0.02 ? 300_000 : delays.draw() < 0.5 ? 20 : delays.draw(3_000);
    const wishes = {
      limit: bid(),
      maxWaitS: delays.draw() < 0.1 && !limit ? 10 : 2_000_000,
      detached: delays.draw() < 0.4,
      priceLock: delays.draw() < 0.1,
      retentionDays: delays.draw() < 0.2 ? 0 : 30,
    };
    const key = delays.draw() < 0.1 ? { key: `key-${Math.floor(delays.draw(5))}`, fingerprint: 'same' } : null;
    const generation = { body: { text: 'x'.repeat(size) }, promptBound: 100, promptEstimate: 50, images: 0 };
    const accountId = delays.draw() < 0.5 ? 'ann' : 'ben';
    const customer = customerOf(accountId);
    const [watches, leaves, cancels, reprices] = [0.8, 0.2, 0.15, 0.25].map((share) => delays.draw() < share);
    const laterMs = () => (delays.draw() < 0.5 ? delays.draw(100) : delays.draw(3_000));
    gateway.orderService.submit(customer, testRequest(wishes, { generation, idempotency: key })).then(
      (submission) => {
        if (submission.type !== 'order' || gateway.ended) return;
        const { ticket } = submission;
        if (watches) ticket.watch({ events: () => {}, ended: (end) => this.#ended(ticket.orderId, end) });
        if (leaves) this.#later(gateway, laterMs(), () => this.#leave(ticket));
        const { orderId } = ticket;
        if (cancels) this.#later(gateway, laterMs(), () => gateway.orderService.cancel(accountId, orderId));
        if (reprices) this.#later(gateway, laterMs(), () => gateway.orderService.reprice(accountId, [orderId], bid()));
      },
      () => {},
    );
  }

  #later(gateway: RaceGateway, ms: number, run: () => Promise<unknown>): void {
    this.#clock.after(ms, () => {
      if (gateway.works) run().catch(() => {});
    });
  }

  async #leave(ticket: Ticket): Promise<void> {
    this.#shared.history.note(`the caller of ${ticket.orderId} leaves`);
    ticket.leave();
  }

  #ended(order: string, end: OrderEnd): void {
    const { history } = this.#shared;
    if (this.#ends.has(order)) history.find(`${order} ended twice for its caller`);
    const isUncertain = end.status !== 'done' && ['settlement_uncertain', 'unavailable'].includes(end.fault.code);
    this.#ends.set(order, isUncertain ? 'uncertain' : end.status);
  }

  #credit(amount: bigint): void {
    const { accounts } = this.#shared.rows.journal;
    for (const [name, start] of this.#start) {
      const { balance, held } = accounts.get(name) ?? { balance: 0n, held: 0n };
      accounts.set(name, { balance: balance + amount, held });
      this.#start.set(name, start + amount);
    }
  }

  /** What must hold after every step: what is counted is what is there. */
  #look(): void {
    const { history } = this.#shared;
    for (const gateway of this.#alive) {
      if (gateway.paused) continue;
      const { orderService, writing, orders } = gateway;
      const queued = orders.filter(({ phase }) => phase === 'queued');
      const counts = orderService.counts();
      if (counts.queued !== queued.length || counts.inflight !== orders.length - queued.length)
        history.find(`${gateway.id} counts ${counts.queued} queued orders and has ${queued.length}`);
      const { waiting, inMemory } = orderService.waitingBytes;
      const bytes = sum(queued.map(({ input }) => input?.bytes ?? 0));
      if (waiting !== bytes) history.find(`${gateway.id} counts ${waiting} bytes that wait where ${bytes} do`);
      const held = sum(orders.map(({ input }) => (input && ['memory', 'moving'].includes(input.place) ? input.bytes : 0)));
      if (writing === 0 && inMemory !== held)
        history.find(`${gateway.id} counts ${inMemory} bytes in memory where ${held} are`);
      for (const order of orders)
        if (this.#seenOrders.get(order.orderId)?.gateway !== gateway.id)
          this.#seenOrders.set(order.orderId, { gateway: gateway.id, memory: new WeakRef(order) });
    }
    history.check();
  }

  /** Every live order is in the memory of the gateway that its row names, and of no other. */
  #checkPlaces(): void {
    const { rows, history } = this.#shared;
    for (const { id, bootEpoch, status } of rows.live) {
      if (rows.stuck.has(id) || rows.refused.has(id)) continue;
      const places = this.#alive.filter(({ orderService }) => orderService.ticket(id)).map(({ id: gateway }) => gateway);
      if (places.join() !== `${bootEpoch}`) history.find(`${id} is ${status} at ${bootEpoch}, and in the memory of [${places}]`);
    }
    history.check();
  }

  /** Every order that waits is in the book of the owner, at its place. */
  async #checkBook(): Promise<void> {
    const { rows, history } = this.#shared;
    const [gateway] = this.#alive;
    if (!gateway) return;
    const owners = this.#alive.filter(({ owns }) => owns).map(({ id }) => id);
    if (owners.length !== 1) history.find(`[${owners}] own the market`);
    const parked = new Set(this.#alive.flatMap(({ orderService }) => orderService.standing('tide').parked));
    const waits = (id: string) => rows.live.some((row) => row.id === id && row.status === 'queued');
    const waiting = rows.live.filter(({ id, accountId, status }) => status === 'queued' && !parked.has(accountId) && !rows.stuck.has(id) && !rows.refused.has(id));
    const asked = gateway.exchange.positions('tide', waiting.map(({ id }) => id));
    await this.#pass(1_900);
    const places = await asked;
    for (const [index, { id }] of waiting.entries()) {
      if ((places[index] ?? null) === null && waits(id)) history.find(`${id} waits in no book`);
    }
    history.check();
  }

  /** Lets every order end, and looks at what is left. */
  async #end(): Promise<void> {
    const { rows, history } = this.#shared;
    const left = () => rows.live.filter(({ id }) => !rows.refused.has(id));
    for (let turn = 0; turn < 600 && left().length > 0; turn++) await this.#pass(200);
    for (const { id, status, bootEpoch } of left()) history.find(`${id} of ${bootEpoch} is ${status} and does not end`);
    await this.#pass(15_000);
    rows.journal.audit(this.#start);
    for (const row of rows.journal.orders.values()) this.#checkEnd(row.id, row.status);
    for (const { id, orderService } of this.#alive) {
      const { rests, holds } = orderService.standing('tide');
      const { queued, inflight } = orderService.counts();
      if (rests.length + holds.length + queued + inflight > 0) history.find(`${id} still has orders`);
    }
    history.check();
  }

  #checkEnd(id: string, status: string): void {
    const { rows, history, pods } = this.#shared;
    history.seen.add(status);
    const told = this.#ends.get(id);
    if (rows.refused.has(id)) return;
    if (pods.delivered.has(id) && status !== 'done') history.find(`${id} was delivered and is ${status}`);
    if (told && told !== 'uncertain' && (told === 'done') !== (status === 'done'))
      history.find(`the caller of ${id} heard ${told}, and it is ${status}`);
    history.check();
  }

  /** An order that has ended and is still in the memory of a gateway; null for none. */
  get kept(): string | null {
    const { rows } = this.#shared;
    for (const [id, order] of this.#seenOrders) {
      const row = rows.journal.orders.get(id);
      const lives = this.#alive.some((gateway) => gateway.id === order.gateway);
      if (lives && (!row || isTerminal(row.status)) && order.memory.deref()) return `${id} in the memory of ${order.gateway}`;
    }
    return null;
  }

  checkMemory(): void {
    const { history } = this.#shared;
    if (this.kept !== null) history.find(`what has ended is kept: ${this.kept}`);
    history.check();
  }

  /** Every slot can be used at the same time. */
  async #checkSlots(): Promise<void> {
    const { history, pods } = this.#shared;
    const gateway = this.#alive.find(({ works }) => works);
    pods.most = 0;
    for (let turn = 0; gateway && turn < 100 && pods.most < pods.slotsInAll; turn++) {
      for (let made = 0; made < (turn === 0 ? 10 : 1); made++) this.#order(gateway, 9e9);
      await this.#pass(50);
    }
    if (gateway && pods.most < pods.slotsInAll) history.find(`no more than ${pods.most} slots are used`);
    history.check();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

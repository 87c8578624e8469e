/**
 * The rows that the gateways of a world share: the real units in memory. Each commit is compared with what must always
 * hold. The last steps are kept for the message of a finding.
 */
import type { Clock } from '#base/clock.ts';
import type { LevelRow, RecoveredQuote } from '#market/ports.ts';
import type { OrderRow } from '#orders/order.ts';
import {
  type GatewayOutcome,
  type GatewayUnit,
  type Group,
  OutOfReach,
  SimulatedDatabase,
  type SimulatedDatabaseOptions,
} from '#simulations/cluster/simulated-database.ts';
import { MemoryBlobs } from '../memory-blobs.ts';
import { MemoryJournal } from '../memory-journal.ts';

/** The market of a world. */
export const MARKET = 'market-1';
const BALANCE = 200_000n;
const CREDIT = { everyMs: 300, amount: 25_000n, finally: 10_000_000_000n };
const NOTES = 40;

/** The rows of a world. Until `calmAtMs` calls fail now and then. */
export class RaceRows extends SimulatedDatabase {
  readonly journal = new MemoryJournal();
  /** Orders that had output, or were stopped while they ran. */
  readonly produced = new Set<string>();
  /** The inputs of orders that outlive their callers, which all gateways read. */
  readonly kept = new MemoryBlobs();
  /** The ids of all orders. */
  readonly made = new Set<string>();
  /** Orders that cannot be taken over for now. */
  readonly stuck = new Set<string>();
  readonly #options: SimulatedDatabaseOptions;
  readonly #calmAtMs: number;
  readonly #credited = new Map<string, bigint>();
  readonly #quotes: RecoveredQuote[] = [];
  readonly #notes: string[] = [];
  readonly #wrongHolds = this.journal.database.prepare(`SELECT id FROM accounts WHERE held > balance OR held <>
    (SELECT COALESCE(SUM(hold), 0) FROM orders WHERE account_id = accounts.id AND status = 'executing')`);
  readonly #running = this.journal.database.prepare(
    "SELECT pod, COUNT(*) FROM orders WHERE status = 'executing' GROUP BY pod",
  );

  constructor(options: SimulatedDatabaseOptions, calmAtMs: number) {
    super(options);
    this.#options = options;
    this.#calmAtMs = calmAtMs;
    this.journal.budgets.set('key', { amount: BALANCE, spent: 0n, held: 0n });
    const { clock } = options;
    this.#credit(BALANCE);
    for (let atMs = CREDIT.everyMs; clock.nowMs() + atMs < calmAtMs; atMs += CREDIT.everyMs)
      clock.after(atMs, () => this.#credit(CREDIT.amount));
    clock.after(calmAtMs - clock.nowMs(), () => this.#credit(CREDIT.finally));
  }

  override get live(): readonly OrderRow[] {
    return this.journal.orders.where("status IN ('queued', 'executing')").filter(({ id }) => !this.stuck.has(id));
  }

  override get executing(): readonly OrderRow[] {
    return this.journal.orders.where("status = 'executing'");
  }

  override past(): { levels: LevelRow[]; quotes: RecoveredQuote[] } {
    return {
      levels: this.journal.levels.slice(-1).map((row) => ({ ...row, atMs: 0 })),
      quotes: this.#quotes.slice(-1),
    };
  }

  override breaks(what: string): void {
    if (this.broken.length === 0) super.breaks(`${what}\n  ${this.#notes.join('\n  ')}`);
  }

  /** Remembers what happened. */
  note(what: string): void {
    if (this.#notes.push(`${this.#options.clock.nowMs() % 1e7} ms: ${what}`) > NOTES) this.#notes.shift();
  }

  /** From 0 to below 1. */
  draw(): number {
    return this.#options.random.next();
  }

  /** Runs `work` like a statement. With this probability it fails, before or after it took effect. */
  async slow<Answer>(
    gateway: number,
    clock: Clock,
    work: () => Answer | Promise<Answer>,
    fails: number,
  ): Promise<Answer> {
    const failure = this.#options.clock.nowMs() < this.#calmAtMs && this.draw() < fails;
    const isEarly = failure && this.draw() < 0.5;
    const run = () => Promise.allSettled(isEarly ? [] : [Promise.try(work)]);
    const [answer] = await this.ask(gateway, clock, run);
    if (failure || !answer) throw new OutOfReach();
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }

  override commit(group: Group): readonly GatewayOutcome[] | null {
    if (!this.table.passes(group.gateway)) return null;
    if (group.outcomes) return group.outcomes;
    if (!this.#options.noFence) this.journal.presentEpoch = this.table.epoch(`market:${MARKET}`);
    const isStuck = group.units.map((unit) => this.#isStuck(group.gateway, unit));
    const outcomes = this.journal.commitTogether(group.units.filter((_, index) => !isStuck[index]));
    group.outcomes = group.units.map((unit, index) => {
      const outcome = isStuck[index] ? null : (outcomes.shift() as GatewayOutcome);
      if (!outcome) return refusal();
      this.#take(group.gateway, unit, outcome);
      return outcome;
    });
    for (const account of this.#wrongHolds.pluck().all()) this.breaks(`${account} holds another sum than its orders`);
    for (const [pod, rows] of this.#running.raw().all() as [string, bigint][])
      if (rows > (this.#options.slots.get(pod) ?? 0)) this.breaks(`${rows} rows execute on ${pod}`);
    return group.outcomes;
  }

  /** Fails unless money and states add up. */
  audit(): void {
    this.journal.audit(this.#credited);
  }

  /** An order that ends with its caller may be stuck until all that does not wait for it must have been taken over. */
  #isStuck(gateway: number, unit: GatewayUnit): boolean {
    if (unit.kind !== 'close' && unit.kind !== 'fail') return false;
    const { orderId } = unit;
    const isOthers = this.journal.orders.get(orderId)?.bootEpoch !== gateway;
    const isCalm = this.#options.clock.nowMs() > this.#calmAtMs + 26_000;
    if (isCalm || !isOthers) this.stuck.delete(orderId);
    else if (this.draw() < 0.3) this.stuck.add(orderId);
    return this.stuck.has(orderId);
  }

  #take(gateway: number, unit: GatewayUnit, outcome: GatewayOutcome): void {
    const { result } = outcome;
    this.counts(result);
    const order = unit.kind === 'accept' ? unit.order.id : 'orderId' in unit ? unit.orderId : '';
    if (order)
      this.note(`${gateway} commits ${unit.kind} ${order} ${'attempt' in unit ? unit.attempt : ''}: ${result}`);
    if (unit.kind === 'quote' && result === 'changed') this.#quotes.push({ ...unit, lockMinutes: [] });
    if (unit.kind === 'adopt') this.counts('adopted', unit.orders.length);
    if ('charged' in outcome && outcome.charged > 0n && !this.produced.has(order))
      this.breaks(`${order} was charged and had no output`);
    const admission = unit.kind === 'accept' || unit.kind === 'admit' ? unit.admission : null;
    if (result !== 'executing' || !admission) return;
    const { levelSeq } = admission;
    if (!this.journal.levels.some((level) => level.levelSeq === levelSeq))
      this.breaks(`${order} was admitted at level ${levelSeq} before that had committed`);
  }

  #credit(amount: bigint): void {
    const { accounts, budgets } = this.journal;
    for (const id of ['acct', 'ben']) {
      const { balance, held } = accounts.get(id) ?? { balance: 0n, held: 0n };
      accounts.set(id, { balance: balance + amount, held });
      this.#credited.set(id, (this.#credited.get(id) ?? 0n) + amount);
    }
    const budget = budgets.get('key');
    if (budget) budgets.set('key', { ...budget, amount: budget.amount + amount / 2n });
  }
}

/** The outcome of a unit that can never be applied, which the journal passes on. */
function refusal(): GatewayOutcome {
  const refused = Promise.reject(new Error('a unit that can never be applied'));
  refused.catch(() => {});
  return refused as never;
}

/**
 * A journal in memory: the rules of every unit in plain code, as a model for tests of the order service. It stores what
 * the real one stores, can hold commits back, and can check that its accounts agree.
 */
import assert from 'node:assert/strict';
import type { JournalPort, PlainOutcome } from '#base/journal.ts';
import type { NanoUsd } from '#base/money.ts';
import { type OrderRow, type OrderStatus, type OrderWithUsage, transitions } from '#orders/order.ts';
import type { FundsStore, StandingStore } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import type {
  AcceptOutcome,
  AcceptUnit,
  Admission,
  AdmitOutcome,
  AdmitUnit,
  Funds,
  IdempotencyRow,
  SettleOutcome,
  SettleUnit,
} from '#orders/units.ts';
import type { JournalOutcome, JournalUnit, JournalUnits } from '#storage/journal/units.ts';
import { MemoryBudgets } from './memory-budgets.ts';

const REFUSED = { unfunded: 'insufficient_balance', 'key-spent': 'key_budget_exceeded' } as const;

type Row = { -readonly [Field in keyof OrderRow]: OrderRow[Field] };

/** The model; also serves the reads of the order service. */
export class MemoryJournal implements JournalPort<JournalUnits>, FundsStore, StandingStore {
  readonly accounts = new Map<string, { balance: NanoUsd; held: NanoUsd }>();
  readonly budgets = new MemoryBudgets();
  readonly suspended = new Set<string>();
  /** Batches that accept no more lines. */
  readonly closedBatches = new Set<string>();
  readonly orders = new Map<string, Row>();
  readonly settled = new Map<string, SettleUnit & { charged: NanoUsd }>();
  readonly keys = new Map<string, IdempotencyRow>();
  readonly bodies = new Map<string, JsonObject>();
  /** Results that settlements stored. */
  readonly results = new Map<string, string>();
  readonly levels: { model: string; levelSeq: number; level: number }[] = [];
  /** Every unit in the order of its commit. */
  readonly units: JournalUnit[] = [];
  /** How often a hold was refused only because of the account's other holds. */
  parked = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #overdue: (() => void)[] = [];
  #held = false;
  /** Rejects the next unit of this kind, once. */
  failNext: JournalUnit['kind'] | null = null;
  readonly stalled = false;
  /** Epochs of markets below this one are of earlier owners. */
  presentEpoch = 0;

  /** Commits nothing until `resume`. */
  pause(): void {
    this.#held = true;
  }

  /** The deadline of everybody who waits for a commit passes; the commits may still come. */
  passDeadline(): void {
    for (const overdue of this.#overdue.splice(0)) overdue();
  }

  resume(): void {
    this.#held = false;
    this.#overdue.length = 0;
    for (const commit of this.#waiting.splice(0)) commit();
  }

  write<Unit extends JournalUnit>(unit: Unit, overdue?: () => void): Promise<JournalOutcome<Unit>> {
    if (this.#held && overdue) this.#overdue.push(overdue);
    return new Promise((resolve, reject) => {
      const commit = () => {
        if (this.failNext === unit.kind) {
          this.failNext = null;
          reject(new Error('planted'));
          return;
        }
        resolve(this.commit(unit));
      };
      if (this.#held) this.#waiting.push(commit);
      else queueMicrotask(commit);
    });
  }

  /** Commits a unit now. */
  commit<Unit extends JournalUnit>(unit: Unit): JournalOutcome<Unit> {
    this.units.push(unit);
    return this.#apply(unit) as JournalOutcome<Unit>;
  }

  async funds(accountId: string): Promise<Funds | null> {
    const account = this.accounts.get(accountId);
    return account ? { ...account } : null;
  }

  async inactiveAmong(accountIds: readonly string[]): Promise<string[]> {
    return accountIds.filter((id) => this.suspended.has(id));
  }

  async find(accountId: string, id: string): Promise<OrderWithUsage | null> {
    const row = this.orders.get(id);
    return row && row.accountId === accountId ? { ...row, usage: null } : null;
  }

  async findKey(accountId: string, endpoint: string, key: string): Promise<IdempotencyRow | null> {
    return this.keys.get(`${accountId}/${endpoint}/${key}`) ?? null;
  }

  async body(orderId: string): Promise<JsonObject | null> {
    return this.bodies.get(orderId) ?? null;
  }

  /** Fails unless holds, states and charges agree; `start` is the opening balance of each account. */
  audit(start: ReadonlyMap<string, NanoUsd>): void {
    for (const [id, account] of this.accounts) {
      const own = [...this.orders.values()].filter((row) => row.accountId === id);
      const held = own.reduce((sum, row) => sum + row.hold, 0n);
      const charged = own.reduce((sum, row) => sum + (this.settled.get(row.id)?.charged ?? 0n), 0n);
      assert.equal(account.held, held, 'held is the sum of the holds');
      assert.ok(account.held >= 0n && account.held <= account.balance, 'holds lie within the balance');
      assert.equal(account.balance, (start.get(id) ?? 0n) - charged, 'the balance is what is left');
    }
    for (const row of this.orders.values()) {
      assert.equal(this.settled.has(row.id), row.status === 'done', 'done means settled once');
      if (row.status !== 'executing') assert.equal(row.hold, 0n);
      assert.ok(row.failures <= 4);
    }
  }

  #apply(unit: JournalUnit): JournalOutcome {
    switch (unit.kind) {
      case 'accept':
        return this.#accept(unit);
      case 'admit':
        return this.#admit(unit);
      case 'settle':
        return this.#settle(unit);
      case 'level':
        if (this.#isStale(unit)) return { result: 'stale' };
        this.levels.push(unit);
        return { result: 'changed' };
      case 'quote':
      case 'locks':
        return { result: this.#isStale(unit) ? 'stale' : 'changed' };
      case 'level-blocks':
      case 'run-hours':
        return { result: 'changed' };
      case 'fail':
      case 'requeue': {
        const row = this.#executing(unit.orderId, unit.attempt);
        if (!row) return { result: 'stale' };
        const funds = this.#releaseHold(row);
        if (unit.kind === 'fail') {
          const { finishedAtMs, error, errorMessage } = unit;
          this.#move(row, 'error', { finishedAtMs, error, errorMessage });
        } else {
          const { expiresAtMs, failures } = unit;
          this.#move(row, 'queued', { expiresAtMs, failures, admittedAtMs: null, price: null });
        }
        return { result: 'released', funds };
      }
      case 'close': {
        const row = this.orders.get(unit.orderId);
        if (row?.status !== 'queued') return { result: 'stale' };
        const { finishedAtMs, error, errorMessage } = unit;
        this.#move(row, unit.status, { finishedAtMs, error, errorMessage });
        return { result: 'changed' };
      }
      case 'reprice': {
        const row = this.orders.get(unit.orderId);
        if (row?.status !== 'queued') return { result: 'stale' };
        Object.assign(row, { bid: unit.bid, limit: unit.limit ?? unit.bid, restedSeq: unit.restedSeq });
        return { result: 'changed' };
      }
      case 'adopt':
        for (const id of unit.orders) {
          const row = this.orders.get(id);
          if (row?.bootEpoch === unit.from) row.bootEpoch = unit.to;
        }
        return { result: 'changed' };
      case 'result-stored':
        return this.#keepResult(unit.orderId, ['promised'], 'stored');
      case 'result-removed':
        return this.#keepResult(unit.orderId, ['promised', 'stored'], 'deleted');
      default:
        return { result: 'changed' };
    }
  }

  #keepResult(orderId: string, from: readonly string[], to: OrderRow['resultState']): PlainOutcome {
    const row = this.orders.get(orderId);
    if (row?.status !== 'done' || !from.includes(row.resultState)) return { result: 'stale' };
    row.resultState = to;
    if (to === 'deleted') this.results.delete(orderId);
    return { result: 'changed' };
  }

  #accept(unit: AcceptUnit): AcceptOutcome {
    if (this.#isStale(unit.admission)) return { result: 'stale-epoch' };
    if (unit.idempotency) {
      const name = `${unit.idempotency.accountId}/${unit.idempotency.endpoint}/${unit.idempotency.key}`;
      const existing = this.keys.get(name);
      if (existing) return { result: 'key-taken', existing };
      this.keys.set(name, unit.idempotency);
    }
    const { batchId } = unit.order;
    if (batchId !== null && this.closedBatches.has(batchId)) return { result: 'line-refused' };
    const row = { ...unit.order };
    this.orders.set(row.id, row);
    if (unit.body) this.bodies.set(row.id, JSON.parse(unit.body));
    return unit.admission ? this.#hold(row, unit.admission) : { result: 'queued' };
  }

  #admit(unit: AdmitUnit): AdmitOutcome {
    const row = this.orders.get(unit.orderId);
    if (this.#isStale(unit.admission)) return { result: 'stale-epoch' };
    if (row?.status !== 'queued') return { result: 'gone' };
    return this.#hold(row, unit.admission);
  }

  #isStale(of: { readonly epoch?: number } | null): boolean {
    return (of?.epoch ?? this.presentEpoch) < this.presentEpoch;
  }

  #hold(row: Row, admission: Admission): Extract<AdmitOutcome, { funds: Funds }> {
    const account = this.#account(row);
    const refusal = this.budgets.refusal(admission);
    if (refusal === 'key-held') return { result: refusal, funds: { ...account } };
    if (refusal) return this.#refuse(row, admission, refusal);
    if (account.balance - account.held >= admission.hold) {
      account.held += admission.hold;
      this.budgets.hold(admission);
      const { attempt, hold, pod, price, levelSeq, restedSeq, atMs: admittedAtMs } = admission;
      const run = { attempt, hold, pod, price, levelSeq, restedSeq, admittedAtMs };
      this.#move(row, 'executing', { ...run, firstPrice: row.firstPrice ?? price });
      return { result: 'executing', funds: { ...account } };
    }
    if (account.held > 0n) {
      this.parked++;
      return { result: 'parked', funds: { ...account } };
    }
    return this.#refuse(row, admission, 'unfunded');
  }

  #refuse(row: Row, { atMs: finishedAtMs }: Admission, result: 'unfunded' | 'key-spent') {
    this.#move(row, 'executing', {});
    this.#move(row, 'error', { error: REFUSED[result], finishedAtMs });
    return { result, funds: { ...this.#account(row) } };
  }

  #settle(unit: SettleUnit): SettleOutcome {
    const row = this.#executing(unit.orderId, unit.attempt);
    if (!row) return { result: 'stale' };
    const account = this.#account(row);
    this.#releaseHold(row);
    const free = account.balance - account.held;
    const most = (unit.maxCharge ?? free) < free ? (unit.maxCharge ?? free) : free;
    const charged = unit.charge < most ? unit.charge : most;
    account.balance -= charged;
    this.budgets.spend(unit, charged);
    this.settled.set(row.id, { ...unit, charged });
    if (unit.resultText !== null) this.results.set(row.id, unit.resultText);
    this.#move(row, 'done', {
      finishedAtMs: unit.finishedAtMs,
      resultExpiresAtMs: unit.resultExpiresAtMs,
      ...(unit.resultBytes === null ? {} : { resultState: 'stored' }),
    });
    return { result: 'settled', charged, writtenOff: unit.charge - charged, funds: { ...account } };
  }

  #executing(orderId: string, attempt: number): Row | null {
    const row = this.orders.get(orderId);
    return row?.status === 'executing' && row.attempt === attempt ? row : null;
  }

  #releaseHold(row: Row): Funds {
    const account = this.#account(row);
    account.held -= row.hold;
    this.budgets.release(row);
    row.hold = 0n;
    return { ...account };
  }

  #account(row: Row): { balance: NanoUsd; held: NanoUsd } {
    const account = this.accounts.get(row.accountId);
    assert.ok(account, `account ${row.accountId} exists`);
    return account;
  }

  #move(row: Row, status: OrderStatus, change: Partial<Row>): void {
    assert.ok(transitions[row.status].includes(status), `${row.status} may become ${status}`);
    Object.assign(row, change, { status });
    if (status === 'canceled' || status === 'expired' || status === 'error') {
      for (const [name, key] of this.keys) if (key.orderId === row.id) this.keys.delete(name);
    }
  }
}

/**
 * Budgets of keys in one transaction, as `balance-batch.ts` has balances: the row of a key is read once, changed here,
 * and written back before the commit. A key belongs to one account, whose row every such transaction locks first; so
 * nobody can pass a budget by sending requests at once. Keys without a budget are never asked for, and cost nothing.
 * docs/decisions/0041-budgets-of-keys.md.
 */
import { budgetAt, type KeyBudget } from '#base/key-budget.ts';
import type { NanoUsd } from '#base/money.ts';
import { intOrNull, type Row, text } from '../database/values.ts';
import { budgetFrom } from '../records/account.ts';
import { Lookup } from './lookup.ts';
import type { Operation } from './operations.ts';
import { Table } from './table.ts';

/** An order and the period of the budget in which it was admitted. */
export interface Budgeted {
  readonly keyId: string;
  readonly fromMs: number;
  readonly hold: NanoUsd;
}

const CHANGED = ['budget_from_ms', 'budget_spent', 'budget_held', 'budget_told_from_ms'];
const API_KEYS = new Table('api_keys', ['id'], { reads: ['id', 'name', 'budget', 'budget_reset', ...CHANGED] });
const WRITE = API_KEYS.set(CHANGED, []);

/** The budgets that a transaction changes. */
export class KeyBudgets extends Lookup {
  readonly #budgets = new Map<string, KeyBudget>();
  readonly #changed = new Set<string>();
  /** The names of keys, and the period for which a spent budget was reported. */
  readonly #told = new Map<string, { readonly name: string; readonly fromMs: number | null }>();

  constructor() {
    super(API_KEYS.read);
  }

  /** Asks for the budget of a key, unless it is known. */
  override want(keyId: string): void {
    if (!this.#budgets.has(keyId)) super.want(keyId);
  }

  take(row: Row): void {
    this.#budgets.set(text(row.id), budgetFrom(row));
    this.#told.set(text(row.id), { name: text(row.name), fromMs: intOrNull(row.budget_told_from_ms) });
  }

  /**
   * Whether a hold fits into the budget at `atMs`. held: only holds of the key's own orders are in the way. spent: it
   * cannot fit before the next period. A hold of 0 always fits.
   */
  answer(keyId: string, atMs: number, hold: NanoUsd): 'free' | 'held' | 'spent' {
    const { amount, spent, held } = this.#at(keyId, atMs);
    if (amount === null || hold === 0n || amount - spent - held >= hold) return 'free';
    return amount - spent >= hold ? 'held' : 'spent';
  }

  /** Counts a hold; returns the start of the period that it counts in, which the order must keep. */
  hold(keyId: string, atMs: number, hold: NanoUsd): number {
    const budget = this.#at(keyId, atMs);
    this.#set(keyId, { ...budget, held: budget.held + hold });
    return budget.fromMs;
  }

  /** Gives a hold back. Where another period has begun since, nothing of it is counted any more. */
  release({ keyId, fromMs, hold }: Budgeted): void {
    const budget = this.#of(keyId);
    if (fromMs === budget.fromMs) this.#set(keyId, { ...budget, held: budget.held - hold });
  }

  /** The most that a running order may cost: its hold, and what the budget has free beside it; null for any amount. */
  coverOf({ keyId, fromMs, hold }: Budgeted): NanoUsd | null {
    const { amount, spent, held, fromMs: nowFromMs } = this.#of(keyId);
    if (amount === null) return null;
    const free = fromMs === nowFromMs ? amount - spent - held : 0n;
    return free > 0n ? hold + free : hold;
  }

  /** Gives the hold back and counts what was charged. */
  spend(order: Budgeted, charged: NanoUsd): void {
    this.release(order);
    const budget = this.#of(order.keyId);
    if (order.fromMs === budget.fromMs) this.#set(order.keyId, { ...budget, spent: budget.spent + charged });
  }

  /** Whether nothing of the budget is left in its newest period. */
  isSpent(keyId: string): boolean {
    const { amount, spent } = this.#of(keyId);
    return amount !== null && spent >= amount;
  }

  /** The key, if its spent budget was not yet reported for this period; it counts as reported from now on. */
  told(id: string) {
    const { amount, fromMs } = this.#of(id);
    const told = this.#told.get(id);
    if (amount === null || !told || told.fromMs === fromMs) return null;
    this.#told.set(id, { ...told, fromMs });
    this.#changed.add(id);
    return { id, name: told.name, amount, fromMs };
  }

  /** Writes back what changed. */
  *writes(): Generator<Operation> {
    const rows = [...this.#changed].sort().map((id) => {
      const { fromMs, spent, held } = this.#of(id);
      return [BigInt(fromMs), spent, held, this.#told.get(id)?.fromMs ?? null, id];
    });
    if (rows.length > 0) yield { shape: WRITE, rows };
  }

  /** The budget in the period of `atMs`, which is written when it has just begun: older holds no longer count. */
  #at(keyId: string, atMs: number): KeyBudget {
    const before = this.#of(keyId);
    const budget = budgetAt(before, atMs);
    if (budget !== before) this.#set(keyId, budget);
    return budget;
  }

  #set(keyId: string, budget: KeyBudget): void {
    this.#budgets.set(keyId, budget);
    this.#changed.add(keyId);
  }

  #of(keyId: string): KeyBudget {
    const budget = this.#budgets.get(keyId);
    if (!budget) throw new Error(`Nobody read the budget of key ${keyId}.`);
    return budget;
  }
}

/**
 * What one transaction reads, and what it will write. All that its units need is read in one round, rarely in two; the
 * units then run here, one after the other, over rows that nobody else can change; and all that they changed is written
 * in one more. So a transaction costs a few round trips, however many units it has. docs/decisions/0036-…
 */
import type { Row, Value } from '../database/values.ts';
import { BalanceBatch } from './balance-batch.ts';
import { BatchCountChanges } from './batch-counts.ts';
import { Charges } from './charges.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { Inputs } from './inputs.ts';
import { KeyBudgets } from './key-budgets.ts';
import type { KnownAccounts } from './known-accounts.ts';
import { MarketEpochs } from './market-epochs.ts';
import { ModelTokens } from './model-tokens.ts';
import type { Operation, Shape } from './operations.ts';
import { OrderDays } from './order-days.ts';
import type { Rounds } from './rounds.ts';
import { Rows, Unsure } from './rows.ts';
import type { Table } from './table.ts';
import * as tables from './tables.ts';

interface Reader {
  readonly isWanting: boolean;
  reads(): Iterable<Operation>;
  take(row: Row): void;
}

/** An operation before everything that units ask for, and what is done with the rows that it reads. */
export interface Opening {
  readonly operation: Operation;
  check(rows: readonly Row[]): void;
}

/** The database as one transaction sees it. */
export class Picture {
  readonly epochs = new MarketEpochs();
  readonly balances = new BalanceBatch();
  readonly keyBudgets = new KeyBudgets();
  readonly batches: Rows;
  readonly inputs: Inputs;
  readonly orders: Rows;
  readonly keys: IdempotencyKeys;
  readonly charges = new Charges();
  readonly results: Rows;
  readonly answers: Rows;
  readonly bodies: Rows;
  readonly lines: Rows;
  readonly files: Rows;
  readonly levels: Rows;
  readonly markets: Rows;
  readonly quotes: Rows;
  readonly quoteStates: Rows;
  readonly orderDays = new OrderDays();
  readonly batchCounts = new BatchCountChanges();
  readonly modelTokens = new ModelTokens();
  readonly #others = new Map<Shape, (readonly Value[])[]>();
  readonly #last: Operation[] = [];
  /** The markets with numbered rows in this transaction, by the first row. */
  readonly #firsts = new Map<Rows, Set<string>>();

  /** Whether nothing is read at all. */
  #relies = false;

  /** `sure`: what units expect is read, too. */
  constructor({ sure }: { sure: boolean }) {
    const rows = (table: Table) => new Rows(table, { sure });
    this.batches = rows(tables.BATCHES);
    this.inputs = new Inputs(this.batches);
    this.orders = rows(tables.ORDERS);
    this.keys = new IdempotencyKeys(rows(tables.KEYS));
    this.results = rows(tables.RESULTS);
    this.answers = rows(tables.ANSWERS);
    this.bodies = rows(tables.BODIES);
    this.lines = rows(tables.LINES);
    this.files = rows(tables.FILES);
    this.levels = rows(tables.LEVELS);
    this.markets = rows(tables.MARKETS);
    this.quotes = rows(tables.QUOTES);
    this.quoteStates = rows(tables.QUOTE_STATES);
  }

  /**
   * Asks for the row before a new one of a numbered series. Within a transaction only the first new one needs it: the row
   * before each other is new itself, and to read it would lock the end of the table.
   */
  wantBefore(rows: Rows, model: string, number: number): void {
    const models = this.#firsts.get(rows) ?? new Set();
    this.#firsts.set(rows, models);
    if (models.has(model)) return;
    models.add(model);
    if (number > 1) rows.want(model, number - 1);
  }

  /** The row before a new one of a numbered series; null for none. */
  before(rows: Rows, model: string, number: number): Row | null {
    return number > 1 ? rows.find(model, number - 1) : null;
  }

  /** Adds a row to an operation on a table that no unit looks at. */
  write(shape: Shape, row: readonly Value[]): void {
    const rows = this.#others.get(shape);
    if (rows) rows.push(row);
    else this.#others.set(shape, [row]);
  }

  /** The same for a unit that changes rows which other units insert. */
  writeLast(shape: Shape, row: readonly Value[]): void {
    this.#last.push({ shape, rows: [row] });
  }

  /**
   * Relies on what units expect and on accounts as they are `known`, when that is all that was asked for: the writes fail
   * if it is not so. False when something must be read: then everything is.
   */
  rely(known: KnownAccounts): boolean {
    const { balances, epochs } = this;
    const others = this.#readers().filter((reader) => reader !== balances);
    this.#relies = !epochs.areDisputed && !others.some(({ isWanting }) => isWanting) && balances.rely(known);
    if (!this.#relies) this.orders.doubt();
    return this.#relies;
  }

  /** Reads what was asked for, accounts first. `openings` come before that in the same round, and are checked first. */
  *read(openings: readonly Opening[] = []): Rounds<void> {
    const operations: Operation[] = [];
    const readers: Reader[] = [];
    for (const reader of this.#readers())
      for (const operation of reader.reads()) {
        operations.push(operation);
        readers.push(reader);
      }
    if (this.#relies && operations.length > 0) throw new Unsure();
    const round = [...openings.map(({ operation }) => operation), ...operations];
    if (round.length === 0) return;
    const results = yield round;
    for (const [at, { check }] of openings.entries()) check(results[at] ?? []);
    for (const [at, reader] of readers.entries())
      for (const row of results[openings.length + at] ?? []) reader.take(row);
  }

  /** Every change. What transactions of other gateways change too comes in one order of tables, and of keys in each. */
  *writes(): Generator<Operation> {
    yield* this.balances.writes();
    yield* this.keyBudgets.writes();
    for (const rows of [this.orders, this.keys, this.results, this.answers, this.bodies]) yield* rows.writes();
    for (const [shape, rows] of this.#others) yield { shape, rows };
    for (const rows of [this.batches, this.lines, this.files]) yield* rows.writes();
    for (const rows of [this.levels, this.markets, this.quotes, this.quoteStates]) yield* rows.writes();
    for (const sums of [this.orderDays, this.batchCounts, this.modelTokens]) yield* sums.writes();
    yield* this.#last;
  }

  #readers(): Reader[] {
    const { balances, keyBudgets, batches, inputs, orders, keys, charges, results, lines, files } = this;
    const { levels, markets, quotes, quoteStates } = this;
    return [
      ...[balances, keyBudgets, batches, inputs, orders, keys, charges, results, lines, files],
      ...[levels, markets, quotes, quoteStates],
    ];
  }
}

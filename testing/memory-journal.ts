/**
 * The units of the journal on a SQLite database in memory, in the thread of the test: a commit takes one microtask. It
 * can hold commits back and fail them, and shows tests what is stored.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { JournalPort } from '#base/journal.ts';
import type { NanoUsd } from '#base/money.ts';
import { type Reach, reaches } from '#base/reach.ts';
import { type OrderRow, type OrderWithUsage, transitions } from '#orders/order.ts';
import type { FundsStore, StandingStore } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import type { Funds, IdempotencyRow, SettleUnit } from '#orders/units.ts';
import { money, type NewRow, type Row, text } from '#storage/database/values.ts';
import { SqliteConnection } from '#storage/journal/sqlite-connection.ts';
import type { JournalOutcome, JournalUnit, JournalUnits } from '#storage/journal/units.ts';
import { accountColumns, budgetColumns, budgetFrom, keyColumns, newAccount } from '#storage/records/account.ts';
import { newBatchRow } from '#storage/records/batch.ts';
import { idempotencyFrom, idempotencyRecord, orderFrom, orderRecord } from '#storage/records/order.ts';

const SOURCES = new URL('../src/storage/database/', import.meta.url).pathname;
const image = await guardedImage();

/** The tables without what only makes searching fast; they refuse every change of a status that orders must not make. */
async function guardedImage(): Promise<Buffer> {
  const database = new Sqlite(await schemaImage());
  const indexes = database.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT LIKE '%UNIQUE%' AND name <> 'orders_live'",
  );
  for (const name of indexes.pluck().all()) database.exec(`DROP INDEX ${name}`);
  const allowed = Object.entries(transitions).flatMap(([from, after]) => after.map((to) => `'${from} ${to}'`));
  database.exec(`CREATE TRIGGER order_moves BEFORE UPDATE OF status ON orders
    WHEN OLD.status <> NEW.status AND OLD.status || ' ' || NEW.status NOT IN (${allowed.join(', ')})
    BEGIN SELECT RAISE(ABORT, 'an order may not move so'); END`);
  return database.serialize();
}

interface Waiting {
  readonly unit: JournalUnit;
  resolve(outcome: JournalOutcome): void;
  reject(error: Error): void;
}

/** A journal with a database of its own; also serves the reads of the order service. */
export class MemoryJournal implements JournalPort<JournalUnits>, FundsStore, StandingStore {
  /** All its tables. */
  readonly database = new Sqlite(image).defaultSafeIntegers(true);
  readonly #connection = new SqliteConnection(() => this.database);
  readonly accounts = new RowMap<Funds>(this.database, {
    table: 'accounts',
    key: 'id',
    read: ({ balance, held }) => ({ balance: money(balance), held: money(held) }),
    write: (id, { balance, held }) => {
      const settings = { id, name: id, retentionDays: 30, logPayloads: false, house: false };
      return accountColumns({ ...newAccount(settings, 0), balance, held });
    },
  });
  /** Budgets of keys, all of one period. */
  readonly budgets = new RowMap<{ amount: NanoUsd; spent: NanoUsd; held: NanoUsd }>(this.database, {
    table: 'api_keys',
    key: 'id',
    read: (row) => {
      const { amount, spent, held } = budgetFrom(row);
      return { amount: amount ?? 0n, spent, held };
    },
    write: (id, budget) => ({
      ...keyColumns({ id, accountId: 'acct', name: id, hint: '', priceLimits: {}, createdAtMs: 0 }),
      ...budgetColumns({ ...budget, reset: 'never', fromMs: 0 }),
      hash: id,
    }),
  });
  readonly orders = new RowMap<OrderRow>(this.database, {
    table: 'orders',
    key: 'id',
    read: orderFrom,
    write: (_, order) => orderRecord(order),
  });
  readonly bodies = new RowMap<JsonObject>(this.database, {
    table: 'order_bodies',
    key: 'order_id',
    read: ({ body }) => JSON.parse(text(body)),
    write: (id, body) => ({ order_id: id, body: JSON.stringify(body) }),
  });
  /** Results that settlements stored. */
  readonly results = new RowMap<string>(this.database, {
    table: 'stored_answers',
    key: 'order_id',
    read: ({ body }) => text(body),
    write: (id, body) => ({ order_id: id, body }),
  });
  readonly #batches = new RowMap<NewRow>(this.database, {
    table: 'batches',
    key: 'id',
    read: (row) => row as NewRow,
    write: (_, row) => row,
  });
  readonly #keys = new RowMap<IdempotencyRow>(this.database, {
    table: 'idempotency_keys',
    key: 'order_id',
    read: idempotencyFrom,
    write: (_, row) => idempotencyRecord(row),
  });
  readonly settled = new Map<string, SettleUnit & { charged: NanoUsd }>();
  readonly levels: { model: string; levelSeq: number; level: number }[] = [];
  /** Every unit in the order of its commit. */
  readonly units: JournalUnit[] = [];
  /** How often a hold was refused only because of the account's other holds. */
  parked = 0;
  #waiting: Waiting[] = [];
  readonly #overdue: (() => void)[] = [];
  #held = false;
  /** When what was written commits; `setImmediate` is later than everything that follows from one event. */
  commitAt: (commit: () => void) => void = queueMicrotask;
  /** Rejects the next unit of this kind, once. */
  failNext: JournalUnit['kind'] | null = null;
  readonly stalled = false;
  /** Epochs of markets below this one are of earlier owners. */
  presentEpoch = 0;

  /** The Idempotency-Keys in use, as `account/endpoint/key`. */
  get keys(): Map<string, IdempotencyRow> {
    return new Map(this.#keys.values().map((row) => [`${row.accountId}/${row.endpoint}/${row.key}`, row]));
  }

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
    this.#commitWaiting();
  }

  write<Unit extends JournalUnit>(unit: Unit, overdue?: () => void): Promise<JournalOutcome<Unit>> {
    if (this.#held && overdue) this.#overdue.push(overdue);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.push({ unit, resolve: resolve as Waiting['resolve'], reject });
      if (waiting === 1) this.commitAt(() => this.#commitWaiting());
    });
  }

  /** What was written since the last commit is one transaction. */
  #commitWaiting(): void {
    if (this.#held) return;
    const waiting = this.#waiting.splice(0);
    const failed = waiting.findIndex(({ unit }) => unit.kind === this.failNext);
    if (failed !== -1) {
      this.failNext = null;
      waiting.splice(failed, 1)[0]?.reject(new Error('planted'));
    }
    const outcomes = this.commitTogether(waiting.map(({ unit }) => unit));
    for (const [index, { resolve }] of waiting.entries()) resolve(outcomes[index] as JournalOutcome);
  }

  /** Commits a unit now. Throws when it can never be applied. */
  commit<Unit extends JournalUnit>(unit: Unit): JournalOutcome<Unit> {
    return this.commitTogether([unit])[0] as JournalOutcome<Unit>;
  }

  /** Commits units in one transaction, in their order. */
  commitTogether(units: readonly JournalUnit[]): JournalOutcome[] {
    this.units.push(...units);
    const stale = units.map((unit) => this.#staleOutcome(unit));
    const applied = this.#apply(units.filter((_, index) => stale[index] === null));
    return units.map((unit, index) => {
      const outcome = stale[index] ?? applied.shift();
      assert.ok(outcome);
      if (outcome.result === 'settled' && unit.kind === 'settle')
        this.settled.set(unit.orderId, { ...unit, charged: outcome.charged });
      if (outcome.result === 'parked') this.parked++;
      if (outcome.result === 'changed' && unit.kind === 'level') this.levels.push(unit);
      return outcome;
    });
  }

  #apply(units: readonly JournalUnit[]): JournalOutcome[] {
    if (units.length === 0) return [];
    for (const unit of units) {
      const { batchId = null, accountId = '' } = unit.kind === 'accept' ? unit.order : {};
      if (batchId !== null && !this.#batches.has(batchId)) this.#batches.set(batchId, newBatch(batchId, accountId));
    }
    const { results, failure } = this.#connection.apply(units, false);
    assert.equal(failure, null);
    return results.map((result) => {
      assert.ok('outcome' in result, 'error' in result ? result.error : '');
      return result.outcome;
    });
  }

  /** What the fence makes of a unit that an earlier owner of its market decided; null for any other. */
  #staleOutcome(unit: JournalUnit): JournalOutcome | null {
    const decided = unit.kind === 'accept' || unit.kind === 'admit' ? unit.admission : unit;
    const epoch = decided !== null && 'epoch' in decided ? decided.epoch : undefined;
    if (epoch === undefined || epoch >= this.presentEpoch) return null;
    return { result: decided === unit ? 'stale' : 'stale-epoch' };
  }

  async funds(accountId: string): Promise<Funds | null> {
    return this.accounts.get(accountId) ?? null;
  }

  async inactiveAmong(accountIds: readonly string[]): Promise<string[]> {
    return accountIds.filter((id) => this.accounts.count("id = ? AND status = 'active'", id) === 0);
  }

  suspend(accountId: string): void {
    this.database.prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?").run(accountId);
  }

  async find(reach: Reach, id: string): Promise<OrderWithUsage | null> {
    const row = this.orders.get(id);
    return row && reaches(reach, row) ? { ...row, usage: null } : null;
  }

  async findKeys(accountId: string, endpoint: string, keys: readonly string[]): Promise<IdempotencyRow[]> {
    return keys.flatMap((key) => this.keys.get(`${accountId}/${endpoint}/${key}`) ?? []);
  }

  async body(orderId: string): Promise<JsonObject | null> {
    return this.bodies.get(orderId) ?? null;
  }

  /** A batch takes no more lines. */
  closeBatch(id: string): void {
    this.#batches.set(id, { ...newBatch(id, 'acct'), status: 'cancelling' });
  }

  /** Fails unless holds, states and charges agree; `start` is the opening balance of each account. */
  audit(start: ReadonlyMap<string, NanoUsd>): void {
    const orders = this.orders.values();
    for (const [id, opening] of start) {
      const { balance, held } = this.accounts.get(id) ?? { balance: 0n, held: 0n };
      const own = orders.filter((row) => row.accountId === id);
      const holds = own.reduce((sum, row) => sum + row.hold, 0n);
      const charged = own.reduce((sum, row) => sum + (this.settled.get(row.id)?.charged ?? 0n), 0n);
      assert.equal(held, holds, 'held is the sum of the holds');
      assert.ok(held >= 0n && held <= balance, 'holds lie within the balance');
      assert.equal(balance, opening - charged, 'the balance is what is left');
    }
    for (const row of orders) {
      assert.equal(this.settled.has(row.id), row.status === 'done', 'done means settled once');
      if (row.status !== 'executing') assert.equal(row.hold, 0n);
      assert.ok(row.failures <= 4);
    }
  }
}

function newBatch(id: string, accountId: string): NewRow {
  return newBatchRow({
    ...{ id, accountId, kind: 'chat', createdAtMs: 0, expiresAtMs: 0, bootEpoch: 1, deadlineMs: null },
    ...{ inputFileId: 'in', outputFileId: 'out', errorFileId: 'errors', metadata: null, limit: null },
    ...{
      keyId: null,
      keyModels: null,
      keyBudgeted: false,
      strict: false,
      tags: null,
      retentionDays: 30,
      logPayloads: false,
    },
    ...{ priceLimits: {}, tariffIds: {} },
  });
}

/** How the rows of a table are shown as a map. */
interface Shown<Value> {
  readonly table: string;
  readonly key: string;
  read(row: Row): Value;
  write(id: string, value: Value): NewRow;
}

/** The rows of a table by their key. A test may change them without telling the order service. */
class RowMap<Value> {
  readonly #database: Sqlite.Database;
  readonly #shown: Shown<Value>;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[], Row>>();

  constructor(database: Sqlite.Database, shown: Shown<Value>) {
    this.#database = database;
    this.#shown = shown;
  }

  /** The row with this key; undefined for none. */
  get(id: string): Value | undefined {
    return this.where(`${this.#shown.key} = ?`, id)[0];
  }

  has(id: string): boolean {
    return this.count(`${this.#shown.key} = ?`, id) > 0;
  }

  values(): Value[] {
    return this.where('TRUE');
  }

  /** The rows for which an SQL condition is true. */
  where(condition: string, ...values: (string | number)[]): Value[] {
    const rows = this.#prepare(`SELECT * FROM ${this.#shown.table} WHERE ${condition}`).all(...values);
    return rows.map((row) => this.#shown.read(row));
  }

  /** How many there are. */
  count(condition: string, ...values: (string | number)[]): number {
    const [row] = this.#prepare(`SELECT COUNT(*) AS number FROM ${this.#shown.table} WHERE ${condition}`).all(
      ...values,
    );
    return Number(row?.number);
  }

  get size(): number {
    return this.count('TRUE');
  }

  /** Inserts a row, or replaces the one with this key. */
  set(id: string, value: Value): void {
    const row = this.#shown.write(id, value);
    const columns = Object.keys(row);
    const marks = columns.map(() => '?').join(', ');
    const insert = `REPLACE INTO ${this.#shown.table} (${columns.join(', ')}) VALUES (${marks})`;
    this.#prepare(insert).run(...Object.values(row));
  }

  delete(id: string): void {
    this.#prepare(`DELETE FROM ${this.#shown.table} WHERE ${this.#shown.key} = ?`).run(id);
  }

  clear(): void {
    this.#prepare(`DELETE FROM ${this.#shown.table}`).run();
  }

  #prepare(sql: string): Sqlite.Statement<unknown[], Row> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare<unknown[], Row>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/**
 * The tables of a new database, as the bytes of its file. They are made once for each state of the sources, and kept in
 * the folder for temporary files: to make them takes more processor time than most test files.
 */
async function schemaImage(): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const file of globSync('**/*.ts', { cwd: SOURCES }).sort()) hash.update(readFileSync(join(SOURCES, file)));
  const kept = join(tmpdir(), `sluice-tables-${hash.digest('hex').slice(0, 16)}.sqlite`);
  try {
    return readFileSync(kept);
  } catch {
    const made = `${kept}-${process.pid}-${threadId}`;
    await makeTables(made);
    renameSync(made, kept);
    return readFileSync(kept);
  }
}

async function makeTables(filename: string): Promise<void> {
  const { openDatabase } = await import('#storage/database/database.ts');
  const { migrate } = await import('#storage/database/migrations/migrate.ts');
  const db = openDatabase(`sqlite:${filename}`);
  await migrate(db);
  // Bytes in memory cannot have a write-ahead log.
  await db.knex.raw('PRAGMA journal_mode = DELETE');
  await db.close();
}

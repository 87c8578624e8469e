/**
 * One suite for every kind of journal unit. A unit is applied as the journal applies it: once, again as after a commit
 * whose answer was lost, in one transaction with units of other kinds, and beside units that can never be applied.
 * After each, the results are as expected and every row of every table is as it was after the first commit.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Accounts } from '#accounts/account/account-store.ts';
import { idSource } from '#base/id.ts';
import { audit } from '#storage/audit/index.ts';
import type { JournalDriver } from '#storage/journal/apply-units.ts';
import { MysqlDriver } from '#storage/journal/mysql-driver.ts';
import { SqliteDriver } from '#storage/journal/sqlite-driver.ts';
import { batchRow } from './batch-fixtures.ts';
import { tableNames } from './database-text.ts';
import { fundedAccount, type OpenedDatabase, openTested, type TestedDatabase, testedDatabases } from './databases.ts';
import { ManualClock } from './manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from './order-fixtures.ts';

export type Unit = Parameters<JournalDriver['apply']>[0][number];
type NewBatch = Extract<Unit, { kind: 'batch-created' }>['batch'];
type UnitResult = Awaited<ReturnType<JournalDriver['apply']>>['results'][number];

/** A unit for the state in which its maker left the database, and its result. */
export interface Case {
  readonly unit: Unit;
  readonly result: UnitResult;
  /** The result of a repetition where it differs, because a repetition looks like a first commit. */
  readonly repeated?: UnitResult;
}

/** Brings the database into some state and returns the unit to apply. */
export type MakeCase = (bench: UnitBench) => Promise<Case>;

/** Named cases: units that are applied, and units that are refused or stale and change nothing. */
export interface CasesOfKind {
  readonly applied: Readonly<Record<string, MakeCase>>;
  readonly refused: Readonly<Record<string, MakeCase>>;
}

export type MarketKind =
  | 'level'
  | 'quote'
  | 'locks'
  | 'level-blocks'
  | 'run-hours'
  | 'gateway-load'
  | 'download'
  | 'webhook-tried';
export type BatchKind =
  | 'file-added'
  | 'file-removed'
  | 'file-emptied'
  | 'batch-created'
  | 'batch-checked'
  | 'batch-moved'
  | 'batch-ended'
  | 'line-failed'
  | 'lines-placed';
/** Every other kind, so that a new kind is a type error in the suite until it has cases. */
export type ResultUnitKind = 'result-stored' | 'result-removed';
export type OrderUnitKind = Exclude<Unit['kind'], MarketKind | BatchKind | ResultUnitKind>;

const ids = idSource(new ManualClock(startMs));

/** Every row of every table, as text in a fixed order. */
type Snapshot = Readonly<Record<string, readonly string[]>>;

/** A database with a journal driver on it. */
export class UnitBench {
  readonly clock = new ManualClock(startMs);
  readonly #opened: OpenedDatabase;
  readonly #driver: JournalDriver;

  constructor(opened: OpenedDatabase) {
    this.#opened = opened;
    const { address } = opened.db;
    this.#driver = address.type === 'sqlite' ? new SqliteDriver(address.filename) : new MysqlDriver(address.url);
  }

  /** Applies units in one transaction. `again`: as after a commit whose answer was lost. */
  async apply(units: readonly Unit[], again = false): Promise<readonly UnitResult[]> {
    const { results, failure } = await this.#driver.apply(units, again);
    assert.equal(failure, null);
    return results;
  }

  /** Applies units one after another; each has to succeed. */
  async write(...units: readonly Unit[]): Promise<void> {
    for (const unit of units) {
      const [result] = await this.apply([unit]);
      assert.ok(result && 'outcome' in result, rowText({ result }));
    }
  }

  /** An account, by default with a million dollars. */
  account(balance = 10n ** 15n): Promise<string> {
    return fundedAccount(this.db, this.clock, balance);
  }

  /** The account of the house. */
  async house(): Promise<string> {
    return (await new Accounts({ db: this.db, clock: this.clock, ids }).house()).id;
  }

  /** A new batch, by default of a new account. */
  async batch(change: Partial<NewBatch> = {}): Promise<NewBatch> {
    const batch = batchRow({ accountId: await this.account(), ...change });
    await this.write({ kind: 'batch-created', batch });
    return batch;
  }

  get db() {
    return this.#opened.db;
  }

  /** Without the rows of operations of stores, which do not say the same twice. */
  async snapshot(): Promise<Snapshot> {
    const { knex } = this.db;
    const tables = await tableNames(knex);
    const rows = await Promise.all(tables.map((table) => knex(table)));
    const isKept = (row: string) => !row.includes('"written:');
    return Object.fromEntries(tables.map((table, at) => [table, (rows[at] ?? []).map(rowText).filter(isKept).sort()]));
  }

  async close(): Promise<void> {
    await this.#driver.close();
    await this.#opened.drop();
  }
}

/** Runs the cases of these kinds on every database. */
export function describeUnits(what: string, kinds: Readonly<Record<string, CasesOfKind>>): void {
  for (const tested of testedDatabases) {
    describe(`${what} on ${tested.name}`, { skip: tested.skip }, () => suiteOn(tested, kinds));
  }
}

function suiteOn(tested: TestedDatabase, kinds: Readonly<Record<string, CasesOfKind>>): void {
  let bench: UnitBench;
  before(async () => {
    bench = new UnitBench(await openTested(tested));
    await bench.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
  });
  after(() => bench?.close());

  for (const [kind, { applied, refused }] of Object.entries(kinds)) {
    for (const [name, make] of Object.entries(applied)) {
      test(`${kind}: ${name}, once`, async () => {
        const made = await make(bench);
        const untouched = await bench.snapshot();
        assert.deepEqual(await bench.apply([made.unit]), [made.result]);
        const once = await bench.snapshot();
        assert.notDeepEqual(once, untouched);
        assert.deepEqual(await bench.apply([made.unit], true), [made.result]);
        assert.deepEqual(await bench.snapshot(), once);
      });
    }
    for (const [name, make] of Object.entries(refused)) {
      test(`${kind}: ${name}, and nothing changes`, async () => {
        const { unit, result, repeated = result } = await make(bench);
        const untouched = await bench.snapshot();
        assert.deepEqual(await bench.apply([unit]), [result]);
        assert.deepEqual(await bench.apply([unit], true), [repeated]);
        assert.deepEqual(await bench.snapshot(), untouched);
      });
    }
  }

  const all = Object.values(kinds).flatMap(({ applied, refused }) => [
    ...Object.values(applied),
    ...Object.values(refused),
  ]);
  const possible = async () => {
    const made: Case[] = [];
    for (const make of all) made.push(await make(bench));
    return made.filter(({ result }) => 'outcome' in result);
  };

  test('a transaction of all of them whose answer is lost is applied once', async () => {
    const made = await possible();
    const units = made.map(({ unit }) => unit);
    assert.deepEqual(await bench.apply(units), resultsOf(made));
    const once = await bench.snapshot();
    assert.deepEqual(await bench.apply(units, true), repeatedOf(made));
    assert.deepEqual(await bench.snapshot(), once);
  });

  test('units that have committed are not applied again with those that have not', async () => {
    const made = await possible();
    const units = made.map(({ unit }) => unit);
    const half = Math.ceil(units.length / 2);
    await bench.apply(units.slice(0, half));
    assert.deepEqual(await bench.apply(units, true), repeatedOf(made));
  });

  test('a unit that can never be applied does not affect the others', async () => {
    const made = await possible();
    const bad = badUnit();
    const units = made.flatMap(({ unit }) => [unit, bad]);
    const results = repeatedOf(made).flatMap((result) => [result, nobody]);
    assert.deepEqual(await bench.apply(units), results);
    const once = await bench.snapshot();
    assert.deepEqual(await bench.apply(units, true), results);
    assert.deepEqual(await bench.snapshot(), once);
  });

  test('the audit finds nothing', async () => {
    assert.deepEqual((await audit(bench.db, null, { nowMs: startMs })).findings, []);
  });
}

/** The result of a unit whose account does not exist. */
export const nobody = { error: 'There is no account nobody.' } as const;

/** A unit that can never be applied. */
function badUnit(): Unit {
  return acceptUnit(orderRow({ accountId: 'nobody' }), { admission: admissionOf(1n) });
}

const resultsOf = (made: readonly Case[]) => made.map(({ result }) => result);
const repeatedOf = (made: readonly Case[]) => made.map(({ result, repeated = result }) => repeated);

function rowText(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

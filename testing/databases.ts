/**
 * The databases that storage is tested on. Every test file loops over them, so both must pass the same suite. A run tests
 * one: MariaDB if there is a server in TEST_DATABASE_URL (scripts/with-mariadb starts one), else SQLite. The other half is
 * reported as skipped. Each opened database is fresh and has the tables.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import type { Clock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import type { NanoUsd } from '#base/money.ts';
import type { OrderRow } from '#orders/order.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import { writing } from '#storage/database/transaction.ts';
import { createJournal, type Journal } from '#storage/journal/journal.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';

/** One kind of database, or why it is not tested. */
export interface TestedDatabase {
  readonly name: 'SQLite' | 'MariaDB';
  readonly skip: string | false;
  /** The URL of a fresh database without tables, and a function that drops it. */
  make(): Promise<{ url: string; drop(): Promise<void> }>;
}

/** A database with tables. */
export interface OpenedDatabase {
  readonly db: Database;
  readonly url: string;
  drop(): Promise<void>;
}

/** A database with tables and a journal. */
export interface OpenedJournal extends OpenedDatabase {
  readonly journal: Journal;
}

const server = process.env.SLUICE_TEST_MYSQL ?? process.env.TEST_DATABASE_URL ?? '';
const hasServer = /^(mysql|mariadb):/.test(server);

export const testedDatabases: readonly TestedDatabase[] = [
  { name: 'SQLite', skip: hasServer && 'a run without TEST_DATABASE_URL tests it', make: makeSqlite },
  {
    name: 'MariaDB',
    skip: hasServer ? false : 'no MariaDB server in TEST_DATABASE_URL; scripts/with-mariadb starts one',
    make: makeMysql,
  },
];

/** Makes a fresh database of this kind, with the tables. */
export async function openTested(tested: TestedDatabase): Promise<OpenedDatabase> {
  const { url, drop } = await tested.make();
  const db = openDatabase(url);
  await migrate(db);
  return {
    db,
    url,
    async drop() {
      await db.close();
      await drop();
    },
  };
}

/** The same with a journal over it, which is closed before the database is. */
export async function openJournaled(tested: TestedDatabase, clock: Clock): Promise<OpenedJournal> {
  const opened = await openTested(tested);
  const journal = createJournal(opened.db, { clock, log: silentLog });
  return {
    ...opened,
    journal,
    async drop() {
      await journal.close();
      await opened.drop();
    },
  };
}

/** The live orders of a boot epoch, oldest first. */
export async function liveOrdersOf(db: Database, bootEpoch: number): Promise<OrderRow[]> {
  const pages = await Array.fromAsync(createAdoptionStore(db).liveOrders(bootEpoch));
  return pages.flatMap(({ orders }) => orders);
}

/** Begins another boot, as a start does, and returns its epoch. */
export async function nextBootEpoch(db: Database): Promise<number> {
  return writing(db, async (trx) => {
    const changed = await trx('counters').where({ name: 'boot' }).increment('value', 1);
    if (changed === 0) await trx('counters').insert({ name: 'boot', value: 1 });
    return Number((await trx('counters').where({ name: 'boot' }).first('value')).value);
  });
}

/** Opens an account with `balance` to spend; returns its id. */
export async function fundedAccount(db: Database, clock: Clock, balance: NanoUsd): Promise<string> {
  const parts = { db, clock, ids: idSource(clock) };
  const { id } = await new Accounts(parts).create({ name: 'test' }, COMMAND_LINE);
  if (balance > 0n) await new Transfers(parts).credit(id, balance, { force: true }, COMMAND_LINE);
  return id;
}

async function makeSqlite(): Promise<{ url: string; drop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  return { url: `sqlite:${join(folder, 'sluice.sqlite')}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

async function makeMysql(): Promise<{ url: string; drop(): Promise<void> }> {
  const schema = `sluice_test_${randomBytes(6).toString('hex')}`;
  await administer(`CREATE DATABASE ${schema}`);
  const url = new URL(server);
  url.pathname = `/${schema}`;
  return { url: url.href, drop: () => administer(`DROP DATABASE ${schema}`) };
}

async function administer(statement: string): Promise<void> {
  const url = new URL(server);
  url.pathname = '/';
  const db = openDatabase(url.href);
  try {
    await db.knex.raw(statement);
  } finally {
    await db.close();
  }
}

/**
 * The cost of the database per settled order: two units, executing and settled, on SQLite with durable commits. `node
 * benchmarks/journal.bench.ts [orders] [orders in flight] [milliseconds added to each commit] [bytes an answer]`. The
 * third argument simulates a slower disk; the fourth is what each settlement stores, 0 for nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import type { SettleUnit } from '#orders/units.ts';
import { Accounts } from '#storage/accounts/accounts.ts';
import { Transfers } from '#storage/accounts/transfers.ts';
import { openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrate.ts';
import type { Applied } from '#storage/journal/apply-units.ts';
import { Journal } from '#storage/journal/journal.ts';
import { SqliteDriver } from '#storage/journal/sqlite-driver.ts';
import type { JournalUnit } from '#storage/journal/units.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';

/** A slower disk: the result of each batch comes `addedMs` later. */
class SlowDriver extends SqliteDriver {
  addedMs = 0;
  batches = 0;

  override async apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    const applied = await super.apply(units, again);
    this.batches++;
    if (this.addedMs > 0) await new Promise((resolve) => setTimeout(resolve, this.addedMs));
    return applied;
  }
}

/** The figures of one run. CPU is that of the process minus the main thread: the journal's thread. */
export async function benchJournal(options: {
  orders: number;
  inFlight: number;
  addedMs: number;
  answerBytes: number;
}): Promise<{
  ordersPerS: number;
  unitsPerBatch: number;
  threadCpuUsPerOrder: number;
  mainCpuUsPerOrder: number;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const filename = join(folder, 'bench.sqlite');
  const db = openDatabase(`sqlite:${filename}`);
  await migrate(db);
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  const accounts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { id } = await new Accounts(parts).create({ name: `bench ${index}` });
      await new Transfers(parts).credit(id, 10n ** 15n, { force: true });
      return id;
    }),
  );
  const driver = new SlowDriver(filename);
  const journal = new Journal({ driver, clock: systemClock, log: silentLog });
  const kept = options.answerBytes > 0 ? keptAnswer(options.answerBytes) : {};
  const one = async (index: number): Promise<void> => {
    const order = orderRow({ accountId: accounts[index % accounts.length] ?? '', createdAtMs: Date.now() });
    await journal.write(acceptUnit(order, { admission: admissionOf(1_000_000n) }));
    await journal.write(settleUnit(order, 420_000n, { finishedAtMs: Date.now(), ...kept }));
  };
  await lanes(Math.min(options.orders, 2000), options.inFlight, one);

  driver.addedMs = options.addedMs;
  driver.batches = 0;
  const begin = { at: process.hrtime.bigint(), cpu: process.cpuUsage(), main: process.threadCpuUsage() };
  await lanes(options.orders, options.inFlight, one);
  const seconds = Number(process.hrtime.bigint() - begin.at) / 1e9;
  const all = process.cpuUsage(begin.cpu);
  const main = process.threadCpuUsage(begin.main);
  const mainUs = main.user + main.system;
  await journal.close();
  await db.close();
  await rm(folder, { recursive: true });
  return {
    ordersPerS: options.orders / seconds,
    unitsPerBatch: (2 * options.orders) / driver.batches,
    threadCpuUsPerOrder: (all.user + all.system - mainUs) / options.orders,
    mainCpuUsPerOrder: mainUs / options.orders,
  };
}

function keptAnswer(bytes: number): Partial<SettleUnit> {
  return { resultText: 'x'.repeat(bytes), resultBytes: bytes, resultExpiresAtMs: Date.now() + 1e9 };
}

async function lanes(total: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

if (import.meta.main) {
  const [orders = 40_000, inFlight = 64, addedMs = 0, answerBytes = 0] = process.argv.slice(2).map(Number);
  const figures = await benchJournal({ orders, inFlight, addedMs, answerBytes });
  console.log(
    `${orders} orders, ${inFlight} in flight, ${addedMs} ms added, ${answerBytes} bytes an answer: ${figures.ordersPerS.toFixed(0)} orders/s, ` +
      `${figures.unitsPerBatch.toFixed(1)} units a batch, per order ${figures.threadCpuUsPerOrder.toFixed(1)} µs CPU ` +
      `outside the main thread and ${figures.mainCpuUsPerOrder.toFixed(1)} µs in it`,
  );
}

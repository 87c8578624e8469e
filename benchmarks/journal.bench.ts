/**
 * The cost of the database per settled order: two units, executing and settled, on SQLite with durable commits. `node
 * benchmarks/journal.bench.ts [orders] [orders in flight] [milliseconds added to each commit] [bytes an answer]`. The
 * third argument simulates a slower disk; the fourth is what each settlement stores, 0 for nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Applied } from '#storage/journal/apply-units.ts';
import { SqliteDriver } from '#storage/journal/sqlite-driver.ts';
import type { JournalUnit } from '#storage/journal/units.ts';
import { type LoadFigures, settleOrders } from './journal-load.ts';

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

/** The figures of one run. CPU outside the main thread is that of the journal's. */
export async function benchJournal(options: {
  orders: number;
  inFlight: number;
  addedMs: number;
  answerBytes: number;
}): Promise<LoadFigures & { unitsPerBatch: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const filename = join(folder, 'bench.sqlite');
  const driver = new SlowDriver(filename);
  const figures = await settleOrders({
    ...options,
    url: `sqlite:${filename}`,
    driver,
    warm() {
      driver.addedMs = options.addedMs;
      driver.batches = 0;
    },
  });
  await rm(folder, { recursive: true });
  return { ...figures, unitsPerBatch: (2 * options.orders) / driver.batches };
}

if (import.meta.main) {
  const [orders = 40_000, inFlight = 64, addedMs = 0, answerBytes = 0] = process.argv.slice(2).map(Number);
  const figures = await benchJournal({ orders, inFlight, addedMs, answerBytes });
  console.log(
    `${orders} orders, ${inFlight} in flight, ${addedMs} ms added, ${answerBytes} bytes an answer: ${figures.ordersPerS.toFixed(0)} orders/s, ` +
      `${figures.unitsPerBatch.toFixed(1)} units a batch, per order ${figures.outsideCpuUsPerOrder.toFixed(1)} µs CPU ` +
      `outside the main thread and ${figures.mainCpuUsPerOrder.toFixed(1)} µs in it`,
  );
}

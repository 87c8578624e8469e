/** Settles orders through a journal, so many at a time, and measures what each costs. */

import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import type { SettleUnit } from '#orders/units.ts';
import { openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import type { JournalDriver } from '#storage/journal/apply-units.ts';
import { Journal } from '#storage/journal/journal.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';

/** What to measure. `warm` is called when the measured part begins, after 2,000 orders at most. */
export interface Load {
  readonly url: string;
  readonly driver: JournalDriver;
  readonly orders: number;
  readonly inFlight: number;
  /** What each settlement stores; 0 for nothing. */
  readonly answerBytes: number;
  warm(): void;
}

/** `outsideCpuUs` is the CPU of this process outside its main thread. */
export interface LoadFigures {
  readonly ordersPerS: number;
  readonly mainCpuUsPerOrder: number;
  readonly outsideCpuUsPerOrder: number;
}

/** Applies `load` to a fresh database at its URL, with 20 accounts. */
export async function settleOrders({ url, driver, orders, inFlight, answerBytes, warm }: Load): Promise<LoadFigures> {
  const db = openDatabase(url);
  await migrate(db);
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  const accounts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { id } = await new Accounts(parts).create({ name: `bench ${index}` }, COMMAND_LINE);
      await new Transfers(parts).credit(id, 10n ** 15n, { force: true }, COMMAND_LINE);
      return id;
    }),
  );
  const journal = new Journal({ driver, clock: systemClock, log: silentLog });
  const kept = answerBytes > 0 ? keptAnswer(answerBytes) : {};
  const one = async (index: number): Promise<void> => {
    const order = orderRow({ accountId: accounts[index % accounts.length] ?? '', createdAtMs: Date.now() });
    await journal.write(acceptUnit(order, { admission: admissionOf(1_000_000n) }));
    await journal.write(settleUnit(order, 420_000n, { finishedAtMs: Date.now(), ...kept }));
  };
  await lanes(Math.min(orders, 2000), inFlight, one);
  warm();
  const begin = { at: process.hrtime.bigint(), cpu: process.cpuUsage(), main: process.threadCpuUsage() };
  await lanes(orders, inFlight, one);
  const seconds = Number(process.hrtime.bigint() - begin.at) / 1e9;
  const all = process.cpuUsage(begin.cpu);
  const main = process.threadCpuUsage(begin.main);
  const mainUs = main.user + main.system;
  await journal.close();
  await db.close();
  return {
    ordersPerS: orders / seconds,
    outsideCpuUsPerOrder: (all.user + all.system - mainUs) / orders,
    mainCpuUsPerOrder: mainUs / orders,
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

/**
 * What the fence of a gateway costs on one MariaDB, in turn: none, shared locks, and a row that each commit writes, as
 * where several nodes write. `scripts/with-mariadb node benchmarks/fence.bench.ts [--quick]`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemClock } from '#base/clock.ts';
import { openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import { openConnection } from '#storage/database/mysql-connection.ts';
import { MysqlDriver } from '#storage/journal/mysql-driver.ts';
import { fenceOf } from '#storage/leases/fence.ts';
import { registerGateway } from '#storage/leases/gateway-rows.ts';
import type { FenceKind } from '#storage/leases/leases.ts';
import { settleOrders } from './journal-load.ts';
import { median } from './machine.ts';

/** A clock tick in /proc, in microseconds. */
const TICK_US = 10_000;
const ROUNDS = 7;
const KINDS: readonly FenceKind[] = ['locks', 'writes'];
const server = new URL(String(process.env.TEST_DATABASE_URL));
const orders = process.argv.includes('--quick') ? 3_000 : 10_000;

for (const inFlight of [1, 64]) {
  const figures = new Map(KINDS.map((kind) => [kind, [] as number[][]]));
  const count = inFlight === 1 ? orders / 10 : orders;
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed())
      figures.get(kind)?.push(await fenced(kind, { inFlight, count }));
  for (const [kind, rows] of figures) {
    const [rate = 0, here = 0, there = 0] = [0, 1, 2].map((column) => median(rows.map((row) => row[column] ?? 0)));
    console.log(
      `${inFlight} in flight, ${kind}: ${rate.toFixed(0)} orders/s, ${(1e6 / rate).toFixed(0)} µs an order; CPU ` +
        `${here.toFixed(1)} µs here and ${there.toFixed(1)} µs in the server`,
    );
  }
}

async function fenced(kind: FenceKind, { inFlight, count }: { inFlight: number; count: number }): Promise<number[]> {
  const schema = `sluice_bench_${randomBytes(6).toString('hex')}`;
  const administrator = openDatabase(server.href);
  await administrator.knex.raw(`CREATE DATABASE ${schema}`);
  const [[{ pidFile }]] = await administrator.knex.raw('SELECT @@pid_file AS pidFile');
  const pid = readFileSync(pidFile, 'utf8').trim();
  const url = new URL(`/${schema}`, server).href;
  const db = openDatabase(url);
  await migrate(db);
  await db.close();
  const connection = await openConnection(url);
  const { lease } = await registerGateway(connection, null);
  connection.destroy();
  const driver = new MysqlDriver(url, { fence: fenceOf(lease, () => {}, { kind }), clock: systemClock });
  let beganUs = 0;
  const { ordersPerS, mainCpuUsPerOrder } = await settleOrders({
    ...{ url, driver, orders: count, inFlight, answerBytes: 0 },
    warm() {
      beganUs = cpuUsOf(pid);
    },
  });
  const serverUs = (cpuUsOf(pid) - beganUs) / count;
  await administrator.knex.raw(`DROP DATABASE ${schema}`);
  await administrator.close();
  return [ordersPerS, mainCpuUsPerOrder, serverUs];
}

/** Processor time that a process has taken, user and system. */
function cpuUsOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

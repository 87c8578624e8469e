/**
 * The journal on MariaDB beside SQLite, in turn: on one machine, and with 2 ms added to each round trip, as between the
 * zones of a cloud. `node benchmarks/mariadb.bench.ts [--quick]` starts a server unless TEST_DATABASE_URL names one.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#storage/database/database.ts';
import { MysqlDriver } from '#storage/journal/mysql-driver.ts';
import { benchJournal } from './journal.bench.ts';
import { settleOrders } from './journal-load.ts';
import { median } from './machine.ts';
import { slowLink } from './slow-link.ts';
import { tellFigure } from './targets/figures.ts';

const IN_FLIGHT = 64;
const ADDED_MS = 2;
/** A clock tick in /proc, in microseconds. */
const TICK_US = 10_000;

const server = process.env.TEST_DATABASE_URL;
if (server) {
  await compare(new URL(server), process.argv.includes('--quick') ? 3000 : 20_000);
} else {
  const command = join(import.meta.dirname, '../scripts/with-mariadb');
  const [code] = await once(spawn(command, [process.execPath, ...process.argv.slice(1)], { stdio: 'inherit' }), 'exit');
  process.exitCode = code;
}

async function compare(address: URL, orders: number): Promise<void> {
  const far = await slowLink({ host: address.hostname, port: Number(address.port), addedMs: ADDED_MS });
  const farAddress = new URL(address);
  farAddress.port = String(far.port);
  const farRates: number[] = [];
  for (let round = 0; round < 3; round++) {
    const sqlite = await benchJournal({ orders, inFlight: IN_FLIGHT, addedMs: 0, answerBytes: 0 });
    const near = await onMariadb(address, address, orders);
    const slow = await onMariadb(address, farAddress, orders);
    farRates.push(slow.ordersPerS);
    console.log(
      `${orders} orders, ${IN_FLIGHT} in flight: SQLite ${sqlite.ordersPerS.toFixed(0)} orders/s; MariaDB ` +
        `${near.ordersPerS.toFixed(0)}, ${(near.ordersPerS / sqlite.ordersPerS).toFixed(2)} of it, per order ` +
        `${near.mainCpuUsPerOrder.toFixed(0)} µs CPU here and ${near.serverCpuUsPerOrder.toFixed(0)} µs in the server; ` +
        `${ADDED_MS} ms away ${slow.ordersPerS.toFixed(0)} orders/s`,
    );
  }
  tellFigure(`mariadb: orders a second, ${ADDED_MS} ms away`, median(farRates));
  await far.close();
}

/** `near` is the server itself, where the database is made; `address` is how the journal reaches it. */
async function onMariadb(near: URL, address: URL, orders: number) {
  const schema = `sluice_bench_${randomBytes(6).toString('hex')}`;
  const administrator = openDatabase(new URL('/', near).href);
  await administrator.knex.raw(`CREATE DATABASE ${schema}`);
  const [[{ pidFile }]] = await administrator.knex.raw('SELECT @@pid_file AS pidFile');
  const pid = readFileSync(pidFile, 'utf8').trim();
  let beganUs = 0;
  const figures = await settleOrders({
    url: new URL(`/${schema}`, near).href,
    driver: new MysqlDriver(new URL(`/${schema}`, address).href),
    orders,
    inFlight: IN_FLIGHT,
    answerBytes: 0,
    warm() {
      beganUs = cpuUsOf(pid);
    },
  });
  const serverCpuUsPerOrder = (cpuUsOf(pid) - beganUs) / orders;
  await administrator.knex.raw(`DROP DATABASE ${schema}`);
  await administrator.close();
  return { ...figures, serverCpuUsPerOrder };
}

/** Processor time that a process has taken, user and system. */
function cpuUsOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** The journal's driver for MySQL and MariaDB: one connection of its own, opened again after it was lost. */
import { type Connection, createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import type { JournalUnit } from '#orders/journal-port.ts';
import { mysqlSettings } from '../database.ts';
import { mysql } from '../dialects/mysql.ts';
import type { Row } from '../values.ts';
import { type Applied, applyBatch } from './batch.ts';
import type { JournalDriver } from './driver.ts';
import { type Reply, runAsync, type Statement } from './steps.ts';

export class MysqlDriver implements JournalDriver {
  readonly #url: string;
  #connection: Connection | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    const applied = await runAsync(applyBatch(mysql, units, again), (statement) => this.#execute(statement));
    // A connection that failed once may be half-way through anything: the next try gets a new one.
    if (applied.failure !== null) this.#drop();
    return applied;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.end();
  }

  async #execute({ sql, params }: Statement): Promise<Reply> {
    this.#connection ??= await this.#open();
    // Transaction statements have no parameters and gain nothing from being prepared.
    const [answer] =
      params.length === 0
        ? await this.#connection.query<RowDataPacket[] | ResultSetHeader>(sql)
        : await this.#connection.execute<RowDataPacket[] | ResultSetHeader>(sql, [...params]);
    if (Array.isArray(answer)) return { changes: 0, rows: answer as Row[] };
    return { changes: answer.affectedRows, rows: [] };
  }

  async #open(): Promise<Connection> {
    const connection = await createConnection(mysqlSettings(this.#url));
    // The next use finds a lost connection by itself; without a listener the event would end the process.
    connection.on('error', () => {});
    // Each read sees what is committed now: the accounts are locked by then, and a stale view would undo a credit.
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    return connection;
  }

  #drop(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }
}

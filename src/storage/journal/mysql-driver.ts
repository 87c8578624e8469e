/** The journal's driver for MySQL and MariaDB: its own connection, opened again after it was lost. */
import { type Connection, createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { mysqlSettings, unlessSilent } from '../database/database.ts';
import { mysql } from '../database/dialects/mysql.ts';
import type { Row } from '../database/values.ts';
import { type Applied, applyUnits, type JournalDriver } from './apply-units.ts';
import { runAsync, type Statement, type StatementResult } from './steps.ts';
import type { JournalUnit } from './units.ts';

export class MysqlDriver implements JournalDriver {
  readonly #url: string;
  #connection: Connection | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    const applied = await runAsync(applyUnits(mysql, units, again), (statement) => this.#execute(statement));
    // A connection that failed may be in the middle of anything: the next attempt gets a new one.
    if (applied.failure !== null) this.#drop();
    return applied;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.end();
  }

  async #execute({ sql, params }: Statement): Promise<StatementResult> {
    this.#connection ??= await this.#open();
    // Transaction statements have no parameters and gain nothing from a prepared statement.
    const [answer] = await unlessSilent(
      params.length === 0
        ? this.#connection.query<RowDataPacket[] | ResultSetHeader>(sql)
        : this.#connection.execute<RowDataPacket[] | ResultSetHeader>(sql, [...params]),
    );
    if (Array.isArray(answer)) return { changes: 0, rows: answer as Row[] };
    return { changes: answer.affectedRows, rows: [] };
  }

  async #open(): Promise<Connection> {
    const connection = await createConnection(mysqlSettings(this.#url));
    // The next use notices a lost connection by itself; without a listener the event would end the process.
    connection.on('error', () => {});
    // Each read sees what is committed now: the accounts are row-locked by then, and a stale read would undo a top-up.
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    return connection;
  }

  #drop(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }
}

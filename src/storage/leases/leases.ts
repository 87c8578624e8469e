/**
 * The table of leases, on MySQL and MariaDB. A lease is a name such as `market:tide` with a holder and an epoch; each
 * change of hands raises the epoch, so that an epoch says exactly whose turn it is. All times are the server's.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { int, text } from '../database/values.ts';
import { together } from './session.ts';

/** A new epoch is a time as well, so that it grows even if the row was lost with an old backup. */
export const NEXT_EPOCH = 'GREATEST(epoch + 1, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED))';

/** A lease that is held: the fence compares the epoch. */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

/**
 * `locks`: a commit locks the rows of leases, for which a takeover waits. `writes`: where several nodes write and keep
 * locks for themselves, a commit also writes the row of its gateway, and a takeover those of all gateways. Of two
 * transactions that write one row at different nodes, the second fails and is tried again, after it has seen the first.
 */
export type FenceKind = 'locks' | 'writes';

/** Counts a commit of each gateway whose lease has a name that is like the parameter. */
export const COUNT = 'UPDATE leases SET commits = commits + 1 WHERE name LIKE ?';

/** Frees leases that are still held; the epochs stay, and the next holder raises them. */
export async function freeLeases(connection: Connection, held: readonly HeldLease[]): Promise<void> {
  if (held.length === 0) return;
  await connection.query(
    `UPDATE leases SET holder = NULL, process = NULL, address = NULL, connection_id = NULL
     WHERE name IN (?) AND (name, epoch) IN (?)`,
    [held.map(({ name }) => name), rowsOf(held)],
  );
}

/** As mysql2 writes them into a statement: `('market:tide', 5), …`. */
function rowsOf(leases: readonly HeldLease[]): [string, number][] {
  return leases.map(({ name, epoch }) => [name, epoch]);
}

/**
 * Ends the connection of a holder, which may be paused in a transaction with rows locked. Ids are used again after a
 * restart of the server, so only a connection of the same user to the same database is ended, where it costs a retry at
 * most. Where it cannot be ended, the server does so after `IDLE_S` of `journal/mysql-session.ts`.
 */
export async function killConnection(connection: Connection, connectionId: number): Promise<void> {
  const [[row]] = await connection.query<RowDataPacket[]>(
    `SELECT other.id FROM information_schema.processlist other
     JOIN information_schema.processlist own
       ON own.id = CONNECTION_ID() AND other.user = own.user AND other.db = own.db AND other.id <> own.id
     WHERE other.id = ?`,
    [connectionId],
  );
  // It may end by itself in between, or the server may not allow it.
  if (row) await connection.query(`KILL ${int(row.id)}`).catch(() => {});
}

/**
 * The same for the holders of these leases of markets, jobs or gateways, by the leases of those gateways; not for `self`,
 * and not where nobody holds one.
 */
export async function killHolders(connection: Connection, names: readonly string[], self: string): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT DISTINCT gateway.connection_id FROM leases held
     JOIN leases gateway ON gateway.name = CONCAT('gateway:', held.holder)
     JOIN information_schema.processlist other ON other.id = gateway.connection_id
     WHERE held.name IN (?) AND held.holder <> ?`,
    [names, self],
  );
  for (const row of rows) await killConnection(connection, int(row.connection_id));
}

/**
 * Takes the leases of markets and jobs whose epochs still are those that were seen, 0 for one that does not exist yet;
 * two round trips for all of them, a few more where the fence writes, and two for each holder whose connection still is
 * there. Returns the new epochs, null where somebody was faster. One statement takes all of them, which locks the rows in
 * the order of their names, as fences do.
 */
export async function takeShared(
  connection: Connection,
  seen: readonly HeldLease[],
  holder: string,
  fence: FenceKind = 'locks',
): Promise<(number | null)[]> {
  const names = seen.map(({ name }) => name);
  await killHolders(connection, names, holder);
  const unseen = rowsOf(seen.filter(({ epoch }) => epoch === 0)).sort();
  const update = `UPDATE leases SET holder = ?, process = NULL, address = NULL, protocol = NULL, listing_hash = NULL,
    connection_id = NULL, epoch = ${NEXT_EPOCH} WHERE name IN (?) AND (name, epoch) IN (?)`;
  const statements: [string, unknown[]][] = [
    ...(unseen.length > 0
      ? [['INSERT IGNORE INTO leases (name, epoch) VALUES ?', [unseen]] as [string, unknown[]]]
      : []),
    [update, [holder, names, rowsOf(seen)]],
    ['SELECT name, epoch FROM leases WHERE holder = ? AND name IN (?)', [holder, names]],
  ];
  const inOne = async () => {
    const sql = statements.map(([text]) => text).join('; ');
    const [answers] = await connection.query<RowDataPacket[][]>(
      sql,
      statements.flatMap(([, values]) => values),
    );
    return answers.at(-1);
  };
  // Several statements in one message may commit one by one on Galera.
  const inTurn = () =>
    together(connection, async () => {
      await connection.query(COUNT, ['gateway:%']);
      let rows: RowDataPacket[] = [];
      for (const [sql, values] of statements) [rows] = await connection.query<RowDataPacket[]>(sql, values);
      return rows;
    });
  const rows = await (fence === 'locks' ? inOne() : inTurn());
  const epochs = new Map(rows?.map((row) => [text(row.name), int(row.epoch)]));
  return names.map((name) => epochs.get(name) ?? null);
}

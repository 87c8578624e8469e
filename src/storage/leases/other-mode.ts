/**
 * One gateway that serves alone, or several with peer addresses: never both on one database, because only the latter
 * know of each other. A start refuses while a gateway of the other mode lives, and fences off those that are dead.
 */
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Log } from '#base/log.ts';
import { DatabaseInOtherUse, DatabaseInUse } from '../database/refusal.ts';
import { text } from '../database/values.ts';
import { killConnection, type LeaseState, NEXT_EPOCH } from './leases.ts';
import { together } from './session.ts';
import { SINGLE, whenLeft } from './watch.ts';

/**
 * Makes sure that no gateway of a cluster serves; what those left is for recovery. Rejects with DatabaseInOtherUse when
 * one lives.
 */
export async function clearCluster(connection: Connection, log: Log): Promise<void> {
  const sql = 'SELECT name FROM leases WHERE name LIKE ? AND name <> ?';
  const [rows] = await connection.query<RowDataPacket[]>(sql, ['gateway:%', SINGLE]);
  const inUse = (who: string | null) => new DatabaseInOtherUse(who, 'with others');
  const left: (readonly [name: string, seen: LeaseState])[] = [];
  // A lease that names an adopter counts by the beat of that one.
  for (const row of rows) left.push([text(row.name), await whenLeft(connection, text(row.name), { log, inUse })]);
  for (const [name, { connectionId }] of left) {
    if (connectionId !== null) await killConnection(connection, connectionId);
    await together(connection, async () => {
      await connection.query('DELETE FROM leases WHERE name = ?', [name]);
      await connection.query('DELETE FROM beats WHERE gateway = SUBSTR(?, 9)', [name]);
    });
  }
}

/** Makes sure that no gateway serves alone. Rejects with DatabaseInOtherUse when one lives. */
export async function clearSingle(connection: Connection, log: Log): Promise<void> {
  const inUse = (who: string | null) => new DatabaseInOtherUse(who, 'alone');
  for (;;) {
    const seen = await whenLeft(connection, SINGLE, { log, inUse });
    if (seen.holder === null || (await fenceOff(connection, seen))) return;
  }
}

/** Version 0.1.0 had a named lock of the server instead of a lease. */
export async function refuseBesideOldVersion(connection: Connection): Promise<void> {
  const sql = "SELECT IS_USED_LOCK(CONCAT('sluice.serve.', MD5(DATABASE()))) AS holder";
  const [[row]] = await connection.query<RowDataPacket[]>(sql);
  if (row?.holder !== null) throw new DatabaseInUse('of an earlier version');
}

async function fenceOff(connection: Connection, seen: LeaseState): Promise<boolean> {
  if (seen.connectionId !== null) await killConnection(connection, seen.connectionId);
  return together(connection, async () => {
    const [{ affectedRows }] = await connection.query<ResultSetHeader>(
      `UPDATE leases SET holder = NULL, process = NULL, connection_id = NULL, epoch = ${NEXT_EPOCH}
       WHERE name = ? AND epoch = ?`,
      [SINGLE, seen.epoch],
    );
    await connection.query('DELETE FROM beats WHERE gateway = ?', [seen.holder]);
    return affectedRows === 1;
  });
}

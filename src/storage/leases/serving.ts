/**
 * The right to serve a database: on SQLite the boot epoch in its file, on a server a lease, whether a gateway serves alone
 * or with others. The operator's commands need no such right: they are safe beside a gateway. docs/decisions/0037, 0039.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Clock } from '#base/clock.ts';
import type { GatewayId } from '#cluster/messages.ts';
import { CLOCK_OFF_MS_MAX } from '#cluster/ports.ts';
import type { Database } from '../database/database.ts';
import { openConnection } from '../database/mysql-connection.ts';
import { DatabaseRefused } from '../database/refusal.ts';
import { int } from '../database/values.ts';
import type { Fence } from './fence.ts';
import { takeFile } from './file-place.ts';
import { registerGateway } from './gateway-rows.ts';
import { bringUpToDate, refuseBesideLock, whenNoneLives } from './living-gateways.ts';
import { excludedBy, GatewayPlace, type PlaceOptions } from './place.ts';
import { checkRights, checkServer } from './server-kind.ts';

/** The right to serve, held. */
export interface ServingRight {
  /** The number of the gateway, which is its boot epoch. */
  readonly gateway: GatewayId;
  /** What transactions pass first. */
  readonly fence: Fence;
  /**
   * Resolves with the reason when this gateway must end: with LeaseLost, at once, when another one has taken over; with
   * FileMoved when the file of the database is not at its path any more. Otherwise stays pending.
   */
  readonly lost: Promise<DatabaseRefused>;
  /** How far this machine's clock is ahead of the server's; null on SQLite, and while the server has not answered. */
  readonly clockAheadMs: number | null;
  /** Null on SQLite. */
  readonly place: GatewayPlace | null;
  /** Whether the database is where it was when the gateway started; looks at once. */
  check(): boolean;
  /** Ends the start: the others see this gateway from now on, and the next may start. */
  started(): Promise<void>;
  /** Leaves the database to the next gateway, or to the others; the last use of it. Never rejects. */
  release(): Promise<void>;
}

/**
 * Takes the right to serve `db`, beside others or alone, and brings its tables up to date. Rejects with DatabaseInUse or
 * DatabaseInOtherUse when a gateway lives that this one cannot serve beside: at once on SQLite, on a server after its
 * next beat. There it waits up to `DEAD_MS` for one that ended without leaving, unless its process is seen to have ended,
 * and for the start of another one. DatabaseRefused where several gateways cannot be kept apart, while a gateway of
 * another version lives, or beside others when the clock of this machine is off. A refused start has changed nothing.
 */
export async function takeServing(db: Database, options: PlaceOptions): Promise<ServingRight> {
  if (db.address.type === 'mysql') return takePlace(db, db.address.url, options);
  if (options.peer) throw new DatabaseRefused('it is SQLite; several gateways need MySQL or MariaDB');
  return takeFile(db, db.address.filename, options);
}

async function takePlace(db: Database, url: string, options: PlaceOptions): Promise<ServingRight> {
  const { log, peer, clock } = options;
  const { fence, warning } = await checkServer(db, peer !== null);
  if (warning !== null) log.warn({}, warning);
  const connection = await openConnection(url);
  try {
    if (peer) await compareClocks(connection, clock);
    await refuseBesideLock(connection);
    await bringUpToDate(db, log);
    await checkRights(db);
    const dead = await whenNoneLives(connection, { ...excludedBy(peer), log });
    const place = new GatewayPlace(url, await registerGateway(connection, peer), { ...options, fence });
    try {
      await place.take(connection, dead);
      return place;
    } catch (error) {
      await place.release();
      throw error;
    }
  } finally {
    connection.destroy();
  }
}

/** A clock that is off puts the orders of this gateway before or behind those of others. */
async function compareClocks(connection: Connection, clock: Clock): Promise<void> {
  const askedMs = clock.nowMs();
  const sql = 'SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now_ms';
  const [[row]] = await connection.query<RowDataPacket[]>(sql);
  const answeredMs = clock.nowMs();
  const aheadMs = Math.round((askedMs + answeredMs) / 2) - int(row?.now_ms);
  if (Math.abs(aheadMs) - (answeredMs - askedMs) / 2 <= CLOCK_OFF_MS_MAX) return;
  const off = `${Math.abs(aheadMs / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  throw new DatabaseRefused(`the clock of this machine is ${off} the database's; set both right (NTP)`);
}

/**
 * Looking for living gateways before a start, or a command, changes anything in a database. It only reads, and only
 * columns that the tables of every version have. The beat of a gateway is watched for some seconds: after an outage of
 * the server all beats are old at first.
 */
import { createHash } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { type Log, silentLog } from '#base/log.ts';
import { DEAD_MS } from '#cluster/ports.ts';
import type { Database } from '../database/database.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { isCurrent, migrate } from '../database/migrations/migrate.ts';
import { openConnection } from '../database/mysql-connection.ts';
import { isGone, nameOf } from '../database/process.ts';
import { DatabaseInUse, DatabaseRefused } from '../database/refusal.ts';
import { servingProcess } from '../database/served-file.ts';
import { int, intOrNull, type Row, text, textOrNull } from '../database/values.ts';
import { killConnection, NEXT_EPOCH } from './leases.ts';

/** How often it looks, and how often at an old beat before that counts. */
const LOOK_S = 0.25;
const LOOKS_MIN = 12;

/** The lease of a gateway as it was seen. */
export interface SeenGateway {
  readonly name: string;
  readonly epoch: number;
  /** Null when it left. */
  readonly holder: string | null;
  readonly process: string | null;
  /** The connection on which it commits; null while it has none. */
  readonly connectionId: number | null;
  /** Whether it serves alone: no other can reach it. */
  readonly alone: boolean;
  /** Null in tables of an earlier version. */
  readonly state: string | null;
  /** Its last beat, and how long ago that was; null without one. */
  readonly beatMs: number | null;
  readonly ageMs: number | null;
}

interface Watch {
  /** Which gateways must not live. */
  readonly which: (gateway: SeenGateway) => boolean;
  readonly log: Log;
  /** What is thrown when one lives. */
  readonly inUse: (gateway: SeenGateway) => Error;
}

/** Those gateways, once it is known that none of them lives any more. Rejects when one is seen to beat. */
export async function whenNoneLives(connection: Connection, { which, log, inUse }: Watch): Promise<SeenGateway[]> {
  /** By name and epoch: as it was first seen, and how often since. */
  const watched = new Map<string, { readonly first: SeenGateway; readonly looks: number }>();
  for (;;) {
    const seen = (await readGateways(connection)).filter(which);
    const unclear = seen.filter((gateway) => {
      const { ageMs } = gateway;
      const name = `${gateway.name} ${gateway.epoch}`;
      const watch = watched.get(name) ?? { first: gateway, looks: 0 };
      // A beat of the future counts as old: the server's clock was set back, and a gateway that lives corrects it.
      const isSilent = ageMs !== null && Math.abs(ageMs) > DEAD_MS;
      if (isOver(gateway) || (isSilent && watch.looks >= LOOKS_MIN)) return false;
      if (watch.first.beatMs !== gateway.beatMs) throw inUse(gateway);
      if (watched.size === 0)
        log.info({ holder: whoIs(gateway), ageMs }, 'The database has a gateway; watching whether it still beats.');
      watched.set(name, { ...watch, looks: watch.looks + 1 });
      return true;
    });
    if (unclear.length === 0) return seen;
    await pauseOn(connection);
  }
}

/** Waits on the server, whose clock alone decides how old a beat is. */
export async function pauseOn(connection: Connection): Promise<void> {
  await connection.query(`DO SLEEP(${LOOK_S})`);
}

/** The process of a gateway for people; null when it is not known. */
export function whoIs({ process }: Pick<SeenGateway, 'process'>): string | null {
  return process === null ? null : nameOf(process);
}

/**
 * Brings the tables up to date. Rejects with DatabaseRefused, and has changed nothing, while a gateway lives: the tables
 * that it serves are of another version than this one.
 */
export async function bringUpToDate(db: Database, log: Log = silentLog): Promise<string[]> {
  if (await isCurrent(db)) return [];
  if (db.address.type === 'mysql') await endEarlierVersion(db.address.url, log);
  else {
    const serving = servingProcess(db.address.filename);
    if (serving) throw servesOtherTables(serving.process);
  }
  return migrate(db);
}

/** Makes sure that no gateway serves, and that one which hangs commits nothing when it wakes. */
async function endEarlierVersion(url: string, log: Log): Promise<void> {
  const connection = await openConnection(url);
  try {
    await refuseBesideLock(connection);
    const inUse = ({ process }: SeenGateway) => servesOtherTables(process);
    const dead = await whenNoneLives(connection, { which: () => true, log, inUse });
    for (const { name, epoch, connectionId } of dead) {
      if (connectionId !== null) await killConnection(connection, connectionId);
      await connection.query(`UPDATE leases SET epoch = ${NEXT_EPOCH} WHERE name = ? AND epoch = ?`, [name, epoch]);
    }
  } finally {
    connection.destroy();
  }
}

/** Version 0.1.0 had a named lock of the server instead of a lease. */
export async function refuseBesideLock(connection: Connection): Promise<void> {
  const [[used]] = await connection.query<RowDataPacket[]>('SELECT DATABASE() AS name');
  const sql = 'SELECT IS_USED_LOCK(?) AS holder';
  const [[row]] = await connection.query<RowDataPacket[]>(sql, [lockOfEarlierVersion(text(used?.name))]);
  if (row?.holder !== null) throw new DatabaseInUse('of an earlier version');
}

/** The name of that lock. MySQL 9.6 and later have no MD5() unless a component is installed. */
export function lockOfEarlierVersion(database: string): string {
  return `sluice.serve.${createHash('md5').update(database).digest('hex')}`;
}

function servesOtherTables(process: string | null): DatabaseRefused {
  const who = process === null ? '' : ` (${nameOf(process)})`;
  return new DatabaseRefused(
    `a gateway of another version serves it${who}; stop that one, then bring the tables up to date`,
  );
}

/** Gateways that were declared dead count by their adopters, which are gateways as well. */
async function readGateways(connection: Connection): Promise<SeenGateway[]> {
  const sql = `SELECT l.*, CAST(UNIX_TIMESTAMP(b.beat_at) * 1000 AS SIGNED) AS beat_ms,
      TIMESTAMPDIFF(MICROSECOND, b.beat_at, NOW(3)) DIV 1000 AS age_ms
    FROM leases l LEFT JOIN beats b ON b.gateway = l.holder
    WHERE l.name IN (CONCAT('gateway:', l.holder), 'gateway:single') OR (l.name LIKE 'gateway:%' AND l.holder IS NULL)`;
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows.map(seenFrom);
  } catch (error) {
    // A database without tables, or with those of before the leases.
    if (errorCode(error) === 'ER_NO_SUCH_TABLE') return [];
    throw error;
  }
}

function seenFrom(row: Row): SeenGateway {
  return {
    name: text(row.name),
    epoch: int(row.epoch),
    holder: textOrNull(row.holder),
    process: textOrNull(row.process),
    connectionId: intOrNull(row.connection_id),
    alone: row.address === null,
    state: textOrNull(row.state ?? null),
    beatMs: intOrNull(row.beat_ms),
    ageMs: intOrNull(row.age_ms),
  };
}

/** Whether it is known that nobody holds it, or only somebody whose process has ended. */
function isOver({ holder, process, beatMs }: SeenGateway): boolean {
  return holder === null || beatMs === null || (process !== null && isGone(process));
}

/**
 * The right to serve a database: on SQLite a lock of its file, on a server the lease of the only gateway. There a second
 * gateway does not start while the first one beats; if the first was declared dead and lives on, its commits are fenced
 * off and it ends. The operator's commands need no such right: they are safe beside a gateway. docs/decisions/0037.
 */
import type { Connection } from 'mysql2/promise';
import type { Clock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { Database } from '../database/database.ts';
import { lockFile } from '../database/file-lock.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { openConnection, unlessSilent } from '../database/mysql-connection.ts';
import { nameOf, thisProcess } from '../database/process.ts';
import { DatabaseInUse } from '../database/refusal.ts';
import { Beats } from './beats.ts';
import { type Fence, fenceOf } from './fence.ts';
import { freeLeases, type HeldLease, killConnection, type LeaseState, takeLease } from './leases.ts';
import { clearCluster, refuseBesideOldVersion } from './other-mode.ts';
import { checkServer } from './server-kind.ts';
import { together } from './session.ts';
import { SINGLE, whenLeft } from './watch.ts';

/** How long a gateway that ends tries to free its lease. */
const FREE_MS_MAX = 2_000;

/** What the right to serve is made of. */
export interface ServingOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** The right to serve, held. */
export interface ServingRight {
  /** What transactions pass first; null on SQLite, whose lock cannot be lost. */
  readonly fence: Fence | null;
  /** Resolves when another gateway has taken over: this one must end at once. Otherwise stays pending. */
  readonly lost: Promise<void>;
  /** How far this machine's clock is ahead of the server's; null on SQLite, and before the first beat. */
  readonly clockAheadMs: number | null;
  /** Leaves the database to the next gateway; the last use of it. Never rejects. */
  release(): Promise<void>;
}

/**
 * Takes the right to serve `db` and brings its tables up to date. Rejects with DatabaseInUse when another gateway
 * serves it: at once on SQLite; on a server within some seconds, after its next beat. There it waits up to `LEASE_MS` for
 * one that ended without leaving, unless its process is seen to have ended. DatabaseRefused where there is no fence, or
 * where gateways of a cluster serve it.
 */
export async function takeServing(db: Database, options: ServingOptions): Promise<ServingRight> {
  if (db.address.type === 'mysql') {
    const warning = await checkServer(db);
    if (warning !== null) options.log.warn({}, warning);
    await migrate(db);
    return takeLeaseOf(db.address.url, options);
  }
  const lock = lockFile(db.address.filename);
  try {
    await migrate(db);
  } catch (error) {
    lock.release();
    throw error;
  }
  return { fence: null, lost: new Promise(() => {}), clockAheadMs: null, release: async () => lock.release() };
}

async function takeLeaseOf(url: string, { clock, log }: ServingOptions): Promise<ServingRight> {
  const gateway = idSource(clock).uuid();
  const connection = await openConnection(url);
  let lease: HeldLease;
  try {
    await refuseBesideOldVersion(connection);
    await clearCluster(connection, log);
    lease = await take(connection, { gateway, log });
    // One that joined meanwhile either finds this lease, or is found here.
    await clearCluster(connection, log).catch(async (error) => {
      await leave(connection, { gateway, lease });
      throw error;
    });
  } catch (error) {
    connection.destroy();
    throw error;
  }
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
  const beats = new Beats(connection, { url, gateway, clock, log }, lose);
  return {
    fence: fenceOf(lease, lose),
    lost,
    get clockAheadMs() {
      return beats.clockAheadMs;
    },
    release: () => release(beats, { gateway, lease }),
  };
}

async function take(connection: Connection, options: { gateway: string; log: Log }): Promise<HeldLease> {
  for (;;) {
    const inUse = (who: string | null) => new DatabaseInUse(who);
    const seen = await whenLeft(connection, SINGLE, { log: options.log, inUse });
    const lease = await takeFrom(connection, { ...options, seen });
    if (lease) return lease;
  }
}

/** Ends what the holder before may still have open, and takes its lease; null when somebody was faster. */
async function takeFrom(
  connection: Connection,
  { gateway, log, seen }: { gateway: string; log: Log; seen: LeaseState },
): Promise<HeldLease | null> {
  if (seen.connectionId !== null) await killConnection(connection, seen.connectionId);
  const terms = {
    name: SINGLE,
    holder: gateway,
    process: thisProcess(),
    address: null,
    protocol: null,
    listingHash: null,
  };
  const lease = await together(connection, async () => {
    const taken = await takeLease(connection, terms, seen.epoch);
    if (!taken) return null;
    if (seen.holder !== null) await connection.query('DELETE FROM beats WHERE gateway = ?', [seen.holder]);
    await connection.query('INSERT INTO beats (gateway, beat_at) VALUES (?, NOW(3))', [gateway]);
    return taken;
  });
  if (lease && seen.holder !== null) {
    const holder = seen.process && nameOf(seen.process);
    log.warn({ holder, ageMs: seen.ageMs }, 'Took the database over from a gateway that ended without leaving it.');
  }
  return lease;
}

async function release(beats: Beats, { gateway, lease }: { gateway: string; lease: HeldLease }): Promise<void> {
  const free = async () => {
    const connection = await beats.stop();
    try {
      await leave(connection, { gateway, lease });
    } finally {
      // Unlike destroy, this waits for a beat under way.
      await connection.end();
    }
  };
  // If this fails, the next gateway waits until the beat is old.
  await unlessSilent(free(), FREE_MS_MAX).catch(() => {});
}

async function leave(connection: Connection, { gateway, lease }: { gateway: string; lease: HeldLease }): Promise<void> {
  await together(connection, async () => {
    await freeLeases(connection, [lease]);
    await connection.query('DELETE FROM beats WHERE gateway = ?', [gateway]);
  });
}

/**
 * Watching whether the holder of a lease lives, at a start. Its beat is watched for some seconds: after an outage of the
 * server all beats are old at first.
 */
import type { Connection } from 'mysql2/promise';
import type { Log } from '#base/log.ts';
import { isGone, nameOf } from '../database/process.ts';
import { BEAT_MS, LEASE_MS } from './beats.ts';
import { type LeaseState, readLease } from './leases.ts';

/** The lease of a gateway that serves alone. */
export const SINGLE = 'gateway:single';
/** How often a start looks. */
const LOOK_S = 0.25;
/** How often it looks at an old beat before that counts. */
const LOOKS_MIN = Math.ceil((1.5 * BEAT_MS) / 1000 / LOOK_S);

interface Watch {
  readonly log: Log;
  /** What is thrown when the holder lives; `who` names its process. */
  readonly inUse: (who: string | null) => Error;
}

/**
 * The lease once it is known that nobody holds it any more; rejects when its holder is seen to beat. Waits on the
 * server, whose clock alone decides how old a beat is.
 */
export async function whenLeft(connection: Connection, name: string, { log, inUse }: Watch): Promise<LeaseState> {
  let first: LeaseState | null = null;
  for (let looks = 0; ; looks++) {
    const seen = await readLease(connection, name);
    const same = first?.epoch === seen.epoch;
    if (!same) looks = 0;
    if (isLeft(seen) || (isOld(seen) && looks >= LOOKS_MIN)) return seen;
    if (same && first?.beatMs !== seen.beatMs) throw inUse(seen.process && nameOf(seen.process));
    if (first === null) reportWait(seen, log);
    if (!same) first = seen;
    await look(connection);
  }
}

/** The time between two looks. */
export async function look(connection: Connection): Promise<void> {
  await connection.query(`DO SLEEP(${LOOK_S})`);
}

/** Whether it is known that nobody holds it, or only somebody whose process has ended. */
function isLeft({ holder, process, beatMs }: LeaseState): boolean {
  return holder === null || beatMs === null || (process !== null && isGone(process));
}

/** A beat of the future counts as old: the server's clock was set back, and a gateway that lives corrects it. */
function isOld({ ageMs }: LeaseState): boolean {
  return ageMs !== null && Math.abs(ageMs) > LEASE_MS;
}

function reportWait({ process, ageMs }: LeaseState, log: Log): void {
  const holder = process && nameOf(process);
  log.info({ holder, ageMs }, 'The database has a gateway; watching whether it still beats.');
}

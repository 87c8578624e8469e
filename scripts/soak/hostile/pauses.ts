/** Pauses of the database: MariaDB's process is stopped; of a SQLite file another process would hold the write lock. */
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Random } from '#base/random.ts';
import { between, chance } from '../../harness/chance.ts';
import { serverPid } from '../../harness/database.ts';
import { count, type Ledger } from '../../harness/ledger.ts';

/** How long between pauses, and how long each is: below and above the times after which callers are answered. */
const BETWEEN_MS = { least: 12_000, most: 45_000 };
const PAUSE_MS = { least: 1000, most: 7000 };
const LONG_PAUSE_MS = 12_000;
const LONG = 1 / 6;
const LOCK_RETRY_MS = 20;

/** A pause that the database is in, or was. */
export interface Pause {
  readonly beganAtMs: number;
  endedAtMs: number | null;
}

/** Pauses the database again and again until the soak is over. Adds each pause to `pauses`. */
export async function pauseDatabase(
  databaseUrl: string,
  { random, ledger, pauses, isOver }: { random: Random; ledger: Ledger; pauses: Pause[]; isOver: () => boolean },
): Promise<void> {
  const pauseFor = databaseUrl.startsWith('sqlite:')
    ? (ms: number) => holdWriteLock(databaseUrl.slice('sqlite:'.length), ms)
    : await stopper(databaseUrl);
  while (!isOver()) {
    await sleep(between(random, BETWEEN_MS.least, BETWEEN_MS.most));
    if (isOver()) return;
    const ms = chance(random, LONG) ? LONG_PAUSE_MS : between(random, PAUSE_MS.least, PAUSE_MS.most);
    const pause: Pause = { beganAtMs: Date.now(), endedAtMs: null };
    pauses.push(pause);
    await pauseFor(ms);
    pause.endedAtMs = Date.now();
    count(ledger.acts, 'pause of the database');
    ledger.note({ pausedMs: ms });
  }
}

async function stopper(databaseUrl: string): Promise<(ms: number) => Promise<void>> {
  const pid = await serverPid(databaseUrl);
  // A server that is left stopped could not even be shut down.
  process.once('exit', () => process.kill(pid, 'SIGCONT'));
  return async (ms) => {
    process.kill(pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(pid, 'SIGCONT');
  };
}

/** Holds the write lock of the file, as an outside writer with a long transaction would. */
async function holdWriteLock(path: string, ms: number): Promise<void> {
  const file = new Sqlite(path, { timeout: 0 });
  try {
    while (!begin(file)) await sleep(LOCK_RETRY_MS);
    await sleep(ms);
    file.exec('ROLLBACK');
  } finally {
    file.close();
  }
}

function begin(file: Sqlite.Database): boolean {
  try {
    file.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false;
    throw error;
  }
}

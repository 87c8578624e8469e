/**
 * The place of the one gateway that serves a SQLite file. It writes its process and a boot epoch into the file, and every
 * commit of orders and money checks the epoch; so of two gateways on one file only the later one commits, whatever names
 * the file has. Once a second it compares the file with the path: a file that was moved or deleted takes orders no more.
 */
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve as absolute, basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Clock, every, type Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Database } from '../database/database.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { sqlitePragmas } from '../database/dialects/sqlite.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { nameOf, thisProcess } from '../database/process.ts';
import { DatabaseInUse, DatabaseRefused } from '../database/refusal.ts';
import { type FileIdentity, fileAt, hasLog, leadsTo, placeOf, servingProcess } from '../database/served-file.ts';
import { type Row, text } from '../database/values.ts';
import { bootFence, type Fence, LeaseLost } from './fence.ts';
import type { PlaceOptions } from './place.ts';

/** How often the file is compared with its path. */
const CHECK_MS = 1_000;

/** How often it is tried again to write what a deleted file holds. */
const RESCUE_MS = 5_000;

/** The file is not at its path any more. */
export class FileMoved extends DatabaseRefused {
  /** Whether what this gateway commits from now on is found again: orders that run may be settled. */
  readonly keeps: boolean;

  /**
   * Set while the content of the deleted file is not back in its folder: until then the process should not end.
   * Otherwise null.
   */
  readonly rescue: Rescue | null;

  constructor(reason: string, keeps: boolean, rescue: Rescue | null = null) {
    super(reason);
    this.keeps = keeps;
    this.rescue = rescue;
  }
}

/** The copy of a deleted file that could not be written to its folder at once. */
export interface Rescue {
  /** Resolves with the name of the copy once it is in that folder. It is tried every five seconds. */
  readonly saved: Promise<string>;
  /** The name of a copy elsewhere, which is written now if there is none. Null where nothing can be written. */
  spare(): string | null;
}

/**
 * Takes the right to serve the file of `db`, and brings its tables up to date. Rejects with DatabaseInUse when a gateway
 * serves it.
 */
export async function takeFile(
  db: Database,
  filename: string,
  { clock, log }: Pick<PlaceOptions, 'clock' | 'log'>,
): Promise<FilePlace> {
  const hadLog = hasLog(filename);
  const serving = servingProcess(filename);
  if (serving) throw new DatabaseInUse(serving.process === null ? null : nameOf(serving.process));
  const before = await db.knex.schema.hasTable('counters').then((exists) => (exists ? bootOf(db) : 0));
  await migrate(db);
  if (!hadLog) await warnOfLostLog(db, log);
  return new FilePlace(filename, before, clock);
}

/** A gateway that was killed leaves its row, and a log of its last commits that the next program to close it takes in. */
async function warnOfLostLog({ knex }: Database, log: Log): Promise<void> {
  const left: Row | undefined = await knex('leases').where('name', 'like', 'gateway:%').first('process');
  if (!left) return;
  log.warn(
    { gateway: nameOf(text(left.process)) },
    'The gateway before was killed, and the -wal file of its last commits is not there. If no other program has opened' +
      ' the database since, and it is no whole copy, commits are missing: compare the receipts of callers with the orders.',
  );
}

async function bootOf({ knex }: Database): Promise<number> {
  return Number((await knex('counters').where({ name: 'boot' }).first('value'))?.value ?? 0);
}

/** The right to serve a file: see `ServingRight`. */
export class FilePlace {
  readonly gateway: number;
  readonly fence: Fence;
  readonly lost: Promise<DatabaseRefused>;
  readonly clockAheadMs = null;
  readonly place = null;
  readonly #filename: string;
  readonly #clock: Clock;
  readonly #lose: (why: DatabaseRefused) => void;
  /** Open as long as the gateway serves: others see by it that the file is in use. */
  readonly #database: Sqlite.Database;
  /** The database first, then the log of its last commits, and the index of that. */
  readonly #files: readonly { readonly path: string; readonly file: FileIdentity }[];
  readonly #watch: Timer;
  #isLost = false;
  #isRescuing = false;

  /** `before`: the boot epoch when nobody was seen to serve. Throws DatabaseInUse when another start was faster. */
  constructor(filename: string, before: number, clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<DatabaseRefused>();
    this.lost = promise;
    // The working folder may be deleted, too.
    this.#filename = absolute(filename);
    this.#clock = clock;
    this.#lose = resolve;
    this.#database = new Sqlite(filename, { fileMustExist: true });
    try {
      for (const pragma of sqlitePragmas) this.#database.pragma(pragma);
      this.gateway = this.#register(before);
      // The last commits are moved into the file itself: through a second mount of this file alone, another gateway
      // would not find the log beside it.
      this.#database.pragma('wal_checkpoint(PASSIVE)');
      const real = realpathSync(filename);
      this.#files = [this.#filename, `${real}-wal`, `${real}-shm`].flatMap((path) => {
        const file = fileAt(path);
        return file ? [{ path, file }] : [];
      });
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.fence = bootFence(this.gateway, () => resolve(new LeaseLost()));
    this.#watch = every(clock, CHECK_MS, () => void this.check());
  }

  check(): boolean {
    if (this.#isLost) return false;
    const strange = this.#files.find(({ path, file }) => !leadsTo(path, file));
    if (!strange) return true;
    this.#isLost = true;
    this.#watch.cancel();
    const why = this.#moved(strange);
    this.#leaveNote(why);
    this.#lose(why);
    return false;
  }

  async started(): Promise<void> {}

  async release(): Promise<void> {
    // Catches changes since the last check.
    this.check();
    this.#watch.cancel();
    // Once this connection is closed, the deleted file cannot be copied any more.
    if (this.#isRescuing) return;
    try {
      this.#database.prepare('DELETE FROM leases WHERE name = ?').run(`gateway:${this.gateway}`);
      // SQLite does not do so by itself where the file was moved.
      this.#database.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The next start sees that this process has ended.
    }
    this.#database.close();
  }

  #register(before: number): number {
    const database = this.#database;
    const register = database.transaction(() => {
      const count = `INSERT INTO counters (name, value) VALUES ('boot', 1)
        ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`;
      const boot = database.prepare<[], { value: number }>(count).get()?.value ?? 0;
      if (boot !== before + 1) throw new DatabaseInUse();
      database.exec("DELETE FROM leases WHERE name LIKE 'gateway:%'");
      database
        .prepare("INSERT INTO leases (name, epoch, holder, state, process) VALUES (?, ?, ?, 'serving', ?)")
        .run(`gateway:${boot}`, boot, String(boot), thisProcess());
      return boot;
    });
    return register.immediate();
  }

  #moved({ path, file }: { readonly path: string; readonly file: FileIdentity }): FileMoved {
    const serving = 'while this gateway served it';
    const now = path === this.#filename ? placeOf(file) : path;
    if (now === null) return this.#rescued(`${path} was deleted ${serving}`);
    this.#intoFile();
    if (path !== this.#filename) {
      const rest = 'every commit is in the database itself once the gateway has ended: start it again';
      return new FileMoved(`${path}, which belongs to it, was moved or deleted ${serving}; ${rest}`, true);
    }
    const next = 'move it back, or set DATABASE_URL to it, and start the gateway again';
    return new FileMoved(`${path} was moved to ${now} ${serving}; ${next}`, true);
  }

  /** So that no later start makes an empty database in its place. */
  #leaveNote({ message }: FileMoved): void {
    if (existsSync(this.#filename)) return;
    try {
      writeFileSync(`${this.#filename}.moved-${this.#clock.nowMs()}`, `${message}\n`, { flag: 'wx', mode: 0o600 });
    } catch {
      // The log says it, too, and the exit code keeps systemd from a restart.
    }
  }

  /** The file must be complete without its log: this process may be killed before it has drained. */
  #intoFile(): void {
    try {
      this.#database.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // Tried again by each commit, and at the release.
    }
  }

  /** Copies what a deleted file holds, as long as this process has it. */
  #rescued(deleted: string): FileMoved {
    const folder = dirname(this.#filename);
    const tried = this.#copy(folder);
    if (tried.copy !== null) {
      const next = `move that to ${this.#filename}, or remove it, and start the gateway again`;
      return new FileMoved(`${deleted}; what it held is in ${tried.copy}: ${next}`, false);
    }
    const rescue = this.#rescueLater(folder);
    const spare = rescue.spare();
    const failed = `what it held could not be written to ${folder} (${tried.failure})`;
    const next = `free space there, which is tried every five seconds, and do not stop process ${process.pid} before`;
    return new FileMoved(
      `${deleted}; ${failed}${spare === null ? '' : `, but is in ${spare}`}: ${next}`,
      false,
      rescue,
    );
  }

  #rescueLater(folder: string): Rescue {
    this.#isRescuing = true;
    const { promise: saved, resolve } = Promise.withResolvers<string>();
    const again = every(this.#clock, RESCUE_MS, () => {
      const { copy } = this.#copy(folder);
      if (copy === null) return;
      again.cancel();
      resolve(copy);
    });
    let spare: string | null = null;
    return {
      saved,
      spare: () => {
        // Each folder may be gone with a service or a container; the nearest to the database is the least likely to be.
        for (const place of spareFolders(folder)) spare ??= this.#copy(place).copy;
        return spare;
      },
    };
  }

  #copy(folder: string): { readonly copy: string | null; readonly failure: string } {
    const copy = join(folder, `${basename(this.#filename)}.rescued-${this.#clock.nowMs()}`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#database.prepare('VACUUM INTO ?').run(copy);
      forgetGateways(copy);
      return { copy, failure: '' };
    } catch (error) {
      if (existsSync(copy)) rmSync(copy);
      return { copy: null, failure: errorCode(error) };
    }
  }
}

/** Nobody serves a copy. */
function forgetGateways(copy: string): void {
  const database = new Sqlite(copy, { fileMustExist: true });
  database.exec("DELETE FROM leases WHERE name LIKE 'gateway:%'");
  database.close();
}

/** The folders above this one, the nearest first, and that of temporary files. */
function spareFolders(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [tmpdir()] : [above, ...spareFolders(above)];
}

/**
 * The place of the one gateway that serves a SQLite file. It writes its process and a boot epoch into the file, and every
 * commit of orders and money checks the epoch; so of two gateways on one file only the later one commits, whatever names
 * the file has. Once a second it compares the file with the path: a file that was moved or deleted takes orders no more.
 */
import { realpathSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { type Clock, every, type Timer } from '#base/clock.ts';
import type { Database } from '../database/database.ts';
import { errorCode } from '../database/dialects/dialect.ts';
import { sqlitePragmas } from '../database/dialects/sqlite.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { nameOf, thisProcess } from '../database/process.ts';
import { DatabaseInUse, DatabaseRefused } from '../database/refusal.ts';
import { type FileIdentity, fileAt, leadsTo, placeOf, servingProcess } from '../database/served-file.ts';
import { bootFence, type Fence, LeaseLost } from './fence.ts';

/** How often the file is compared with its path. */
const CHECK_MS = 1_000;

/** The file is not at its path any more. */
export class FileMoved extends DatabaseRefused {
  /** Whether what this gateway commits from now on is found again: orders that run may be settled. */
  readonly keeps: boolean;

  constructor(reason: string, keeps: boolean) {
    super(reason);
    this.keeps = keeps;
  }
}

/**
 * Takes the right to serve the file of `db`, and brings its tables up to date. Rejects with DatabaseInUse when a gateway
 * serves it.
 */
export async function takeFile(db: Database, filename: string, clock: Clock): Promise<FilePlace> {
  const serving = servingProcess(filename);
  if (serving) throw new DatabaseInUse(serving.process === null ? null : nameOf(serving.process));
  const before = await db.knex.schema.hasTable('counters').then((exists) => (exists ? bootOf(db) : 0));
  await migrate(db);
  return new FilePlace(filename, before, clock);
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

  /** `before`: the boot epoch when nobody was seen to serve. Throws DatabaseInUse when another start was faster. */
  constructor(filename: string, before: number, clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<DatabaseRefused>();
    this.lost = promise;
    this.#filename = filename;
    this.#clock = clock;
    this.#lose = resolve;
    this.#database = new Sqlite(filename, { fileMustExist: true });
    try {
      for (const pragma of sqlitePragmas) this.#database.pragma(pragma);
      this.gateway = this.#register(before);
      // Into the file itself: by a second mount of this file alone, another gateway would not find the log beside it.
      this.#database.pragma('wal_checkpoint(PASSIVE)');
      const real = realpathSync(filename);
      this.#files = [filename, `${real}-wal`, `${real}-shm`].flatMap((path) => {
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
    this.#lose(this.#moved(strange));
    return false;
  }

  async started(): Promise<void> {}

  async release(): Promise<void> {
    this.#watch.cancel();
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
    if (path !== this.#filename) {
      const rest = 'every commit is in the database itself once the gateway has ended: start it again';
      return new FileMoved(`${path}, which belongs to it, was moved or deleted ${serving}; ${rest}`, true);
    }
    const now = placeOf(file);
    if (now === null) return new FileMoved(`${path} was deleted ${serving}; ${this.#rescue()}`, false);
    const next = 'move it back, or set DATABASE_URL to it, and start the gateway again';
    return new FileMoved(`${path} was moved to ${now} ${serving}; ${next}`, true);
  }

  /** Copies what a deleted file holds, as long as this process still has it, and says where to. */
  #rescue(): string {
    const copy = `${this.#filename}.rescued-${this.#clock.nowMs()}`;
    try {
      this.#database.prepare('VACUUM INTO ?').run(copy);
      return `what it held is in ${copy}: move that to ${this.#filename}, or remove it, and start the gateway again`;
    } catch (error) {
      return `what it held could not be written to ${copy} (${errorCode(error)}): restore a backup`;
    }
  }
}

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

/** How often it is tried again to write what a deleted file holds. */
const RESCUE_MS = 5_000;

/** The file is not at its path any more. */
export class FileMoved extends DatabaseRefused {
  /** Whether what this gateway commits from now on is found again: orders that run may be settled. */
  readonly keeps: boolean;

  /** Resolves when all that the gateway holds is in a file; until then the process must not end. */
  readonly saved: Promise<unknown>;

  constructor(reason: string, keeps: boolean, saved: Promise<unknown> = Promise.resolve()) {
    super(reason);
    this.keeps = keeps;
    this.saved = saved;
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
    // The working folder may be deleted, too.
    this.#filename = absolute(filename);
    this.#clock = clock;
    this.#lose = resolve;
    this.#database = new Sqlite(filename, { fileMustExist: true });
    try {
      for (const pragma of sqlitePragmas) this.#database.pragma(pragma);
      this.gateway = this.#register(before);
      // Into the file itself: by a second mount of this file alone, another gateway would not find the log beside it.
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
    const now = path === this.#filename ? placeOf(file) : path;
    if (now === null) {
      const { saved, sentence } = this.#rescue();
      return new FileMoved(`${path} was deleted ${serving}; ${sentence}`, false, saved);
    }
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

  /** Without its log the file must have everything: this process may be killed before it has drained. */
  #intoFile(): void {
    try {
      this.#database.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // Tried again by each commit, and at the release.
    }
  }

  /** Copies what a deleted file holds, as long as this process has it, and says where to. Tries until that succeeds. */
  #rescue(): { readonly saved: Promise<unknown>; readonly sentence: string } {
    const folder = dirname(this.#filename);
    const tried = this.#copy(folder);
    if (tried.copy !== null) {
      const next = `move that to ${this.#filename}, or remove it, and start the gateway again`;
      return { saved: Promise.resolve(), sentence: `what it held is in ${tried.copy}: ${next}` };
    }
    const { promise: saved, resolve } = Promise.withResolvers<void>();
    const again = every(this.#clock, RESCUE_MS, () => {
      if (this.#copy(folder).copy === null) return;
      again.cancel();
      resolve();
    });
    // A service or a container may lose this copy with the process, so the process stays until the other one is written.
    const spare = this.#copy(tmpdir()).copy;
    const failed = `what it held could not be written to ${folder} (${tried.failure})`;
    const next = `free space there, which is tried every five seconds, and do not stop process ${process.pid} before`;
    return { saved, sentence: `${failed}${spare === null ? '' : `, but is in ${spare}`}: ${next}` };
  }

  #copy(folder: string): { readonly copy: string | null; readonly failure: string } {
    const copy = join(folder, `${basename(this.#filename)}.rescued-${this.#clock.nowMs()}`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#database.prepare('VACUUM INTO ?').run(copy);
      return { copy, failure: '' };
    } catch (error) {
      if (existsSync(copy)) rmSync(copy);
      return { copy: null, failure: errorCode(error) };
    }
  }
}

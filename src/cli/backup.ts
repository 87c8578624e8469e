/** `sluice backup` and `sluice restore`: a gateway's SQLite database and its content as one file. */
import { existsSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { AuditReport } from '#storage/audit/index.ts';
import { type Manifest, readArchive, writeArchive } from '#storage/backup/archive.ts';
import { auditCopy, CONTENT_FOLDERS, copyLive, DATABASE_FILE, NoBackup } from '#storage/backup/copy.ts';
import { databaseAddress } from '#storage/database/database.ts';
import { DatabaseRefused } from '#storage/database/refusal.ts';
import type { DataPlace } from '#storage/files/data-stores.ts';
import type { OperatorStore } from './operator-store.ts';
import { CommandError, type CommandResult, good, timeText, wrong } from './output.ts';

/** How often a copy is taken again when content that it names was deleted meanwhile. */
const TRIES = 3;

/** What both commands need from outside. */
export interface BackupOutside {
  readonly data: DataPlace;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Writes a backup to `file` while the gateway runs, and audits it. Exits 1 when the audit of the copy has findings; the
 * backup is written all the same, because it is as good as the original. Throws CommandError.
 */
export async function writeBackup(
  { db }: OperatorStore,
  { file, version, data, clock, random }: BackupOutside & { readonly file: string; readonly version: string },
): Promise<CommandResult> {
  if (db.address.type !== 'sqlite')
    throw new CommandError(
      'backup copies SQLite. Back up a server with its own tools, such as mysqldump --single-transaction, and SLUICE_DATA after it.',
    );
  if (existsSync(file)) throw new CommandError(`${file} exists; name another file, or remove it.`);
  const withContent = data.dataBucket === null;
  const folder = await staging(dirname(resolve(file)));
  try {
    const source = { db, dataFolder: withContent ? data.dataFolder : null };
    const outside = { withContent, clock, random };
    await copyLive(source, folder);
    let report = await auditCopy(folder, outside);
    for (let tries = 1; tries < TRIES && !report.ok; tries++) {
      await rm(join(folder, DATABASE_FILE));
      await copyLive(source, folder);
      report = await auditCopy(folder, outside);
    }
    const manifest = { version, createdAtMs: clock.nowMs(), withContent };
    await writeArchive(folder, file, manifest);
    return resultOf({ verb: 'written', file, manifest, report, bytes: (await stat(file)).size });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Puts a backup where `databaseUrl` and SLUICE_DATA say, where nothing may be yet. Audits it first, and leaves
 * everything as it was when there are findings, unless `force`. Throws CommandError.
 */
export async function restoreBackup(
  file: string,
  {
    databaseUrl,
    force,
    data,
    clock,
    random,
  }: BackupOutside & { readonly databaseUrl: string; readonly force: boolean },
): Promise<CommandResult> {
  const address = databaseAddress(databaseUrl);
  if (address.type !== 'sqlite') throw new CommandError('restore needs a DATABASE_URL of SQLite, as every backup is.');
  if (!existsSync(file)) throw new CommandError(`${file} does not exist.`);
  await refuseToReplace(address.filename, data.dataFolder);
  await mkdir(data.dataFolder, { recursive: true });
  const folder = await staging(data.dataFolder);
  try {
    const manifest = await asSentence(file, () => readArchive(file, folder));
    const outside = { withContent: manifest.withContent, clock, random };
    const report = await asSentence(file, () => auditCopy(folder, outside));
    if (report.ok || force) await putInPlace(folder, { database: address.filename, dataFolder: data.dataFolder });
    const verb = report.ok || force ? 'restored' : 'not restored (--force restores it all the same)';
    return resultOf({ verb, file, manifest, report, bytes: (await stat(file)).size });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function staging(folder: string): Promise<string> {
  try {
    return await mkdtemp(join(folder, '.sluice-backup-'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new CommandError(`Nothing can be written to ${folder} (${code}); name a folder that exists and is yours.`);
  }
}

async function asSentence<Answer>(what: string, read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DatabaseRefused) throw new CommandError(`${what} cannot be used: ${error.reason}.`);
    throw error instanceof NoBackup ? new CommandError(`${what} ${error.message}.`) : error;
  }
}

/** Throws CommandError when a database or content is there already: a backup must not mix with it. */
async function refuseToReplace(database: string, dataFolder: string): Promise<void> {
  for (const file of [database, `${database}-wal`, `${database}-shm`])
    if (existsSync(file))
      throw new CommandError(`${file} exists; stop the gateway and move it away, or set DATABASE_URL.`);
  for (const name of CONTENT_FOLDERS) {
    const folder = join(dataFolder, name);
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new CommandError(`${folder} is not empty; stop the gateway and move it away, or set SLUICE_DATA.`);
  }
}

/** The database comes last: without it nothing counts as restored. */
async function putInPlace(
  folder: string,
  to: { readonly database: string; readonly dataFolder: string },
): Promise<void> {
  for (const name of CONTENT_FOLDERS)
    if (existsSync(join(folder, name))) await move(join(folder, name), join(to.dataFolder, name));
  await mkdir(dirname(resolve(to.database)), { recursive: true });
  const database = `${to.database}.partial`;
  await move(join(folder, DATABASE_FILE), database);
  try {
    // Unlike a rename, this replaces nothing: a gateway may have started there meanwhile.
    await link(database, to.database);
  } catch (error) {
    if (isCode(error, 'EEXIST'))
      throw new CommandError(`${to.database} exists by now; stop the gateway, move it away and restore again.`);
    // A disk without links.
    await rename(database, to.database);
  } finally {
    await rm(database, { force: true });
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isCode(error, 'EXDEV')) throw error;
    // The other disk sees it appear whole: half of a database would be taken for one.
    await cp(from, `${to}.partial`, { recursive: true });
    await rename(`${to}.partial`, to);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

interface Outcome {
  readonly verb: string;
  readonly file: string;
  readonly manifest: Manifest;
  readonly report: AuditReport;
  readonly bytes: number;
}

function resultOf({ verb, file, manifest, report, bytes }: Outcome): CommandResult {
  const { ok, accounts, orders, findings } = report;
  const { withContent, createdAtMs } = manifest;
  const lines = [
    `${file} of ${timeText(createdAtMs)} (${(bytes / 1e6).toFixed(1)} MB) was ${verb}: ${accounts} accounts, ${orders} orders.`,
    ...(withContent
      ? []
      : ['Results and files are in the bucket and not in it: keep their versions as long as this backup.']),
    ok ? good('The audit of the copy passed.') : wrong('The audit of the copy failed:'),
    ...findings,
  ];
  return {
    json: { ok, file, bytes, with_content: withContent, created_at_ms: createdAtMs, accounts, orders, findings },
    text: lines.join('\n'),
    exitCode: ok ? 0 : 1,
  };
}

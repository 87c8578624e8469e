/**
 * A copy of a SQLite database and of the content beside it, taken while the gateway runs. Content is on the disk before
 * the row that promises it is committed, and is deleted after that row; so the content from before the snapshot of the
 * database, and that from after it, together are all that the snapshot may name. Only content that came and went in
 * between is missing. Content that the snapshot does not name is deleted from the copy.
 */
import type { Dirent } from 'node:fs';
import { constants, copyFile, link, mkdir, opendir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import { type AuditReport, audit } from '../audit/index.ts';
import { createBatchStore } from '../batches/store.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { nullWhenMissing } from '../blobs/folders.ts';
import { sweepBlobs, sweepContents, sweepInputs } from '../cleanup/sweep-unowned.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { openDataStores, sweptStores } from '../files/data-stores.ts';

/** The database in a copy. */
export const DATABASE_FILE = 'sluice.sqlite';
/** The folders of content in a copy, as below SLUICE_DATA. */
export const CONTENT_FOLDERS = ['results', 'files', 'queued'] as const;

/** A copy has no bucket. */
const REQUEST_MS = 60_000;

/** What is no backup. The message is the end of a sentence. */
export class NoBackup extends Error {}

/** Copies the database and its content, which is null in a bucket, into `folder`, which must be empty. */
export async function copyLive(
  { db, dataFolder }: { db: Pick<Database, 'knex'>; dataFolder: string | null },
  folder: string,
): Promise<void> {
  if (dataFolder !== null) await copyContent(dataFolder, folder);
  await db.knex.raw('VACUUM INTO ?', [join(folder, DATABASE_FILE)]);
  if (dataFolder !== null) await copyContent(dataFolder, folder);
}

/**
 * Brings the database of the copy in `folder` up to date, deletes what it does not name, and audits what is left.
 * Throws DatabaseRefused for the database of a newer version.
 */
export async function auditCopy(
  folder: string,
  { withContent, clock, random }: { readonly withContent: boolean; readonly clock: Clock; readonly random: Random },
): Promise<AuditReport> {
  const db = openDatabase(`sqlite:${join(folder, DATABASE_FILE)}`);
  try {
    await migrate(db);
    // The gateway that serves the original does not serve the copy.
    await db.knex('leases').where('name', 'like', 'gateway:%').delete();
    if (!withContent) return await audit(db, null);
    const data = await openDataStores({ dataFolder: folder, dataBucket: null }, { clock, deadlineMs: REQUEST_MS });
    const { results, contents, inputs } = await sweptStores(data, { clock, random });
    await sweepBlobs(db, results);
    await sweepInputs(db, inputs);
    await sweepContents(db, contents, createBatchStore(db));
    const lost = await lostInputs(db, data.inputs);
    const report = await audit(db, data.results, { contents: data.contents });
    return { ...report, ok: report.ok && lost.length === 0, findings: [...report.findings, ...lost] };
  } finally {
    await db.close();
  }
}

/** The live orders that go on after a restart, and whose input is neither a row nor a line of a batch nor here. */
async function lostInputs({ knex }: Database, inputs: Pick<BlobStore, 'has'>): Promise<string[]> {
  const ids: string[] = await knex('orders')
    .leftJoin('order_bodies', 'order_bodies.order_id', 'orders.id')
    .whereIn('orders.status', ['queued', 'executing'])
    .where({ outlives: 1 })
    .whereNull('batch_id')
    .whereNull('order_bodies.order_id')
    .pluck('orders.id');
  const lost: string[] = [];
  for (const id of ids) if (!(await inputs.has(id))) lost.push(`Order ${id} waits and its input is not there.`);
  return lost;
}

/** Adds to `folder` the files of each content folder that it does not have. */
async function copyContent(dataFolder: string, folder: string): Promise<void> {
  for (const name of CONTENT_FOLDERS) {
    // Files of batches grow in place. The others are never changed, so a second name for the same bytes will do.
    const take = name === 'files' ? copyOne : linkOne;
    for await (const file of filesBelow(join(dataFolder, name))) {
      const target = join(folder, relative(dataFolder, file));
      await mkdir(join(target, '..'), { recursive: true });
      await take(file, target).catch(unlessGoneOrThere);
    }
  }
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(nullWhenMissing);
  if (entries === null) return;
  for await (const entry of entries as AsyncIterable<Dirent>) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

async function linkOne(file: string, target: string): Promise<void> {
  try {
    await link(file, target);
  } catch (error) {
    // Another disk, or one without links.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    await copyOne(file, target);
  }
}

function copyOne(file: string, target: string): Promise<void> {
  return copyFile(file, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

/** A file may be deleted while it is looked at, and was perhaps copied before. */
function unlessGoneOrThere(error: unknown): void {
  if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The one file that a backup is: a tar archive of a copy, with a line that says what it is. */
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { CONTENT_FOLDERS, DATABASE_FILE, NoBackup } from './copy.ts';

const MANIFEST_FILE = 'backup.json';
const FORMAT = 1;
/** What an archive may hold, so that one from a stranger writes nothing else. */
const NAME = new RegExp(`^(${MANIFEST_FILE}|${DATABASE_FILE}|(${CONTENT_FOLDERS.join('|')})(/[\\w-][\\w.-]*)*/?)$`);

/** What a backup says about itself. */
export interface Manifest {
  /** The version of the gateway that made it. */
  readonly version: string;
  readonly createdAtMs: number;
  /** Whether results and files are in it; not where they are in a bucket. */
  readonly withContent: boolean;
}

/** Packs the copy in `folder` into a new file. It appears whole or not at all. */
export async function writeArchive(folder: string, file: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, MANIFEST_FILE), JSON.stringify({ format: FORMAT, ...manifest }));
  const content = CONTENT_FOLDERS.filter((name) => existsSync(join(folder, name)));
  const draft = `${file}.partial`;
  try {
    // The manifest comes first, so that a reader of the archive sees it at once.
    await create({ cwd: folder, file: draft, portable: true, strict: true }, [
      MANIFEST_FILE,
      DATABASE_FILE,
      ...content,
    ]);
    await sync(draft);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Unpacks a backup into `folder`, which must be empty. Throws NoBackup. */
export async function readArchive(file: string, folder: string): Promise<Manifest> {
  let strange: string | null = null;
  const filter: NonNullable<Parameters<typeof extract>[0]>['filter'] = (path, entry) => {
    const isPlain = 'type' in entry && (entry.type === 'File' || entry.type === 'Directory');
    if (!isPlain || !NAME.test(path)) strange ??= path;
    return strange === null;
  };
  try {
    await extract({ cwd: folder, file, strict: true, filter });
  } catch (error) {
    throw new NoBackup(`is no backup that can be read (${error instanceof Error ? error.message : error})`);
  }
  if (strange !== null) throw new NoBackup(`holds ${JSON.stringify(strange)}, which no backup has`);
  return readManifest(folder);
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => '{}');
  const { format, ...manifest } = JSON.parse(text) as Manifest & { format?: unknown };
  if (format === undefined || !existsSync(join(folder, DATABASE_FILE))) throw new NoBackup('is no backup of a gateway');
  if (format !== FORMAT)
    throw new NoBackup(`was made by version ${manifest.version}, whose backups this one cannot read`);
  return manifest;
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

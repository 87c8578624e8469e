/**
 * Files are for the user of the gateway alone: the database holds prompts, the hashes of keys and the key that signs
 * receipts.
 */
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '#base/log.ts';
import type { Config } from '#config/config.ts';
import { CONTENT_FOLDERS } from '#storage/backup/copy.ts';
import { databaseAddress } from '#storage/database/database.ts';

/** The mode bits of users other than the gateway's and outside its group. */
const OTHERS = 0o007;

/**
 * Makes private what an earlier version made for everybody to read: the database and the folders of content. Rights of a
 * group alone stay, because the operator gave them. The folder around them may be the operator's as well: it is only
 * reported.
 */
export function narrowOld({ databaseUrl, dataFolder }: Pick<Config, 'databaseUrl' | 'dataFolder'>, log: Log): void {
  const address = databaseAddress(databaseUrl);
  const files = address.type === 'sqlite' ? ['', '-wal', '-shm'].map((end) => address.filename + end) : [];
  const made = [...files, ...CONTENT_FOLDERS.map((name) => join(dataFolder, name))];
  const narrowed = made.filter(isOpen).filter(narrow);
  if (narrowed.length > 0)
    log.info({ narrowed }, 'Other users of this machine could read these: they are private now.');
  if (isOpen(dataFolder))
    log.warn({ folder: dataFolder }, 'Other users of this machine can list this folder: run chmod 700 on it.');
}

function isOpen(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & OTHERS) !== 0;
}

/** False for what belongs to another user. */
function narrow(path: string): boolean {
  try {
    chmodSync(path, statSync(path).mode & 0o700);
    return true;
  } catch {
    return false;
  }
}

/** Kills the MariaDB of `scripts/with-mariadb` and starts it again, in the same folder and on the same port. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readBooks, serverPid } from '../harness/database.ts';

const SCRIPT = join(import.meta.dirname, '../mariadb');

/** SIGKILL for the server of `url` on this machine, and a new start after `awayMs`. Resolves when it answers again. */
export async function restartServer(url: string, awayMs: number): Promise<void> {
  const [row] = await readBooks(url, 'SELECT @@datadir AS folder');
  const folder = dirname(String(row?.folder).replace(/\/$/, ''));
  process.kill(await serverPid(url), 'SIGKILL');
  await sleep(awayMs);
  await promisify(execFile)(SCRIPT, ['start', folder, new URL(url).port]);
}

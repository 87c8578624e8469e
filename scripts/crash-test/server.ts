/** Kills the MariaDB of `scripts/with-mariadb` and starts it again, in the same folder and on the same port. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

const SCRIPT = join(import.meta.dirname, '../mariadb');

/** The server, as the crash test may treat it. */
export interface KilledServer {
  /** SIGKILL, and a new start after `awayMs`. Resolves when it answers again. */
  restart(awayMs: number): Promise<void>;
}

/** The server of `url`, which must run on this machine. */
export async function serverOf(url: string): Promise<KilledServer> {
  const connection = await createConnection(url.replace(/^mariadb:/, 'mysql:'));
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT @@pid_file AS pid_file, @@datadir AS folder');
  await connection.end();
  const pidFile = String(row?.pid_file);
  const folder = dirname(String(row?.folder).replace(/\/$/, ''));
  return {
    async restart(awayMs) {
      const pid = Number(readFileSync(pidFile, 'utf8'));
      process.kill(pid, 'SIGKILL');
      await sleep(awayMs);
      await promisify(execFile)(SCRIPT, ['start', folder, new URL(url).port]);
    },
  };
}

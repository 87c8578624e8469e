/** A MariaDB of one test file alone: for those that make users or drop databases, which are of the whole server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';

const SCRIPT = join(import.meta.dirname, '../scripts/mariadb');

export interface OwnMariadb {
  /** On 127.0.0.1; its user `root` needs no password, and it has an empty database `sluice`. */
  readonly port: number;
  stop(): void;
}

/** Starts one on a free port. */
export async function startMariadb(): Promise<OwnMariadb> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mariadb-'));
  const port = await freePort();
  // The server keeps what it inherits, so its output must not be a pipe that is waited for.
  execFileSync(SCRIPT, ['start', folder, String(port)], { stdio: 'ignore' });
  return {
    port,
    stop() {
      execFileSync(SCRIPT, ['stop', folder], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

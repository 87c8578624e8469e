/**
 * What is taken away, and how. `blobs` and `full-disk` mount file systems, which root may do; others run the test in a
 * namespace of their own: `unshare --user --map-root-user --mount npm run outage-test -- --only blobs`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '#testing/gateway-process.ts';
import { serverPid } from '../harness/database.ts';

/** The outages, in the order in which they are tested. */
export const outageNames = ['database', 'blobs', 'full-disk'] as const;
export type OutageName = (typeof outageNames)[number];

/** An outage that is prepared: its gateway may start. */
export interface Outage {
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Takes away what was mounted; the gateway has ended. */
  remove(): Promise<void>;
}

const DISK_BYTES = 512 * 2 ** 20;
const CHUNK = Buffer.alloc(64 * 1024);
const REFILL_MS = 100;
const DEAD = 'rootmode=40000,user_id=0,group_id=0';

/** Prepares `site` for an outage, before anything is started in it. */
export async function prepareOutage(name: OutageName, site: Site): Promise<Outage> {
  if (name === 'database') return stoppedServer();
  const folder = join(site.folder, 'disk');
  await mkdir(folder);
  site.environment.SLUICE_DATA = join(folder, 'data');
  site.environment.DATABASE_URL = `sqlite:${join(site.folder, 'sluice.sqlite')}`;
  if (name === 'blobs') return deadMount(folder);
  site.environment.DATABASE_URL = `sqlite:${join(folder, 'sluice.sqlite')}`;
  return fullDisk(folder);
}

/** A server that takes what it is sent and answers nothing: its process is stopped. */
async function stoppedServer(): Promise<Outage> {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL?.startsWith('mysql:'))
    throw new Error('Run it as scripts/with-mariadb npm run outage-test, or with --only blobs or --only full-disk.');
  const pid = await serverPid(DATABASE_URL);
  return {
    begin: async () => void process.kill(pid, 'SIGSTOP'),
    end: async () => void process.kill(pid, 'SIGCONT'),
    remove: async () => {},
  };
}

/** A file system whose server never answers: every call to the folder hangs, and fails when the mount is cut. */
function deadMount(folder: string): Outage {
  let channel: number | null = null;
  const outage: Outage = {
    async begin() {
      channel = openSync('/dev/fuse', 'r+');
      await run('mount', ['-i', '-t', 'fuse', '-o', `fd=${channel},${DEAD}`, 'dead', folder], channel);
    },
    async end() {
      if (channel === null) return;
      await run('umount', ['--lazy', folder]);
      closeSync(channel);
      channel = null;
    },
    async remove() {
      await outage.end();
    },
  };
  return outage;
}

/** A small disk in memory; whatever becomes free on it is taken again. */
async function fullDisk(folder: string): Promise<Outage> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'full', folder]);
  const filler = join(folder, 'filler');
  let filling: Promise<void> | null = null;
  let full = false;
  const outage: Outage = {
    async begin() {
      const file = await open(filler, 'w');
      full = true;
      await fill(file);
      filling = (async () => {
        for (; full; await sleep(REFILL_MS)) await fill(file);
        await file.close();
      })();
    },
    async end() {
      full = false;
      await filling;
      await rm(filler, { force: true });
    },
    async remove() {
      await outage.end();
      await run('umount', [folder]);
    },
  };
  return outage;
}

async function fill(file: FileHandle): Promise<void> {
  try {
    for (;;) await file.write(CHUNK);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

/** Runs a command that must succeed; it gets the file `channel` under the same number. */
async function run(command: string, args: readonly string[], channel: number | null = null): Promise<void> {
  const stdio: ('ignore' | 'inherit' | number)[] = ['ignore', 'inherit', 'inherit'];
  if (channel !== null) stdio[channel] = channel;
  const [code] = await once(spawn(command, args, { stdio: Array.from(stdio, (each) => each ?? 'ignore') }), 'exit');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}.`);
}

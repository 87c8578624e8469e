/**
 * A folder whose disk hangs, as a dead mount does, for stores in the process of the test: calls to it neither return nor
 * fail until they are let go, and are made then. Other folders are not affected.
 */
import { readlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const CALLS = ['mkdir', 'open', 'readFile', 'writeFile', 'rename', 'rm', 'statfs'] as const;
const FILE_CALLS = ['read', 'write', 'writeFile', 'sync', 'datasync', 'stat', 'truncate'] as const;

type Call = (this: object, ...args: unknown[]) => unknown;
/** A function of the module, or a method of its files as `file.sync`. */
export type DiskCallName = (typeof CALLS)[number] | `file.${(typeof FILE_CALLS)[number]}`;

/** A disk that hangs. */
export interface HangingDisk {
  /** How many calls it has kept. */
  readonly kept: number;
  /** Every call that it kept is made, and it hangs no more. */
  release(): void;
}

const every: readonly DiskCallName[] = [...CALLS, ...FILE_CALLS.map((name) => `file.${name}` as const)];

/** Makes these calls to the disk of `folder` hang; by default all. */
export async function hangDisk(folder: string, names: readonly DiskCallName[] = every): Promise<HangingDisk> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const disk = { kept: 0, release };
  const restores: (() => void)[] = [];
  const replace = (owner: object, name: string, isOnDisk: (self: object, args: unknown[]) => boolean) => {
    const calls = owner as Record<string, Call>;
    const original = calls[name];
    if (!original) throw new Error(`The disk has no call ${name}.`);
    calls[name] = async function (...args) {
      if (isOnDisk(this, args)) {
        disk.kept++;
        await released;
      }
      return original.apply(this, args);
    };
    restores.push(() => {
      calls[name] = original;
    });
  };
  const fileCalls = await fileMethods();
  for (const name of names) {
    if (name.startsWith('file.')) replace(fileCalls, name.slice(5), (self) => fileOf(self).startsWith(folder));
    else replace(fs, name, (_self, [path]) => String(path).startsWith(folder));
  }
  syncBuiltinESMExports();
  return disk;

  function release(): void {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
    resolve();
  }
}

async function fileMethods(): Promise<object> {
  const file = await fs.open('/dev/null');
  await file.close();
  return Object.getPrototypeOf(file);
}

function fileOf(self: object): string {
  const { fd } = self as { fd: number };
  return fd < 0 ? '' : readlinkSync(`/proc/self/fd/${fd}`);
}

/**
 * Programs in a tree of files as a container runs them: with that tree as the root, read-only but for /data and /tmp, as
 * the image's user, without capabilities or this process's environment. Needs root and mount namespaces. The libraries of
 * C are this machine's own, and so is Node: what a base image brings.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from './dockerfile.ts';

/** Why there can be no containers here; false when there can. */
export const skipContainers =
  spawnSync('unshare', ['--mount', 'true']).status === 0 ? false : 'needs root, and Linux with mount namespaces';

/** Runs in a mount namespace of its own: $1 is the root, $2 this Node, $3 the user, and then the program. */
const ENTER = `
set -e
root=$1 node=$2 user=$3
shift 3
mount --bind "$root" "$root"
for folder in usr/lib usr/lib64 proc dev; do
  if [ -d "/$folder" ]; then mount --rbind "/$folder" "$root/$folder"; fi
done
mount --bind "$node" "$root/nodejs/bin/node"
mount --bind /etc/hosts "$root/etc/hosts"
mount --bind "$root/data" "$root/data"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" --groups= "$root" "$@"
`;

export interface Container {
  /** Starts the image's own program with `args` instead of its command. */
  start(args?: readonly string[]): ChildProcess;
  /** Runs a program of the image to its end. */
  run(program: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** Adds to the image what its base would have brought, and runs programs of it with `more` in the environment. */
export function containerOf(image: Image, more: Readonly<Record<string, string>>): Container {
  for (const folder of ['usr/lib', 'usr/lib64', 'proc', 'dev', 'tmp', 'nodejs/bin', 'etc'])
    mkdirSync(join(image.root, folder), { recursive: true });
  for (const folder of ['lib', 'lib64']) symlinkSync(`usr/${folder}`, join(image.root, folder));
  for (const file of ['nodejs/bin/node', 'etc/hosts']) writeFileSync(join(image.root, file), '');
  writeFileSync(join(image.root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  const env = { PATH: '/usr/bin:/usr/sbin:/bin:/sbin', ...image.environment, ...more };
  const enter = ['--mount', '--propagation=private', 'sh', '-c', ENTER, 'sh'];
  const within = [...enter, image.root, realpathSync(process.execPath), image.user];
  return {
    start: (args = image.command) =>
      spawn('unshare', [...within, ...image.entrypoint, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    run: (program) =>
      new Promise((resolve) => {
        execFile('unshare', [...within, ...program], { env }, (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
        });
      }),
  };
}

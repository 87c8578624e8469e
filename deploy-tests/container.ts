/**
 * Programs of an image as a container runs them: with its tree of files as the root, read-only but for /data and /tmp, as
 * the image's user, without capabilities or this process's environment. Needs root and mount namespaces.
 */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image, ImageConfig } from '#scripts/artifacts/dockerfile.ts';

/** Why there can be no containers here; false when there can. */
export const skipContainers =
  spawnSync('unshare', ['--mount', 'true']).status === 0 ? false : 'needs root, and Linux with mount namespaces';

/** Runs in a mount namespace of its own: $1 is the root, $2 the user, and then the program. */
const ENTER = `
set -e
root=$1 user=$2
shift 2
mount --bind "$root" "$root"
for folder in proc dev; do mount --rbind "/$folder" "$root/$folder"; done
mount --bind /etc/hosts "$root/etc/hosts"
mount --bind "$root/data" "$root/data"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" --groups= "$root" "$@"
`;

/** Unpacks the image of a file that `npm run artifacts` has built. */
export function unpackImage(file: string, into: string): Image {
  const at = (path: string) => join(into, path);
  for (const folder of ['layout', 'root']) mkdirSync(at(folder));
  execFileSync('tar', ['-xf', file, '-C', at('layout')]);
  const blob = ({ digest }: { readonly digest: string }) => at(`layout/blobs/${digest.replace(':', '/')}`);
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const manifest = read(blob(read(at('layout/index.json')).manifests[0]));
  for (const layer of manifest.layers) execFileSync('tar', ['-xpzf', blob(layer), '--numeric-owner', '-C', at('root')]);
  const { config }: { readonly config: ImageConfig } = read(blob(manifest.config));
  return { root: at('root'), config };
}

export interface Container {
  /** Starts the image's own program with `args` instead of its command. */
  start(args?: readonly string[]): ChildProcess;
  /** Runs a program of the image to its end. */
  run(program: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** Runs programs of the image with `more` in the environment. */
export function containerOf({ root, config }: Image, more: Readonly<Record<string, string>>): Container {
  for (const folder of ['proc', 'dev']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'etc/hosts'), '');
  const set = config.Env.map((pair) => [pair.replace(/=.*/, ''), pair.replace(/^[^=]*=/, '')]);
  const env = { PATH: '/usr/bin:/usr/sbin:/bin:/sbin', ...Object.fromEntries(set), ...more };
  const within = ['--mount', '--propagation=private', 'sh', '-c', ENTER, 'sh', root, config.User];
  return {
    start: (args = config.Cmd) =>
      spawn('unshare', [...within, ...config.Entrypoint, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    run: (program) =>
      new Promise((resolve) => {
        execFile('unshare', [...within, ...program], { env }, (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
        });
      }),
  };
}

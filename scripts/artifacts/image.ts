/**
 * The image as a file for `docker load`, and a layout of the OCI: what the Dockerfile puts on its base. In place of that
 * base, which needs a registry, it has what the base consists of: libraries of Debian 13, and the Node of package-lock.json.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Image } from './dockerfile.ts';

/** The release of the Dockerfile's base, and what Node needs of it. */
const LIBRARIES = ['trixie', 'libstdc++6'];
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', arm64: 'arm64' };
const FILES: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnonroot:x:65532:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/**
 * Builds the image of the checkout `root`, for this machine's architecture, into the folder `into`, and returns its file.
 * Needs Debian, a network and root. Throws for a step that fails.
 */
export function buildImage(root: string, into: string): string {
  if (process.getuid?.() !== 0) throw new Error('The image needs root, for the owners of its files.');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const work = mkdtempSync(join(tmpdir(), 'sluice-image-'));
  try {
    const image = build(root, work);
    addBase(root, image.root);
    const file = join(into, `sluice-image-${version}.tar`);
    const layout = join(work, 'layout');
    writeLayout(image, layout, `sluice:${version}`);
    pack(layout, file);
    return file;
  } finally {
    rmSync(work, { recursive: true });
  }
}

function addBase(checkout: string, root: string): void {
  const libraries = execFileSync(join(checkout, 'scripts/unpack-debian'), LIBRARIES, { encoding: 'utf8' }).trim();
  for (const name of ['usr/lib', 'usr/lib64']) {
    mkdirSync(join(root, 'usr'), { recursive: true });
    cpSync(join(libraries, name), join(root, name), { recursive: true, verbatimSymlinks: true });
    symlinkSync(name, join(root, name.replace('usr/', '')));
  }
  mkdirSync(join(root, 'nodejs/bin'), { recursive: true });
  cpSync(realpathSync(join(checkout, 'node_modules/.bin/node')), join(root, 'nodejs/bin/node'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  execFileSync('install', ['--directory', '--mode=1777', join(root, 'tmp')]);
}

/** Without the times at which the files were made. */
function pack(folder: string, file: string): void {
  execFileSync('tar', [
    '--create',
    '--sort=name',
    '--mtime=@0',
    '--numeric-owner',
    `--file=${file}`,
    '-C',
    folder,
    '.',
  ]);
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** One layer. Older versions of Docker read manifest.json, all others index.json. */
function writeLayout({ root, config }: Image, layout: string, name: string): void {
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const unnamed = join(layout, 'unnamed');
  const blob = (mediaType: string, bytes: Buffer): Blob => {
    const hash = sha256(bytes);
    writeFileSync(unnamed, bytes);
    renameSync(unnamed, join(layout, 'blobs/sha256', hash));
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
  };
  const json = (type: string, value: object) =>
    blob(`application/vnd.oci.image.${type}.v1+json`, Buffer.from(JSON.stringify(value)));

  pack(root, unnamed);
  const diff = `sha256:${sha256(readFileSync(unnamed))}`;
  execFileSync('gzip', ['--fast', '--no-name', unnamed]);
  const bytes = readFileSync(`${unnamed}.gz`);
  rmSync(`${unnamed}.gz`);
  const layer = blob('application/vnd.oci.image.layer.v1.tar+gzip', bytes);
  const described = json('config', {
    architecture: ARCHITECTURES[process.arch],
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: [diff] },
  });
  const manifest = json('manifest', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: described,
    layers: [layer],
  });
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': name,
  };
  const pathOf = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`;
  const files = {
    'oci-layout': { imageLayoutVersion: '1.0.0' },
    'index.json': { schemaVersion: 2, manifests: [{ ...manifest, annotations }] },
    'manifest.json': [{ Config: pathOf(described), RepoTags: [name], Layers: [pathOf(layer)] }],
  };
  for (const [file, value] of Object.entries(files)) writeFileSync(join(layout, file), JSON.stringify(value));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

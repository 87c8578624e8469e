/**
 * Carries out a Dockerfile without Docker: each stage is a folder, COPY copies what .dockerignore leaves, and RUN runs in
 * the folder, on this machine's programs. It knows the instructions that ours has and refuses others. Base images are
 * left out.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, matchesGlob, relative } from 'node:path';

/** What an image says of its containers, in the words of the OCI's image specification; times are nanoseconds. */
export interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  /** `NAME=value` each. */
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
  /** Docker's own. The first word of `Test` is `CMD`. */
  readonly Healthcheck: { readonly Test: readonly string[] } & Readonly<Record<string, unknown>>;
}

/** An image as a tree of files. */
export interface Image {
  readonly root: string;
  readonly config: ImageConfig;
}

interface Stage {
  readonly root: string;
  readonly environment: string[];
  readonly said: Map<string, string>;
  workdir: string;
}

/** Builds the last stage of the Dockerfile in `context`; stages are folders of `into`. Throws for a step that fails. */
export function build(context: string, into: string): Image {
  const stages = new Map<string, Stage>();
  let stage: Stage | null = null;
  for (const { word, rest } of instructionsOf(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    if (word === 'FROM') {
      stage = begin(rest, into);
      stages.set(basename(stage.root), stage);
      continue;
    }
    assert.ok(stage, 'a Dockerfile begins with FROM');
    carryOut(stage, word, rest, (name) => {
      if (name === null) return { root: context, ignored: ignoredBy(context) };
      return { root: stages.get(name)?.root ?? assert.fail(`no stage ${name}`), ignored: () => false };
    });
  }
  assert.ok(stage);
  assert.equal(stage.workdir, '/', 'programs are started in / here');
  return { root: stage.root, config: configOf(stage) };
}

const NS_PER_UNIT = new Map([
  ['s', 1e9],
  ['m', 60e9],
]);

function configOf({ said, environment, workdir }: Stage): ImageConfig {
  const list = (text: string) => JSON.parse(text) as string[];
  const named = (word: string, suffix = '') => ({ [(said.get(word) ?? assert.fail(`no ${word}`)) + suffix]: {} });
  const check = said.get('HEALTHCHECK') ?? '';
  const ns = (flag: string) => {
    const [, amount, unit = ''] = new RegExp(`--${flag}=(\\d+)(\\w)`).exec(check) ?? [];
    return Number(amount) * (NS_PER_UNIT.get(unit) ?? assert.fail(`--${flag} of HEALTHCHECK cannot be read`));
  };
  return {
    User: said.get('USER') ?? 'root',
    WorkingDir: workdir,
    Env: environment,
    Entrypoint: list(said.get('ENTRYPOINT') ?? '[]'),
    Cmd: list(said.get('CMD') ?? '[]'),
    ExposedPorts: named('EXPOSE', '/tcp'),
    Volumes: named('VOLUME'),
    Labels: Object.fromEntries([...(said.get('LABEL') ?? '').matchAll(/(\S+)="([^"]*)"/g)].map(([, ...pair]) => pair)),
    Healthcheck: {
      Test: ['CMD', ...list(check.replace(/^.* CMD /, ''))],
      Interval: ns('interval'),
      Timeout: ns('timeout'),
      StartPeriod: ns('start-period'),
    },
  };
}

/** Each instruction on one line, without comments. */
function instructionsOf(text: string): { word: string; rest: string }[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [word = '', ...rest] = line.split(/\s+/);
      return { word, rest: rest.join(' ') };
    });
}

function begin(rest: string, into: string): Stage {
  const [, , name = 'last'] = rest.split(' ');
  const root = join(into, name);
  mkdirSync(root);
  return { root, environment: [], said: new Map(), workdir: '/' };
}

/** Instructions that change no file, and are said once. */
const KEPT = ['LABEL', 'EXPOSE', 'VOLUME', 'USER', 'ENTRYPOINT', 'CMD', 'HEALTHCHECK'];

type Source = { root: string; ignored: (path: string) => boolean };

function carryOut(stage: Stage, word: string, rest: string, from: (name: string | null) => Source): void {
  if (word === 'COPY') copy(stage, rest, from);
  else if (word === 'RUN') run(stage, rest);
  else if (word === 'WORKDIR') {
    stage.workdir = rest;
    mkdirSync(join(stage.root, rest), { recursive: true });
  } else if (word === 'ENV') {
    stage.environment.push(...rest.split(' '));
  } else {
    assert.ok(KEPT.includes(word), `${word} is not known here`);
    stage.said.set(word, rest);
  }
}

/** Of a folder its content is copied, as Docker does. */
function copy(stage: Stage, rest: string, from: (name: string | null) => Source): void {
  const words = rest.split(' ');
  const flag = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.replace(/^[^=]*=/, '') ?? null;
  const names = words.filter((word) => !word.startsWith('--'));
  const target = names.pop() ?? assert.fail('COPY without a target');
  const { root, ignored } = from(flag('from'));
  const inFolder = target.endsWith('/');
  for (const name of names) {
    const source = join(root, name);
    assert.ok(existsSync(source) && !ignored(name), `COPY ${name}: it is not there, or .dockerignore hides it`);
    const absolute = join(stage.root, target.startsWith('/') ? '' : stage.workdir, target);
    const file = inFolder && statSync(source).isFile() ? join(absolute, basename(name)) : absolute;
    const filter = (path: string) => !ignored(relative(root, path));
    cpSync(source, file, { recursive: true, verbatimSymlinks: true, filter });
    const [user, group] = (flag('chown') ?? '').split(':').map(Number);
    if (user && group)
      for (const path of ['', ...globSync('**', { cwd: file })]) chownSync(join(file, path), user, group);
  }
}

/** With this machine's own Node and npm, because npm may remove those of a checkout. */
function run(stage: Stage, command: string): void {
  assert.doesNotMatch(command, /(^|[\s=])\//, 'RUN with an absolute path would change this machine');
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const env = { ...process.env, NODE_OPTIONS: '', PATH: path.join(':') };
  execFileSync('sh', ['-ec', command], {
    cwd: join(stage.root, stage.workdir),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What .dockerignore leaves out: the last pattern that fits a path, or a folder above it, decides. */
export function ignoredBy(context: string): (path: string) => boolean {
  const patterns = readFileSync(join(context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignores: !line.startsWith('!'), glob: line.replace(/^!/, '') }));
  return (path) => {
    const parts = path.split('/');
    const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return patterns.findLast(({ glob }) => above.some((part) => matchesGlob(part, glob)))?.ignores ?? false;
  };
}

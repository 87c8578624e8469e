/**
 * `npm run bench [-- --quick] [-- --only open-loop,long-streams,order-book,journal,mariadb,cluster,backend,dispatch,start,history,lists,streams,viewers,metrics,tracing,batch,memory,soak,http]` runs each
 * benchmark in its own process, so that none measures another's garbage. They are not tests: a slow run fails nothing.
 * `npm run bench -- --targets` runs those that have targets, and ends with a table of them. `npm run bench -- --guard`
 * is the exception: it fails when an order costs more than docs/understand/benchmarks.md says.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable } from '#simulations/markdown-table.ts';
import { NODE_FLAGS } from '#testing/gateway-process.ts';
import { machine } from './machine.ts';
import { figuresIn, tellingTo } from './targets/figures.ts';
import { NOT_MEASURED, verdicts } from './targets/targets.ts';

interface Benchmark {
  readonly name: string;
  readonly args: readonly string[];
  readonly quickArgs: readonly string[];
}

const ROOT = join(import.meta.dirname, '..');

const benchmarks: readonly Benchmark[] = [
  // What measures a tail is first: the disk flushes for minutes what the others write.
  { name: 'open-loop', args: [], quickArgs: ['--quick'] },
  { name: 'long-streams', args: [], quickArgs: ['--quick'] },
  ...['book', 'exchange', 'idle'].map((part) => {
    return { name: 'order-book', args: ['--part', part], quickArgs: ['--part', part, '--quick'] };
  }),
  { name: 'journal', args: ['40000', '64', '0'], quickArgs: ['10000', '64', '0'] },
  { name: 'journal', args: ['40000', '64', '3'], quickArgs: ['10000', '64', '3'] },
  { name: 'mariadb', args: [], quickArgs: ['--quick'] },
  { name: 'cluster', args: [], quickArgs: ['--quick'] },
  { name: 'backend', args: [], quickArgs: [] },
  { name: 'dispatch', args: [], quickArgs: ['--quick'] },
  { name: 'start', args: [], quickArgs: ['--quick'] },
  { name: 'history', args: [], quickArgs: ['--quick'] },
  { name: 'month', args: [], quickArgs: ['--quick'] },
  { name: 'lists', args: [], quickArgs: ['--quick'] },
  { name: 'streams', args: [], quickArgs: ['--quick'] },
  { name: 'viewers', args: [], quickArgs: ['--quick'] },
  { name: 'metrics', args: [], quickArgs: ['--quick'] },
  { name: 'tracing', args: [], quickArgs: ['--quick'] },
  { name: 'batch', args: [], quickArgs: ['--quick'] },
  { name: 'memory', args: [], quickArgs: ['--quick'] },
  { name: 'soak', args: [], quickArgs: ['--quick'] },
  { name: 'http', args: [], quickArgs: ['--quick'] },
];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    guard: { type: 'boolean', default: false },
    targets: { type: 'boolean', default: false },
  },
});
const WITH_TARGETS =
  'order-book,mariadb,cluster,dispatch,start,history,lists,metrics,soak,http,open-loop,long-streams'.split(',');
const wanted = values.guard ? ['http'] : (values.only?.split(',') ?? (values.targets ? WITH_TARGETS : undefined));
const folder = mkdtempSync(join(tmpdir(), 'sluice-figures-'));
const [file, mariadbFile] = [join(folder, 'figures'), join(folder, 'mariadb')];
console.log(`Benchmarks on ${machine()}`);
for (const { name, args, quickArgs } of benchmarks) {
  if (wanted && !wanted.includes(name)) continue;
  console.log(`\n## ${name}`);
  const bench = join(import.meta.dirname, `${name}.bench.ts`);
  const given = values.guard ? ['--guard'] : values.quick ? quickArgs : args;
  await run(process.execPath, [...NODE_FLAGS, '--expose-gc', bench, ...given], file);
}
if (values.targets) {
  if (!wanted || wanted.includes('http')) {
    console.log('\n## http on MariaDB');
    const bench = ['benchmarks/http.bench.ts', '--scenario', 'unary, 8', ...(values.quick ? ['--quick'] : [])];
    await run('scripts/with-mariadb', ['node', ...bench], mariadbFile);
  }
  const rows = verdicts({ figures: figuresIn(file), onMariadb: figuresIn(mariadbFile) });
  console.log(`\n## targets\n\nOn ${machine()}\n`);
  console.log(markdownTable(['what', 'measured', 'target', 'reached'], rows));
  // Otherwise nobody would miss a figure whose benchmark gives it another name than its target has.
  const isWhole = values.only === undefined;
  if (isWhole && rows.some(([, measured]) => measured === NOT_MEASURED)) process.exitCode = 1;
}
rmSync(folder, { recursive: true });

async function run(command: string, args: readonly string[], figures: string): Promise<void> {
  const options = { stdio: 'inherit', cwd: ROOT, env: { ...process.env, ...tellingTo(figures) } } as const;
  const [code] = await once(spawn(command, args, options), 'exit');
  if (code !== 0) process.exitCode = 1;
}

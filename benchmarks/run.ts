/**
 * `npm run bench [-- --quick] [-- --only order-book,journal,mariadb,cluster,backend,start,history,lists,streams,batch,memory,http]` runs each
 * benchmark in its own process, so that none measures another's garbage. They are not tests: a slow run fails nothing.
 * `npm run bench -- --guard` is the exception: it fails when an order costs more than docs/benchmarks.md says.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './machine.ts';

interface Benchmark {
  readonly name: string;
  readonly args: readonly string[];
  readonly quickArgs: readonly string[];
}

const benchmarks: readonly Benchmark[] = [
  { name: 'order-book', args: [], quickArgs: ['--quick'] },
  { name: 'journal', args: ['40000', '64', '0'], quickArgs: ['10000', '64', '0'] },
  { name: 'journal', args: ['40000', '64', '3'], quickArgs: ['10000', '64', '3'] },
  { name: 'mariadb', args: [], quickArgs: ['--quick'] },
  { name: 'cluster', args: [], quickArgs: ['--quick'] },
  { name: 'backend', args: [], quickArgs: [] },
  { name: 'start', args: [], quickArgs: ['--quick'] },
  { name: 'history', args: [], quickArgs: ['--quick'] },
  { name: 'month', args: [], quickArgs: ['--quick'] },
  { name: 'lists', args: [], quickArgs: ['--quick'] },
  { name: 'streams', args: [], quickArgs: ['--quick'] },
  { name: 'batch', args: [], quickArgs: ['--quick'] },
  { name: 'memory', args: [], quickArgs: ['--quick'] },
  { name: 'http', args: [], quickArgs: ['--quick'] },
];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    guard: { type: 'boolean', default: false },
  },
});
const wanted = values.guard ? ['http'] : values.only?.split(',');
console.log(`Benchmarks on ${machine()}`);
for (const { name, args, quickArgs } of benchmarks) {
  if (wanted && !wanted.includes(name)) continue;
  console.log(`\n## ${name}`);
  const file = join(import.meta.dirname, `${name}.bench.ts`);
  const own = values.guard ? ['--guard'] : values.quick ? quickArgs : args;
  const flags = ['--max-semi-space-size=32', '--expose-gc', file, ...own];
  const [code] = await once(spawn(process.execPath, flags, { stdio: 'inherit' }), 'exit');
  if (code !== 0) process.exitCode = 1;
}

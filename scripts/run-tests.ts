/**
 * Runs a part of the tests on Node's own runner: `node scripts/run-tests.ts unit|contract|all|engines|deploy [file patterns]`.
 * All is unit and contract; tests with real engines need scripts/test-engines, which installs one, and those of
 * deploy/ scripts/test-deploy.
 * Patterns replace the files of the part, so that a few can be run the same way. A file that does not end is stopped
 * and fails instead of hanging the run, and the totals come at the end. Every reply of every gateway that the tests
 * start is checked against openapi.yaml (contract-tests/support/watch.ts), and contract-tests/coverage.ts checks what
 * was seen: all of the document in a whole contract run, with the result in one line at the end for `--json`. Exits 1
 * when no test file matches: an empty run is a mistake, not a success.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

const usual = {
  unit: ['src', 'codegen', 'scripts', 'testing', 'benchmarks', 'simulations', 'console'].map(
    (folder) => `${folder}/**/*.test.ts`,
  ),
  contract: ['contract-tests/**/*.test.ts'],
};
const parts: Readonly<Record<string, readonly string[]>> = {
  ...usual,
  all: Object.values(usual).flat(),
  engines: ['engine-tests/**/*.test.ts'],
  deploy: ['deploy-tests/**/*.test.ts'],
};
const OPTIONS = [
  '--test',
  // A file has to end by itself: --test-force-exit drops reports that a quick file has not written yet.
  preload('testing/end-alone.ts'),
  preload('contract-tests/support/current-test.ts'),
  // Far more than the slowest file needs on a slow machine.
  '--test-timeout=600000',
  // Files wait more than they work: with one less than the cores, the runner's default, two cores would run one at a
  // time.
  `--test-concurrency=${availableParallelism()}`,
  '--test-reporter=spec',
];
/** Tests and gateways record here what was seen; a separate name keeps two simultaneous runs apart. */
const SEEN_FILE = resolve(`coverage/contract-seen-${process.pid}.txt`);

const json = process.argv.includes('--json');
const [part = 'all', ...patterns] = process.argv.slice(2).filter((word) => word !== '--json');
const chosen = parts[part];
if (!chosen) {
  console.error(`There is no part ${part} of the tests; the parts are unit, contract, all, engines and deploy.`);
  process.exit(1);
}
const files = globSync(patterns.length > 0 ? patterns : [...chosen], { exclude: ['**/node_modules/**'] }).sort();
if (files.length === 0) {
  console.error(`No test file matches ${patterns.join(' ') || part}.`);
  process.exit(1);
}

process.env.SLUICE_CONTRACT_SEEN = SEEN_FILE;
process.env.NODE_OPTIONS =
  `${process.env.NODE_OPTIONS ?? ''} ${preload('contract-tests/support/watch-serve.mjs')}`.trim();
// Each file is a process that loads mostly the same modules; with a cache, each module is compiled once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled');
const failed = await node([...OPTIONS, ...files]);
// A part of the tests, or a failed run, need not have seen all of the document.
const whole = (part === 'contract' || part === 'all') && patterns.length === 0 && failed === 0;
const judgement = ['contract-tests/coverage.ts', ...(whole ? [] : ['--problems']), ...(json ? ['--json'] : [])];
process.exitCode = (await node(judgement)) || failed;
rmSync(SEEN_FILE, { force: true });

function preload(path: string): string {
  return `--import=${new URL(`../${path}`, import.meta.url).href}`;
}

async function node(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const stop = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const [code] = await once(child, 'exit');
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return code ?? 1;
}

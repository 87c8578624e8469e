/**
 * Runs a part of the tests on Node's own runner: `node scripts/run-tests.ts unit|contract|all [file patterns]`.
 * Arguments after the part replace its files, so that one file can be run the same way. A file that never ends is cut
 * off instead of hanging the run, and the totals stand at the end. Exits as the runner does, and 1 when a part has no
 * test at all: an empty run is a mistake, not a success.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

const parts: Readonly<Record<string, readonly string[]>> = {
  unit: [
    'src/**/*.test.ts',
    'codegen/**/*.test.ts',
    'scripts/**/*.test.ts',
    'testing/**/*.test.ts',
    'benchmarks/**/*.test.ts',
  ],
  contract: ['contract-tests/**/*.test.ts'],
};

const [part = 'all', ...patterns] = process.argv.slice(2);
const chosen = patterns.length > 0 ? patterns : part === 'all' ? Object.values(parts).flat() : parts[part];
const files = globSync([...(chosen ?? [])], { exclude: ['**/node_modules/**'] }).sort();
if (files.length === 0) {
  console.error(
    `No test file belongs to ${process.argv.slice(2).join(' ') || part}; the parts are unit, contract and all.`,
  );
  process.exit(1);
}

const options = ['--test', '--test-force-exit', '--test-timeout=120000', '--test-reporter=spec'];
const runner = spawn(process.execPath, [...options, ...files], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
runner.on('exit', (code) => {
  process.exitCode = code ?? 1;
});

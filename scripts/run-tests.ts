/**
 * Runs one part of the tests on Node's own runner: `node scripts/run-tests.ts PART [file patterns]`. PARTS below says
 * what each part is; patterns replace its files, so that a few can be run the same way. scripts/test runs the parts that
 * belong to `npm test` and `npm run test:all`.
 *
 * A file that does not end by itself fails instead of hanging the run. Every reply of every gateway that the tests start
 * is checked against openapi.yaml (contract-tests/support/watch.ts). After a part that has all contract tests,
 * contract-tests/coverage.ts also checks that each promise of the document was seen; `--json` prints its result as the
 * last line. Without `--json` the last line is the number of tests. Exits 1 when no file matches: an empty run is a
 * mistake, not a success.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, globSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const UNIT = ['src', 'codegen', 'scripts', 'testing', 'benchmarks', 'simulations', 'console', 'sdk-tests/runner'];
/** Takes long for what it proves: runs in `npm run test:all` and in CI, but not in `npm test`. */
const isLong = (file: string) => file.endsWith('.long.test.ts');
/** What a test file uses, of testing/, that runs on MariaDB where there is one. */
const DATABASE = /\b(?:testedDatabases|openMariadb|skipMariadb|makeOwnSite|useOwnPages|unit-suite)\b/;
const hasDatabase = (file: string) => DATABASE.test(readFileSync(file, 'utf8'));
/** Opens the pages in Chromium, which ask the gateway what contract tests ask it. */
const hasPages = (file: string) => readFileSync(file, 'utf8').includes('testing/use-pages.ts');
const hasOwnStart = (file: string) => readFileSync(file, 'utf8').includes('support/npm-start.ts');

const MONEY =
  /\/(?:automaticTopUp|getOrderReceipt|idempotency|key-budgets|list(?:Entries|Transfers)|maxCharge|money|one-charge|payments|runAudit)\.test/;
const isAboutMoney = (file: string) => MONEY.test(file);
/** Contract tests about what is written and read again; the others are about requests, which no database changes. */
const STORED =
  /\/(?:activity|addPod|cancel|conversations|createChatCompletion\.detached|createBatch|delete|get(?:Account|Batch|File|MarketCandles|MarketHistory|MarketLedger|ModelStatistics|Order|PriceLock|Response|SharedReceipt|Storage|TokenStatistics|Uptime)|key-scopes|list|lost-database|operator|passkeys|price-reserve|reprice|resumed-streams|settings|showOrder|signIn|silent-database|suspension|traces|update|uploadFile|webhooks)[.\w]*\.test/;
const isStored = (file: string) => isAboutMoney(file) || STORED.test(file);

const unit = testsIn(...UNIT);
const contract = testsIn('contract-tests');
const PARTS: Readonly<Record<string, readonly string[]>> = {
  unit: unit.filter((file) => !isLong(file)),
  contract: contract.filter((file) => !isLong(file)),
  /** Both: what `npm test` runs. */
  quick: [...unit, ...contract].filter((file) => !isLong(file)),
  long: [...unit, ...contract].filter(isLong),
  /** Needs scripts/with-mariadb: the storage suite, several gateways, and contract tests about money and what is stored. */
  stored: [
    ...unit.filter((file) => hasDatabase(file) && !hasPages(file)),
    ...contract.filter((file) => isStored(file) && !isLong(file)),
  ],
  /** The same with the pages and all contract tests, for every night. Gateways that `npm start` starts have SQLite everywhere. */
  mariadb: [...unit.filter(hasDatabase), ...contract.filter((file) => !isLong(file) && !hasOwnStart(file))],
  /** Needs scripts/with-mysql. What depends on the server most: the storage suite, and contract tests about money. */
  mysql: [
    ...unit.filter((file) => file.startsWith('src/storage/') && hasDatabase(file)),
    ...contract.filter(isAboutMoney),
  ],
  /** Needs scripts/test-engines, which installs one. */
  engines: testsIn('engine-tests'),
  /** Needs scripts/test-deploy. */
  deploy: testsIn('deploy-tests'),
};
/** After these, each promise of the document has to have been seen. */
const WHOLE_CONTRACT = ['contract', 'quick', 'mariadb'];
/** Far more than the slowest file needs on a slow machine. */
const TIMEOUT_MS = 600_000;
const PRELOADS = [
  // A file has to end by itself: --test-force-exit drops reports that a quick file has not written yet.
  'testing/end-alone.ts',
  'contract-tests/support/current-test.ts',
];
/** Tests and gateways record here what was seen; a separate name keeps two simultaneous runs apart. */
const SEEN_FILE = resolve(`coverage/contract-seen-${process.pid}.txt`);

const json = process.argv.includes('--json');
const [part = 'quick', ...patterns] = process.argv.slice(2).filter((word) => word !== '--json');
const files = patterns.length > 0 ? globSync(patterns, { exclude: ['**/node_modules/**'] }).sort() : PARTS[part];
if (!PARTS[part] || !files || files.length === 0) {
  console.error(
    `No test file matches ${[part, ...patterns].join(' ')}. The parts are ${Object.keys(PARTS).join(', ')}.`,
  );
  process.exit(1);
}

// scripts/test adds up the parts that it runs here; a test that runs tests is no such part.
const sumsFile = process.env.SLUICE_TEST_TOTALS;
delete process.env.SLUICE_TEST_TOTALS;
process.env.SLUICE_CONTRACT_SEEN = SEEN_FILE;
process.env.NODE_OPTIONS =
  `${process.env.NODE_OPTIONS ?? ''} ${preload('contract-tests/support/watch-serve.mjs')}`.trim();
// Each file is a process that loads mostly the same modules; with a cache, each module is compiled once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled');
const totals = await runTests(files);
const isWhole = WHOLE_CONTRACT.includes(part) && patterns.length === 0 && totals.failed === 0;
const options = [...(isWhole ? [] : ['--problems']), ...(json ? ['--json'] : [])];
const coverage = spawnSync(process.execPath, ['contract-tests/coverage.ts', ...options], { stdio: 'inherit' });
rmSync(SEEN_FILE, { force: true });
const { tests, passed, failed, skipped } = totals;
if (!json) console.log(`${files.length} files, ${tests} tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
if (sumsFile) appendFileSync(sumsFile, `${files.length} ${tests} ${passed} ${failed} ${skipped}\n`);
process.exitCode = failed > 0 ? 1 : (coverage.status ?? 1);

function testsIn(...folders: readonly string[]): string[] {
  const all = folders.map((folder) => `${folder}/**/*.test.ts`);
  return globSync(all, { exclude: ['**/node_modules/**'] }).sort();
}

function preload(path: string): string {
  return `--import=${new URL(`../${path}`, import.meta.url).href}`;
}

/** Runs the files and prints each test; `failed` also counts tests that were canceled. */
async function runTests(files: readonly string[]) {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const stream = run({
    files,
    // More than the cores, because files wait now and then; the runner's default is one less.
    concurrency: availableParallelism() + 1,
    timeout: TIMEOUT_MS,
    execArgv: PRELOADS.map(preload),
    signal: stopping.signal,
  });
  const totals = { tests: 0, passed: 0, failed: 0, skipped: 0 };
  stream.on('test:summary', ({ file, counts, success }) => {
    if (file !== undefined) return;
    const { tests, passed, skipped, todo } = counts;
    // A suite whose own hook fails has no failed test.
    const failed = Math.max(tests - passed - skipped - todo, success ? 0 : 1);
    Object.assign(totals, { tests, passed, failed, skipped });
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  return totals;
}

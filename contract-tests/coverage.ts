/**
 * Checks the record of a test run: some answer kept each promise of openapi.yaml, and no answer broke one. Run by
 * scripts/run-tests.ts after the tests. There are no exceptions: a status that cannot be reached does not belong in the
 * document. `--problems` checks a part of the tests, which need not see everything; `--json` ends with one line of
 * JSON. A whole run writes coverage/contract.md, which says which test proves what.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { coverageOf } from './support/contract-coverage.ts';
import { promisesOf } from './support/documented-promises.ts';
import { type OperationId, operations } from './support/operations.ts';
import { reportOf, summaryOf } from './support/report.ts';
import { readRecord } from './support/run-record.ts';

const whole = !process.argv.includes('--problems');
const ids = Object.keys(operations) as OperationId[];
const promised = whole ? ids.flatMap(promisesOf) : [];
const coverage = coverageOf(promised, readRecord());
for (const problem of coverage.problems) console.error(problem);
for (const promise of coverage.unseen) console.error(`${promise} was never seen.`);
if (whole) {
  mkdirSync('coverage', { recursive: true });
  writeFileSync('coverage/contract.md', reportOf(promised, coverage));
  console.log(summaryOf(promised, coverage));
} else {
  console.log(
    `${coverage.proofs.size} promises of openapi.yaml were kept; ${coverage.problems.length} answers broke one.`,
  );
}
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ ...coverage, promised: promised.length, proofs: Object.fromEntries(coverage.proofs) }));
}
process.exitCode = coverage.problems.length + coverage.unseen.length > 0 ? 1 : 0;

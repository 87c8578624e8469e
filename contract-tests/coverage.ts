/**
 * Judges a run of the tests by its record: every promise of openapi.yaml was kept by some answer, and no answer broke
 * one. Run by scripts/run-tests.ts after the tests. Nothing is excused: a status that cannot be reached does not belong
 * in the document. `--problems` judges a part of the tests, which need not see everything; `--json` ends with one line of
 * JSON. A whole run writes coverage/contract.md, which test proves what.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { type OperationId, operations } from '#generated/operations.ts';
import { promisesOf } from './support/promises.ts';
import { reportOf, summaryOf } from './support/report.ts';
import { readSightings } from './support/seen.ts';
import { judge } from './support/verdict.ts';

const whole = !process.argv.includes('--problems');
const ids = Object.keys(operations) as OperationId[];
const promised = whole ? ids.flatMap(promisesOf) : [];
const verdict = judge(promised, readSightings());
for (const problem of verdict.problems) console.error(problem);
for (const promise of verdict.unseen) console.error(`${promise} was never seen.`);
if (whole) {
  mkdirSync('coverage', { recursive: true });
  writeFileSync('coverage/contract.md', reportOf(promised, verdict));
  console.log(summaryOf(promised, verdict));
} else {
  console.log(
    `${verdict.proofs.size} promises of openapi.yaml were kept; ${verdict.problems.length} answers broke one.`,
  );
}
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ ...verdict, promised: promised.length, proofs: Object.fromEntries(verdict.proofs) }));
}
process.exitCode = verdict.problems.length + verdict.unseen.length > 0 ? 1 : 0;

/** What a contract run proved, for readers: one table of operations and statuses, and behind each status its test. */
import { type ContractCoverage, placeName } from './contract-coverage.ts';
import { type OperationId, operations } from './operations.ts';

/** One sentence with the figures. */
export function summaryOf(promised: readonly string[], { unseen, problems }: ContractCoverage): string {
  const seen = (promises: readonly string[]) =>
    `${promises.filter((promise) => !unseen.includes(promise)).length} of ${promises.length}`;
  const [answers, headers, frames] = [promised.filter(isAnswer), promised.filter(isHeader), promised.filter(isFrame)];
  return (
    `Contract: ${seen(answers)} documented answers, ${seen(headers)} headers and ${seen(frames)} kinds of frames were ` +
    `seen and valid, none excused; ${problems.length} answers broke the document. coverage/contract.md says which test proves what.`
  );
}

/** The whole report, in Markdown. */
export function reportOf(promised: readonly string[], coverage: ContractCoverage): string {
  const ids = [...new Set(promised.map((promise) => promise.split(' ')[0] ?? ''))];
  const statuses = [...new Set(promised.map((promise) => promise.split(' ')[1] ?? ''))].sort();
  const matrix = ids.map((id) => {
    const cells = statuses.map((status) =>
      markOf(
        promised.filter((line) => line.startsWith(`${id} ${status}`)),
        coverage,
      ),
    );
    return `| ${id} | ${cells.join(' | ')} |`;
  });
  return [
    '# Contract run\n',
    `${summaryOf(promised, coverage)}\n`,
    '✓ seen with every media type, header and kind of frame; ✗ something was never seen; empty: not documented.\n',
    `| operation | ${statuses.join(' | ')} |`,
    `|---|${statuses.map(() => ':-:|').join('')}`,
    ...matrix,
    '',
    ...ids.map((id) => chapterOf(id, promised, coverage)),
  ].join('\n');
}

function markOf(promises: readonly string[], { unseen }: ContractCoverage): string {
  if (promises.length === 0) return '';
  return promises.some((promise) => unseen.includes(promise)) ? '✗' : '✓';
}

/** One operation: each answer, header and kind of frame with the test that shows it best. */
function chapterOf(id: string, promised: readonly string[], { proofs }: ContractCoverage): string {
  const { method, path } = operations[id as OperationId];
  const rows = promised
    .filter((promise) => promise.startsWith(`${id} `))
    .map((promise) => {
      const proof = proofs.get(promise);
      return `| ${promise.slice(id.length + 1)} | ${proof ? placeName(proof).replaceAll('|', '\\|') : '**never seen**'} |`;
    });
  return [`## ${id}: ${method.toUpperCase()} ${path}\n`, '| answer | test |', '|---|---|', ...rows, ''].join('\n');
}

const isHeader = (promise: string) => promise.split(' ')[2] === 'header';
const isFrame = (promise: string) => promise.split(' ')[2] === 'frame';
const isAnswer = (promise: string) => !isHeader(promise) && !isFrame(promise);

/** What a run covered: compares what was promised with the record of what was seen. */
import type { RecordLine, TestPlace } from './run-record.ts';

/** Which promises were kept and broken. */
export interface ContractCoverage {
  /** Each kept promise with the test that proves it best: one of the operation's own, if there is one. */
  readonly proofs: ReadonlyMap<string, TestPlace>;
  /** Promises that no answer kept. */
  readonly unseen: readonly string[];
  /** How answers broke promises, with the test that saw it. */
  readonly problems: readonly string[];
}

/** Compares the record of a run with what was promised. */
export function coverageOf(promised: readonly string[], entries: readonly RecordLine[]): ContractCoverage {
  const proofs = new Map<string, TestPlace>();
  const problems = new Set<string>();
  for (const entry of entries) {
    const { file, title } = entry;
    if ('problem' in entry) problems.add(`${entry.problem}\n  in ${placeName({ file, title })}`);
    else proofs.set(entry.kept, better(entry.kept, proofs.get(entry.kept), { file, title }));
  }
  return { proofs, unseen: promised.filter((promise) => !proofs.has(promise)), problems: [...problems].sort() };
}

/** The place of a test, for readers. */
export function placeName({ file, title }: TestPlace): string {
  return title === '' ? file : `${file}: ${title}`;
}

/** The better of two places in either order, so that two runs of the same tree report the same. */
function better(promise: string, one: TestPlace | undefined, other: TestPlace): TestPlace {
  if (!one) return other;
  const [id] = promise.split(' ');
  const status = promise.split(' ')[1] ?? '';
  const rank = ({ file, title }: TestPlace) =>
    (file.startsWith(`contract-tests/${id}.`) ? 4 : 0) +
    (title !== '' ? 2 : 0) +
    (title.includes(`> ${status}`) ? 1 : 0);
  const difference = rank(one) - rank(other) || (placeName(one) <= placeName(other) ? 1 : -1);
  return difference > 0 ? one : other;
}

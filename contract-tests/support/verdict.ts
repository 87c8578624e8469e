/** The judgement of a run: what was promised against what its record says was seen. */
import type { Sighting, TestPlace } from './seen.ts';

/** What became of every promise. */
export interface Verdict {
  /** Each kept promise with the test that shows it best: one of the operation's own, if there is one. */
  readonly proofs: ReadonlyMap<string, TestPlace>;
  /** Promises that no answer kept. */
  readonly unseen: readonly string[];
  /** What answers broke, with the test that saw it. */
  readonly problems: readonly string[];
}

/** Holds the record of a run against what was promised. */
export function judge(promised: readonly string[], sightings: readonly Sighting[]): Verdict {
  const proofs = new Map<string, TestPlace>();
  const problems = new Set<string>();
  for (const sighting of sightings) {
    const { file, title } = sighting;
    if ('problem' in sighting) problems.add(`${sighting.problem}\n  in ${placeName({ file, title })}`);
    else proofs.set(sighting.kept, better(sighting.kept, proofs.get(sighting.kept), { file, title }));
  }
  return { proofs, unseen: promised.filter((promise) => !proofs.has(promise)), problems: [...problems].sort() };
}

/** A test as a reader finds it. */
export function placeName({ file, title }: TestPlace): string {
  return title === '' ? file : `${file}: ${title}`;
}

/** The same of two places whichever comes first, so that two runs of one tree report the same. */
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

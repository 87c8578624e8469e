/**
 * Judges a run of the contract tests: every documented status of every operation was seen, or stands in
 * support/unreached.ts with its reason; nothing undocumented was seen. Run by `npm run test:contract` after the tests.
 */
import { operations } from '#generated/operations.ts';
import { readSeen } from './support/seen.ts';
import { unreached } from './support/unreached.ts';

/** What a run is judged by. Pairs read `operationId status`. */
export interface Run {
  readonly seen: ReadonlySet<string>;
  readonly documented: Readonly<Record<string, { readonly statuses: readonly number[] }>>;
  readonly unreached: Readonly<Record<string, string | undefined>>;
}

/** What a run lacks or has too much of, one sentence each; empty for a good run. */
export function findingsOf({ seen, documented, unreached }: Run): string[] {
  const promised = new Set(
    Object.entries(documented).flatMap(([id, { statuses }]) => statuses.map((status) => `${id} ${status}`)),
  );
  return [
    ...[...promised].filter((pair) => !seen.has(pair) && !(pair in unreached)).map((pair) => `${pair} was never seen.`),
    ...[...seen].filter((pair) => !promised.has(pair)).map((pair) => `${pair} is not documented.`),
    ...Object.keys(unreached)
      .filter((pair) => seen.has(pair) || !promised.has(pair))
      .map((pair) => `${pair} stands in support/unreached.ts and should not any more.`),
  ].sort();
}

if (import.meta.main) {
  const findings = findingsOf({
    seen: readSeen(),
    documented: operations,
    unreached,
  });
  for (const finding of findings) console.error(finding);
  if (findings.length === 0) console.log('Every documented status of every operation was seen.');
  process.exitCode = findings.length > 0 ? 1 : 0;
}

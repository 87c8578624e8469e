/** What an outage must not leave behind: callers who waited, and drafts on the disk. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Observed } from '../harness/client.ts';

/** One answer. */
export interface Answer extends Pick<Observed, 'route' | 'beginMs' | 'endMs'> {
  /** 0 for an answer that was cut off. */
  readonly status: number;
  readonly retryAfter: boolean;
  /** Whether it is that of an order that ran: it was charged, or its charge is uncertain. */
  readonly ran: boolean;
}

const WAIT_MS_MAX = 6000;

/** The answer in an exchange; none when the caller left before. */
export function answersIn({ route, exchange, beginMs, endMs }: Observed): Answer[] {
  if (exchange.kind === 'left') return [];
  const { status, retryAfter, text } =
    exchange.kind === 'answer' ? exchange : { status: 0, retryAfter: false, text: '' };
  const isCharged = route.includes('/completions') && /"charged_usd"/.test(text);
  return [
    {
      route: route.replace(/(file-|batch_)[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]+/, '{id}').replace(/\?.*/, ''),
      ...{ status, retryAfter, beginMs, endMs, ran: isCharged || /settlement_uncertain/.test(text) },
    },
  ];
}

/**
 * Prints a line per route; returns what was wrong with answers during the outage, as sentences. Waits count from the
 * beginning of the outage.
 */
export function waits(answers: readonly Answer[], outage: { beganAtMs: number; endedAtMs: number }): string[] {
  const during = answers.filter(({ endMs, beginMs }) => endMs > outage.beganAtMs && beginMs < outage.endedAtMs);
  const waitOf = ({ beginMs, endMs }: Answer) => endMs - Math.max(beginMs, outage.beganAtMs);
  const findings: string[] = [];
  for (const [route, own] of Map.groupBy(during, (answer) => answer.route)) {
    const longest = (some: readonly Answer[]) => Math.round(Math.max(0, ...some.map(waitOf)));
    const [ran, others] = [own.filter((each) => each.ran), own.filter((each) => !each.ran)];
    const figures = `longest ${String(longest(others)).padStart(6)} ms, of orders that ran ${longest(ran)} ms`;
    console.log(`${route.padEnd(42)} ${figures.padEnd(52)} ${counts(own)}`);
    const overdue = others.filter((each) => waitOf(each) > WAIT_MS_MAX);
    if (overdue.length > 0) findings.push(`${route}: ${overdue.length} answers took longer than ${WAIT_MS_MAX} ms`);
    const bare = own.filter(({ status, retryAfter }) => status === 503 && !retryAfter && route !== 'GET /healthz');
    if (bare.length > 0) findings.push(`${route}: ${bare.length} answers of 503 had no Retry-After`);
    const cut = own.filter(({ status }) => status === 0);
    if (cut.length > 0 && !route.includes('/v1/files')) findings.push(`${route}: ${cut.length} answers were cut off`);
    const failed = others.filter(({ status }) => status === 500);
    if (failed.length > 0) findings.push(`${route}: ${failed.length} answers were 500`);
  }
  return findings;
}

/** Files that should be gone once nothing runs: inputs of queued orders, and drafts. */
export function leftovers(dataFolder: string): string[] {
  if (!existsSync(dataFolder)) return [];
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(dataFolder.length + 1));
  const left = paths.filter((path) => /^queued\/|^files\/drafts\/|\.tmp$/.test(path));
  return left.length === 0 ? [] : [`${left.length} files were left, such as ${left[0]}`];
}

function counts(answers: readonly Answer[]): string {
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  return [...byStatus].map(([status, { length }]) => `${status}: ${length}`).join(', ');
}

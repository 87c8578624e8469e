/** What an outage must not leave behind: callers who waited, charges that nobody knows, drafts on the disk. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Owner, usageRecords } from '../books/usage-records.ts';
import type { Answer, RouteLoad } from './routes.ts';

const WAIT_MS_MAX = 6000;

/**
 * Prints a line per route; returns what was wrong with answers during the outage, as sentences. Waits count from the
 * beginning of the outage.
 */
export function waits(answers: readonly Answer[], outage: { beganAtMs: number; endedAtMs: number }): string[] {
  const during = answers.filter(({ endMs, beginMs }) => endMs > outage.beganAtMs && beginMs < outage.endedAtMs);
  const waitOf = ({ beginMs, endMs }: Answer) => endMs - Math.max(beginMs, outage.beganAtMs);
  const findings: string[] = [];
  for (const route of new Set(during.map((answer) => answer.route))) {
    const own = during.filter((answer) => answer.route === route);
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
    const failed = own.filter(({ status, ran: charged }) => status === 500 && !charged);
    if (failed.length > 0) findings.push(`${route}: ${failed.length} answers were 500`);
  }
  return findings;
}

/** Charges that no client knows of, and receipts without a charge, as sentences. */
export async function unknownCharges(owner: Owner, load: RouteLoad): Promise<string[]> {
  const { known, uncertain, accepted, keys, answers } = load;
  const charged = (await Array.fromAsync(usageRecords(owner))).map(({ order_id }) => order_id);
  console.log(
    `${answers.length} answers, ${known.size} receipts, ${uncertain.size} uncertain charges, ${charged.length} charges`,
  );
  const once = new Set(charged);
  const chargesOf = (orders: ReadonlySet<string>) => [...orders].filter((id) => once.has(id)).length;
  const knows = (id: string) => known.has(id) || uncertain.has(id) || accepted.has(id);
  return [
    ...(once.size < charged.length ? [`${charged.length - once.size} orders were charged twice`] : []),
    ...[...keys].filter(([, ids]) => chargesOf(ids) > 1).map(([key]) => `key ${key}: charged for several orders`),
    ...[...once].filter((id) => !knows(id)).map((id) => `order ${id}: charged, unknown`),
    ...[...known].filter((id) => !once.has(id)).map((id) => `order ${id}: a receipt and no usage record`),
  ];
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
  const byStatus = new Map<number, number>();
  for (const { status } of answers) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${status}: ${count}`).join(', ');
}

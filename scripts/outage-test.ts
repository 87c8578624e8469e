/**
 * `scripts/with-mariadb npm run outage-test [-- --seconds 30]`: stops MariaDB's process under load, continues it, and
 * prints for each route how its requests were answered and the longest wait. Then it audits, and checks that everything
 * charged is known to a client: by its receipt, or as `settlement_uncertain`. Exits 1 on a finding, or when a request
 * that does not wait for a running order waited longer than six seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited } from './books/audit.ts';
import { readBooks, serverPid } from './books/database.ts';
import { untilIdle } from './books/usage-records.ts';
import { type Answer, type RouteLoad, startRoutes } from './outage-test/routes.ts';

const CONFIGURATION = selling([marketModel('tide', 6, 6), fixedModel('harbor', 6)], {
  limits: {
    inference_requests_per_minute_per_key: 10_000_000,
    account_operations_per_minute_per_account: 10_000_000,
    file_operations_per_minute_per_account: 10_000_000,
    public_requests_per_minute_per_address: 10_000_000,
  },
});
const AROUND_MS = 4000;
const WAIT_MS_MAX = 6000;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } });
const { DATABASE_URL } = process.env;
if (!DATABASE_URL?.startsWith('mysql:')) throw new Error('Run it as scripts/with-mariadb npm run outage-test.');
const site = await makeSite(CONFIGURATION);
try {
  const findings = await stopUnderLoad(site, DATABASE_URL);
  for (const finding of findings) console.log(finding);
  console.log(findings.length === 0 ? 'The books agree.' : `${findings.length} findings.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} finally {
  site.remove();
}

async function stopUnderLoad(site: Site, databaseUrl: string): Promise<string[]> {
  const apiKey = await openAccount(site);
  const pid = await serverPid(databaseUrl);
  const gateway = await site.start();
  const owner = { url: gateway.url, apiKey };
  const load = await startRoutes(owner);
  await sleep(AROUND_MS);
  const stoppedAtMs = Date.now();
  process.kill(pid, 'SIGSTOP');
  await sleep(Number(values.seconds) * 1000);
  process.kill(pid, 'SIGCONT');
  const continuedAtMs = Date.now();
  await sleep(AROUND_MS);
  await load.stop();
  await untilIdle(owner);
  const late = printRoutes(load.answers, { stoppedAtMs, continuedAtMs });
  const charged = await unknownCharges(databaseUrl, load);
  await gateway.stop();
  return [...late, ...charged, ...(await audited(site)).findings];
}

async function openAccount({ command }: Site): Promise<string> {
  await command('migrate');
  const account = await command('account', 'create', 'outage-test', '--credit', '1000');
  const key = await command('key', 'create', String(account.json.account_id));
  return String(key.json.api_key);
}

/** Charges that no client knows of, as sentences. */
async function unknownCharges(databaseUrl: string, { known, uncertain, answers }: RouteLoad): Promise<string[]> {
  const rows = await readBooks(databaseUrl, 'SELECT order_id FROM usage_records');
  const charged = new Set(rows.map(({ order_id }) => String(order_id)));
  const refused = await readBooks(databaseUrl, "SELECT id FROM orders WHERE error = 'gateway_unavailable'");
  console.log(
    `${answers.length} answers, ${known.size} receipts, ${uncertain.size} uncertain charges, ${charged.size} charges, ` +
      `${refused.length} orders that committed after their caller got 503 and ended uncharged`,
  );
  return [
    ...[...charged].filter((id) => !known.has(id) && !uncertain.has(id)).map((id) => `order ${id}: charged, unknown`),
    ...[...known].filter((id) => !charged.has(id)).map((id) => `order ${id}: a receipt and no usage record`),
  ];
}

/** Prints a line per route; returns the waits that were too long, as sentences. */
function printRoutes(answers: readonly Answer[], outage: { stoppedAtMs: number; continuedAtMs: number }): string[] {
  const during = answers.filter(({ endMs, beginMs }) => endMs > outage.stoppedAtMs && beginMs < outage.continuedAtMs);
  const late: string[] = [];
  for (const route of new Set(during.map((answer) => answer.route))) {
    const own = during.filter((answer) => answer.route === route);
    const waits = own.map(({ beginMs, endMs }) => endMs - beginMs);
    const longest = Math.round(Math.max(...waits));
    console.log(`${route.padEnd(34)} longest ${String(longest).padStart(6)} ms  ${counts(own)}`);
    const overdue = own.filter((each) => each.endMs - each.beginMs > WAIT_MS_MAX && !each.ran);
    if (overdue.length > 0) late.push(`${route}: ${overdue.length} answers took longer than ${WAIT_MS_MAX} ms`);
    const bare = own.filter(({ status, retryAfter }) => status === 503 && !retryAfter && route !== 'GET /healthz');
    if (bare.length > 0) late.push(`${route}: ${bare.length} answers of 503 had no Retry-After`);
  }
  return late;
}

function counts(answers: readonly Answer[]): string {
  const byStatus = new Map<number, number>();
  for (const { status } of answers) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${status}: ${count}`).join(', ');
}

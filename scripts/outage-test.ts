/**
 * `npm run outage-test [-- --only database|blobs|full-disk --seconds 30]`: takes something away under load and gives it
 * back: MariaDB's process is stopped (`database`, beside `scripts/with-mariadb`), the data folder lies on a mount that
 * answers nothing (`blobs`), the disk of SQLite and of the data folder is full (`full-disk`). Prints for each route how
 * its requests were answered and the longest wait. Then it audits, and checks that everything charged is known to a
 * client, once for each key, and that no draft is left. Exits 1 on a finding, or when a request that does not wait for a
 * running order waited longer than six seconds.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling, unlimited } from '#testing/test-config.ts';
import { openAccounts, type RunAccount } from './harness/accounts.ts';
import { judge } from './harness/books.ts';
import { Client, type Observed } from './harness/client.ts';
import { runLanes } from './harness/lane.ts';
import { Ledger } from './harness/ledger.ts';
import { type Outage, type OutageName, outageNames, prepareOutage } from './outage-test/outages.ts';
import { makeExisting, routeLanes } from './outage-test/routes.ts';

const CONFIGURATION = selling(
  [
    marketModel('tide', 6, 6),
    fixedModel('harbor', 6),
    { ...fixedModel('pier', 1), context_length: 131_072 },
    fixedModel('barge', 4),
  ],
  { disk_reserve_bytes: 0, limits: unlimited },
);
const AROUND_MS = 4000;
const WAIT_MS_MAX = 6000;

const { values } = parseArgs({
  options: { only: { type: 'string' }, seconds: { type: 'string', default: '30' } },
});
const wanted = outageNames.filter((name) => values.only === undefined || values.only === name);
if (wanted.length === 0) throw new Error(`--only takes one of ${outageNames.join(', ')}.`);
let count = 0;
for (const name of wanted) count += await run(name);
console.log(count === 0 ? 'The books agree.' : `${count} findings.`);
process.exitCode = count === 0 ? 0 : 1;

/** Prints the findings of one outage and returns their number. */
async function run(name: OutageName): Promise<number> {
  console.log(`\n${name}: ${values.seconds} seconds`);
  const site = await makeSite(CONFIGURATION);
  let outage: Outage | null = null;
  try {
    outage = await prepareOutage(name, site);
    const { caller } = await openAccounts(site, { caller: {} });
    const gateway = await site.start();
    try {
      const findings = await underLoad({ site, outage, gateway, caller });
      for (const finding of findings) console.log(finding);
      return findings.length;
    } finally {
      await gateway.kill();
    }
  } finally {
    await outage?.remove();
    site.remove();
  }
}

interface Started {
  readonly site: Site;
  readonly outage: Outage;
  readonly gateway: GatewayProcess;
  readonly caller: RunAccount;
}

async function underLoad({ site, outage, gateway, caller }: Started): Promise<string[]> {
  // Answers that are cut off are counted by route.
  const ledger = new Ledger(null, { mayBreak: true });
  const answers: Answer[] = [];
  const client = new Client(ledger, {
    urls: [gateway.url],
    observe: (observed) => answers.push(...answersIn(observed)),
  });
  const existing = await makeExisting({ client, ledger, caller, name: 'first' });
  let isOver = false;
  const load = runLanes({ client, ledger, seed: 1, isOver: () => isOver }, routeLanes(caller, existing));
  await sleep(AROUND_MS);
  const beganAtMs = Date.now();
  await outage.begin();
  await sleep(Number(values.seconds) * 1000);
  await outage.end();
  const endedAtMs = Date.now();
  await sleep(AROUND_MS);
  isOver = true;
  await load;
  const findings = waits(answers, { beganAtMs, endedAtMs });
  const { charged, unseen } = await judge({ site, client, ledger, accounts: [caller] }, async () => {
    const exitCode = await gateway.stop();
    if (exitCode !== 0) findings.push(`the gateway ended with ${exitCode}: ${gateway.output().slice(-2000)}`);
  });
  console.log(
    `${answers.length} answers, ${ledger.charges.size} receipts, ${charged} charges, ${unseen} without a receipt`,
  );
  return [...findings, ...ledger.findings, ...leftovers(String(site.environment.SLUICE_DATA))];
}

/** One answer. */
interface Answer extends Pick<Observed, 'route' | 'beginMs' | 'endMs'> {
  /** 0 for an answer that was cut off. */
  readonly status: number;
  readonly retryAfter: boolean;
  /** Whether it is that of an order that ran: it was charged, or its charge is uncertain. */
  readonly ran: boolean;
}

/** The answer in an exchange; none when the caller left before. */
function answersIn({ route, exchange, beginMs, endMs }: Observed): Answer[] {
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
function waits(answers: readonly Answer[], outage: { beganAtMs: number; endedAtMs: number }): string[] {
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
function leftovers(dataFolder: string): string[] {
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

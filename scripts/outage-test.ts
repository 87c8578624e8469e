/**
 * `npm run outage-test [-- --only database|blobs|full-disk --seconds 30]`: takes something away under load and gives it
 * back: MariaDB's process is stopped (`database`, beside `scripts/with-mariadb`), the data folder lies on a mount that
 * answers nothing (`blobs`), the disk of SQLite and of the data folder is full (`full-disk`). Prints for each route how
 * its requests were answered and the longest wait. Then it audits, and checks that everything charged is known to a
 * client, once for each key, and that no draft is left. Exits 1 on a finding, or when a request that does not wait for a
 * running order waited longer than six seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited } from './books/audit.ts';
import { untilIdle } from './books/usage-records.ts';
import { leftovers, unknownCharges, waits } from './outage-test/findings.ts';
import { type Outage, type OutageName, outageNames, prepareOutage } from './outage-test/outages.ts';
import { startRoutes } from './outage-test/routes.ts';

const UNLIMITED = 10_000_000;
const CONFIGURATION = selling(
  [
    marketModel('tide', 6, 6),
    fixedModel('harbor', 6),
    { ...fixedModel('pier', 1), context_length: 131_072 },
    fixedModel('barge', 4),
  ],
  {
    disk_reserve_bytes: 0,
    limits: {
      inference_requests_per_minute_per_key: UNLIMITED,
      account_operations_per_minute_per_account: UNLIMITED,
      batch_submissions_per_minute_per_account: UNLIMITED,
      file_operations_per_minute_per_account: UNLIMITED,
      public_requests_per_minute_per_address: UNLIMITED,
      download_bytes_per_hour_per_account: 2 ** 50,
    },
  },
);
const AROUND_MS = 4000;

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
  try {
    const outage = await prepareOutage(name, site);
    try {
      const findings = await underLoad(site, outage);
      for (const finding of findings) console.log(finding);
      return findings.length;
    } finally {
      await outage.remove();
    }
  } finally {
    site.remove();
  }
}

async function underLoad(site: Site, outage: Outage): Promise<string[]> {
  const apiKey = await openAccount(site);
  const gateway = await site.start();
  try {
    return await findingsOf({ site, outage, gateway, apiKey });
  } finally {
    await gateway.kill();
  }
}

interface Started {
  readonly site: Site;
  readonly outage: Outage;
  readonly gateway: GatewayProcess;
  readonly apiKey: string;
}

async function findingsOf({ site, outage, gateway, apiKey }: Started): Promise<string[]> {
  const owner = { url: gateway.url, apiKey };
  const load = await startRoutes(owner);
  await sleep(AROUND_MS);
  const beganAtMs = Date.now();
  await outage.begin();
  await sleep(Number(values.seconds) * 1000);
  await outage.end();
  const endedAtMs = Date.now();
  await sleep(AROUND_MS);
  await load.stop();
  await untilIdle(owner);
  const findings = [
    ...waits(load.answers, { beganAtMs, endedAtMs }),
    ...(await load.repeatKeys()),
    ...(await load.batchFaults()),
    ...(await unknownCharges(owner, load)),
  ];
  const exitCode = await gateway.stop();
  if (exitCode !== 0) findings.push(`the gateway ended with ${exitCode}: ${gateway.output().slice(-2000)}`);
  const { findings: inBooks } = await audited(site);
  return [...findings, ...inBooks, ...leftovers(String(site.environment.SLUICE_DATA))];
}

async function openAccount({ command }: Site): Promise<string> {
  await command('migrate');
  const account = await command('account', 'create', 'outage-test', '--credit', '1000');
  const key = await command('key', 'create', String(account.json.account_id));
  return String(key.json.api_key);
}

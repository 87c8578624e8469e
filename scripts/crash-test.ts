/**
 * `npm run crash-test [-- --rounds 20 --seed 1] [--batch] [--gateways 3]`: kills the gateway with SIGKILL at seeded moments under
 * load, restarts it each time, and proves that the books agree: every receipt that a client received is in the usage
 * records with the same charge, each Idempotency-Key names one order that was charged once, also where nothing is
 * stored, no hold is left once idle, entries add up to balances. Uses SQLite in a folder of its own, or the database of
 * DATABASE_URL. With `--batch` the load is one batch of ten thousand lines; with `--gateways 3` several gateways serve
 * one MariaDB, and are killed, paused and cut off from each other. Exits 1 on any finding.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '#base/random.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited, stillHeld } from './books/audit.ts';
import type { KnownReceipt } from './books/receipt.ts';
import { compareReceipts, type Owner, untilIdle } from './books/usage-records.ts';
import { killDuringBatches } from './crash-test/batches.ts';
import { killInCluster } from './crash-test/cluster.ts';
import { compareKeys, Keys } from './crash-test/keys.ts';
import { type Load, startLoad } from './crash-test/load.ts';

const CONFIGURATION = selling([marketModel('tide', 6, 6), fixedModel('harbor', 6)], {
  limits: {
    inference_requests_per_minute_per_key: 10_000_000,
    account_operations_per_minute_per_account: 10_000_000,
    public_requests_per_minute_per_address: 10_000_000,
  },
});

const CREDIT_USD = 1000;
const CLIENTS = 24;
/** Of another account, all of whose requests have keys. */
const KEYED_CLIENTS = 8;
const LIFE_MS = { least: 300, most: 2500 };

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    batch: { type: 'boolean', default: false },
    gateways: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const random = seededRandom(Number(values.seed));
console.log(`${rounds} rounds, seed ${values.seed}`);
const gateways = Number(values.gateways);
const findings = await (gateways > 1
  ? killInCluster({ gateways, rounds, random })
  : values.batch
    ? killDuringBatches({ rounds, random })
    : killUnderLoad());
process.exitCode = findings === 0 ? 0 : 1;

async function killUnderLoad(): Promise<number> {
  console.log(`${CLIENTS} clients, and ${KEYED_CLIENTS} with keys`);
  console.log('round  killed after  sent  receipts  keys  restart  findings');
  const site = await makeSite(CONFIGURATION);
  try {
    return await runRounds(site);
  } finally {
    site.remove();
  }
}

async function runRounds(site: Site): Promise<number> {
  let findings = 0;
  const [apiKey, keyedApiKey] = [await openAccount(site), await openAccount(site)];
  const known: KnownReceipt[] = [];
  const keys = new Keys(random);
  let gateway = await site.start();
  for (let round = 1; round <= rounds; round++) {
    const load = startLoad({ url: gateway.url, apiKey, models: ['tide', 'harbor'], clients: CLIENTS, random });
    const keyed = keys.load({ url: gateway.url, apiKey: keyedApiKey }, KEYED_CLIENTS);
    const lifeMs = Math.round(LIFE_MS.least + random.next() * (LIFE_MS.most - LIFE_MS.least));
    await sleep(lifeMs);
    await gateway.kill();
    await Promise.all([load.ended, keyed.ended]);
    known.push(...load.receipts);
    const beginMs = Date.now();
    gateway = await site.start();
    const restartMs = Date.now() - beginMs;
    const { url } = gateway;
    const faults = [
      ...(await checkKeys({ url, apiKey: keyedApiKey }, keys)),
      ...(await check(site, { url, apiKey }, known)),
    ];
    findings += faults.length;
    const counts = [load.sent, load.receipts.length, keys.orders.size];
    console.log(row([round, `${lifeMs} ms`, ...counts, `${restartMs} ms`, faults.length]));
    for (const sentence of [...faults, ...oddities(load)]) console.log(`       ${sentence}`);
  }
  await gateway.stop();
  console.log(
    `${known.length} receipts were received and ${keys.orders.size} keys sent; ` +
      (findings === 0 ? 'each is in the books' : `${findings} findings`),
  );
  return findings;
}

async function openAccount({ command }: Site): Promise<string> {
  await command('migrate');
  const account = await command('account', 'create', 'crash-test', '--credit', String(CREDIT_USD));
  const key = await command('key', 'create', String(account.json.account_id));
  return String(key.json.api_key);
}

async function check(site: Site, owner: Owner, receipts: readonly KnownReceipt[]): Promise<string[]> {
  await untilIdle(owner);
  const { findings } = await audited(site);
  return [...findings, ...(await compareReceipts(owner, receipts, CREDIT_USD)), ...(await stillHeld(site))];
}

/** What was charged to the account of the keys is what they name. */
async function checkKeys(owner: Owner, keys: Keys): Promise<string[]> {
  const repeated = await keys.settle(owner);
  return [...repeated, ...(await compareKeys(owner, keys.orders))];
}

/** Answers that this load should never get; they are printed, but are not findings about money. */
function oddities({ refused }: Load): string[] {
  return [...refused].map(([status, count]) => `${count} answers were ${status}`);
}

function row(cells: readonly (string | number)[]): string {
  const widths = [5, 12, 4, 8, 4, 7, 8];
  return cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join('  ');
}

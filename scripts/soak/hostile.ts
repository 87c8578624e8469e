/**
 * The hostile soak: for an hour or so a gateway is killed every 30 seconds, its database is paused, its pods misbehave in
 * every way, its callers leave, repeat and overdraw, and its operator revokes and suspends. In the end the database must
 * agree with what the clients were answered.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#base/random.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { openAccounts } from '../harness/accounts.ts';
import { judge } from '../harness/books.ts';
import { Client } from '../harness/client.ts';
import { runLanes } from '../harness/lane.ts';
import { Ledger } from '../harness/ledger.ts';
import { ACCOUNTS } from './hostile/accounts.ts';
import { configurationOf, POD_KEY, PODS } from './hostile/configuration.ts';
import { oddLines } from './hostile/gateway-log.ts';
import { type Life, liveAndDie } from './hostile/lives.ts';
import { hostileLanes } from './hostile/load.ts';
import { operate } from './hostile/operator.ts';
import { type Pause, pauseDatabase } from './hostile/pauses.ts';
import { startPods } from './hostile/pods.ts';
import { HEADING, lifeLine, memoryFindings, type Outcome, tables } from './hostile/report.ts';
import { reportsMemory } from './memory.ts';

/** How long, and by which seed. */
export interface HostileOptions {
  readonly minutes: number;
  readonly lifeSeconds: number;
  readonly seed: number;
}

/** How long what was begun may take to end once nothing new begins. */
const DRAIN_MS = 600_000;

/** Runs the soak on the database of DATABASE_URL, or on a new SQLite file. Returns whether there was no finding. */
export async function hostileSoak(options: HostileOptions): Promise<boolean> {
  const pods = await startPods(
    PODS.map(({ misbehaves }) => misbehaves),
    options.seed,
  );
  const site = await makeSite(configurationOf(pods.urls), { [POD_KEY.variable]: POD_KEY.value });
  const ledger = new Ledger(join(site.folder, 'ledger.jsonl'));
  const verdict = () => `${ledger.findings.length} findings; ${options.minutes} minutes, seed ${options.seed}`;
  try {
    const outcome = await run(site, ledger, { ...options, shown: pods.shown });
    console.log(`\n${tables(outcome)}\n`);
    for (const finding of ledger.findings) console.log(`FOUND ${finding}`);
    console.log(`${verdict()}, ${outcome.database}`);
  } catch (error) {
    ledger.found(`the soak ended early: ${(error as Error).stack}`);
    console.log(verdict());
  }
  await pods.close();
  await ledger.close();
  if (ledger.findings.length === 0) site.remove();
  else console.error(`The ledger, the configuration and the database are kept in ${site.folder}.`);
  return ledger.findings.length === 0;
}

async function run(
  site: Site,
  ledger: Ledger,
  { minutes, lifeSeconds, seed, shown }: HostileOptions & Pick<Outcome, 'shown'>,
): Promise<Outcome> {
  const databaseUrl = String(site.environment.DATABASE_URL);
  const database = databaseUrl.startsWith('sqlite:') ? 'SQLite' : 'MariaDB';
  const accounts = await openAccounts(site, ACCOUNTS);
  const memoryFile = reportsMemory(site);
  const endMs = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() >= endMs;
  const client = new Client(ledger, { urls: [`http://127.0.0.1:${site.environment.PORT}`] });
  const pauses: Pause[] = [];
  const lives: Life[] = [];
  console.log(`${database}, ${minutes} minutes, seed ${seed}, killed every ${lifeSeconds} s; in ${site.folder}`);
  console.log(HEADING);
  const secrets = () => [POD_KEY.value, ...Object.values(accounts).map(({ apiKey }) => apiKey)];
  const others = Promise.all([
    runLanes({ client, ledger, seed, isOver }, hostileLanes(accounts)),
    operate({ ...{ command: site.command, accounts, client, ledger, isOver }, random: seededRandom(seed + 1) }),
    pauseDatabase(databaseUrl, { random: seededRandom(seed + 2), ledger, pauses, isOver }),
  ]);
  others.catch(() => {});
  const gateway = await liveAndDie({
    ...{ site, ledger, memoryFile, pauses, secrets, isOver, lifeMs: lifeSeconds * 1000 },
    lived: (life) => {
      lives.push(life);
      console.log(lifeLine(life, ledger));
    },
  });
  await drained(others, ledger);
  for (const finding of memoryFindings(lives)) ledger.found(finding);
  const books = await judge({ site, client, ledger, accounts: Object.values(accounts) }, async () => {
    const exitCode = await gateway.stop();
    if (exitCode !== 0) ledger.found(`the gateway ended with exit code ${exitCode} on SIGTERM`);
  });
  for (const odd of oddLines(gateway.log(), { pauses, secrets: secrets() })) ledger.found(odd);
  return { database, lives, shown, ledger, books };
}

/** Waits until everything that was begun has ended; a finding when it does not. */
async function drained(others: Promise<unknown>, ledger: Ledger): Promise<void> {
  const late = Symbol('late');
  const first = await Promise.race([others, sleep(DRAIN_MS, late, { ref: false })]).catch((error: unknown) =>
    ledger.found(`a part of the soak failed: ${(error as Error).stack}`),
  );
  if (first === late) ledger.found(`what was begun had not ended ${DRAIN_MS / 1000} s after the last kill`);
}

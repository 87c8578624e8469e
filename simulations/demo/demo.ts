/**
 * A gateway to look at: in a folder of its own, with 30 days of history, three accounts, traders, and a pod that is down. It
 * touches nothing outside its folder, which goes with it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import { seededRandom, systemRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type Config, parseConfig } from '#config/config.ts';
import { createService } from '#service/service.ts';
import { type OperatorOptions, openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import { createJournal } from '#storage/journal/journal.ts';
import { credit, type DemoAccount, inviteMembers, openDemoAccounts, settleBudgets } from './accounts.ts';
import { Crowd } from './crowd.ts';
import { configurationOf, type DemoModel, demoModels, isMain } from './models.ts';
import { Past, PastClock } from './past.ts';
import { PastLoad } from './past-load.ts';
import { PastOrders, timesOfOrders } from './past-orders.ts';

/** How a demo is made. */
export interface DemoOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** 0 asks the system for a free port. */
  readonly port: number;
  /** The same seed gives the same past and the same traders. */
  readonly seed: number;
  /** Within `MODELS_BOUNDS`. */
  readonly models: number;
  /** Orders of the last 30 days. */
  readonly orders: number;
  /** Without a past and without traders: as on the day of the opening. */
  readonly empty: boolean;
}

/** A running demo. */
export interface Demo {
  readonly port: number;
  /** Whether http://localhost leads to it. */
  readonly localhost: boolean;
  /** A key of the buyer's account. */
  readonly key: string;
  /** The tokens of links that sign in, each once: as an owner of the buyer's account, and as an operator. */
  readonly links: { readonly buyer: string; readonly operator: string };
  /** Ends it and deletes its folder. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The past has this many parts; each begins with a credit to each account. */
const PARTS = 3;
const TRANSFER = { reason: 'bank transfer' };
/** The models other than the main ones have existed for a day: a month of two hundred markets would fill a disk. */
const OTHERS_MS = DAY_MS;

/** Starts one. Rejects as the start of a gateway does, and leaves no folder then. */
export async function openDemo(options: DemoOptions): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also where the process ends before the demo has begun, or by an error.
  process.once('exit', remove);
  try {
    const models = demoModels(options.models);
    const config = configOf(models, folder, options.port);
    const { accounts, links } = await prepare(config, models, options);
    return await serve(config, { ...options, models, accounts, links, remove });
  } catch (error) {
    remove();
    throw error;
  }
}

/** Reads no variable of the process, so a demo never opens the data of an operator. */
function configOf(models: readonly DemoModel[], folder: string, port: number): Config {
  return parseConfig(configurationOf(models), 'demo', {
    HOST,
    PORT: String(port),
    METRICS_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'sluice.sqlite')}`,
    SLUICE_DATA: folder,
  });
}

/** Makes the database: accounts, and the past. */
async function prepare(config: Config, models: readonly DemoModel[], options: DemoOptions) {
  const db = openDatabase(config.databaseUrl);
  try {
    await migrate(db);
    // What is written here need not survive a power cut: a commit that waits for the disk takes a hundred times as long.
    await db.knex.raw('PRAGMA synchronous = OFF');
    const past = new Past(options.clock.nowMs());
    const clock = new PastClock(past.fromMs);
    const parts = { db, clock, ids: idSource(clock) };
    const accounts = await openDemoAccounts(parts);
    if (options.empty) for (const account of accounts) await credit(parts, account, TRANSFER);
    else await writePast({ ...options, config, models, past, parts, accounts });
    clock.set(options.clock.nowMs());
    return { accounts, links: await inviteMembers(parts, accounts[0]) };
  } finally {
    await db.close();
  }
}

interface Written extends Omit<DemoOptions, 'models'> {
  readonly config: Config;
  readonly models: readonly DemoModel[];
  readonly past: Past;
  readonly parts: OperatorOptions & { readonly clock: PastClock };
  readonly accounts: readonly DemoAccount[];
}

async function writePast({ config, models, past, parts, accounts, orders, ...options }: Written): Promise<void> {
  const { clock, ids, db } = parts;
  const journal = createJournal(db, options);
  await past.open(db);
  for (const model of models) {
    const { id, middle } = model;
    const lengthMs = isMain(model) ? past.untilMs - past.fromMs : OTHERS_MS;
    if (middle !== null) await past.writeMarket(journal, { id, middle, lengthMs, hasLocks: model.pods.length > 0 });
    if (isMain(model) && model.weight > 0) await past.writeProbes(db, id, downtimeOf(model, past));
  }
  const sold = models.flatMap((model) => {
    const listing = config.listings.find(model.id);
    return listing ? [{ model, listing }] : [];
  });
  const random = seededRandom(options.seed);
  const load = new PastLoad(past, models.filter(isMain));
  const written = new PastOrders({ journal, past, load, random, sold, accounts, clock, ids });
  const times = timesOfOrders(orders, past, random);
  const partMs = (past.untilMs - past.fromMs) / PARTS;
  for (let part = 0; part < PARTS; part++) {
    const beginMs = past.fromMs + part * partMs;
    clock.set(beginMs);
    for (const account of accounts) await credit(parts, account, TRANSFER);
    await written.write(times.filter((atMs) => atMs >= beginMs && atMs < beginMs + partMs));
  }
  await written.writeRuns();
  await load.write(journal);
  await settleBudgets(parts, accounts);
  await journal.close();
}

/** When a model was down as a whole: for five hours nine days ago, and for a quarter of an hour before the demo, if no pod answers. */
function downtimeOf({ down, pods }: DemoModel, { untilMs }: Past): (atMs: number) => boolean {
  const beganMs = pods.length === 0 ? untilMs - 15 * MINUTE_MS : untilMs - 9 * DAY_MS;
  return (atMs) => down !== undefined && atMs >= beganMs && atMs < beganMs + 5 * HOUR_MS;
}

interface Served extends Omit<DemoOptions, 'models'> {
  readonly models: readonly DemoModel[];
  readonly accounts: readonly [DemoAccount, ...DemoAccount[]];
  readonly links: Demo['links'];
  readonly remove: () => void;
}

/** Starts the gateway and, unless it is to be empty, those who trade. */
async function serve(config: Config, { accounts, models, links, remove, ...options }: Served): Promise<Demo> {
  const { clock, log, seed, empty } = options;
  const service = await createService({ config, readConfig: () => config, clock, log, random: systemRandom });
  const { port, localhost, url } = await service.listen().catch(async (error: unknown) => {
    await service.close();
    throw error;
  });
  const onEmpty = (account: DemoAccount) => {
    refill(config, account, clock).catch((error: unknown) => {
      log.error({ account: account.name, err: error }, 'An account of the demo could not be credited.');
    });
  };
  const crowd = new Crowd({ url, clock, seed, accounts, onEmpty });
  if (!empty) {
    for (const model of models) crowd.enter(model);
    const [first] = models;
    if (first) void crowd.sendBatch(first);
  }
  return {
    ...{ port, localhost, links, key: accounts[0].keys[0].secret },
    async close() {
      crowd.leave();
      await service.close();
      remove();
    },
  };
}

/** Credits an account that has nothing left, once a minute at most, so that a demo may run for days. */
async function refill({ databaseUrl }: Config, account: DemoAccount, clock: Clock): Promise<void> {
  const db = openDatabase(databaseUrl);
  try {
    const idempotencyKey = `refill-${Math.floor(clock.nowMs() / MINUTE_MS)}`;
    await credit({ db, clock, ids: idSource(clock) }, account, { ...TRANSFER, idempotencyKey });
  } finally {
    await db.close();
  }
}

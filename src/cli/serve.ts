/**
 * `serve`: the gateway as a process. Reads the configuration, starts the service, creates the demo account of a first
 * start, prints the welcome, and drains on SIGTERM or SIGINT; a second signal ends it at once. A lost database ends it, too,
 * with exit code 66. SIGHUP reads the configuration again.
 * The welcome goes to standard output, the log to standard error: as lines for people on a terminal, as JSON elsewhere.
 */
import '#base/node-version.ts';
import assert from 'node:assert';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { COMMAND_LINE } from '#access/member.ts';
import { systemClock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { createLog, type LevelledLog, type Log } from '#base/log.ts';
import type { PriceNano } from '#base/money.ts';
import { isLoopback } from '#base/peer-address.ts';
import { systemRandom } from '#base/random.ts';
import { readableLines } from '#base/readable-log.ts';
import { type Config, ConfigError, loadConfig } from '#config/config.ts';
import type { Listing } from '#market/listing.ts';
import { ownVersion } from '#service/own-version.ts';
import { createService, type Service } from '#service/service.ts';
import { BucketRefused } from '#storage/blobs/blob-store.ts';
import { DatabaseMissing, type DatabaseRefused } from '#storage/database/refusal.ts';
import { FileMoved, type Rescue } from '#storage/leases/file-place.ts';
import { signInLink } from './members.ts';
import { databaseFault, type OperatorStore, withOperatorStore } from './operator-store.ts';
import { CommandError, privateFiles } from './output.ts';
import { narrowOld } from './private-files.ts';
import { addressOf, type Newcomer, pagesAddressOf, welcome } from './welcome.ts';

/** The database was moved or deleted: a restart does not help (EX_NOINPUT of sysexits.h). */
const MISSING_EXIT = 66;

/** Serves until a signal ends it; exits 1 with one sentence when it cannot start. */
export async function serve(options: { readonly json: boolean }): Promise<void> {
  try {
    await start(loadConfig(), options);
  } catch (error) {
    console.error(`sluice: ${sentenceOf(error)}`);
    process.exit(error instanceof CommandError ? error.exitCode : 1);
  }
}

async function start(config: Config, { json }: { readonly json: boolean }): Promise<void> {
  privateFiles();
  prepareFolders(config);
  const log = createLog(config.logLevel, process.stderr.isTTY ? readableLines(process.stderr) : process.stderr);
  narrowOld(config, log);
  const service = await openService(config, log);
  const { port, localhost } = await service.listen();
  watchEnd(service, config, log);
  process.on('SIGHUP', (signal) => {
    log.info({ signal }, 'Reading the configuration again.');
    service.reload().catch((error: unknown) => {
      log.error({ signal, cause: sentenceOf(error) }, 'The configuration was refused; the previous one stays.');
    });
  });
  // Only now: a key that was created before a failing start would never be shown.
  const url = addressOf({ host: config.host, port });
  log.info({ version: ownVersion(), url, configuration: config.fileName }, 'The gateway is ready.');
  const pages = localhost ? pagesAddressOf({ host: config.host, port }) : url;
  const newcomer = await newcomerOf(config, pages);
  const { key = null, link = null } = newcomer ?? {};
  console.log(
    json ? JSON.stringify({ url, demo_api_key: key, demo_link: link }) : welcome(config, { url, pages }, newcomer),
  );
  systemClock.after(SHRINK_MS, shrinkHeap);
}

/** When the first requests have been answered; a start is not delayed. */
const SHRINK_MS = 2_000;

async function openService(config: Config, log: LevelledLog): Promise<Service> {
  const setLogLevel = (level: Config['logLevel']) => {
    log.level = level;
  };
  try {
    return await createService({ config, clock: systemClock, random: systemRandom, log, setLogLevel });
  } catch (error) {
    if (error instanceof FileMoved && error.rescue) {
      watchEnd({ lost: Promise.resolve(error), close: async () => {} }, config, log);
      // The process ends from there.
      await new Promise(() => {});
    }
    const sentence = databaseFault(error, config.databaseUrl);
    const isMissing = error instanceof DatabaseMissing || error instanceof FileMoved;
    throw sentence === null ? error : new CommandError(sentence, isMissing ? MISSING_EXIT : 1);
  }
}

/**
 * A demo key and a link for its owner for an empty database, but only on an address that nobody else can reach and where
 * every pod is simulated; null with accounts.
 */
async function newcomerOf(config: Config, url: string): Promise<Newcomer | null> {
  return withOperatorStore(config.databaseUrl, async (store) => {
    const isTrial = isLoopback(config.host) && config.pods.every(({ url: pod }) => pod === null);
    if (!isTrial) return (await store.accounts.isEmpty()) ? { key: null, link: null } : null;
    const demo = await makeDemoAccount(store, config.listings.all);
    if (demo === null) return null;
    const link = config.console.served ? await linkTo(demo.accountId, store, url) : null;
    return { key: demo.secret, link };
  });
}

async function linkTo(accountId: string, { members }: OperatorStore, url: string): Promise<string> {
  const { link } = await members.invite(DEMO_OWNER, { accountId, role: 'owner' }, COMMAND_LINE);
  assert(link, 'the operator makes links for everybody');
  return signInLink(url, link.token);
}

/** Under npm, Ctrl+C arrives twice, from the terminal and from npm; two presses are further apart than this. */
const ONE_SIGNAL_MS = 250;

/** Ends the process: after a signal and a drain, or when the database is lost. */
function watchEnd(service: Pick<Service, 'lost' | 'close'>, config: Config, log: Log): void {
  const ending = new Ending(service, config.drainTimeoutMs, log);
  void service.lost.then((why) => ending.lose(why));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.signal(signal));
}

class Ending {
  readonly #service: Pick<Service, 'close'>;
  readonly #drainTimeoutMs: number;
  readonly #log: Log;
  #lost: FileMoved | null = null;
  #signaledAtMs: number | null = null;
  #isDraining = false;

  constructor(service: Pick<Service, 'close'>, drainTimeoutMs: number, log: Log) {
    this.#service = service;
    this.#drainTimeoutMs = drainTimeoutMs;
    this.#log = log;
  }

  signal(signal: NodeJS.Signals): void {
    const nowMs = systemClock.monotonicMs();
    const rescue = this.#lost?.rescue ?? null;
    if (this.#signaledAtMs !== null) {
      if (nowMs - this.#signaledAtMs < ONE_SIGNAL_MS) return;
      this.#log.warn({ signal }, 'Second signal: exiting without waiting for running orders.');
      if (rescue) this.#leave(rescue);
      exitNow(this.#lost ? MISSING_EXIT : 1, this.#log);
    }
    this.#signaledAtMs = nowMs;
    if (rescue) {
      this.#log.warn({ signal, waitMs: this.#drainTimeoutMs }, 'Still trying to save what the deleted database held.');
      this.#leaveAfterDrain(rescue);
    } else {
      this.#log.info({ signal }, 'Draining: no new orders; running orders finish.');
      this.#drain();
    }
  }

  lose(why: DatabaseRefused): void {
    if (!(why instanceof FileMoved)) {
      this.#log.error({}, 'Another gateway took over the database: exiting at once. Nothing commits here any more.');
      exitSoon(1, this.#log);
      return;
    }
    this.#lost = why;
    this.#log.error({}, `${why.message} Every request is refused until it ends.`);
    if (why.keeps) this.#drain();
    else if (why.rescue === null) exitSoon(MISSING_EXIT, this.#log);
    else this.#await(why.rescue);
  }

  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const exit = (code: number) => {
      // The process stays until what the deleted database held is saved.
      if (!this.#lost?.rescue) exitSoon(this.#lost ? MISSING_EXIT : code, this.#log);
    };
    this.#service.close().then(
      () => exit(0),
      (error: unknown) => {
        this.#log.error({ err: error }, 'The drain failed.');
        exit(1);
      },
    );
  }

  #await(rescue: Rescue): void {
    void rescue.saved.then((copy) => {
      this.#log.warn({ copy }, 'What the deleted database held is in this file: move it back to its path.');
      exitSoon(MISSING_EXIT, this.#log);
    });
    if (this.#signaledAtMs !== null) this.#leaveAfterDrain(rescue);
  }

  /** A service manager kills the process soon after the time of a drain. */
  #leaveAfterDrain(rescue: Rescue): void {
    const pastMs = systemClock.monotonicMs() - (this.#signaledAtMs ?? 0);
    systemClock.after(Math.max(this.#drainTimeoutMs - pastMs, 0), () => {
      this.#leave(rescue);
      exitSoon(MISSING_EXIT, this.#log);
    });
  }

  #leave(rescue: Rescue): void {
    const copy = rescue.spare();
    if (copy === null) this.#log.error({}, 'What the deleted database held is lost: no folder could be written.');
    else this.#log.error({ copy }, 'What the deleted database held is in this file only: move it back to its path.');
  }
}

/** How long calls to the disk may still take when everything else has ended. */
const LAST_CALLS_MS = 1000;

/** Exits, as soon as nothing is in the disk if that is soon. */
function exitSoon(code: number, log: Log): void {
  if (isInDisk()) systemClock.after(LAST_CALLS_MS, () => exitNow(code, log));
  else exitNow(code, log);
}

/** Exits, also while a call to the disk hangs: `process.exit` alone would wait for it, however long it takes. */
function exitNow(code: number, log: Log): void {
  if (isInDisk()) {
    log.warn({ code }, 'A call to the disk does not come back: the process kills itself.');
    process.kill(process.pid, 'SIGKILL');
  }
  log.info({ code }, 'The gateway has stopped.');
  process.exit(code);
}

function isInDisk(): boolean {
  return process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'));
}

type ListenError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

function sentenceOf(error: unknown): string {
  if ([ConfigError, CommandError, BucketRefused, Fault].some((kind) => error instanceof kind))
    return (error as Error).message;
  if (!(error instanceof Error)) return String(error);
  const { code, address, port, hostname } = error as ListenError;
  if (code === 'EADDRINUSE')
    return `${address}:${port} is in use already; set PORT to another, or stop what listens there.`;
  if (code === 'EACCES' && port !== undefined)
    return `PORT ${port} needs rights that this user does not have; set another PORT.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOST ${hostname} is not known; set an address of this machine.`;
  if (code === 'EADDRNOTAVAIL') return `HOST ${address} is not an address of this machine; set another HOST.`;
  return error.stack ?? error.message;
}

if (import.meta.main) await serve({ json: false });

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user cannot write there; check the permissions, or name another folder',
  EPERM: 'this user cannot write there; check the permissions, or name another folder',
  EROFS: 'its disk is mounted read-only; name another folder',
  EEXIST: 'it is a file; name a folder',
  ENOTDIR: 'a part of its path is a file; name a folder',
  ENOSPC: 'the disk is full; make room',
};

/**
 * Creates the folders of the configuration: otherwise the first caller with a large response would find out that one is not
 * writable. Opening the database checks the folder of the database. Throws CommandError that names the setting, the folder and
 * what to do.
 */
export function prepareFolders({ dataFolder, dataBucket, market }: Config): void {
  prepare(dataBucket ? 'SLUICE_SPILL' : 'SLUICE_DATA', dataFolder);
  if (market.recording !== null) prepare('market.recording', market.recording);
}

function prepare(setting: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code] ?? `it cannot be created or written (${code}); name another folder`;
    throw new CommandError(`The folder ${folder} of ${setting} cannot be used: ${reason}.`);
  }
}

const CREDIT = 10_000_000_000n;
/** Far above a usual level, so that a demo request runs; the charge is at the level. */
const PRICE_LIMIT: PriceNano = 10_000_000_000;

/** The owner of the demo account, if people can sign in to it. */
const DEMO_OWNER = 'demo@localhost';

/** Returns the secret of a new demo key and its account; null when there are accounts already. */
export async function makeDemoAccount(
  { accounts, keys, transfers }: OperatorStore,
  listings: readonly Listing[],
): Promise<{ readonly secret: string; readonly accountId: string } | null> {
  if (!(await accounts.isEmpty())) return null;
  const account = await accounts.create({ name: 'demo' }, COMMAND_LINE);
  await transfers.credit(account.id, CREDIT, { reason: 'demo', idempotencyKey: 'demo' }, COMMAND_LINE);
  const markets = listings.filter((listing) => listing.type === 'market');
  const limits = markets.map((listing) => [listing.id, Math.min(PRICE_LIMIT, listing.ceiling)]);
  const wishes = { name: 'demo', priceLimits: Object.fromEntries(limits) };
  const { secret } = await keys.create(account.id, wishes, COMMAND_LINE);
  return { secret, accountId: account.id };
}

type Collect = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Collects everything that is not used, and returns the memory: the young generation has grown while modules were loaded,
 * and V8 would keep it so in a gateway that has little to do. This thread stands still meanwhile, for some 90 ms.
 */
export function shrinkHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

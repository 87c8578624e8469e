/**
 * How a gateway joins the others on a database: under a number that no process had before, with a lease and a beat of its
 * own. Nothing is recovered as at the start of a gateway that serves alone: whoever left orders behind is adopted, also
 * processes of before that have no lease at all. docs/decisions/0039.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { ClusterGateway, ClusterState, ClusterStore } from '#cluster/ports.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { openConnection, unlessSilent } from '../database/mysql-connection.ts';
import { isGone, nameOf } from '../database/process.ts';
import { DatabaseInOtherUse, DatabaseRefused } from '../database/refusal.ts';
import { int } from '../database/values.ts';
import { CLOCK_OFF_MS_MAX, LEASE_MS } from './beats.ts';
import { isStarting } from './cluster-state.ts';
import { MysqlClusterStore } from './cluster-store.ts';
import { fenceOf, LeaseLost } from './fence.ts';
import { readLease } from './leases.ts';
import { clearSingle, refuseBesideOldVersion } from './other-mode.ts';
import { registerGateway, registerOrphans } from './registration.ts';
import { checkServerOfMany } from './server-kind.ts';
import type { ServingRight } from './serving.ts';
import { look, SINGLE } from './watch.ts';

/** The lease of a start: two gateways do not start at once. */
const START = 'job:start';
/** How long a start waits for another one. */
const START_MS_MAX = 120_000;
/** How often a gateway beats during its start; later the cluster does. */
const START_BEAT_MS = 500;
/** How long a gateway that ends tries to leave. */
const LEAVE_MS_MAX = 5_000;

/** What a gateway of a cluster says of itself, and what it is made of. */
export interface JoinOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** `host:port` where the others reach it. */
  readonly address: string;
  readonly protocol: number;
  readonly listingHash: string;
}

/** A gateway that has joined. */
export interface JoinedCluster {
  /** Its fence is the lease of the gateway. `release` leaves the cluster; the others adopt what is unfinished. */
  readonly right: ServingRight;
  readonly store: ClusterStore;
  /** Its number, which is its boot epoch. */
  readonly gateway: GatewayId;
  readonly state: ClusterState;
  /**
   * Every other gateway was declared dead by this one, or waits to start: nothing of them commits until `started`.
   */
  readonly alone: boolean;
  /** Ends the start: the others see this gateway from now on, the next may start, and beats are the caller's. */
  started(): Promise<void>;
}

/**
 * Joins the cluster that serves `db`, or begins one, and brings the tables up to date. Waits for another start.
 * DatabaseRefused for a server with several writers, where a gateway serves alone, when the clock of this machine is off
 * by more than `CLOCK_OFF_MS_MAX`, or when another start takes too long. DatabaseRefused on SQLite.
 */
export async function joinCluster(db: Database, options: JoinOptions): Promise<JoinedCluster> {
  if (db.address.type !== 'mysql') throw new DatabaseRefused('it is SQLite; several gateways need MySQL or MariaDB');
  await checkServerOfMany(db);
  await migrate(db);
  const connection = await openConnection(db.address.url);
  try {
    await compareClocks(connection, options.clock);
    await refuseBesideOldVersion(connection);
    await clearSingle(connection, options.log);
    const { gateway, lease } = await registerGateway(connection, options);
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    const store = new MysqlClusterStore({ url: db.address.url, lease, gateway, clock: options.clock, lose });
    const beats = new StartBeats(store, options);
    const right = rightOf(store, { fence: fenceOf(lease, lose), lost, beats });
    try {
      // One that began meanwhile to serve alone either finds the lease of this gateway, or is found here.
      if ((await readLease(connection, SINGLE)).holder !== null) throw new DatabaseInOtherUse(null, 'alone');
      const epoch = await takeStart(store, { connection, log: options.log, gateway });
      beats.begin();
      await registerOrphans(connection, gateway);
      await buryDead(store, gateway);
      const { gateways } = await stateOf(store);
      const alone = gateways.every((one) => one.id === gateway || one.adopter === gateway || isStarting(one));
      const state = (await store.beat()) ?? refuseLost();
      const started = async () => {
        await beats.end();
        await store.announce(options.address);
        await store.free(START, epoch);
      };
      return { right, store, gateway, state, alone, started };
    } catch (error) {
      await right.release();
      throw error;
    }
  } finally {
    connection.destroy();
  }
}

function rightOf(
  store: MysqlClusterStore,
  { beats, ...held }: Pick<ServingRight, 'fence' | 'lost'> & { readonly beats: StartBeats },
): ServingRight {
  return {
    ...held,
    get clockAheadMs() {
      return store.clockAheadMs;
    },
    async release() {
      await beats.end();
      // If this fails, the others wait until the beat is old.
      await unlessSilent(store.leave(), LEAVE_MS_MAX).catch(() => {});
    },
  };
}

/** The beats of a gateway whose start takes long. */
class StartBeats {
  readonly #store: ClusterStore;
  readonly #options: Pick<JoinOptions, 'clock' | 'log'>;
  #ended = false;
  #last: Promise<void> = Promise.resolve();

  constructor(store: ClusterStore, options: Pick<JoinOptions, 'clock' | 'log'>) {
    this.#store = store;
    this.#options = options;
  }

  begin(): void {
    const timer = this.#options.clock.after(START_BEAT_MS, () => {
      this.#last = this.#ended ? Promise.resolve() : this.#beat();
    });
    this.#cancel = () => timer.cancel();
  }

  /** Resolves after the beat under way. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#cancel();
    await this.#last;
  }

  #cancel: () => void = () => {};

  async #beat(): Promise<void> {
    try {
      if ((await this.#store.beat()) === null) return;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The lease on the database could not be renewed; trying again.');
    }
    if (!this.#ended) this.begin();
  }
}

/** A clock that is off puts the orders of this gateway before or behind those of others. */
async function compareClocks(connection: Connection, clock: Clock): Promise<void> {
  const askedMs = clock.nowMs();
  const sql = 'SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now_ms';
  const [[row]] = await connection.query<RowDataPacket[]>(sql);
  const answeredMs = clock.nowMs();
  const aheadMs = Math.round((askedMs + answeredMs) / 2) - int(row?.now_ms);
  if (Math.abs(aheadMs) - (answeredMs - askedMs) / 2 <= CLOCK_OFF_MS_MAX) return;
  const off = `${Math.abs(aheadMs / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  throw new DatabaseRefused(`the clock of this machine is ${off} the database's; set both right (NTP)`);
}

/** The state at a beat, with gateways that are starting. Rejects with LeaseLost when this one was declared dead. */
async function stateOf(store: MysqlClusterStore): Promise<ClusterState> {
  return (await store.beatAndSeeStarts()) ?? refuseLost();
}

function refuseLost(): never {
  throw new LeaseLost();
}

/** Waits for the start of another gateway, and returns the epoch of the lease. */
async function takeStart(
  store: MysqlClusterStore,
  { connection, log, gateway }: { connection: Connection; log: Log; gateway: GatewayId },
): Promise<number> {
  let sinceMs: number | null = null;
  for (;;) {
    const { nowMs, gateways, leases } = await stateOf(store);
    const lease = leases.find(({ name }) => name === START);
    const holder = gateways.find(({ id }) => id === lease?.holder);
    if (!holder || holder.id === gateway || isOver(holder)) {
      const epoch = await store.take(START, lease?.epoch ?? 0);
      if (epoch !== null) return epoch;
      continue;
    }
    // Perhaps there is nobody else to do it.
    if ((holder.beatAgeMs ?? 0) > LEASE_MS && (await store.bury(holder.id, holder.epoch))) continue;
    const who = nameOf(holder.process);
    if (sinceMs === null) log.info({ gateway: who }, 'Another gateway is starting; waiting for it.');
    sinceMs ??= nowMs;
    if (nowMs - sinceMs > START_MS_MAX) throw new DatabaseRefused(`another gateway is still starting (${who})`);
    await look(connection);
  }
}

/** Unlike a market, the start of a gateway that merely hangs is not taken over: it may be deleting files. */
function isOver({ adopter, beatAgeMs, process }: ClusterGateway): boolean {
  return adopter !== null || beatAgeMs === null || isGone(process);
}

/** Declares those dead that certainly are; for the others the cluster waits until their beats are old. */
async function buryDead(store: MysqlClusterStore, self: GatewayId): Promise<void> {
  for (const gateway of (await stateOf(store)).gateways)
    if (gateway.id !== self && gateway.adopter !== self && isOver(gateway)) await store.bury(gateway.id, gateway.epoch);
}

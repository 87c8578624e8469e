/**
 * The composition root: every part of the gateway is built here, once, with what it needs; nothing else creates its own
 * dependencies. `service/` builds storage, market, orders and HTTP, each on top of those before it, as drawn in
 * docs/architecture.md. The order matters: the database is migrated and earlier orders are recovered before anything
 * listens.
 */
import type { Clock } from './base/clock.ts';
import { idSource } from './base/id.ts';
import { steadyClock } from './base/steady-clock.ts';
import { LargeBodies } from './handlers/large-bodies.ts';
import { isMarketEvent } from './market/event-writer.ts';
import { Prober } from './observe/probe.ts';
import { CUT_OFF_MS_MAX } from './orders/order-service.ts';
import { buildHttp, type Parts } from './service/http.ts';
import { buildMarket } from './service/market.ts';
import { buildOrders } from './service/orders.ts';
import { buildStorage, type Outside } from './service/storage.ts';
import { Housekeeping } from './storage/cleanup/housekeeping.ts';
import { type Database, openDatabase, withDeadline } from './storage/database/database.ts';
import { durabilityWarnings } from './storage/database/durability.ts';
import { lastWrittenMs } from './storage/database/last-written.ts';
import { LeaseLost } from './storage/leases/fence.ts';
import { type ServingRight, takeServing } from './storage/leases/serving.ts';

/** A gateway that is ready to listen. */
export interface Service {
  /** Resolves when another gateway has taken the database over: this one must end at once. Otherwise stays pending. */
  readonly lost: Promise<void>;
  /**
   * Whether a commit or a call to the disk is under way. Tests that move the clock by hand wait for it, because it takes
   * real time.
   */
  readonly committing: boolean;
  /** Starts listening on the configured address and returns the real one. Rejects when the address is not available. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Drains and closes everything, as docs/lifecycle.md describes. May be called once. */
  close(): Promise<void>;
}

/**
 * Opens the database, recovers what an earlier process left, and builds the gateway. Rejects when it cannot start, with
 * DatabaseInUse when another gateway serves the database: recovery would end the orders that it is running.
 */
export async function createService(options: Omit<Outside, 'ids'>): Promise<Service> {
  const { config, log } = options;
  const db = openDatabase(config.databaseUrl);
  const answering = withDeadline(db, config.databaseDeadlineMs);
  let right: ServingRight | null = null;
  try {
    right = await takeServing(db, options);
    for (const warning of await durabilityWarnings(db)) log.warn({}, warning);
    const steady = await clockFor(db, options);
    const outside = { ...options, clock: steady, ids: idSource(steady) };
    return await Promise.race([build(outside, { db, answering, right }), rejectedOnce(right.lost)]);
  } catch (error) {
    await answering.close();
    await db.close();
    await right?.release();
    throw error;
  }
}

/** What is being built must not touch what another gateway serves by now. */
async function rejectedOnce(lost: Promise<void>): Promise<never> {
  await lost;
  throw new LeaseLost();
}

/** A clock that is never before what was written: the books must not run backwards. */
async function clockFor(db: Database, { clock, log }: Pick<Outside, 'clock' | 'log'>): Promise<Clock> {
  const writtenMs = await lastWrittenMs(db);
  const aheadMs = writtenMs - clock.nowMs();
  if (aheadMs > 0)
    log.warn({ aheadMs }, 'The clock of this machine is behind what was written; time goes on from there.');
  return steadyClock(clock, writtenMs);
}

interface Opened {
  readonly db: Database;
  /** The same database, for statements that a caller waits for. */
  readonly answering: Database;
  readonly right: ServingRight;
}

async function build(outside: Outside, opened: Opened): Promise<Service> {
  const { db, right } = opened;
  const storage = await buildStorage(outside, { ...opened, fence: right.fence });
  const market = await buildMarket({ ...outside, ...storage });
  const orders = buildOrders({ ...outside, ...storage, ...market });
  market.exchange.listen((event) => {
    if (isMarketEvent(event)) market.take(event);
    else orders.orderService.onExchangeEvent(event);
  });
  const parts = { ...outside, ...storage, ...market, ...orders, databaseClock: right };
  const house = outside.config.probes.enabled ? await storage.accounts.house() : null;
  const largeBodies = new LargeBodies();
  const server = await buildHttp({ ...parts, largeBodies });

  orders.orderService.recover(storage.returned, storage.keptInputs);
  await orders.batches.resume(storage.activeBatches);
  orders.pods.start();
  await storage.disk.watch();
  const prober = house && proberOf(parts, house.id);
  const housekeeping = new Housekeeping({ db, clock: outside.clock, log: outside.log });
  const { config } = outside;
  return {
    lost: right.lost,
    get committing() {
      return storage.journal.committing || storage.calls.working;
    },
    async listen() {
      await market.board.whenQuoted();
      const { port } = await server.listen(config);
      return { url: `http://${config.host}:${port}`, port };
    },
    async close() {
      market.feed.close();
      prober?.stop();
      // Connections are cut only after callers of the cut-off orders have been answered.
      const graceMs = CUT_OFF_MS_MAX + 1_000;
      const worked = orders.orderService.drain(config.drainTimeoutMs);
      await Promise.all([orders.batches.close(), worked, server.drain(config.drainTimeoutMs + graceMs, worked)]);
      await Promise.all([housekeeping.close(), prober?.idle(), largeBodies.close()]);
      orders.cleanup.close();
      storage.disk.close();
      await closeParts(parts, opened);
    },
  };
}

function proberOf({ config, orderService, ready, board, probes, clock, log }: Parts, houseId: string): Prober {
  const { intervalMs } = config.probes;
  return new Prober({ orders: orderService, ready, market: board, store: probes, clock, log, intervalMs, houseId });
}

async function closeParts(
  { exchange, recording, pods, history, journal, bucket, db }: Parts,
  { db: repairs, right }: Opened,
): Promise<void> {
  exchange.close();
  await recording?.close();
  await pods.close();
  // In parallel, because it is the journal that gives up when the database does not commit.
  await Promise.all([history.close().catch(() => {}), journal.close()]);
  bucket?.close();
  await db.close();
  await repairs.close();
  await right.release();
}

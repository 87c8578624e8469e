/**
 * The composition root: every part of the gateway is built here, once, and handed what it needs. Nothing else reaches
 * for a dependency, so reading this file is reading the whole. The order matters: the database is brought up to date
 * and earlier orders are recovered before anything listens.
 */
import { join } from 'node:path';
import { operations } from '#generated/operations.ts';
import { requestBodies } from '#generated/validators.js';
import { Downloads } from './access/downloads.ts';
import { Gate } from './access/gate.ts';
import { RequestRates } from './access/request-rates.ts';
import { shapes } from './adapters/shapes.ts';
import { LOCK_WINDOW_S, ORDER_TIMEOUT_S } from './base/bounds.ts';
import type { Clock } from './base/clock.ts';
import { idSource } from './base/id.ts';
import type { Log } from './base/log.ts';
import type { Random } from './base/random.ts';
import { Batches } from './batches/batches.ts';
import { fileShelf } from './batches/file-shelf.ts';
import type { Config } from './config.ts';
import { marketFrames } from './handlers/market-streams.ts';
import { createApp } from './http/app.ts';
import { withPartnerPrefix } from './http/partner-prefix.ts';
import { HttpServer } from './http/server.ts';
import { Traffic } from './http/traffic.ts';
import { CLEAR_RATE_WINDOW_MS } from './market/clear-rate.ts';
import { MarketFeed } from './market/feed.ts';
import { LocalExchange } from './market/local-exchange.ts';
import { LevelBoard } from './market/market-view.ts';
import type { ExchangeEvent } from './market/ports.ts';
import { processHealth } from './observe/health.ts';
import { LevelRecorder } from './observe/level-recorder.ts';
import { Prober } from './observe/probe.ts';
import { readyView } from './observe/ready.ts';
import { RecordingFile } from './observe/recording-file.ts';
import { BodySweep } from './orders/body-sweep.ts';
import { CUT_OFF_MS_MAX, Desk } from './orders/desk.ts';
import { resultShelf } from './orders/result-shelf.ts';
import { PodPool } from './pods/pool.ts';
import { routes } from './routes.ts';
import { createAccessStore } from './storage/access.ts';
import { Accounts } from './storage/accounts.ts';
import { createBatchStore } from './storage/batches.ts';
import { FolderBlobs } from './storage/blobs.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { createDownloadStore } from './storage/downloads.ts';
import { durabilityWarnings } from './storage/durability.ts';
import { FolderContents } from './storage/file-contents.ts';
import { createFileIndex, createFileStore } from './storage/files.ts';
import { Housekeeping } from './storage/housekeeping.ts';
import { createJournal, type Journal } from './storage/journal/index.ts';
import { createLevelPast, openRun } from './storage/level-past.ts';
import { createLevelStore } from './storage/levels.ts';
import { lockForServing, type ServingLock } from './storage/lock.ts';
import { migrate } from './storage/migrate.ts';
import { createOrderStore } from './storage/orders.ts';
import { createProbeStore } from './storage/probes.ts';
import { createQuoteStore } from './storage/quotes.ts';
import { nextBootEpoch, recover } from './storage/recovery.ts';
import { createResultIndex, createStorageIndex } from './storage/results.ts';
import { createResultStore } from './storage/stored-answers.ts';
import { sweepBlobs } from './storage/sweep.ts';
import { sweepContents } from './storage/sweep-contents.ts';

/** What the world outside is: settings, time, chance, and where to write what happened. */
export interface ServiceParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A gateway that is ready to listen. */
export interface Service {
  /** Resolves when another gateway took the database over: this one must end at once. Stays pending otherwise. */
  readonly lost: Promise<void>;
  /** Whether a commit is under way; who moves the clock by hand waits for it, as commits take real time. */
  readonly committing: boolean;
  /** Starts listening on the configured address and tells the address it got. Rejects when it cannot be had. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Drains and closes everything, as docs/lifecycle.md says. May be called once. */
  close(): Promise<void>;
}

/**
 * Opens the database, recovers what an earlier process left, and builds the gateway. Rejects when it cannot start, with
 * DatabaseInUse when another gateway serves the database: to recover would end the orders that it is running.
 */
export async function createService(parts: ServiceParts): Promise<Service> {
  const { config, log } = parts;
  const db = openDatabase(config.databaseUrl);
  let lock: ServingLock | null = null;
  try {
    lock = await lockForServing(db, parts);
    await migrate(db);
    for (const warning of await durabilityWarnings(db)) log.warn({}, warning);
    return await build(parts, db, lock);
  } catch (error) {
    await db.close();
    await lock?.release();
    throw error;
  }
}

async function build({ config, clock, random, log }: ServiceParts, db: Database, lock: ServingLock): Promise<Service> {
  const { listings } = config;
  const ids = idSource(clock);
  const startedAtMs = clock.nowMs();
  const bootEpoch = await nextBootEpoch(db);
  const recovered = await recover(db, { bootEpoch, clock });
  const levels = await createLevelStore(db).latest();
  const blobs = new FolderBlobs(join(config.dataFolder, 'results'));
  await blobs.sweepDrafts();
  const swept = await sweepBlobs(db, blobs);
  const contents = new FolderContents(join(config.dataFolder, 'files'));
  await contents.sweepDrafts();
  const batchStore = createBatchStore(db);
  await sweepContents({ db, contents, batchFiles: batchStore });
  log.info({ bootEpoch, ended: recovered.ended, returned: recovered.orders.length, swept }, 'The database is ready.');

  const store = createOrderStore(db);
  const results = createResultStore(db, blobs);
  const access = createAccessStore(db);
  const journal = createJournal(db, { clock, log });
  const activeBatches = await batchStore.active();
  const files = createFileStore(db, journal);
  const market = new LevelBoard(listings.all, levels, clock.nowMs());
  const markets = listings.all.filter(({ type }) => type === 'market').map(({ id }) => id);
  const feed = new MarketFeed({ clock, models: markets, market, write: marketFrames(listings) });
  const quotes = { ...config.market.quote, executeWindowMs: LOCK_WINDOW_S * 1000 };
  const recordingFolder = config.market.recording;
  const recording = recordingFolder === null ? null : new RecordingFile({ folder: recordingFolder, clock, log });
  const exchange = new LocalExchange({
    listings: listings.all,
    levelTimeConstantMs: config.market.levelTimeConstantMs,
    recovered: levels,
    quotes,
    recoveredQuotes: await createQuoteStore(db).latest(clock.nowMs() - CLEAR_RATE_WINDOW_MS),
    random,
    clock,
    isHalted: () => journal.stalled,
    ...(recording ? { record: (line: string) => recording.write(line) } : {}),
  });
  const pods = new PodPool(config.pods, { clock, random, log, onCapacity: (capacity) => exchange.send(capacity) });
  const desk = new Desk({
    clock,
    log,
    ids,
    listings,
    market,
    exchange,
    journal,
    store,
    funds: access,
    pods,
    results,
    waits: { minS: ORDER_TIMEOUT_S.min, maxS: ORDER_TIMEOUT_S.max, lockWindowS: LOCK_WINDOW_S },
    bootEpoch,
    quoteCommitted(quote) {
      market.applyQuote(quote);
      feed.quoteLatched(quote.model);
    },
    queuedOrdersMax: config.limits.queuedOrdersPerAccount,
    queuedLinesMax: config.limits.queuedBatchOrdersPerAccount,
  });
  const batches = new Batches({
    ...{ clock, log, ids, journal, lines: desk, store: batchStore, files, contents, results, shapes, standing: access },
    tariffIds: Object.fromEntries(listings.all.map(({ id, tariff }) => [id, tariff.id])),
    linesMax: config.limits.batchRequestsPerFile,
    runningMax: config.limits.runningBatchesPerAccount,
  });
  const history = new LevelRecorder({
    models: markets,
    past: createLevelPast(db),
    journal,
    clock,
    log,
    bootEpoch,
  });
  // In this order: a start that is cut off between the two leaves the earlier run to be mended by the next one.
  await history.mend();
  await openRun(db, bootEpoch, startedAtMs);
  exchange.listen((event: ExchangeEvent) => {
    if (event.type === 'level') {
      market.apply(event);
      history.take(event);
      feed.levelMoved(event.model);
    }
    desk.onExchangeEvent(event);
  });

  const traffic = new Traffic();
  const health = processHealth({
    askDatabase: () => db.knex.raw('SELECT 1'),
    clock,
    journal,
    exchange,
    market,
    listings,
    desk,
    pods,
    traffic,
  });
  const sweep = new BodySweep({
    clock,
    log,
    shelves: [
      resultShelf({ index: createResultIndex(db), journal, results }),
      fileShelf({ index: createFileIndex(db), files, contents, batchFiles: batchStore }),
    ],
    storage: createStorageIndex(db),
    storedBytesMax: config.limits.storedBytesPerAccount,
  });
  const downloads = new Downloads({
    store: createDownloadStore(db, journal),
    clock,
    bytesPerHour: config.limits.downloadBytesPerHourPerAccount,
  });
  const ready = readyView(listings, pods);
  const probes = createProbeStore(db);
  const accounts = new Accounts({ db, clock, ids });
  const house = config.probes.enabled ? await accounts.house() : null;
  const gate = new Gate({ store: access, clock });
  const handlers = routes({
    ...{ config, clock, log, db, bootEpoch, desk, exchange, market, quotes, feed, history, journal, store, results },
    ...{ batches, batchStore, files, contents, ids, downloads, access, accounts, gate, ready, probes, health },
  });
  const app = await createApp({
    contract: { operations: withPartnerPrefix(operations, config.partnerPrefix), requestBodies },
    handlers,
    gate,
    rates: new RequestRates(config.limits, clock),
    limits: config.limits,
    traffic,
    trustProxy: config.trustProxy,
    isOutage: (error) => db.dialect.isTransient(error),
    ids,
    clock,
    log,
  });
  const server = new HttpServer({ app, traffic, ids, clock, log });

  desk.recover(recovered.orders);
  batches.resume(activeBatches);
  pods.start();
  const probing = { orders: desk, ready, market, store: probes, clock, log, intervalMs: config.probes.intervalMs };
  const prober = house && new Prober({ ...probing, houseId: house.id });
  const housekeeping = new Housekeeping({ db, clock, log });
  return {
    lost: lock.lost,
    get committing() {
      return journal.committing;
    },
    async listen() {
      await market.whenQuoted();
      const { port } = await server.listen(config);
      return { url: `http://${config.host}:${port}`, port };
    },
    async close() {
      feed.close();
      prober?.stop();
      // Connections are cut only after the orders that were cut off have told their callers.
      const graceMs = CUT_OFF_MS_MAX + 1_000;
      const worked = desk.drain(config.drainTimeoutMs);
      await Promise.all([batches.close(), worked, server.drain(config.drainTimeoutMs + graceMs, worked)]);
      await Promise.all([housekeeping.close(), prober?.idle()]);
      sweep.close();
      await closeParts({ pods, exchange, recording, history, journal, db, lock });
    },
  };
}

async function closeParts(parts: {
  pods: PodPool;
  exchange: LocalExchange;
  recording: RecordingFile | null;
  history: LevelRecorder;
  journal: Journal;
  db: Database;
  lock: ServingLock;
}): Promise<void> {
  parts.exchange.close();
  await parts.recording?.close();
  await parts.pods.close();
  // Together, because the journal gives up where the database does not commit.
  await Promise.all([parts.history.close().catch(() => {}), parts.journal.close()]);
  await parts.db.close();
  await parts.lock.release();
}

/**
 * The composition root: every part of the gateway is built here, once, with what it needs; nothing else creates its own
 * dependencies. `service/` builds storage, market, orders and HTTP, each on top of those before it, as drawn in
 * docs/architecture.md. The order matters: the database is migrated and earlier orders are recovered before anything
 * listens.
 */
import { RequestRates } from '#access/request-rates.ts';
import { AlertWatch } from '#accounts/account/balance-alerts.ts';
import { logOwnChange } from '#accounts/change-log.ts';
import { idSource } from '#base/id.ts';
import type { ClusterMember } from '#cluster/membership/member.ts';
import { type Config, loadConfig } from '#config/config.ts';
import { LargeBodies } from '#handlers/large-bodies.ts';
import type { ListeningAt } from '#http/server.ts';
import { isMarketEvent } from '#market/exchange/event-writer.ts';
import { GatewayCounts } from '#observe/metrics/gateway-counts.ts';
import { Prober } from '#observe/probe.ts';
import { CUT_OFF_MS_MAX } from '#orders/order-service.ts';
import { Housekeeping } from '#storage/cleanup/housekeeping.ts';
import { type Database, openDatabase, withDeadline } from '#storage/database/database.ts';
import { durabilityWarnings } from '#storage/database/durability.ts';
import { LeaseLost } from '#storage/leases/fence.ts';
import { reportListing } from '#storage/leases/report.ts';
import { auditsOf } from './audits.ts';
import { buildMember, type Job, othersOf } from './cluster.ts';
import { buildHttp, type Parts } from './http.ts';
import { listingHash } from './listing-hash.ts';
import { LiveConfig } from './live-config.ts';
import { buildMarket } from './market.ts';
import { buildMetrics } from './metrics.ts';
import { buildOrders } from './orders.ts';
import { paymentsOf } from './payments.ts';
import { Reload, type ReloadOptions } from './reload.ts';
import { type ExchangeLinks, type Serving, startServing } from './serving.ts';
import { buildStorage, type Outside } from './storage.ts';
import { openTraces, TRACES_CLOSE_MS } from './traces.ts';
import { webhooksOf } from './webhooks.ts';

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
  listen(): Promise<ListeningAt & { readonly url: string; readonly metricsPort: number | null }>;
  /**
   * Reads the configuration again, as docs/operating.md describes. Rejects with Fault invalid_request when the file is
   * wrong, and then nothing has changed.
   */
  reload(): Promise<void>;
  /** Drains and closes everything, as docs/lifecycle.md describes. May be called once. */
  close(): Promise<void>;
}

/**
 * Opens the database, recovers what an earlier process left, and builds the gateway. Rejects when it cannot start, with
 * DatabaseInUse when another gateway serves the database: recovery would end the orders that it is running.
 */
export async function createService({ config: first, ...given }: ServiceOptions): Promise<Service> {
  const live = new LiveConfig(first);
  const { config } = live;
  const { log } = given;
  const options = { ...given, config };
  const db = openDatabase(config.databaseUrl);
  const answering = withDeadline(db, config.databaseDeadlineMs);
  let serving: Serving | null = null;
  try {
    serving = await startServing(db, options);
    for (const warning of await durabilityWarnings(db)) log.warn({}, warning);
    const { clock, right } = serving;
    const outside = { ...options, clock, ids: idSource(clock) };
    return await Promise.race([build({ ...outside, live }, { db, answering, serving }), rejectedOnce(right.lost)]);
  } catch (error) {
    await answering.close();
    await db.close();
    await serving?.cluster?.peers.close();
    await serving?.right.release();
    throw error;
  }
}

/** What a gateway is made with. */
export interface ServiceOptions extends Omit<Outside, 'ids'> {
  /** Absent: the level of the log stays. */
  readonly setLogLevel?: ReloadOptions['setLogLevel'];
}

/** What is being built must not touch what another gateway serves by now. */
async function rejectedOnce(lost: Promise<void>): Promise<never> {
  await lost;
  throw new LeaseLost();
}

type Built = Outside & Pick<ServiceOptions, 'setLogLevel'> & { readonly live: LiveConfig };

interface Opened {
  readonly db: Database;
  /** The same database, for statements that a caller waits for. */
  readonly answering: Database;
  readonly serving: Serving;
}

/** Null without metrics. */
function countsOf({ metrics, listings }: Config): GatewayCounts | null {
  return (
    metrics &&
    new GatewayCounts(
      listings.all.map(({ id }) => id),
      metrics.accounts,
    )
  );
}

async function build(outside: Built, opened: Opened): Promise<Service> {
  const { db, serving } = opened;
  const { right, cluster } = serving;
  const joined = cluster?.joined ?? null;
  const storage = await buildStorage(outside, {
    ...{ ...opened, fence: right.fence, joined },
    mayStore: cluster?.mayStore ?? null,
    counts: countsOf(outside.config),
  });
  const links: ExchangeLinks = {
    standing: (model) => orders.orderService.standing(model),
    askCapacity(model) {
      for (const capacity of orders.pods.counts()) if (capacity.model === model) market.exchange.send(capacity);
    },
    onLost: (model, epoch) => member?.lost(model, epoch),
  };
  const market = await buildMarket({ ...outside, ...storage }, cluster && { ...cluster, links });
  const doing = (job: Job) => (cluster ? () => member?.does(job) ?? false : undefined);
  const traces = await openTraces(outside);
  const watched = { pods: () => orders.pods.states(), mayRun: doing('webhooks') };
  const webhooks = webhooksOf({ ...outside, ...storage }, watched);
  const orders = buildOrders({ ...outside, ...storage, ...market, traces, webhooks }, cluster, doing('cleanup'));
  const { clustered } = market;
  const member =
    cluster && clustered && buildMember({ ...outside, ...storage, ...cluster, exchange: clustered, orders });
  market.exchange.listen((event) => {
    if (isMarketEvent(event)) market.take(event);
    else orders.orderService.onExchangeEvent(event);
  });
  const payments = await paymentsOf({ ...outside, ...storage });
  const alerts = new AlertWatch({ ...outside, ...storage });
  const audits = auditsOf({ ...outside, ...storage });
  const others =
    cluster && member && othersOf(cluster, opened.answering, { ...outside, ...orders, living: () => member.living });
  const rates = others?.rates ?? new RequestRates(outside.config.limits, outside.clock);
  const { live, readConfig: read = loadConfig, setLogLevel = () => {}, log } = outside;
  const taken = async () => {
    if (joined) await reportListing(opened.answering, joined.gateway, listingHash(outside.config));
  };
  const reload = new Reload({
    live,
    read,
    setLogLevel,
    open: market.open,
    renew: market.renew,
    pods: orders.pods,
    rates,
    taken,
    log,
  });
  const parts = {
    ...{
      ...outside,
      ...storage,
      ...market,
      ...orders,
      traces,
      webhooks,
      payments,
      audits,
      databaseClock: right,
      others,
      rates,
      reload,
    },
    markets: member ?? market.exchange,
  };
  const house = outside.config.probes.enabled ? await storage.accounts.house() : null;
  const largeBodies = new LargeBodies();
  const server = buildHttp({ ...parts, largeBodies });

  orders.orderService.recover(storage.returned, storage.keptInputs);
  await orders.batches.resume(storage.activeBatches);
  orders.pods.start();
  await storage.disk.watch();
  await member?.start();
  const prober = house && proberOf(parts, house.id, doing('probes'));
  const housekeeping = new Housekeeping({
    db,
    clock: outside.clock,
    log: outside.log,
    mayRun: doing('housekeeping'),
  });
  const { config } = outside;
  const metrics = buildMetrics(parts);
  return {
    lost: right.lost,
    get committing() {
      return storage.journal.committing || storage.calls.working;
    },
    async listen() {
      await Promise.all([market.board.whenQuoted(), member?.metAll()]);
      const metricsPort = (await metrics?.listen()) ?? null;
      const at = await server.listen(config);
      return { ...at, url: `http://${config.host}:${at.port}`, metricsPort };
    },
    async reload() {
      const noting = { ...outside, db: opened.answering };
      await reload.bySignal((after) => logOwnChange(noting, { what: 'configuration.reload', after }));
    },
    async close() {
      server.leave();
      await member?.leave();
      market.feed.close();
      others?.following.close();
      prober?.stop();
      // Connections are cut only after callers of the cut-off orders have been answered.
      const graceMs = CUT_OFF_MS_MAX + 1_000;
      const worked = orders.orderService.drain(config.drainTimeoutMs, { callersMayWait: member !== null });
      await Promise.all([orders.batches.close(), worked, server.drain(config.drainTimeoutMs + graceMs, worked)]);
      await Promise.all([
        housekeeping.close(),
        prober?.idle(),
        largeBodies.close(),
        payments?.close(),
        alerts.close(),
        audits.close(),
        webhooks.close(),
      ]);
      orders.cleanup.close();
      storage.disk.close();
      await traces?.close(TRACES_CLOSE_MS);
      await metrics?.close();
      await closeParts(parts, opened, member);
    },
  };
}

function proberOf(
  { config, orderService, ready, board, probes, clock, log }: Parts,
  houseId: string,
  mayRun: (() => boolean) | undefined,
): Prober {
  const { intervalMs } = config.probes;
  const settings = { intervalMs, houseId, mayRun };
  return new Prober({ orders: orderService, ready, market: board, store: probes, clock, log, ...settings });
}

async function closeParts(
  { exchange, recording, pods, history, runs, journal, bucket, db }: Parts,
  { db: repairs, serving }: Opened,
  member: ClusterMember | null,
): Promise<void> {
  exchange.close();
  await recording?.close();
  await pods.close();
  // In parallel, because it is the journal that gives up when the database does not commit.
  await Promise.all([history.close().catch(() => {}), runs.close(), journal.close()]);
  bucket?.close();
  await db.close();
  await repairs.close();
  // Beats go on as long as anything may commit.
  await member?.close();
  await serving.right.release();
}

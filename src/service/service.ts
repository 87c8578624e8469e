/**
 * The composition root: every part of the gateway is built here, once, with what it needs; nothing else creates its own
 * dependencies. `service/` builds storage, market, orders and HTTP, each on top of those before it, as drawn in
 * docs/change/architecture.md. The order matters: the database is migrated and earlier orders are recovered before anything
 * listens.
 */
import { RequestRates } from '#access/request-rates.ts';
import { watchAlerts } from '#accounts/account/balance-alerts.ts';
import { logOwnChange } from '#accounts/change-log.ts';
import type { Payments } from '#accounts/payments/payments.ts';
import { type Clock, RepeatedWork } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { ClusterMember } from '#cluster/membership/member.ts';
import { loadConfig } from '#config/config.ts';
import { LargeBodies } from '#handlers/large-bodies.ts';
import type { HttpServer, ListeningAt } from '#http/server.ts';
import { isMarketEvent } from '#market/exchange/event-writer.ts';
import { GatewayCounts } from '#observe/metrics/gateway-counts.ts';
import { Prober } from '#observe/probe.ts';
import type { Traces } from '#observe/traces/traces.ts';
import { readAddedPods } from '#operator/added-pods.ts';
import { BackgroundAudit } from '#operator/background-audit.ts';
import { CUT_OFF_MS_MAX } from '#orders/order-service.ts';
import { startAudit } from '#storage/audit/audit-thread.ts';
import { Housekeeping } from '#storage/cleanup/housekeeping.ts';
import { type Database, openDatabase, withDeadline } from '#storage/database/database.ts';
import { durabilityWarnings } from '#storage/database/durability.ts';
import { reportListing } from '#storage/leases/report.ts';
import type { ServingRight } from '#storage/leases/serving.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { buildMember, type Job, othersOf } from './cluster.ts';
import { listingHash } from './configuration.ts';
import { buildHttp } from './http.ts';
import { buildMarket } from './market.ts';
import { buildMetrics, type ServedMetrics } from './metrics.ts';
import { type BuiltOrders, buildOrders } from './orders.ts';
import { ownVersion } from './own-version.ts';
import type { Parts } from './parts.ts';
import { PickUp } from './pick-up.ts';
import { LiveConfig, Reload, type ReloadOptions } from './reload.ts';
import { type ExchangeLinks, type Serving, startServing } from './serving.ts';
import { type BuiltStorage, buildStorage, type Outside } from './storage.ts';
import { startWebhooks, type Webhooks } from './webhooks.ts';

/** A gateway that is ready to listen. */
export interface Service {
  /** As the right to serve has it: resolves with the reason when the gateway must end. It takes nothing from then on. */
  readonly lost: ServingRight['lost'];
  /**
   * Whether a commit or a call to the disk is under way. Tests that move the clock by hand wait for it, because it takes
   * real time.
   */
  readonly committing: boolean;
  /** Starts listening on the configured address and returns the real one. Rejects when the address is not available. */
  listen(): Promise<ListeningAt & { readonly url: string; readonly metricsPort: number | null }>;
  /**
   * Reads the configuration again, as docs/sell/upgrades.md describes. Rejects with Fault invalid_request when the file is
   * wrong, and then nothing has changed.
   */
  reload(): Promise<void>;
  /** Drains and closes everything, as docs/understand/lifecycle.md describes. May be called once. */
  close(): Promise<void>;
}

/**
 * Opens the database, recovers what an earlier process left, and builds the gateway. Rejects when it cannot start, with
 * DatabaseInUse when another gateway serves the database: recovery would end the orders that it is running.
 */
export async function createService({
  config: first,
  setLogLevel = () => {},
  ...given
}: ServiceOptions): Promise<Service> {
  const { log } = given;
  const live = new LiveConfig(first, log);
  const { config } = live;
  const options = { ...given, config };
  const db = openDatabase(config.databaseUrl, log);
  const answering = withDeadline(db, config.databaseDeadlineMs);
  let serving: Serving | null = null;
  try {
    serving = await startServing(db, options);
    for (const warning of await durabilityWarnings(db)) log.warn({}, warning);
    live.takeAdded(await readAddedPods(db));
    const { clock, right } = serving;
    const outside = { ...options, clock, ids: idSource(clock) };
    const building = build(outside, live, setLogLevel, { db, answering, serving });
    return await Promise.race([building, right.lost.then((why) => Promise.reject(why))]);
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

interface Opened {
  readonly db: Database;
  /** The same database, for statements that a caller waits for. */
  readonly answering: Database;
  readonly serving: Serving;
}

async function build(outside: Outside, live: LiveConfig, setLogLevel: SetLogLevel, opened: Opened): Promise<Service> {
  const { config, clock, log, readConfig = loadConfig } = outside;
  const { right, cluster } = opened.serving;
  const joined = cluster?.joined ?? null;
  const { metrics, listings } = config;
  const models = listings.all.map(({ id }) => id);
  const storage = await buildStorage(outside, {
    db: opened.db,
    answering: opened.answering,
    right,
    isShared: cluster !== null,
    mayStore: cluster?.mayStore ?? null,
    counts: metrics && new GatewayCounts(models, metrics.accounts),
  });
  const links: ExchangeLinks = {
    standing: (model) => orders.orderService.standing(model),
    askCapacity(model) {
      for (const capacity of orders.pods.counts()) if (capacity.model === model) market.exchange.send(capacity);
    },
    onLost: (model, epoch) => member?.lost(model, epoch),
  };
  const market = await buildMarket({ outside, storage, cluster: cluster && { ...cluster, links } });
  const doing = (job: Job) => (cluster ? () => member?.does(job) ?? false : undefined);
  const traces = await openTraces(outside);
  const webhooks = await startWebhooks({
    outside,
    storage,
    pods: () => orders.pods.states(),
    mayRun: doing('webhooks'),
  });
  const largeBodies = new LargeBodies({ listings: outside.config.listings });
  const running = { market, traces, webhooks, cluster, largeBodies };
  const orders = buildOrders({ outside, storage, ...running, mayCleanUp: doing('cleanup') });
  const pickUp = buildPickUp(outside, storage, orders);
  const member =
    cluster && market.clustered && buildMember({ outside, storage, cluster, pickUp, exchange: market.clustered });
  market.exchange.listen((event) => {
    if (isMarketEvent(event)) market.take(event);
    else orders.orderService.onExchangeEvent(event);
  });
  const others = cluster && member && othersOf({ cluster, db: opened.answering, orders, member, outside });
  const rates = others?.rates ?? new RequestRates(config.limits, clock);
  const reload = new Reload({
    live,
    read: readConfig,
    setLogLevel,
    open: market.open,
    renew: market.renew,
    pods: orders.pods,
    added: () => readAddedPods(opened.answering),
    rates,
    taken: async () => {
      if (joined) await reportListing(opened.answering, joined.gateway, listingHash(config));
    },
    log,
  });
  const payments = await paymentsOf({ outside, storage });
  const audits = auditsOf({ outside, storage });
  const alerts = watchAlerts(storage.db, clock, log);
  const built = { outside, storage, market, orders, traces, webhooks, payments, audits, others, rates, reload };
  return start({ ...built, largeBodies, opened, member, pickUp, alerts, doing });
}

type SetLogLevel = ReloadOptions['setLogLevel'];

/** Everything that was built. `member`: this gateway's part of a cluster, null where it serves alone. */
interface Built extends Omit<Parts, 'markets' | 'right'> {
  readonly webhooks: Webhooks;
  readonly alerts: RepeatedWork;
  readonly member: ClusterMember | null;
  readonly pickUp: PickUp;
  readonly opened: Opened;
  /** Whether this gateway does the work now; undefined where it always does. */
  readonly doing: (job: Job) => (() => boolean) | undefined;
}

/** Lets everything run: from here on orders of earlier boots go on, and nothing listens yet. */
async function start(built: Built): Promise<Service> {
  const { outside, storage, market, orders, member, opened, doing, largeBodies } = built;
  const { config, clock, log } = outside;
  const { right } = opened.serving;
  const house = config.probes.enabled ? await storage.accounts.house() : null;
  const server = buildHttp({ ...built, markets: member ?? market.exchange, right });
  const metrics = buildMetrics(built);
  void right.lost.then(() => {
    server.refuse();
    metrics?.refuse();
  });
  await built.pickUp.look();
  orders.pods.start();
  await storage.disk.watch();
  if (member) await member.start();
  else await right.started();
  const prober = house && proberOf(built, house.id);
  const housekeeping = new Housekeeping({ db: opened.db, clock, log, mayRun: doing('housekeeping') });
  const addedPods = member && followAddedPods(built.reload, clock, log);
  return {
    lost: right.lost,
    get committing() {
      return storage.journal.committing || storage.calls.working;
    },
    async listen() {
      await Promise.all([market.board.whenQuoted(built.outside.clock), member?.metAll()]);
      const metricsPort = (await metrics?.listen()) ?? null;
      const at = await server.listen(config);
      return { ...at, url: `http://${config.host}:${at.port}`, metricsPort };
    },
    async reload() {
      const noting = { db: opened.answering, clock, ids: outside.ids };
      await built.reload.bySignal((after) => logOwnChange(noting, { what: 'configuration.reload', after }));
    },
    close: () => close(built, { server, prober, housekeeping, largeBodies, metrics, addedPods }),
  };
}

/** The parts that `start` made and `close` ends. */
interface Running {
  readonly server: HttpServer;
  readonly prober: Prober | null;
  readonly housekeeping: Housekeeping;
  readonly largeBodies: LargeBodies;
  readonly metrics: ServedMetrics | null;
  /** Null where one gateway serves alone, which is the only one to add pods. */
  readonly addedPods: RepeatedWork | null;
}

/** Drains and closes everything; docs/understand/lifecycle.md gives the reasons for the order. */
async function close(built: Built, running: Running): Promise<void> {
  const { server, prober, housekeeping, largeBodies, metrics } = running;
  const { outside, storage, market, orders, member, others, opened } = built;
  const { drainTimeoutMs } = outside.config;
  server.leave();
  const picked = built.pickUp.close();
  await member?.leave();
  market.feed.close();
  others?.following.close();
  prober?.stop();
  // Connections are cut only after callers of the cut-off orders have been answered.
  const graceMs = CUT_OFF_MS_MAX + 1_000;
  const worked = orders.orderService.drain(drainTimeoutMs, { callersMayWait: member !== null });
  await Promise.all([picked, orders.batches.close(), worked, server.drain(drainTimeoutMs + graceMs, worked)]);
  await Promise.all([
    housekeeping.close(),
    running.addedPods?.close(),
    prober?.idle(),
    largeBodies.close(),
    built.payments?.close(),
    built.alerts.close(),
    built.audits.close(),
    built.webhooks.close(),
  ]);
  orders.cleanup.close();
  storage.disk.close();
  await built.traces?.close(TRACES_CLOSE_MS);
  await metrics?.close();
  market.exchange.close();
  await market.recording?.close();
  await orders.pods.close();
  // In parallel, because it is the journal that gives up when the database does not commit.
  await Promise.all([
    market.history.close().catch(() => {}),
    orders.runs.close(),
    orders.load.close(),
    storage.journal.close(),
  ]);
  storage.bucket?.close();
  await storage.db.close();
  await opened.db.close();
  // Beats go on as long as anything may commit.
  await member?.close();
  await opened.serving.right.release();
}

/** How soon a gateway learns of pods that another one has added or removed. */
const ADDED_PODS_MS = 1_000;

/** Reads the added pods again and again, until it is closed. What cannot be read now is read in the next round. */
function followAddedPods(reload: Reload, clock: Clock, log: Log): RepeatedWork {
  const failed = (error: unknown) => log.debug({ err: error }, 'The added pods could not be read.');
  return new RepeatedWork(clock, ADDED_PODS_MS, () => reload.renewAdded().catch(failed));
}

function buildPickUp({ clock, log }: Outside, storage: BuiltStorage, { orderService, batches }: BuiltOrders): PickUp {
  const { db, journal, bootEpoch: self, readKeptInputs } = storage;
  const store = createAdoptionStore(db);
  return new PickUp({ self, clock, log, journal, store, orders: orderService, batches, readKeptInputs });
}

function proberOf({ outside, storage, market, orders, doing }: Built, houseId: string): Prober {
  const { config, clock, log } = outside;
  return new Prober({
    orders: orders.orderService,
    ready: orders.ready,
    market: market.board,
    store: storage.probes,
    clock,
    log,
    intervalMs: config.probes.intervalMs,
    houseId,
    mayRun: doing('probes'),
  });
}

/** The audits of this gateway. The caller closes them. */
function auditsOf({ outside, storage }: Pick<Parts, 'outside' | 'storage'>): BackgroundAudit {
  const { clock, ids, log } = outside;
  const { databaseUrl, dataFolder, dataBucket, audit } = outside.config;
  const start = () => startAudit({ databaseUrl, data: { dataFolder, dataBucket }, nowMs: clock.nowMs() });
  return new BackgroundAudit({ db: storage.db, clock, ids, log, start, daily: audit.daily });
}

/** How long the end of a process waits for spans to be exported. */
const TRACES_CLOSE_MS = 3_000;

/** Null where no collector is configured. */
async function openTraces({ config, clock, ids, log }: Outside): Promise<Traces | null> {
  if (!config.traces) return null;
  const { otlpTraces } = await import('#observe/traces/otlp.ts');
  return otlpTraces(config.traces, { clock, log, version: ownVersion(), instanceId: ids.uuid() });
}

/** The payments of the configuration; null without any. The caller closes them. */
async function paymentsOf({ outside, storage }: Pick<Parts, 'outside' | 'storage'>): Promise<Payments | null> {
  const { config, clock, ids, log } = outside;
  if (config.payments === null) return null;
  const [{ Payments }, { stripeProvider }, { PaymentStore }, { TopUpStore }] = await Promise.all([
    import('#accounts/payments/payments.ts'),
    import('#accounts/payments/stripe.ts'),
    import('#accounts/payments/payment-store.ts'),
    import('#accounts/payments/top-up-store.ts'),
  ]);
  const database = { db: storage.db, clock, ids };
  return new Payments({
    provider: stripeProvider(config.payments, clock),
    store: new PaymentStore(database),
    topUps: new TopUpStore(database),
    clock,
    log,
  });
}

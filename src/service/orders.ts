/** Builds what runs orders: the pods, the order service, batches on top of it, and the retention cleanup. */
import { shapesFor } from '#adapters/shapes.ts';
import { LOCK_WINDOW_S, ORDER_TIMEOUT_S } from '#base/bounds.ts';
import { Batches } from '#batches/batches.ts';
import type { LargeLines } from '#batches/line-request.ts';
import { retainedFiles } from '#batches/retained-files.ts';
import { SharedPods } from '#cluster/orders/shared-pods.ts';
import { LoadRecorder } from '#observe/load-recorder.ts';
import { readyView } from '#observe/probe.ts';
import { RunRecorder } from '#observe/run-recorder.ts';
import type { Traces } from '#observe/traces/traces.ts';
import { OrderService } from '#orders/order-service.ts';
import type { PodReport, PodSetting } from '#orders/ports.ts';
import { type PodControl, podStanding } from '#pods/pod-state.ts';
import { PodPool } from '#pods/pool.ts';
import { RetentionCleanup, retainedResults } from '#results/cleanup.ts';
import { Eviction } from '#results/eviction.ts';
import { createFileIndex } from '#storage/files/store.ts';
import { createResultIndex, narrowKeysIn, overfullIn } from '#storage/results/store.ts';
import type { BuiltMarket } from './market.ts';
import type { Joined } from './serving.ts';
import type { BuiltStorage, Outside } from './storage.ts';
import type { Webhooks } from './webhooks.ts';

/** How long a caller waits for the owner of a market in a cluster: longer than a takeover takes. */
const MARKET_ANSWER_MS = 10_000;

/** What `buildOrders` builds. */
export type BuiltOrders = ReturnType<typeof buildOrders>;

/** What runs orders is built from. */
export interface OrderParts {
  readonly outside: Outside;
  readonly storage: BuiltStorage;
  readonly market: BuiltMarket;
  /** Null where none are kept. */
  readonly traces: Traces | null;
  readonly webhooks: Pick<Webhooks, 'watch'>;
  /** Null where one gateway serves alone. */
  readonly cluster: Joined | null;
  /** The thread for large lines. */
  readonly largeBodies: LargeLines;
  /** Whether this gateway deletes what has expired; absent: it does. */
  readonly mayCleanUp: (() => boolean) | undefined;
}

/** Nothing runs yet: pods are idle, and earlier processes' orders and batches are not resumed. */
export function buildOrders(parts: OrderParts) {
  const { outside, storage } = parts;
  const { config, clock, log } = outside;
  const { pods, podControl } = buildPods(parts);
  const runs = new RunRecorder({ journal: storage.journal, clock, log, bootEpoch: storage.bootEpoch });
  const { eviction, retained } = buildEviction(parts);
  const load = new LoadRecorder({
    ...{ journal: storage.journal, clock, log, bootEpoch: storage.bootEpoch },
    queued: () => orderService.counts().queued,
    pods: () => pods.states().map((state) => ({ ...state, standing: podStanding(state) })),
  });
  const orderService = buildOrderService(parts, { pods, runs, load, eviction });
  const batches = buildBatches(parts, orderService);
  const cleanup = new RetentionCleanup({
    ...{ clock, log, eviction, mayRun: parts.mayCleanUp },
    retained: Object.values(retained),
  });
  const { listings, probes } = config;
  const ready = readyView({ listings, pods, answeredBefore: storage.answeredBefore, probing: probes.enabled });
  return { pods, podControl, ready, orderService, runs, load, batches, cleanup, eviction, retained };
}

function buildPods({ outside, storage, market, cluster }: OrderParts): { pods: PodPool; podControl: PodControl } {
  const { config, clock, random, log } = outside;
  const { exchange, clustered } = market;
  const { counts } = storage;
  const pods = new PodPool(config.pods, {
    clock,
    random,
    log,
    onCapacity: (capacity) => exchange.send(capacity),
    ...(counts ? { onAttempt: counts.attempted } : {}),
    ...(clustered ? { onReport: (report: PodReport) => shared?.report(report) } : {}),
  });
  const apply = (pod: string, setting: PodSetting) => pods.set(pod, setting);
  const shared =
    cluster && clustered
      ? new SharedPods({
          ...{ self: cluster.joined.gateway, clock, calls: cluster.calls, apply },
          ownerOf: (model) => clustered.ownerOf(model),
          reported: (report) => pods.reported(report),
        })
      : null;
  const podControl: PodControl = {
    find: (id) => pods.find(id),
    set: async ({ model, pod }, setting) => (shared ? shared.set(model, pod, setting) : apply(pod, setting)),
  };
  return { pods, podControl };
}

interface OrderServiceParts {
  readonly pods: PodPool;
  readonly runs: RunRecorder;
  readonly load: LoadRecorder;
  readonly eviction: Eviction;
}

function buildOrderService(parts: OrderParts, { pods, runs, load, eviction }: OrderServiceParts): OrderService {
  const { outside, storage, market, traces, webhooks, cluster } = parts;
  const { config, clock, ids, log } = outside;
  const { journal, store, access, results, disk, bootEpoch, inputFiles, counts } = storage;
  const { listings, limits } = config;
  return new OrderService({
    clock,
    log,
    ids,
    listings,
    market: market.board,
    exchange: market.exchange,
    journal,
    store,
    funds: access,
    pods,
    results,
    disk,
    requireOwnRoom: (customer) => eviction.requireRoom(customer),
    bootEpoch,
    inputFiles,
    waits: { minS: ORDER_TIMEOUT_S.min, maxS: ORDER_TIMEOUT_S.max, lockWindowS: LOCK_WINDOW_S },
    pendingLimits: limits,
    waitingBounds: limits,
    settled: (times) => runs.take(times),
    onBudgetSpent: (accountId, keyId) => webhooks.watch.budgetSpent(accountId, keyId),
    onEnd(order) {
      load.take(order);
      counts?.ended(order);
    },
    ...(traces ? { newTrace: () => traces.newTrace() } : {}),
    ...(cluster ? { releaseAfterCommit: true, marketAnswerMs: MARKET_ANSWER_MS } : {}),
  });
}

function buildBatches({ outside, storage, largeBodies: largeLines }: OrderParts, lines: OrderService): Batches {
  const { config, clock, log, ids } = outside;
  const { journal, batchStore, files, contents, results, access, disk, bootEpoch } = storage;
  const { listings, limits } = config;
  return new Batches({
    clock,
    log,
    ids,
    journal,
    lines,
    store: batchStore,
    files,
    contents,
    results,
    shapes: shapesFor(listings),
    largeLines,
    standing: access,
    disk,
    bootEpoch,
    tariffIds: () => Object.fromEntries(listings.all.map(({ id, tariff }) => [id, tariff.id])),
    linesMax: () => limits.batchRequestsPerFile,
    runningMax: () => limits.runningBatchesPerAccount,
  });
}

function buildEviction({ outside, storage }: OrderParts) {
  const { limits } = outside.config;
  const { db, journal, results, files, contents, batchStore } = storage;
  const retained = {
    results: retainedResults({ index: createResultIndex(db), journal, results }),
    files: retainedFiles({ index: createFileIndex(db), files, contents, batchFiles: batchStore }),
  };
  const eviction = new Eviction({
    retained: Object.values(retained),
    overfull: overfullIn(db),
    narrowAmong: narrowKeysIn(db),
    storedBytes: (accountId) => files.storedBytes(accountId),
    storedBytesMax: () => limits.storedBytesPerAccount,
  });
  return { eviction, retained };
}

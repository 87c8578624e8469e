/** The gateway at a glance, for its operator: from memory, but for one query of the last two buckets of statistics. */
import type { Clock } from '#base/clock.ts';
import type { DiskState } from '#base/disk-space.ts';
import { type NanoUsd, nanoToUsd, priceToUsd } from '#base/money.ts';
import { DAY_MS, iso, isoOrNull, MINUTE_MS } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import type { Listing, Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import { STATISTICS_BUCKET_MS, type TokenStore, type TokenSum } from '#observe/ports.ts';
import type { ReadyView } from '#observe/probe.ts';
import { type PodState, podStanding } from '#pods/pod-state.ts';

/** What it shows, each part through a narrow interface. */
export interface OverviewOptions {
  readonly version: string;
  readonly startedAtMs: number;
  readonly listings: Listings;
  readonly board: MarketView;
  readonly ready: Pick<ReadyView, 'degraded'>;
  readonly tokens: Pick<TokenStore, 'sums'>;
  readonly orderService: {
    counts(): { readonly queued: number; readonly inflight: number };
    countsByModel(): ReadonlyMap<string, { readonly queued: number; readonly executing: number }>;
  };
  /** Null where nothing is counted. */
  readonly counts: { refusals(): readonly { readonly code: string; readonly requests: number }[] } | null;
  readonly pods: { states(): readonly PodState[] };
  readonly journal: { readonly pending: number; readonly lagMs: number; readonly stalled: boolean };
  readonly disk: DiskState;
  readonly clock: Clock;
}

/** getOverview. */
export function overviewHandlers(options: OverviewOptions) {
  return handlersOf({ getOverview: async () => ({ status: 200, json: await overviewObject(options) }) });
}

async function overviewObject(options: OverviewOptions) {
  const { version, startedAtMs, listings, tokens, orderService, pods, journal, disk, clock } = options;
  const nowMs = clock.nowMs();
  const bucketMs = STATISTICS_BUCKET_MS;
  const fromMs = nowMs - (nowMs % bucketMs) - bucketMs;
  const ids = listings.all.map(({ id }) => id);
  const sums = await tokens.sums(ids, { fromMs, toMs: nowMs + 1, bucketMs });
  const earned = sums.reduce((sum, each) => sum + each.earned, 0n);
  const sumOf = new Map(sums.map((sum) => [sum.model, sum]));
  const states = pods.states();
  const { queued, inflight } = orderService.counts();
  const orders = orderService.countsByModel();
  return {
    object: 'overview',
    version,
    at: iso(nowMs),
    started_at: iso(startedAtMs),
    revenue_usd_per_minute: nanoToUsd(BigInt(Math.round((Number(earned) * MINUTE_MS) / (nowMs - fromMs)))),
    revenue_from: iso(fromMs),
    orders: { queued, executing: inflight },
    pods: podsObject(states, await earnedADay(options, states)),
    utilisation: utilisationOf(states),
    journal: { pending: journal.pending, lag_ms: Math.round(journal.lagMs), stalled: journal.stalled },
    disk_low: disk.low,
    models: listings.all.map((listing) => ({
      ...modelObject(listing, sumOf.get(listing.id), options),
      queued: orders.get(listing.id)?.queued ?? 0,
      executing: orders.get(listing.id)?.executing ?? 0,
    })),
    refusals: options.counts && [...options.counts.refusals()].sort((one, two) => two.requests - one.requests),
  };
}

function modelObject({ id, type, preview }: Listing, sum: TokenSum | undefined, { board, ready }: OverviewOptions) {
  const snapshot = board.current(id);
  return {
    model: id,
    pricing: type,
    preview,
    level: snapshot ? priceToUsd(snapshot.level) : null,
    degraded: ready.degraded(id),
    requests: sum?.requests ?? 0,
    earned_usd: nanoToUsd(sum?.earned ?? 0n),
  };
}

const isOut = (pod: PodState) => podStanding(pod) !== 'healthy';

/** What the models of pods that are out earned in the last day; only that is needed, and only then. */
async function earnedADay(
  { tokens, clock }: Pick<OverviewOptions, 'tokens' | 'clock'>,
  states: readonly PodState[],
): Promise<ReadonlyMap<string, NanoUsd>> {
  const models = [...new Set(states.filter(isOut).map(({ model }) => model))];
  if (models.length === 0) return new Map();
  const bucketMs = STATISTICS_BUCKET_MS;
  const toMs = clock.nowMs() + 1;
  const fromMs = toMs - DAY_MS;
  const sums = await tokens.sums(models, { fromMs: fromMs - (fromMs % bucketMs), toMs, bucketMs });
  return new Map(sums.map(({ model, earned }) => [model, earned]));
}

/** The share of a pod in the slots of its model is taken for its share in what that earns. */
function costOf({ model, slots }: PodState, states: readonly PodState[], earned: ReadonlyMap<string, NanoUsd>) {
  const all = states.filter((one) => one.model === model).reduce((sum, one) => sum + one.slots.configured, 0);
  const share = all === 0 ? 0 : slots.configured / all;
  return nanoToUsd(BigInt(Math.round((Number(earned.get(model) ?? 0n) * share * MINUTE_MS) / DAY_MS)));
}

function podsObject(states: readonly PodState[], earned: ReadonlyMap<string, NanoUsd>) {
  const out = states.filter(isOut);
  return {
    total: states.length,
    healthy: states.filter(({ healthy }) => healthy).length,
    taking_orders: states.length - out.length,
    out: out.map((state) => ({
      ...{ model: state.model, pod: state.pod, state: podStanding(state) },
      reason: state.draining ? null : state.reason,
      since: isoOrNull(state.drainingSinceMs ?? state.sinceMs),
      cost_usd_per_minute: costOf(state, states, earned),
    })),
  };
}

/** More may run on a pod than it is offered now: that is still no more than all of it. */
function utilisationOf(states: readonly PodState[]): number | null {
  const taking = states.filter((pod) => podStanding(pod) === 'healthy');
  const slots = taking.reduce((sum, pod) => sum + pod.slots.allowed, 0);
  const busy = taking.reduce((sum, pod) => sum + pod.slots.busy, 0);
  return slots === 0 ? null : Math.min(1, busy / slots);
}

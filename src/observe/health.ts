/**
 * The state of this process for GET /healthz: whether the database answers, whether the markets move, and how many pods
 * are healthy. A pod that is down is not a failure of the gateway: its market is degraded and orders wait. Spec 4.9.
 */
import { type Clock, waitAtMost } from '#base/clock.ts';
import type { DiskState } from '#base/disk-space.ts';
import { priceToUsd, type UsdJson } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';

/** The state of this process, as in GET /healthz. */
export interface Health {
  /** Whether the database answers and the markets move (markets need not while standby or draining). */
  readonly ok: boolean;
  readonly db: boolean;
  readonly marketLoop: boolean;
  readonly role: 'leader' | 'standby' | 'draining';
  /** The default model's level, USD per 1M input tokens at the reference mix; null when it has no market. */
  readonly level: UsdJson | null;
  readonly queued: number;
  readonly inflight: number;
  /** Whether any pod is healthy; does not change `ok`. */
  readonly backendHealthy: boolean;
  readonly pods: number;
  readonly healthyPods: number;
  /** Whether nothing new may be stored on the disk; does not change `ok`. */
  readonly diskLow: boolean;
  /** How far this machine's clock is ahead of the database server's; null when nothing was compared. Does not change `ok`. */
  readonly clockAheadMs: number | null;
}

/** What is checked, each part through a narrow interface. */
export interface HealthOptions {
  /** Resolves when the database answers a trivial query. */
  readonly askDatabase: () => Promise<unknown>;
  readonly journal: { readonly stalled: boolean };
  /** When the exchange last moved its levels. */
  /** When its levels last moved, by `monotonicMs`. */
  readonly exchange: { readonly tickedAtMs: number };
  readonly clock: Clock;
  readonly market: MarketView;
  readonly listings: Listings;
  readonly orderService: { counts(): { queued: number; inflight: number } };
  readonly pods: { counts(): readonly { healthy: boolean }[] };
  readonly traffic: { readonly leaving: boolean };
  readonly disk: DiskState;
  readonly databaseClock: { readonly clockAheadMs: number | null };
}

/** When levels have not been moved for this long, the market loop is stuck. */
const TICK_OVERDUE_MS = 10_000;
/** The client has its own timeout; a database that hangs must be reported before it. */
const ANSWER_MS = 2000;

/** Checks the process on each call, within `ANSWER_MS`. Never rejects: a database that does not answer is a result. */
export function processHealth(options: HealthOptions): () => Promise<Health> {
  const { clock, market, listings, orderService, pods, traffic, disk, databaseClock } = options;
  return async () => {
    const db = !options.journal.stalled && (await answers(options.askDatabase, clock));
    const marketLoop = clock.monotonicMs() - options.exchange.tickedAtMs < TICK_OVERDUE_MS;
    const snapshot = market.current(listings.default.id);
    const counts = pods.counts();
    const healthyPods = counts.filter((pod) => pod.healthy).length;
    return {
      ok: db && (marketLoop || traffic.leaving),
      db,
      marketLoop,
      role: traffic.leaving ? 'draining' : 'leader',
      level: snapshot ? priceToUsd(snapshot.level) : null,
      ...orderService.counts(),
      backendHealthy: healthyPods > 0,
      pods: counts.length,
      healthyPods,
      diskLow: disk.low,
      clockAheadMs: databaseClock.clockAheadMs,
    };
  };
}

/** Whether it answers in time. The reason of a failure is in the log of the code that used it. */
async function answers(query: () => Promise<unknown>, clock: Clock): Promise<boolean> {
  const answer = query().then(
    () => true,
    () => false,
  );
  return (await waitAtMost(clock, ANSWER_MS, answer)) ?? false;
}

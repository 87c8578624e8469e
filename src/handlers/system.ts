/** What programs ask about the gateway itself: whether it is healthy, what it is, and its interface document. */
import { type Clock, waitAtMost } from '#base/clock.ts';
import type { DiskState } from '#base/disk-space.ts';
import { priceToUsd } from '#base/money.ts';
import { handlersOf } from '#contract/call.ts';
import type { JsonOf, Rendered } from '#contract/reply.ts';
import type { Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';
import { conditionalReply, tagOf } from './conditional.ts';

/** What is checked, each part through a narrow interface. */
export interface HealthOptions {
  /** Resolves when the database answers a trivial query. */
  readonly askDatabase: () => Promise<unknown>;
  readonly journal: { readonly stalled: boolean };
  /** When its levels last moved, by `monotonicMs`. */
  readonly exchange: { readonly tickedAtMs: number };
  readonly clock: Clock;
  readonly market: MarketView;
  readonly listings: Listings;
  readonly orderService: { counts(): { queued: number; inflight: number } };
  readonly pods: { counts(): readonly { healthy: boolean }[] };
  readonly drain: { readonly leaving: boolean };
  readonly disk: DiskState;
  readonly right: {
    readonly clockAheadMs: number | null;
    /** Whether the database is where it was when the gateway started. */
    check(): boolean;
  };
}

/** When levels have not been moved for this long, the market loop is stuck. */
const TICK_OVERDUE_MS = 10_000;
/** The client has its own timeout; a database that hangs must be reported before it. */
const ANSWER_MS = 2000;

/**
 * Checks the process on each call, within `ANSWER_MS`. Never rejects: a database that does not answer is a result. `ok`:
 * the database answers and the markets move, which they need not during a drain. A pod that is down is not a failure of
 * the gateway: its market is degraded and orders wait. Nor is a full disk, or a clock that differs. Spec 4.9.
 */
export function processHealth(options: HealthOptions): () => Promise<JsonOf<'getHealth'>> {
  const { clock, market, listings, orderService, pods, drain, disk, right } = options;
  return async () => {
    const db = right.check() && !options.journal.stalled && (await answers(options.askDatabase, clock));
    const market_loop = clock.monotonicMs() - options.exchange.tickedAtMs < TICK_OVERDUE_MS;
    const snapshot = market.current(listings.default.id);
    const counts = pods.counts();
    const healthy_pods = counts.filter((pod) => pod.healthy).length;
    return {
      ok: db && (market_loop || drain.leaving),
      db,
      market_loop,
      role: drain.leaving ? 'draining' : 'leader',
      level: snapshot ? priceToUsd(snapshot.level) : null,
      ...orderService.counts(),
      backend_healthy: healthy_pods > 0,
      pods: counts.length,
      healthy_pods,
      disk_low: disk.low,
      clock_ahead_ms: right.clockAheadMs,
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

interface SystemOptions {
  readonly health: ReturnType<typeof processHealth>;
  /** The version of the gateway, as in package.json. */
  readonly version: string;
  /** The text of generated/openapi.json. */
  readonly document: string;
}

/** getHealth, getHello, headHello, redirectLimits and getOpenapi. Spec 4.9, 9. */
export function systemHandlers(options: SystemOptions) {
  const { health, version, document } = options;
  const bytes = Buffer.from(document);
  const raw = bytes as Uint8Array as Rendered<JsonOf<'getOpenapi'>>;
  const etag = tagOf(bytes);
  return handlersOf({
    getHealth: async () => {
      const state = await health();
      const reply = { headers: { 'cache-control': 'no-store' }, json: state };
      return state.ok ? { status: 200, ...reply } : { status: 503, ...reply };
    },
    getHello: () => ({ status: 200, json: { service: 'sluice', version } }),
    headHello: () => ({ status: 200 }),
    redirectLimits: () => ({ status: 308, headers: { location: '/v1/rate-limits' } }),
    getOpenapi: ({ headers }) => conditionalReply(headers, { raw, etag, maxAgeS: 300 }),
  });
}

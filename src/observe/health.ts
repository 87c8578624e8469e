/**
 * The state of this process as GET /healthz tells it: the database answers, the markets move, and how many pods could
 * serve. A pod that is down is no failure of the gateway: its market is degraded and orders wait. Spec 4.9.
 */
import type { Clock } from '#base/clock.ts';
import { priceToUsd } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';

/** The state of this process, as GET /healthz tells it. */
export interface Health {
  /** Whether the database answers and the markets move (a standby's and a draining gateway's need not). */
  readonly ok: boolean;
  readonly db: boolean;
  readonly marketLoop: boolean;
  readonly role: 'leader' | 'standby' | 'draining';
  /** The default model's level, USD per 1M input tokens at the reference mix; null when it has no market. */
  readonly level: number | null;
  readonly queued: number;
  readonly inflight: number;
  /** Whether any pod is healthy; does not change `ok`. */
  readonly backendHealthy: boolean;
  readonly pods: number;
  readonly healthyPods: number;
}

/** Looks at the process now, within `ANSWER_MS`. Never rejects: a database that does not answer is a finding. */
export interface HealthView {
  current(): Promise<Health>;
}

/** What is looked at; each part is asked for its own word. */
export interface HealthParts {
  /** Resolves when the database answers a trivial question. */
  readonly askDatabase: () => Promise<unknown>;
  readonly journal: { readonly stalled: boolean };
  /** When the exchange last moved its levels. */
  readonly exchange: { readonly tickedAtMs: number };
  readonly clock: Clock;
  readonly market: MarketView;
  readonly listings: Listings;
  readonly desk: { counts(): { queued: number; inflight: number } };
  readonly pods: { counts(): readonly { healthy: boolean }[] };
  readonly traffic: { readonly draining: boolean };
}

/** A level that has not been looked at for this long means that the market's loop is stuck. */
const TICK_OVERDUE_MS = 10_000;
/** Whoever asks has a timeout of its own: a database that hangs must be told before that. */
const ANSWER_MS = 2000;

/** Looks at the process each time it is asked; never rejects. */
export function processHealth(parts: HealthParts): HealthView {
  return {
    async current() {
      const { clock, market, listings, desk, pods, traffic } = parts;
      const db = (await answers(parts.askDatabase, clock)) && !parts.journal.stalled;
      const marketLoop = clock.nowMs() - parts.exchange.tickedAtMs < TICK_OVERDUE_MS;
      const snapshot = market.current(listings.default.id);
      const counts = pods.counts();
      const healthyPods = counts.filter((pod) => pod.healthy).length;
      return {
        ok: db && (marketLoop || traffic.draining),
        db,
        marketLoop,
        role: traffic.draining ? 'draining' : 'leader',
        level: snapshot ? priceToUsd(snapshot.level) : null,
        ...desk.counts(),
        backendHealthy: healthyPods > 0,
        pods: counts.length,
        healthyPods,
      };
    },
  };
}

/** Whether it answers in time. Why it does not is in the log of whoever tried to use it. */
function answers(ask: () => Promise<unknown>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const late = clock.after(ANSWER_MS, () => resolve(false));
    const ended = (answered: boolean) => {
      late.cancel();
      resolve(answered);
    };
    ask().then(
      () => ended(true),
      () => ended(false),
    );
  });
}

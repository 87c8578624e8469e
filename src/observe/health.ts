/**
 * The state of this process as GET /healthz tells it: the database answers, the markets move, and how many pods could
 * serve. A pod that is down is no failure of the gateway: its market is degraded and orders wait. Spec 4.9.
 */
import { priceToUsd } from '#base/money.ts';
import type { Listings } from '#market/listing.ts';
import type { MarketView } from '#market/ports.ts';

/** The state of one process; the shape that GET /healthz renders. */
export interface ProcessHealth {
  readonly ok: boolean;
  readonly db: boolean;
  readonly marketLoop: boolean;
  readonly role: 'leader' | 'standby' | 'draining';
  readonly level: number | null;
  readonly queued: number;
  readonly inflight: number;
  readonly backendHealthy: boolean;
  readonly pods: number;
  readonly healthyPods: number;
}

/** What is looked at; each part is asked for its own word. */
export interface HealthParts {
  /** Resolves when the database answers a trivial question. */
  readonly askDatabase: () => Promise<unknown>;
  readonly journal: { readonly stalled: boolean };
  /** When the exchange last moved its levels, and the time now. */
  readonly exchange: { readonly tickedAtMs: number };
  readonly nowMs: () => number;
  readonly market: MarketView;
  readonly listings: Listings;
  readonly desk: { counts(): { queued: number; inflight: number } };
  readonly pods: { counts(): readonly { healthy: boolean }[] };
  readonly traffic: { readonly draining: boolean };
}

/** A level that has not been looked at for this long means that the market's loop is stuck. */
const TICK_OVERDUE_MS = 10_000;

/** Looks at the process each time it is asked; never rejects. */
export function processHealth(parts: HealthParts): { current(): Promise<ProcessHealth> } {
  return {
    async current() {
      const { market, listings, desk, pods, traffic } = parts;
      const db = (await answers(parts.askDatabase)) && !parts.journal.stalled;
      const marketLoop = parts.nowMs() - parts.exchange.tickedAtMs < TICK_OVERDUE_MS;
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

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    // The finding is that it does not answer; why is in the log of whoever tried to use it.
    return false;
  }
}

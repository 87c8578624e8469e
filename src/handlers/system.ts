/** What programs ask about the gateway itself: whether it is healthy, what it is, and its interface document. */
import type { HandlersFor } from '#contract/handlers.ts';
import type { JsonOf, Rendered } from '#contract/reply.ts';
import type { Health, HealthView } from '#observe/health.ts';

interface SystemOptions {
  readonly health: HealthView;
  /** The version of the gateway, as in package.json. */
  readonly version: string;
  /** The text of generated/openapi.json. */
  readonly document: string;
}

/** getHealth, getHello, headHello, redirectLimits and getOpenapi. Spec 4.9, 9. */
export function systemHandlers({
  health,
  version,
  document,
}: SystemOptions): HandlersFor<'getHealth' | 'getHello' | 'headHello' | 'redirectLimits' | 'getOpenapi'> {
  const raw = Buffer.from(document) as Uint8Array as Rendered<JsonOf<'getOpenapi'>>;
  return {
    getHealth: async () => {
      const state = await health.current();
      const reply = { headers: { 'cache-control': 'no-store' }, json: healthObject(state) };
      return state.ok ? { status: 200, ...reply } : { status: 503, ...reply };
    },
    getHello: () => ({ status: 200, json: { service: 'sluice', version } }),
    headHello: () => ({ status: 200 }),
    redirectLimits: () => ({ status: 308, headers: { location: '/v1/rate-limits' } }),
    getOpenapi: () => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
      raw,
    }),
  };
}

function healthObject(health: Health) {
  return {
    ok: health.ok,
    db: health.db,
    market_loop: health.marketLoop,
    role: health.role,
    level: health.level,
    queued: health.queued,
    inflight: health.inflight,
    backend_healthy: health.backendHealthy,
    pods: health.pods,
    healthy_pods: health.healthyPods,
    disk_low: health.diskLow,
    clock_ahead_ms: health.clockAheadMs,
  };
}

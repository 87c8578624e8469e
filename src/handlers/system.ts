/** What programs ask about the gateway itself: whether it is healthy, what it is, and its interface document. */
import type { HandlersFor } from '#contract/handlers.ts';
import type { JsonOf, Rendered } from '#contract/reply.ts';
import type { Health } from '#observe/health.ts';
import { conditionalReply, tagOf } from './conditional.ts';

interface SystemOptions {
  readonly health: () => Promise<Health>;
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
  const bytes = Buffer.from(document);
  const raw = bytes as Uint8Array as Rendered<JsonOf<'getOpenapi'>>;
  const etag = tagOf(bytes);
  return {
    getHealth: async () => {
      const state = await health();
      const reply = { headers: { 'cache-control': 'no-store' }, json: healthObject(state) };
      return state.ok ? { status: 200, ...reply } : { status: 503, ...reply };
    },
    getHello: () => ({ status: 200, json: { service: 'sluice', version } }),
    headHello: () => ({ status: 200 }),
    redirectLimits: () => ({ status: 308, headers: { location: '/v1/rate-limits' } }),
    getOpenapi: ({ headers }) => conditionalReply(headers, { raw, etag, maxAgeS: 300 }),
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

/** What machines ask before they talk to the gateway: is it alive, is it the right thing, what does it speak. */
import type { OpenHandler } from './call.ts';

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

/** Looks at the process now. Never throws: a database that does not answer is a finding. */
export interface HealthView {
  current(): Promise<Health>;
}

/** What the handlers of this file need. */
export interface SystemDependencies {
  readonly health: HealthView;
  /** The gateway's own, as in package.json. */
  readonly version: string;
  /** The text of generated/openapi.json. */
  readonly document: string;
}

/** getHealth, getHello, headHello, redirectLimits and getOpenapi. Spec 4.9, 9. */
export function systemHandlers({ health, version, document }: SystemDependencies): {
  readonly getHealth: OpenHandler;
  readonly getHello: OpenHandler;
  readonly headHello: OpenHandler;
  readonly redirectLimits: OpenHandler;
  readonly getOpenapi: OpenHandler;
} {
  const documentBytes = Buffer.from(document);
  return {
    getHealth: async () => {
      const state = await health.current();
      return { status: state.ok ? 200 : 503, headers: { 'cache-control': 'no-store' }, json: healthObject(state) };
    },
    getHello: () => ({ status: 200, json: { service: 'sluice', version } }),
    headHello: () => ({ status: 200 }),
    redirectLimits: () => ({ status: 308, headers: { location: '/v1/rate-limits' } }),
    getOpenapi: () => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
      raw: documentBytes,
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
  };
}

/** The pods, as the operator sees them. */
import type { components } from '#generated/console-api/types.ts';
import type { PodState } from '#pods/pod-state.ts';
import type { MemberHandler } from '../call.ts';

/** What the handler needs. */
export interface PodsOptions {
  readonly pods: { states(): readonly PodState[] };
}

type Schemas = components['schemas'];

/** listPods. There are as many as the configuration has; nothing is read from the database. */
export function podsHandlers({ pods }: PodsOptions): { readonly listPods: MemberHandler } {
  return {
    listPods: () => ({
      status: 200,
      json: { object: 'list', data: pods.states().map(podObject) } satisfies Schemas['PodList'],
    }),
  };
}

function podObject({ model, pod, url, healthy, reason, sinceMs, slots, ...work }: PodState): Schemas['Pod'] {
  return {
    object: 'pod',
    model,
    pod,
    address: url,
    healthy,
    reason,
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    slots,
    first_token_ms: work.firstTokenMs,
    tokens_per_second: work.tokensPerSecond,
    attempts: {
      answered: work.answers,
      failed: work.failures,
      full: work.full,
      refused: work.refused,
      aborted: work.aborted,
    },
    last_failure: work.lastFailure,
  };
}

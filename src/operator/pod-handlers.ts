/** The pods, as the operator sees them. */
import type { ChangeLog } from '#accounts/change-log.ts';
import { Fault } from '#base/fault.ts';
import { isoOrNull } from '#base/time.ts';
import { handlersOf, type MemberCall } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import { type PodControl, type PodState, type PodView, podStanding } from '#pods/pod-state.ts';

/** What the handlers need. */
export interface PodsOptions {
  readonly pods: { states(): readonly PodState[] };
  readonly podControl: PodControl;
  readonly changes: Pick<ChangeLog, 'note'>;
}

type Schemas = components['schemas'];

/**
 * The operations of the tag `pods`. There are as many pods as the configuration has; none is read from the database.
 */
export function podsHandlers(options: PodsOptions) {
  return handlersOf({
    listPods: () => ({ status: 200, json: { object: 'list', data: options.pods.states().map(podObject) } }),
    drainPod: (call) => changed(call, options, { what: 'pod.drain', change: { draining: true } }),
    resumePod: (call) => changed(call, options, { what: 'pod.resume', change: { draining: false } }),
    setPodSlots(call) {
      const { slots } = call.call.body;
      return changed(call, options, { what: 'pod.slots', change: { slots } });
    },
  });
}

/** Noted before it is done, because it cannot be undone with the note. Done again, it reaches whom it did not reach. */
async function changed(
  { call, signedIn }: MemberCall<'drainPod' | 'resumePod' | 'setPodSlots'>,
  { podControl, changes }: PodsOptions,
  { what, change }: { readonly what: string; readonly change: Partial<PodView['setting']> },
) {
  const id = call.params.id;
  const pod = podControl.find(id);
  if (!pod)
    throw new Fault('not_found', {
      message: `There is no pod ${JSON.stringify(id)}; GET /console/api/pods has the ids.`,
    });
  const before = pod.setting;
  const after = { ...before, ...change };
  if (before.draining !== after.draining || before.slots !== after.slots)
    await changes.note(signedIn.member, { what, subject: id, before, after });
  await podControl.set(pod.state, after);
  return { status: 200 as const, json: podObject(pod.state) };
}

function podObject(state: PodState): Schemas['Pod'] {
  const { model, pod, url, healthy, draining, drainingSinceMs, reason, sinceMs, slots, ...work } = state;
  return {
    object: 'pod',
    model,
    pod,
    address: url,
    state: podStanding(state),
    healthy,
    draining,
    draining_since: isoOrNull(drainingSinceMs),
    reason,
    since: isoOrNull(sinceMs),
    slots: { ...slots, auto: slots.auto && { ...slots.auto } },
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

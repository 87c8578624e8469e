/** The pods, as the operator sees them. */
import type { ChangeLog } from '#accounts/change-log.ts';
import type { Clock } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { isoOrNull } from '#base/time.ts';
import { handlersOf, type MemberCall } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { Listings } from '#market/listing.ts';
import { checkPod } from '#pods/check-pod.ts';
import { type PodConfig, podDefaults } from '#pods/pod.ts';
import { readPodAddress } from '#pods/pod-address.ts';
import { type PodControl, type PodState, type PodView, podStanding } from '#pods/pod-state.ts';
import { type AddedPod, type AddedPods, clashOf, withModel } from './added-pods.ts';

/** What the handlers need. */
export interface PodsOptions {
  readonly pods: { states(): readonly PodState[] };
  readonly podControl: PodControl;
  readonly changes: Pick<ChangeLog, 'note'>;
  /** Those in force now. */
  readonly config: { readonly listings: Listings; readonly pods: readonly PodConfig[] };
  readonly added: Pick<AddedPods, 'add' | 'remove'>;
  /** Puts in force what is stored. */
  readonly renew: () => Promise<void>;
  readonly clock: Clock;
}

type Schemas = components['schemas'];

/** How many pods are tried at once: what one sends takes up to sixteen megabytes and a minute. */
const TRIES_MAX = 4;
const TRY_RETRY_S = 30;

/** The operations of the tag `pods`. */
export function podsHandlers(options: PodsOptions) {
  let tries = 0;
  return handlersOf({
    listPods: () => ({ status: 200, json: { object: 'list', data: options.pods.states().map(podObject) } }),
    drainPod: (call) => changed(call, options, { what: 'pod.drain', change: { draining: true } }),
    resumePod: (call) => changed(call, options, { what: 'pod.resume', change: { draining: false } }),
    setPodSlots(call) {
      const { slots } = call.call.body;
      return changed(call, options, { what: 'pod.slots', change: { slots } });
    },
    async addPod(call) {
      if (tries >= TRIES_MAX)
        throw new Fault('rate_limit_error', {
          message: `${TRIES_MAX} pods are being tried; try again in half a minute.`,
          retryAfterS: TRY_RETRY_S,
        });
      tries++;
      try {
        return await added(call, options);
      } finally {
        tries--;
      }
    },
    removePod: (call) => removed(call, options),
  });
}

/** The pod is tried before it is stored, and stored before it is used. */
async function added({ call, signedIn }: MemberCall<'addPod'>, options: PodsOptions) {
  const { podControl, config, clock } = options;
  const listing = config.listings.find(call.body.model);
  if (!listing)
    throw new Fault('not_found', {
      message: `There is no model ${JSON.stringify(call.body.model)}; GET /v1/models has them.`,
    });
  const pod = addedPodOf(call.body, listing.id);
  const clash = clashOf(
    pod,
    config.pods.filter((other) => !other.added),
  );
  if (clash) throw clash;
  const { fault, usage, cachedTokens } = await checkPod(withModel(pod, listing), clock);
  if (fault !== null) throw invalidRequest(null, fault);
  const isNew = await options.added.add(pod, signedIn.member);
  await options.renew();
  const running = podControl.find(pod.id);
  if (!running)
    throw new Fault('unavailable', {
      message: `The pod ${pod.id} is stored and not used: the configuration has changed meanwhile. Look at the log.`,
    });
  // What was set of an earlier pod of this name is not for this one, also at gateways that start later.
  if (isNew) await podControl.set(running.state, { draining: false, slots: null });
  const json = {
    object: 'added_pod',
    pod: podObject(running.state),
    reports_usage: usage,
    reports_cached_tokens: cachedTokens,
  };
  return { status: 201 as const, json };
}

function addedPodOf(body: Schemas['NewPod'], model: string): AddedPod {
  const read = readPodAddress(body.address);
  if ('fault' in read) throw invalidRequest('address', `address ${read.fault}; ${read.fix}.`);
  const slotsMin = body.slots_min ?? null;
  if (slotsMin !== null && slotsMin > body.slots)
    throw invalidRequest('slots_min', `slots_min is above slots; make it at most ${body.slots}.`);
  return {
    ...podDefaults,
    id: body.pod,
    model,
    added: true,
    url: read.address,
    upstreamModel: body.served_model ?? model,
    slots: body.slots,
    slotsMin,
    apiKey: body.api_key ?? null,
    systemPolicy: body.system_policy ?? podDefaults.systemPolicy,
    capField: body.cap_field ?? podDefaults.capField,
    engine: body.engine ?? podDefaults.engine,
    firstTokenTimeoutMs: body.first_token_timeout_ms ?? podDefaults.firstTokenTimeoutMs,
    idleTimeoutMs: body.idle_timeout_ms ?? podDefaults.idleTimeoutMs,
    totalTimeoutMs: body.total_timeout_ms ?? podDefaults.totalTimeoutMs,
    continuousUsage: body.continuous_usage ?? podDefaults.continuousUsage,
    tokenPerChunk: body.token_per_chunk ?? podDefaults.tokenPerChunk,
  };
}

async function removed({ call, signedIn }: MemberCall<'removePod'>, { config, added, renew }: PodsOptions) {
  const { id } = call.params;
  if (await added.remove(id, signedIn.member)) {
    await renew();
    return { status: 204 as const };
  }
  if (!config.pods.some((pod) => pod.id === id)) throw unknownPod(id);
  throw invalidRequest('id', `The configuration file has the pod ${id}; remove it there and reload.`);
}

function unknownPod(id: string): Fault {
  return new Fault('not_found', {
    message: `There is no pod ${JSON.stringify(id)}; GET /console/api/pods has the ids.`,
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
  if (!pod) throw unknownPod(id);
  const before = pod.setting;
  const after = { ...before, ...change };
  if (before.draining !== after.draining || before.slots !== after.slots)
    await changes.note(signedIn.member, { what, subject: id, before, after });
  await podControl.set(pod.state, after);
  return { status: 200 as const, json: podObject(pod.state) };
}

function podObject(state: PodState): Schemas['Pod'] {
  const { model, pod, url, added, healthy, draining, drainingSinceMs, reason, sinceMs, slots, ...work } = state;
  return {
    object: 'pod',
    model,
    pod,
    address: url,
    added,
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

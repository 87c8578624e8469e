/**
 * Whether a pod can be sold: it can be reached, serves its model, answers a request and reports what it is charged by. It
 * uses what the gateway uses, and the pod twice, at two tokens.
 */
import type { Clock } from '#base/clock.ts';
import type { AttemptOutcome, AttemptRequest } from '#orders/ports.ts';
import { Backend } from './backend.ts';
import type { Ping, PodConfig } from './pod.ts';

/** A pod that takes longer for an answer of two tokens is too slow to be sold. */
const ANSWER_MS = 30_000;
/** Long enough that an engine with a cache of prompts keeps it: they keep blocks of up to some hundred tokens. */
const PROMPT = `Say hi. ${'The lock fills, the gate opens, the boat leaves. '.repeat(80)}`;
/** How many names of a list are shown. */
const NAMES_MAX = 8;

/** What came of the requests. */
export interface PodCheck {
  /** What was tried, and what to change, as a sentence; null if the pod can be sold. */
  readonly fault: string | null;
  /** Whether its answer came with token counts. */
  readonly usage: boolean;
  /** Whether the same prompt had cached tokens the second time. */
  readonly cachedTokens: boolean;
}

/** Tries a pod that is not simulated, for about a minute at most. Never rejects. */
export async function checkPod(config: PodConfig, clock: Clock): Promise<PodCheck> {
  const ignored = () => {};
  const pod = new Backend(config, {
    clock,
    onImplausibleUsage: ignored,
    onComplaint: ignored,
    onConnectionRefused: ignored,
  });
  const failed = (fault: string): PodCheck => ({ fault, usage: false, cachedTokens: false });
  try {
    const ping = await pod.ping();
    if (ping === 'refused' || ping === 'denied') return failed(faultOf(ping, config));
    const first = await ask(pod, clock);
    if (typeof first === 'string') return failed(first + hintOf(ping, pod));
    const second = await ask(pod, clock);
    const cachedTokens = typeof second !== 'string' && (second.usage?.cachedTokens ?? 0) > 0;
    return { fault: null, usage: first.usage !== null, cachedTokens };
  } finally {
    await pod.close();
  }
}

/** The names of the settings, in the file or in the request that adds the pod. */
function settingsOf({ added }: PodConfig) {
  return added
    ? { url: 'address', model: 'served_model', key: 'api_key' }
    : { url: 'url', model: 'model', key: 'api_key_env or api_key_file' };
}

function faultOf(ping: 'refused' | 'denied', config: PodConfig): string {
  const { url, apiKey } = config;
  const names = settingsOf(config);
  if (ping === 'refused') return `nothing listens at ${url}; start the model server, or correct ${names.url}.`;
  const key = apiKey === null ? `it needs one: set ${names.key}` : 'correct its key';
  return `${url}/models refuses the key; ${key}.`;
}

/** What the list of models says of a request that failed. */
function hintOf(ping: Ping, { names, config }: Backend): string {
  const settings = settingsOf(config);
  if (ping === 'failing')
    return ` ${config.url}/models fails too, or takes over five seconds; correct ${settings.url}.`;
  if (ping !== 'unlisted') return '';
  const shown = names.slice(0, NAMES_MAX).join(', ');
  const more = names.length > NAMES_MAX ? ', …' : '';
  return ` It lists ${shown}${more}, and not ${config.upstreamModel}; correct ${settings.model}.`;
}

/** One answer of two tokens; or why there was none, as a sentence. */
async function ask(pod: Backend, clock: Clock): Promise<Extract<AttemptOutcome, { kind: 'complete' }> | string> {
  const { id, model, upstreamModel, url } = pod.config;
  const generation = { body: { messages: [{ role: 'user', content: PROMPT }] }, promptBound: 0, promptEstimate: 0 };
  const request: AttemptRequest = {
    orderId: 'check',
    attempt: 1,
    model,
    pod: id,
    generation,
    outputCap: 2,
    trace: null,
  };
  const tried = `a request for ${upstreamModel} at ${url}/chat/completions`;
  const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
  const attempt = pod.execute(request, { events: () => {}, ended: resolve });
  const timer = clock.after(ANSWER_MS, () => attempt.abort());
  const outcome = await promise;
  timer.cancel();
  if (outcome.kind === 'complete') return outcome;
  if (outcome.kind === 'aborted') return `${tried} had no answer in ${ANSWER_MS / 1000} s; look at the model server.`;
  if (outcome.kind === 'no-slot') return `${tried} was refused: no room; try again when the server is idle.`;
  return `${tried} failed: ${outcome.kind === 'refused' ? outcome.message : outcome.reason}.`;
}

/**
 * `sluice config check --connect`: whether each pod of a configuration can be reached, serves its model, answers a request
 * and reports what it is charged by. It uses what the gateway uses, and each pod twice, at two tokens.
 */
import type { Clock } from '#base/clock.ts';
import type { Config } from '#config/config.ts';
import type { AttemptOutcome, AttemptRequest } from '#orders/ports.ts';
import { Backend } from '#pods/backend.ts';
import type { Ping, PodConfig } from '#pods/pod.ts';
import { good, table, wrong } from './output.ts';

/** A pod that takes longer for an answer of two tokens is too slow to be sold. */
const ANSWER_MS = 30_000;
/** Long enough that an engine with a cache of prompts keeps it: they keep blocks of up to some hundred tokens. */
const PROMPT = `Say hi. ${'The lock fills, the gate opens, the boat leaves. '.repeat(80)}`;
/** How many names of a list are shown. */
const NAMES_MAX = 8;

/** What came of one pod. */
interface CheckedPod {
  readonly pod: string;
  readonly model: string;
  readonly url: string;
  /** What is wrong, and what to change; null if it can be sold. */
  readonly fault: string | null;
  /** Whether its answer came with token counts. */
  readonly usage: boolean;
  /** Whether the same prompt had cached tokens the second time. */
  readonly cached_tokens: boolean;
}

/** Tries every pod that is not simulated, all at once. Never rejects. */
export async function connectPods({ pods }: Pick<Config, 'pods'>, clock: Clock) {
  const checked = await Promise.all(pods.flatMap((pod) => (pod.url === null ? [] : [checkPod(pod, pod.url, clock)])));
  const rows = checked.map(({ pod, model, fault, usage, cached_tokens }) => [
    pod,
    model,
    fault === null ? 'answers' : 'FAILS',
    usage ? 'reported' : fault === null ? 'estimated' : '',
    cached_tokens ? 'reported' : fault === null ? 'none' : '',
  ]);
  const faults = checked.flatMap(({ pod, fault }) => (fault === null ? [] : [`${wrong(pod)}: ${fault}`]));
  const notes = checked
    .filter(({ fault, usage }) => fault === null && !usage)
    .map(({ pod }) => `${pod} reports no tokens: prompts are estimated and charged as uncached; turn its report on.`);
  const ok = faults.length === 0;
  const lines = [
    ...(rows.length === 0 ? ['Every pod is simulated.'] : [table(['POD', 'MODEL', '', 'TOKENS', 'CACHED'], rows)]),
    ...faults,
    ...notes,
    ...(ok && rows.length > 0 ? [good('Every pod answers.')] : []),
  ];
  return { ok, pods: checked, text: lines.join('\n') };
}

async function checkPod(config: PodConfig, url: string, clock: Clock): Promise<CheckedPod> {
  const ignored = () => {};
  const pod = new Backend(config, {
    clock,
    onImplausibleUsage: ignored,
    onComplaint: ignored,
    onConnectionRefused: ignored,
  });
  const about = { pod: config.id, model: config.model, url };
  const none = { ...about, usage: false, cached_tokens: false };
  try {
    const ping = await pod.ping();
    if (ping === 'refused' || ping === 'denied') return { ...none, fault: faultOf(ping, config) };
    const first = await ask(pod, clock);
    if (typeof first === 'string') return { ...none, fault: first + hintOf(ping, pod) };
    const second = await ask(pod, clock);
    const cached = typeof second !== 'string' && (second.usage?.cachedTokens ?? 0) > 0;
    return { ...about, fault: null, usage: first.usage !== null, cached_tokens: cached };
  } finally {
    await pod.close();
  }
}

function faultOf(ping: 'refused' | 'denied', { url, apiKey }: PodConfig): string {
  if (ping === 'refused') return `nothing listens at ${url}; start the model server, or correct url.`;
  const key = apiKey === null ? 'it needs one: set api_key_env or api_key_file' : 'correct its key';
  return `${url}/models refuses the key; ${key}.`;
}

/** What the list of models says of a request that failed. */
function hintOf(ping: Ping, { names, config }: Backend): string {
  if (ping === 'failing') return ` ${config.url}/models fails too, or takes over five seconds; correct url.`;
  if (ping !== 'unlisted') return '';
  const shown = names.slice(0, NAMES_MAX).join(', ');
  return ` It lists ${shown}${names.length > NAMES_MAX ? ', …' : ''}, and not ${config.upstreamModel}; correct model.`;
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

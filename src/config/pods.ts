/**
 * The `pods:` of a model: backends with the OpenAI chat protocol, and simulated pods. A backend's key is never in the
 * file; the file names the environment variable that holds it, or whose `_FILE` names a file that does.
 */
import type { BackendPod, Pod, SimulatedPod } from '#generated/schemas/configuration-types.ts';
import type { Listing } from '#market/listing.ts';
import { type PodConfig, podDefaults } from '#pods/pod.ts';
import type { Environment } from './environment.ts';
import { secretOf } from './secrets.ts';
import type { YamlFile } from './yaml-file.ts';

/** Where pods are written, and what they need from outside the file. */
export interface PodSource {
  readonly file: YamlFile;
  readonly environment: Environment;
}

/** The pods of one model. `taken` has the ids of earlier pods and gets these: ids are unique in the file. Throws ConfigError. */
export function readPods(
  pods: readonly Pod[],
  listing: Listing,
  { taken, ...source }: PodSource & { readonly taken: Set<string> },
): PodConfig[] {
  return pods.map((pod) => {
    if (taken.has(pod.id)) source.file.refuse(pod, 'id', `repeats the name ${pod.id}`, 'give each pod its own name');
    taken.add(pod.id);
    const { id: model, contextLength, answerBytesMax } = listing;
    const kind = pod.simulated ? simulated(pod, model) : readBackend(pod, model, source);
    return { id: pod.id, model, contextLength, answerBytesMax, ...readSlots(pod, source.file), ...kind };
  });
}

/** A number, or `auto` with its bounds. */
function readSlots({ slots }: Pod, file: YamlFile): Pick<PodConfig, 'slots' | 'slotsMin'> {
  if (typeof slots === 'number') return { slots, slotsMin: null };
  const { min, max } = slots.auto;
  if (min > max) file.refuse(slots.auto, 'min', 'is above max', `make it at most ${max}`);
  return { slots: max, slotsMin: min };
}

type Kind = Omit<PodConfig, 'id' | 'model' | 'slots' | 'slotsMin' | 'contextLength' | 'answerBytesMax'>;

function simulated({ seed }: SimulatedPod, upstreamModel: string): Kind {
  return { ...podDefaults, url: null, upstreamModel, seed };
}

function readBackend(pod: BackendPod, model: string, { file, environment }: PodSource): Kind {
  return {
    url: readUrl(pod, file),
    upstreamModel: pod.model ?? model,
    seed: podDefaults.seed,
    apiKey: readApiKey(pod, file, environment),
    systemPolicy: pod.system_policy,
    firstTokenTimeoutMs: pod.first_token_timeout_ms,
    idleTimeoutMs: pod.idle_timeout_ms,
    totalTimeoutMs: pod.total_timeout_ms,
    continuousUsage: pod.continuous_usage,
    tokenPerChunk: pod.token_per_chunk,
  };
}

/** The URL without trailing slashes. */
function readUrl(pod: BackendPod, file: YamlFile): string {
  const url = URL.parse(pod.url);
  const fix = 'make it an address such as http://10.0.0.5:8000/v1';
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    file.refuse(pod, 'url', 'is not an http or https address', fix);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    file.refuse(pod, 'url', 'contains a user, a password, a query or a fragment', fix);
  const address = url.href.replace(/\/+$/, '');
  const base = address.replace(/\/chat\/completions$/, '');
  if (base !== address)
    file.refuse(pod, 'url', 'ends in /chat/completions, which is appended to it', `make it ${base}`);
  return address;
}

function readApiKey(pod: BackendPod, file: YamlFile, environment: Environment): string | null {
  const { api_key_env: name } = pod;
  if (name === undefined) return null;
  const key = secretOf(environment, name);
  if (!key)
    file.refuse(
      pod,
      'api_key_env',
      `names ${name}, which is not set`,
      `set ${name} in the environment, or ${name}_FILE`,
    );
  return key;
}

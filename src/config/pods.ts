/**
 * The `pods:` of a model: backends with the OpenAI chat protocol, and simulated pods. A backend's key is never in the
 * file; the file names the environment variable that holds it, or whose `_FILE` names a file that does.
 */
import { DAY_MS } from '#base/time.ts';
import type { Listing } from '#market/listing.ts';
import { type PodConfig, podDefaults } from '#pods/pod.ts';
import { systemPolicies } from '#pods/system-policy.ts';
import type { Environment } from './environment.ts';
import { secretOf } from './secrets.ts';
import type { Section } from './section.ts';

const NAME = { pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, expected: 'a name of letters, digits, dots and dashes' };
const SLOTS_MAX = 100_000;

/** The pods of one model. `others` are the pods of earlier models: ids are unique in the file. Throws ConfigError. */
export function readPods(
  model: Section,
  listing: Listing,
  { environment, others }: { environment: Environment; others: readonly PodConfig[] },
): PodConfig[] {
  const taken = new Set(others.map((pod) => pod.id));
  return model.sections('pods').map((entry) => {
    const pod = readPod(entry, listing, environment);
    if (taken.has(pod.id)) entry.refuse('id', `repeats the name ${pod.id}`, 'give each pod its own name');
    taken.add(pod.id);
    entry.finish();
    return pod;
  });
}

function readPod(entry: Section, listing: Listing, environment: Environment): PodConfig {
  const common = {
    id: entry.text('id', { ...NAME, example: 'gpu-1' }),
    model: listing.id,
    ...readSlots(entry),
    contextLength: listing.contextLength,
    answerBytesMax: listing.answerBytesMax,
  };
  const simulated = entry.flag('simulated', false);
  if (simulated && common.slotsMin !== null)
    entry.refuse('slots', 'follows an engine, and a simulated pod has none', 'make it a number such as 8');
  if (simulated && entry.has('url')) entry.refuse('url', 'cannot be combined with simulated: true', 'keep only one');
  return { ...common, ...(simulated ? readSimulated(entry, listing) : readBackend(entry, listing, environment)) };
}

/** A number, or `auto` with its bounds. */
function readSlots(entry: Section): Pick<PodConfig, 'slots' | 'slotsMin'> {
  const whole = { min: 1, max: SLOTS_MAX };
  const example = '{auto: {min: 4, max: 64}}';
  if (!entry.isSection('slots'))
    return { slots: entry.wholeNumber('slots', { ...whole, example: '8', or: example }), slotsMin: null };
  const slots = entry.section('slots', { required: true });
  const bounds = slots.section('auto', { required: true, example: '{min: 4, max: 64}' });
  const slotsMin = bounds.wholeNumber('min', { ...whole, example: '4' });
  const max = bounds.wholeNumber('max', { ...whole, example: '64' });
  if (slotsMin > max) bounds.refuse('min', 'is above max', `make it at most ${max}`);
  bounds.finish();
  slots.finish();
  return { slots: max, slotsMin };
}

type Kind = Omit<PodConfig, 'id' | 'model' | 'slots' | 'slotsMin' | 'contextLength' | 'answerBytesMax'>;

function readSimulated(entry: Section, listing: Listing): Kind {
  const seed = entry.wholeNumber('seed', { min: 0, max: 2 ** 32 - 1, default: podDefaults.seed });
  return { ...podDefaults, url: null, upstreamModel: listing.id, seed };
}

function readBackend(entry: Section, listing: Listing, environment: Environment): Kind {
  const timeout = (key: string, absentMs: number) => entry.wholeNumber(key, { min: 1, max: DAY_MS, default: absentMs });
  return {
    url: readUrl(entry),
    upstreamModel: entry.text('model', { default: listing.id }),
    seed: podDefaults.seed,
    apiKey: readApiKey(entry, environment),
    systemPolicy: entry.choice('system_policy', systemPolicies, { default: podDefaults.systemPolicy }),
    firstTokenTimeoutMs: timeout('first_token_timeout_ms', podDefaults.firstTokenTimeoutMs),
    idleTimeoutMs: timeout('idle_timeout_ms', podDefaults.idleTimeoutMs),
    totalTimeoutMs: timeout('total_timeout_ms', podDefaults.totalTimeoutMs),
    continuousUsage: entry.flag('continuous_usage', podDefaults.continuousUsage),
    tokenPerChunk: entry.flag('token_per_chunk', podDefaults.tokenPerChunk),
  };
}

/** The URL without trailing slashes. */
function readUrl(entry: Section): string {
  const expected = 'an address such as http://10.0.0.5:8000/v1';
  const text = entry.text('url', { expected, example: 'http://10.0.0.5:8000/v1' });
  const url = URL.parse(text);
  const fix = `make it ${expected}`;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    entry.refuse('url', 'is not an http or https address', fix);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    entry.refuse('url', 'contains a user, a password, a query or a fragment', fix);
  const address = url.href.replace(/\/+$/, '');
  const base = address.replace(/\/chat\/completions$/, '');
  if (base !== address) entry.refuse('url', 'ends in /chat/completions, which is appended to it', `make it ${base}`);
  return address;
}

function readApiKey(entry: Section, environment: Environment): string | null {
  const name = entry.text('api_key_env', {
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    expected: 'the name of an environment variable, such as GPU_1_KEY',
    default: null,
  });
  if (name === null) return null;
  const key = secretOf(environment, name);
  if (!key)
    entry.refuse('api_key_env', `names ${name}, which is not set`, `set ${name} in the environment, or ${name}_FILE`);
  return key;
}

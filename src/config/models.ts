/**
 * The `models:` section of the file: each entry becomes a listing and its pods. The schema has checked single values; here
 * are the conditions between values (floor below ceiling, unique names). A backend's key is never in the file: the file
 * names the variable that holds it.
 */
import { readFileSync } from 'node:fs';
import { dayStartOf } from '#base/moment.ts';
import { parseUsd } from '#base/money.ts';
import schema from '#generated/schemas/configuration.json' with { type: 'json' };
import type {
  BackendPod,
  Catalog,
  MarketModel,
  Model,
  Parameter,
  Pod,
  Prices,
  SimulatedPod,
} from '#generated/schemas/configuration-types.ts';
import { tariffOf } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import { type PodConfig, podDefaults } from '#pods/pod.ts';
import { readPodAddress } from '#pods/pod-address.ts';
import { type Environment, secretOf } from './environment.ts';
import type { YamlFile } from './yaml-file.ts';

/** The facts of a model without a `catalog:` block. */
const NO_FACTS: Catalog = { datacenters: [], compliance: { zdr: false } };

/** Converts all entries of `models:`, in the order of the file; the catalogs are by model id. The environment has the keys that `api_key_env` names. Throws ConfigError. */
export function readModels(models: readonly Model[], source: PodSource) {
  const [names, podNames] = [new Set<string>(), new Set<string>()];
  const pods: PodConfig[] = [];
  const catalogs = new Map<string, Catalog>();
  const listings = models.map((model) => {
    const catalog = model.catalog ?? NO_FACTS;
    checkCatalog(catalog, source.file);
    const { deprecation_date: date } = catalog;
    const sunset = date === undefined ? {} : { sunsetAtS: Date.parse(`${date}T00:00:00Z`) / 1000 };
    const listing = { ...readListing(model, source.file), ...sunset };
    claimNames(model, names, source.file);
    pods.push(...readPods(model.pods, listing, { ...source, taken: podNames }));
    catalogs.set(listing.id, catalog);
    return listing;
  });
  return { listings, pods, catalogs };
}

/** The id and the aliases of a model; `taken` has those of earlier models. */
function claimNames(model: Model, taken: Set<string>, file: YamlFile): void {
  const claim = (key: 'id' | 'aliases', name: string) => {
    if (taken.has(name)) file.refuse(model, key, `repeats the name ${name}`, 'give each model its own names');
    taken.add(name);
  };
  claim('id', model.id);
  for (const alias of model.aliases) claim('aliases', alias);
}

function readListing(model: Model, file: YamlFile): Listing {
  const { id, context_length: contextLength, max_output_length: outputLengthMax } = model;
  if (outputLengthMax > contextLength)
    file.refuse(model, 'max_output_length', 'is above context_length', `make it at most ${contextLength}`);
  return {
    id,
    type: model.type,
    displayName: model.display_name ?? id,
    ownedBy: model.owned_by,
    createdAtS: readCreated(model, file),
    aliases: model.aliases,
    contextLength,
    outputLengthMax,
    answerBytesMax: model.max_answer_bytes,
    ...(model.type === 'market'
      ? readMarketPrice(model, file)
      : { ...FIXED, tariff: tariffOf('fixed', pricesOf(model.usd_per_million, file)) }),
    deprecated: model.deprecated,
    accountShareMax:
      model.max_account_share === undefined
        ? null
        : Number(file.decimal(model, 'max_account_share', schema.definitions.AccountShare)),
    reasoningEfforts: model.reasoning_efforts,
    acceptsImages: model.accepts_images,
    customTools: model.custom_tools,
    mediaTokens: {
      image: model.image_tokens,
      audio: model.audio_tokens,
      video: model.video_tokens,
      file: model.file_tokens,
    },
    estimatedCachedShare: model.estimated_cached_share,
  };
}

type Pricing = Pick<Listing, 'tariff' | 'floor' | 'ceiling' | 'reserve' | 'preview'>;

function readMarketPrice(model: MarketModel, file: YamlFile): Pricing {
  // Whole nano-dollars, at most 10^15, so exact in a number.
  const price = (key: 'floor' | 'ceiling' | 'reserve') =>
    Number(parseUsd(file.decimal(model, key, schema.definitions.Price)));
  const [floor, ceiling, reserve] = [price('floor'), price('ceiling'), price('reserve')];
  if (ceiling === 0) file.refuse(model, 'ceiling', 'is 0', 'make it the highest level to publish, above 0');
  if (floor > ceiling) file.refuse(model, 'floor', 'is above ceiling', 'make it at most the ceiling');
  if (reserve > ceiling) file.refuse(model, 'reserve', 'is above ceiling', 'make it at most the ceiling');
  const weights = pricesOf(model.pricing_ratio, file);
  if (Object.values(weights).every((weight) => Number(weight) === 0))
    file.refuse(
      model,
      'pricing_ratio',
      'has no weight above 0',
      'give a weight to each kind of token that costs something',
    );
  return { tariff: tariffOf('market', weights), floor, ceiling, reserve, preview: model.preview };
}

const FIXED = { floor: 0, ceiling: 0, reserve: 0, preview: false };

function pricesOf(prices: Prices, file: YamlFile) {
  const price = (key: keyof Prices) => file.decimal(prices, key, schema.definitions.Price);
  return { cached: price('cached'), uncached: price('uncached'), output: price('output') };
}

function readCreated(model: Model, file: YamlFile): number {
  const atMs = dayStartOf(model.created);
  if (atMs === null) file.refuse(model, 'created', 'is not a valid date', 'make it a date such as 2026-01-31');
  return atMs / 1000;
}

function checkCatalog(catalog: Catalog, file: YamlFile): void {
  const { deprecation_date: date, supported_parameters: parameters } = catalog;
  if (date !== undefined && dayStartOf(date) === null)
    file.refuse(catalog, 'deprecation_date', 'is not a valid date', 'make it a date such as 2026-01-31');
  for (const parameter of Object.values(parameters ?? {})) checkParameter(parameter, file);
}

function checkParameter(parameter: Parameter, file: YamlFile): void {
  if (parameter.type === 'enum' && parameter.values.length === 0)
    file.refuse(parameter, 'values', 'is empty', 'list the values that the model accepts');
  if (!('min' in parameter)) return;
  const { min, max } = parameter;
  if (min !== undefined && max !== undefined && min > max)
    file.refuse(parameter, 'min', 'is above max', 'make it at most max');
}

/** Where pods are written, and what they need from outside the file. */
interface PodSource {
  readonly file: YamlFile;
  readonly environment: Environment;
}

/** The pods of one model. `taken` has the ids of earlier pods and gets these: ids are unique in the file. Throws ConfigError. */
function readPods(
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
    added: false,
    url: readUrl(pod, file),
    upstreamModel: pod.model ?? model,
    seed: podDefaults.seed,
    apiKey: readApiKey(pod, file, environment),
    systemPolicy: pod.system_policy,
    capField: pod.cap_field,
    engine: pod.engine,
    firstTokenTimeoutMs: pod.first_token_timeout_ms,
    idleTimeoutMs: pod.idle_timeout_ms,
    totalTimeoutMs: pod.total_timeout_ms,
    continuousUsage: pod.continuous_usage,
    tokenPerChunk: pod.token_per_chunk,
  };
}

function readUrl(pod: BackendPod, file: YamlFile): string {
  const read = readPodAddress(pod.url);
  return 'address' in read ? read.address : file.refuse(pod, 'url', read.fault, read.fix);
}

function readApiKey(pod: BackendPod, file: YamlFile, environment: Environment): string | null {
  const { api_key_env: name, api_key_file: path } = pod;
  if (path !== undefined) {
    if (name !== undefined) file.refuse(pod, 'api_key_file', 'is set beside api_key_env', 'remove one of the two');
    return readKeyFile(pod, path, file);
  }
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

/** Unlike a variable, a file is read again at each reload. */
function readKeyFile(pod: BackendPod, path: string, file: YamlFile): string {
  try {
    const key = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (key !== '') return key;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    file.refuse(
      pod,
      'api_key_file',
      `names ${path}, which cannot be read (${code})`,
      'make it a file that the gateway may read',
    );
  }
  return file.refuse(pod, 'api_key_file', `names ${path}, which is empty`, 'write the key into it');
}

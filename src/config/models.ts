/**
 * The `models:` section of the file: each entry becomes a listing and its pods. The schema has checked single values; here
 * are the conditions between values (floor below ceiling, unique names).
 */
import { type PriceNano, parseUsd } from '#base/money.ts';
import schema from '#generated/schemas/configuration.json' with { type: 'json' };
import type { FixedModel, MarketModel, Model, Prices } from '#generated/schemas/configuration-types.ts';
import { tariffOf } from '#ledger/tariff.ts';
import type { CatalogFacts } from '#market/catalog-facts.ts';
import type { Listing } from '#market/listing.ts';
import type { PodConfig } from '#pods/pod.ts';
import { readCatalog } from './catalog.ts';
import { type PodSource, readPods } from './pods.ts';
import type { YamlFile } from './yaml-file.ts';

/** The models on sale and their pods, in the order of the file. */
export interface Models {
  readonly listings: readonly Listing[];
  readonly pods: readonly PodConfig[];
  /** By model id. */
  readonly catalogs: ReadonlyMap<string, CatalogFacts>;
}

/** Converts all entries of `models:`. The environment has the keys that `api_key_env` names. Throws ConfigError. */
export function readModels(models: readonly Model[], source: PodSource): Models {
  const [names, podNames] = [new Set<string>(), new Set<string>()];
  const pods: PodConfig[] = [];
  const catalogs = new Map<string, CatalogFacts>();
  const listings = models.map((model) => {
    const catalog = readCatalog(model.catalog, source.file);
    const listing = { ...readListing(model, source.file), ...sunsetOf(catalog) };
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

function sunsetOf({ deprecationDate }: CatalogFacts): Pick<Listing, 'sunsetAtS'> {
  return deprecationDate === null ? {} : { sunsetAtS: Date.parse(`${deprecationDate}T00:00:00Z`) / 1000 };
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
    ...(model.type === 'market' ? readMarketPrice(model, file) : readFixedPrice(model, file)),
    deprecated: model.deprecated,
    accountShareMax:
      model.max_account_share === undefined
        ? null
        : Number(file.decimal(model, 'max_account_share', schema.definitions.AccountShare)),
    reasoningEfforts: model.reasoning_efforts,
    acceptsImages: model.accepts_images,
    imageTokens: model.image_tokens,
  };
}

type Pricing = Pick<Listing, 'tariff' | 'floor' | 'ceiling' | 'reserve' | 'preview'>;

function readMarketPrice(model: MarketModel, file: YamlFile): Pricing {
  const price = (key: 'floor' | 'ceiling' | 'reserve') => priceOf(file.decimal(model, key, schema.definitions.Price));
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

function readFixedPrice({ usd_per_million: prices }: FixedModel, file: YamlFile): Pricing {
  return { tariff: tariffOf('fixed', pricesOf(prices, file)), floor: 0, ceiling: 0, reserve: 0, preview: false };
}

function pricesOf(prices: Prices, file: YamlFile) {
  const price = (key: keyof Prices) => file.decimal(prices, key, schema.definitions.Price);
  return { cached: price('cached'), uncached: price('uncached'), output: price('output') };
}

function readCreated(model: Model, file: YamlFile): number {
  const atMs = Date.parse(`${model.created}T00:00:00Z`);
  if (Number.isNaN(atMs)) file.refuse(model, 'created', 'is not a valid date', 'make it a date such as 2026-01-31');
  return atMs / 1000;
}

/** Converts a validated decimal to whole nano-dollars; at most 10^15, so exact in a number. */
function priceOf(decimal: string): PriceNano {
  return Number(parseUsd(decimal));
}

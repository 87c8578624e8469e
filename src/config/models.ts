/**
 * The `models:` section of the file: each entry becomes a listing and its pods. Single values are validated where they
 * are read; conditions between values (floor below ceiling, unique names) are checked after that.
 */
import { type PriceNano, parseUsd } from '#base/money.ts';
import { type Tariff, tariffOf } from '#ledger/tariff.ts';
import type { CatalogFacts } from '#market/catalog-facts.ts';
import type { Listing } from '#market/listing.ts';
import type { PodConfig } from '#pods/pod.ts';
import { readCatalog } from './catalog.ts';
import type { Environment } from './environment.ts';
import { readPods } from './pods.ts';
import type { Section } from './section.ts';

/** The models on sale and their pods, in the order of the file. */
export interface Models {
  readonly listings: readonly Listing[];
  readonly pods: readonly PodConfig[];
  /** By model id. */
  readonly catalogs: ReadonlyMap<string, CatalogFacts>;
}

/** The highest ceiling that can be configured, in USD. It bounds every sum of prices. */
const CEILING_USD_MAX = 1_000_000;
const TOKENS_MAX = 10_000_000;
/** JSON escapes and the shapes that repeat an answer must stay below the longest string, 512 MiB. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const ANSWER_BYTES = 16 * 1024 * 1024;
const NAME = { pattern: /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}$/, expected: 'a name of letters, digits and . _ : / @ -' };
const FIRST_OF_2026_S = Date.UTC(2026, 0, 1) / 1000;

/** Reads all entries of `models:`. `environment` has the keys that `api_key_env` names. Throws ConfigError. */
export function readModels(root: Section, environment: Environment): Models {
  const entries = root.sections('models');
  if (entries.length === 0) root.refuse('models', 'has no entries', 'add one such as - {id: tide-70b, type: market}');
  const taken = new Set<string>();
  const pods: PodConfig[] = [];
  const catalogs = new Map<string, CatalogFacts>();
  const listings = entries.map((entry) => {
    const catalog = readCatalog(entry);
    const listing = { ...readListing(entry), ...sunsetOf(catalog) };
    claimName(entry, 'id', listing.id, taken);
    for (const alias of listing.aliases) claimName(entry, 'aliases', alias, taken);
    pods.push(...readPods(entry, listing, { environment, others: pods }));
    catalogs.set(listing.id, catalog);
    entry.finish();
    return listing;
  });
  return { listings, pods, catalogs };
}

function sunsetOf({ deprecationDate }: CatalogFacts): Pick<Listing, 'sunsetAtS'> {
  return deprecationDate === null ? {} : { sunsetAtS: Date.parse(`${deprecationDate}T00:00:00Z`) / 1000 };
}

function readListing(entry: Section): Listing {
  const id = entry.text('id', { ...NAME, example: 'tide-70b' });
  const type = entry.choice('type', ['market', 'fixed'], { example: 'market' });
  const contextLength = entry.wholeNumber('context_length', { min: 1, max: TOKENS_MAX, example: '131072' });
  const outputLengthMax = entry.wholeNumber('max_output_length', { min: 1, max: TOKENS_MAX, example: '32768' });
  if (outputLengthMax > contextLength)
    entry.refuse('max_output_length', 'is above context_length', `make it at most ${contextLength}`);
  const accountShareMax = entry.decimal('max_account_share', { min: 0.001, max: 1, default: null });
  return {
    id,
    type,
    displayName: entry.text('display_name', { default: id }),
    ownedBy: entry.text('owned_by', { default: 'sluice' }),
    createdAtS: readCreated(entry),
    aliases: entry.texts('aliases', NAME),
    contextLength,
    outputLengthMax,
    answerBytesMax: entry.wholeNumber('max_answer_bytes', { min: 1024, max: ANSWER_BYTES_MAX, default: ANSWER_BYTES }),
    ...(type === 'market' ? readMarketPrice(entry) : readFixedPrice(entry)),
    deprecated: entry.flag('deprecated', false),
    accountShareMax: accountShareMax === null ? null : Number(accountShareMax),
    reasoningEfforts: entry.texts('reasoning_efforts'),
    acceptsImages: entry.flag('accepts_images', false),
    imageTokens: entry.wholeNumber('image_tokens', { min: 1, max: TOKENS_MAX, default: 1500 }),
  };
}

type Pricing = Pick<Listing, 'tariff' | 'floor' | 'ceiling' | 'reserve' | 'preview'>;

function readMarketPrice(entry: Section): Pricing {
  const range = { min: 0, max: CEILING_USD_MAX };
  const ceiling = priceOf(entry.decimal('ceiling', { ...range, example: '100' }));
  const floor = priceOf(entry.decimal('floor', { ...range, default: '0' }));
  const reserve = priceOf(entry.decimal('reserve', { ...range, default: '0' }));
  if (ceiling === 0) entry.refuse('ceiling', 'is 0', 'make it the highest level to publish, above 0');
  if (floor > ceiling) entry.refuse('floor', 'is above ceiling', 'make it at most the ceiling');
  if (reserve > ceiling) entry.refuse('reserve', 'is above ceiling', 'make it at most the ceiling');
  return {
    tariff: readTariff(entry, 'pricing_ratio', 'market'),
    floor,
    ceiling,
    reserve,
    preview: entry.flag('preview', false),
  };
}

function readFixedPrice(entry: Section): Pricing {
  return { tariff: readTariff(entry, 'usd_per_million', 'fixed'), floor: 0, ceiling: 0, reserve: 0, preview: false };
}

function readTariff(entry: Section, key: string, type: Tariff['type']): Tariff {
  const parts = entry.section(key, { required: true, example: '{cached: 0.1, uncached: 1, output: 4}' });
  const range = { min: 0, max: CEILING_USD_MAX, example: '1' };
  const [cached, uncached, output] = [
    parts.decimal('cached', range),
    parts.decimal('uncached', range),
    parts.decimal('output', range),
  ];
  parts.finish();
  if (type === 'market' && [cached, uncached, output].every((weight) => Number(weight) === 0))
    entry.refuse(key, 'has no weight above 0', 'give a weight to each kind of token that costs something');
  return tariffOf(type, { cached, uncached, output });
}

function readCreated(entry: Section): number {
  const date = entry.text('created', {
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    expected: 'a date such as 2026-01-31',
    default: null,
  });
  if (date === null) return FIRST_OF_2026_S;
  const atMs = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(atMs)) entry.refuse('created', 'is not a valid date', 'make it a date such as 2026-01-31');
  return atMs / 1000;
}

function claimName(entry: Section, key: string, name: string, taken: Set<string>): void {
  if (taken.has(name)) entry.refuse(key, `repeats the name ${name}`, 'give each model its own names');
  taken.add(name);
}

/** Converts a validated decimal to whole nano-dollars; at most 10^15, so exact in a number. */
function priceOf(decimal: string): PriceNano {
  return Number(parseUsd(decimal));
}

/**
 * The configuration: the only reader of the environment and of `sluice.yaml`. Each reading gives a frozen one; what a
 * running gateway takes of a later one is in `service/`, and no other code reads settings. A wrong setting stops the start with one sentence that names the file, the line, the key
 * and the fix.
 */
import { existsSync } from 'node:fs';
import { type LimitSettings, limitDefaults } from '#access/limits.ts';
import type { StripeSettings } from '#accounts/payments/stripe.ts';
import { isLoopback } from '#base/loopback.ts';
import type { CatalogFacts } from '#market/catalog-facts.ts';
import { Listings } from '#market/listing.ts';
import type { PodConfig } from '#pods/pod.ts';
import { configText } from './config-file.ts';
import { type ConsoleSettings, readConsole } from './console.ts';
import { configPath, type Environment, logLevels, type ProcessSettings, readEnvironment } from './environment.ts';
import { everyWay } from './every-way.ts';
import { readModels } from './models.ts';
import { readPayments } from './payments.ts';
import { type JsonSchema, schemaOf } from './schema.ts';
import { ConfigError, readYaml, type Section } from './section.ts';
import { AskedShapes } from './shapes.ts';
import { readWebhooks } from './webhooks.ts';

export { ConfigError } from './section.ts';

/** Everything the gateway needs to know at start. */
export interface Config extends ProcessSettings {
  readonly fileName: string;
  readonly listings: Listings;
  readonly pods: readonly PodConfig[];
  /** The partner catalog's facts about each model, by its id. */
  readonly catalogs: ReadonlyMap<string, CatalogFacts>;
  readonly market: MarketSettings;
  readonly probes: { readonly enabled: boolean; readonly intervalMs: number };
  /** Whether the ledger is audited every day. */
  readonly audit: { readonly daily: boolean };
  readonly limits: LimitSettings;
  readonly console: ConsoleSettings;
  /** Null where only the operator credits accounts. */
  readonly payments: StripeSettings | null;
  /** `allow`: hosts that webhooks may go to although they are not public, as `host` or `host:port`. */
  readonly webhooks: { readonly allow: readonly string[] };
  /** Begins with a slash and does not end with one. */
  readonly partnerPrefix: string;
  /** How many proxies are in front, or their addresses; 0 trusts none. Determines the addresses of callers. */
  readonly trustProxy: number | readonly string[];
  /** How long a caller waits for a statement or a commit of the database before the answer is 503. */
  readonly databaseDeadlineMs: number;
  /** How long a caller waits for the disk of `dataFolder`. */
  readonly diskDeadlineMs: number;
  /** How much of the disk of the data folder is left free: below it nothing new is stored there. */
  readonly diskReserveBytes: number;
  /** How long running orders may take to finish after SIGTERM. */
  readonly drainTimeoutMs: number;
}

/** How published levels and quotes move. docs/configuration.md. */
export interface MarketSettings {
  readonly levelTimeConstantMs: number;
  readonly quote: { readonly intervalMs: number; readonly targetStartRate: number };
  /** A folder for a record of each run, for `sluice replay`; null for none. */
  readonly recording: string | null;
}

/** Reads the environment, and `fileName` or else the file that the environment names. Throws ConfigError. */
export function loadConfig(fileName = configPath(process.env)): Config {
  return parseConfig(configText(fileName), fileName, process.env);
}

/** Only the environment's settings, for commands that need the database and no models. Throws ConfigError. */
export function loadSettings(environment: Environment = process.env): ProcessSettings {
  return readEnvironment(environment);
}

/** The limits in the file, for commands without models; without a file those of Spec 8. Throws ConfigError. */
export function loadLimits(environment: Environment = process.env): LimitSettings {
  const fileName = configPath(environment);
  if (!existsSync(fileName)) return limitDefaults;
  return readLimits(readYaml(configText(fileName), fileName).section('limits'));
}

/** The JSON Schema of the file, for editors: what the readers below ask for. */
export function configSchema(): JsonSchema {
  const shapes = new AskedShapes();
  for (const text of everyWay.files) parse(readYaml(text, 'sample', shapes), 'sample', everyWay.environment);
  return schemaOf(shapes);
}

/** The configuration from `text` and `environment`; reads nothing else. Throws ConfigError. */
export function parseConfig(text: string, fileName: string, environment: Environment): Config {
  return parse(readYaml(text, fileName), fileName, environment);
}

function parse(root: Section, fileName: string, environment: Environment): Config {
  const defaultModel = root.text('default_model', { example: 'tide-70b' });
  const { listings, pods, catalogs } = readModels(root, environment);
  if (!listings.some((listing) => listing.id === defaultModel || listing.aliases.includes(defaultModel)))
    root.refuse(
      'default_model',
      `is ${defaultModel}, which is not one of the models`,
      'make it the id or alias of one',
    );
  const settings = readEnvironment(environment);
  const logLevel = root.choice('log_level', logLevels, { default: settings.logLevel });
  const trustProxy = readTrustProxy(root);
  const config: Config = {
    ...settings,
    logLevel,
    fileName,
    listings: new Listings(deepFreeze(listings), defaultModel),
    pods,
    catalogs,
    market: readMarket(root.section('market')),
    probes: readProbes(root.section('probes', { example: '{enabled: false}' })),
    audit: readAudit(root.section('audit', { example: '{daily: false}' })),
    limits: readLimits(root.section('limits')),
    payments: readPayments(root, environment),
    webhooks: readWebhooks(root.section('webhooks', { example: '{allow: [hooks.internal]}' })),
    partnerPrefix: root.text('partner_prefix', {
      pattern: /^(\/[A-Za-z0-9_-]+)+$/,
      expected: 'a path such as /partner',
      default: '/partner',
    }),
    trustProxy,
    console: readConsole(
      root.section('console', { example: '{enabled: false}' }),
      {
        loopback: isLoopback(settings.host),
        proxied: typeof trustProxy === 'number' ? trustProxy > 0 : trustProxy.length > 0,
      },
      environment,
    ),
    databaseDeadlineMs: root.wholeNumber('database_deadline_ms', { min: 100, max: 60_000, default: 5_000 }),
    diskDeadlineMs: root.wholeNumber('disk_deadline_ms', { min: 100, max: 60_000, default: 5_000 }),
    diskReserveBytes: root.wholeNumber('disk_reserve_bytes', { min: 0, max: 2 ** 50, default: 2 ** 30 }),
    drainTimeoutMs: root.wholeNumber('drain_timeout_ms', { min: 0, max: 3_600_000, default: 30_000 }),
  };
  root.finish();
  if (config.peer && config.market.recording !== null)
    throw new ConfigError(
      'market.recording needs one gateway: a record begins and ends with an owner of the market; leave it out, or SLUICE_PEER_ADDRESS.',
    );
  return deepFreeze(config);
}

function readMarket(market: Section): MarketSettings {
  const interval = { min: 1_000, max: 3_600_000 };
  const quote = market.section('quote');
  const settings = {
    levelTimeConstantMs: market.wholeNumber('level_time_constant_ms', { ...interval, default: 20_000 }),
    quote: {
      intervalMs: quote.wholeNumber('interval_ms', { ...interval, default: 10_000 }),
      targetStartRate: Number(quote.decimal('target_start_rate', { min: 0.5, max: 0.999, default: '0.95' })),
    },
    recording: market.text('recording', { default: null, expected: 'the path of a folder' }),
  };
  quote.finish();
  market.finish();
  return settings;
}

function readProbes(probes: Section): Config['probes'] {
  const settings = {
    enabled: probes.flag('enabled', true),
    intervalMs: probes.wholeNumber('interval_ms', { min: 10_000, max: 86_400_000, default: 60_000 }),
  };
  probes.finish();
  return settings;
}

function readAudit(section: Section): Config['audit'] {
  const daily = section.flag('daily', true);
  section.finish();
  return { daily };
}

/** All limits of `access/limits.ts`, with names in snake case; absent ones keep the values of Spec 8. */
function readLimits(section: Section): LimitSettings {
  const settings: { -readonly [Name in keyof LimitSettings]: number } = { ...limitDefaults };
  for (const name of Object.keys(limitDefaults) as (keyof LimitSettings)[]) {
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    settings[name] = section.wholeNumber(key, { min: 1, max: 2 ** 50, default: limitDefaults[name] });
  }
  section.finish();
  return settings;
}

const PROXY = {
  pattern: /^(loopback|linklocal|uniquelocal|[0-9A-Fa-f.:]{2,45}(\/\d{1,3})?)$/,
  expected: 'an address or a network, such as 10.0.0.7 or 10.0.0.0/8',
};

/** A number of proxies, or a list of their addresses. `true` is refused: it would let callers choose their address. */
function readTrustProxy(root: Section): Config['trustProxy'] {
  if (root.isList('trust_proxy')) return root.texts('trust_proxy', PROXY);
  return root.wholeNumber('trust_proxy', {
    min: 0,
    max: 16,
    default: 0,
    or: 'a list of addresses such as [10.0.0.0/8]',
  });
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}

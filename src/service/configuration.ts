/**
 * The configuration as people may see it, setting by setting. Only what is named here is shown: a new setting stays
 * hidden until it has its line, and of a secret nobody learns more than that it is set.
 */
import { createHash } from 'node:crypto';
import { formatUsd } from '#base/money.ts';
import { formatPeerAddress } from '#base/peer-address.ts';
import { type Config, ConfigError, parseConfig } from '#config/config.ts';
import type { Listing } from '#market/listing.ts';
import type { FileState } from '#operator/configuration-handlers.ts';
import type { PodConfig } from '#pods/pod.ts';

/** Every setting by its name, in the order of docs/sell/configuration.md. */
export type ShownSettings = ReadonlyMap<string, ShownSetting>;

/**
 * A setting. `value` is what people see, null for none; `compared` distinguishes two that look alike, and is never
 * shown.
 */
export interface ShownSetting {
  readonly value: string | null;
  readonly compared: string;
}

type Value = string | number | boolean | null | readonly string[];

/** All settings of a configuration. */
export function shownSettings(config: Config): ShownSettings {
  const shown: Record<string, Value | Secret> = {
    ...environmentOf(config),
    default_model: config.listings.default.id,
    ...Object.assign({}, ...config.listings.all.map((listing) => modelOf(listing, config))),
    ...Object.assign({}, ...config.pods.map(podOf)),
    'market.level_time_constant_ms': config.market.levelTimeConstantMs,
    'market.quote.interval_ms': config.market.quote.intervalMs,
    'market.quote.target_start_rate': config.market.quote.targetStartRate,
    'market.recording': config.market.recording,
    'probes.enabled': config.probes.enabled,
    'probes.interval_ms': config.probes.intervalMs,
    'audit.daily': config.audit.daily,
    ...limitsOf(config),
    partner_prefix: config.partnerPrefix,
    'console.enabled': config.console.enabled,
    'console.insecure': config.console.insecure,
    ...oidcOf(config),
    'billing.issuer': config.billing.issuer,
    'billing.tax': config.billing.tax,
    'webhooks.allow': config.webhooks.allow,
    'responses.background': config.responses.background,
    repeat_guard_ms: config.repeatGuardMs,
    ...paymentsOf(config),
    ...mailOf(config),
    trust_proxy: typeof config.trustProxy === 'number' ? config.trustProxy : [...config.trustProxy],
    database_deadline_ms: config.databaseDeadlineMs,
    disk_deadline_ms: config.diskDeadlineMs,
    disk_reserve_bytes: config.diskReserveBytes,
    drain_announce_ms: config.drainAnnounceMs,
    drain_timeout_ms: config.drainTimeoutMs,
  };
  return new Map(Object.entries(shown).map(([name, value]) => [name, settingOf(value)]));
}

/** All settings, with whether each is what a file gives that does not name it. A key that a file must have has no default. */
export function settingsInForce(config: Config): ReadonlyMap<string, ShownSetting & { readonly isDefault: boolean }> {
  const defaults = defaultsBeside(config);
  return new Map(
    Array.from(shownSettings(config), ([name, setting]) => {
      const isDefault = defaults.get(name)?.compared === setting.compared;
      return [name, { ...setting, isDefault }];
    }),
  );
}

let lastDefaults: { readonly text: string; readonly settings: ShownSettings } = { text: '', settings: new Map() };

/** The settings of a file that has the same models and pods, and of each only the keys that it must have. */
function defaultsBeside({ listings, pods }: Config): ShownSettings {
  const models = listings.all.map(({ id, type }) => ({
    ...{ id, type, ...(type === 'market' ? NOT_MARKET : NOT_FIXED) },
    pods: pods.filter(({ model }) => model === id).map((pod) => ({ id: pod.id, ...NOT_POD, ...placeOf(pod) })),
  }));
  const text = JSON.stringify({ default_model: listings.default.id, models });
  if (text !== lastDefaults.text) lastDefaults = { text, settings: shownSettings(parseConfig(text, 'defaults', {})) };
  return lastDefaults.settings;
}

/** Values of the keys that a file must have, which nobody gives them. */
const NOT_MODEL = { context_length: 9_999_999, max_output_length: 9_999_999 };
const NOT_A_PRICE = '0.000000007';
const NOT_PRICES = { cached: NOT_A_PRICE, uncached: NOT_A_PRICE, output: NOT_A_PRICE };
const NOT_MARKET = { ...NOT_MODEL, ceiling: 999_999.99, pricing_ratio: NOT_PRICES };
const NOT_FIXED = { ...NOT_MODEL, usd_per_million: NOT_PRICES };
const NOT_POD = { slots: 99_999 };

function placeOf({ url, id }: PodConfig) {
  return url === null ? { simulated: true } : { url: `http://${id.toLowerCase()}.invalid/v1` };
}

/** Reads the configuration again, and compares it with the one in force. Rethrows any error but a ConfigError. */
export function fileState(inForce: Config, read: () => Config): FileState {
  let inFile: ShownSettings;
  try {
    inFile = shownSettings(read());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The message is left out: it may repeat a key that was written where only its name belongs.
    const line = /^[^\n]*?:(\d+): /.exec(error.message)?.[1];
    return { state: 'invalid', line: line === undefined ? null : Number(line), differences: [] };
  }
  const before = shownSettings({ ...inForce, pods: inForce.pods.filter(({ added }) => !added) });
  const differences = [...new Set([...before.keys(), ...inFile.keys()])].flatMap((setting) => {
    const [one, other] = [before.get(setting), inFile.get(setting)];
    return one?.compared === other?.compared
      ? []
      : [{ setting, inForce: one?.value ?? null, inFile: other?.value ?? null }];
  });
  return { state: differences.length === 0 ? 'same' : 'different', line: null, differences };
}

/** A secret: whether it is set is shown, and whether it is another one. */
class Secret {
  readonly text: string | null;

  constructor(text: string | null) {
    this.text = text;
  }
}

function settingOf(value: Value | Secret): ShownSetting {
  if (value instanceof Secret)
    return { value: value.text === null ? null : 'set', compared: JSON.stringify(value.text) };
  const text = value === null ? null : Array.isArray(value) ? value.join(', ') : String(value);
  return { value: text, compared: JSON.stringify(text) };
}

function environmentOf({ host, port, databaseUrl, dataFolder, dataBucket, logLevel, peer }: Config) {
  const bucket = dataBucket && {
    'SLUICE_DATA endpoint': dataBucket.endpoint === null ? null : (URL.parse(dataBucket.endpoint)?.host ?? null),
    'SLUICE_DATA region': dataBucket.region,
    'SLUICE_DATA path_style': dataBucket.pathStyle,
    SLUICE_SPILL: dataFolder,
  };
  return {
    HOST: host,
    PORT: port,
    DATABASE_URL: withoutPassword(databaseUrl),
    'DATABASE_URL password': new Secret(hiddenIn(databaseUrl)),
    SLUICE_DATA: dataBucket ? `s3://${dataBucket.bucket}/${dataBucket.prefix}` : dataFolder,
    ...bucket,
    SLUICE_PEER_ADDRESS: peer && formatPeerAddress(peer),
    SLUICE_PEER_BIND: peer && `${peer.bind.host ?? '*'}:${peer.bind.port}`,
    SLUICE_PEER_SECRET: new Secret(peer?.secret ?? null),
    log_level: logLevel,
  };
}

/** Where a database is. Shows only host, port and name of an address: everything else may be a secret. */
function withoutPassword(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  const parsed = URL.parse(url);
  return parsed ? `${parsed.protocol}//${parsed.host}${parsed.pathname}` : 'set';
}

/** The parts of the address of a database that are not shown. */
function hiddenIn(url: string): string | null {
  if (url.startsWith('sqlite:')) return null;
  const { username = '', password = '', search = '' } = URL.parse(url) ?? {};
  return password + search === '' ? null : JSON.stringify([username, password, search]);
}

function modelOf(listing: Listing, { catalogs }: Config): Record<string, Value> {
  const catalog = catalogs.get(listing.id);
  const { uncached, cached, output } = listing.tariff;
  const decimal = (weight: bigint) => String(Number(weight) / 1e9);
  const prices = `cached ${decimal(cached)}, uncached ${decimal(uncached)}, output ${decimal(output)}`;
  const settings: Record<string, Value> = {
    type: listing.type,
    aliases: listing.aliases,
    display_name: listing.displayName,
    owned_by: listing.ownedBy,
    created: new Date(listing.createdAtS * 1000).toISOString().slice(0, 10),
    context_length: listing.contextLength,
    max_output_length: listing.outputLengthMax,
    max_answer_bytes: listing.answerBytesMax,
    ...(listing.type === 'market'
      ? {
          pricing_ratio: prices,
          floor: formatUsd(BigInt(listing.floor)),
          ceiling: formatUsd(BigInt(listing.ceiling)),
          reserve: formatUsd(BigInt(listing.reserve)),
        }
      : { usd_per_million: prices }),
    preview: listing.preview,
    deprecated: listing.deprecated,
    max_account_share: listing.accountShareMax,
    reasoning_efforts: listing.reasoningEfforts,
    accepts_images: listing.acceptsImages,
    custom_tools: listing.customTools,
    image_tokens: listing.mediaTokens.image,
    audio_tokens: listing.mediaTokens.audio,
    video_tokens: listing.mediaTokens.video,
    file_tokens: listing.mediaTokens.file,
    estimated_cached_share: listing.estimatedCachedShare,
    'catalog.hugging_face_id': catalog?.hugging_face_id ?? null,
    'catalog.quantization': catalog?.quantization ?? null,
    'catalog.compliance': catalog ? JSON.stringify(catalog.compliance) : null,
    'catalog.supported_parameters': catalog?.supported_parameters ? JSON.stringify(catalog.supported_parameters) : null,
    'catalog.deprecation_date': catalog?.deprecation_date ?? null,
    'catalog.datacenters':
      catalog?.datacenters.map(({ country_code, region = '' }) => [country_code, region].join(' ').trim()) ?? [],
  };
  return named(`models[${listing.id}]`, settings);
}

function podOf(pod: PodConfig): Record<string, Value | Secret> {
  const backend = {
    url: pod.url,
    model: pod.upstreamModel,
    api_key_env: new Secret(pod.apiKey),
    system_policy: pod.systemPolicy,
    cap_field: pod.capField,
    engine: pod.engine,
    first_token_timeout_ms: pod.firstTokenTimeoutMs,
    idle_timeout_ms: pod.idleTimeoutMs,
    total_timeout_ms: pod.totalTimeoutMs,
    continuous_usage: pod.continuousUsage,
    token_per_chunk: pod.tokenPerChunk,
  };
  const simulated = { simulated: true, seed: pod.seed };
  return named(`pods[${pod.id}]`, {
    'of model': pod.model,
    ...(pod.added ? { added: true } : {}),
    slots: pod.slotsMin === null ? pod.slots : `auto, ${pod.slotsMin} to ${pod.slots}`,
    ...(pod.url === null ? simulated : backend),
  });
}

function limitsOf({ limits }: Config): Record<string, Value> {
  const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${inWords(name)}`, value]));
}

function oidcOf({ console: { oidc } }: Config): Record<string, Value | Secret> {
  if (oidc === null) return {};
  const { issuer, clientId, name, scope, trustsEmail, roleClaim, places } = oidc;
  const roles = Array.from(places, ([value, { accountId, role }]) => `${value}: ${accountId ?? 'operator'} ${role}`);
  const settings = { issuer, client_id: clientId, name, scope, trust_email: trustsEmail, role_claim: roleClaim, roles };
  return { ...named('console.oidc', settings), OIDC_CLIENT_SECRET: new Secret(oidc.clientSecret) };
}

function paymentsOf({ payments }: Config): Record<string, Value | Secret> {
  if (payments === null) return {};
  return {
    'payments.stripe.success_url': payments.successUrl,
    'payments.stripe.cancel_url': payments.cancelUrl,
    'payments.stripe.api_url': payments.apiUrl,
    STRIPE_SECRET_KEY: new Secret(payments.secretKey),
    STRIPE_WEBHOOK_SECRET: new Secret(payments.webhookSecret),
  };
}

function mailOf({ mail }: Config): Record<string, Value | Secret> {
  if (mail === null) return {};
  const { host, port, tls, login, from, pagesUrl } = mail;
  const server = `${tls === 'always' ? 'smtps' : 'smtp'}://${host}:${port}`;
  const settings = { server, user: login?.user ?? null, from, pages_url: pagesUrl };
  return { ...named('mail', settings), SMTP_PASSWORD: new Secret(login?.pass ?? null) };
}

function named<Setting>(prefix: string, settings: Readonly<Record<string, Setting>>): Record<string, Setting> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** A hash of what gateways must have in common to trade: what is sold, on which pods, and how prices move. */
export function listingHash({ listings, pods, market }: Pick<Config, 'listings' | 'pods' | 'market'>): string {
  const shared = {
    listings: listings.all,
    default: listings.default.id,
    // The others are the same for all gateways: they are rows of the database.
    pods: pods.filter(({ added }) => !added).map(({ model, id, url, slots }) => ({ model, id, url, slots })),
    market: { levelTimeConstantMs: market.levelTimeConstantMs, quote: market.quote },
  };
  const text = JSON.stringify(shared, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

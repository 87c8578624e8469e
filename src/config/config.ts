/**
 * The configuration: the only reader of the environment and of `sluice.yaml`, and no other code reads settings. Each reading
 * gives a frozen one; what a running gateway takes of a later one is in `service/`. `config/schema.yaml` says which keys there
 * are. A wrong setting stops the start with one sentence, written in `yaml-file.ts`, that names the file, the line, the key and the fix.
 */
import { existsSync } from 'node:fs';
import { type LimitSettings, limitDefaults } from '#access/limits.ts';
import type { MemberPlace } from '#access/member.ts';
import type { IdentityProviderSettings } from '#accounts/members/identity-provider.ts';
import type { StripeSettings } from '#accounts/payments/stripe.ts';
import { isLoopback } from '#base/peer-address.ts';
import { isConfiguration, isLimits } from '#generated/schemas/configuration.js';
import schema from '#generated/schemas/configuration.json' with { type: 'json' };
import type {
  Console,
  Limits,
  Mail,
  Market,
  Oidc,
  Payments,
  RolePlace,
} from '#generated/schemas/configuration-types.ts';
import { Listings } from '#market/listing.ts';
import { ConfigError, configPath, type Environment, readEnvironment, secretOf } from './environment.ts';
import { readModels } from './models.ts';
import { configText, YamlFile } from './yaml-file.ts';

export { ConfigError };

/** Everything the gateway needs to know at start. */
export type Config = ReturnType<typeof parseConfig>;

/** Reads the environment, and `fileName` or else the file that the environment names. Throws ConfigError. */
export function loadConfig(fileName = configPath(process.env)): Config {
  return parseConfig(configText(fileName), fileName, process.env);
}

/** How this process would refuse a file, as a sentence; null if it would not. `assumingKeys`: as if every pod had its key. */
export function fileRefusal(fileName: string, { assumingKeys = false } = {}): string | null {
  try {
    const text = configText(fileName);
    const named = assumingKeys ? text.matchAll(/api_key_env["']?:\s*["']?(\w+)/g) : [];
    const assumed = Object.fromEntries(Array.from(named, ([, name = '']) => [name, 'assumed']));
    parseConfig(text, fileName, { ...assumed, ...process.env });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return null;
}

/** The limits in the file, for commands without models; without a file those of Spec 8. Throws ConfigError. */
export function loadLimits(environment: Environment = process.env): LimitSettings {
  const fileName = configPath(environment);
  if (!existsSync(fileName)) return limitDefaults;
  return limitsOf(new YamlFile(configText(fileName), fileName).checked(isLimits, 'limits'));
}

/** The JSON Schema of the file, for editors. */
export const configSchema: Readonly<Record<string, unknown>> = schema;

/** The configuration from `text` and `environment`; reads nothing else. Throws ConfigError. */
export function parseConfig(text: string, fileName: string, environment: Environment) {
  const file = new YamlFile(text, fileName);
  const read = file.checked(isConfiguration);
  const { listings, pods, catalogs } = readModels(read.models, { file, environment });
  const { default_model: defaultModel, trust_proxy: trustProxy } = read;
  if (!listings.some((listing) => listing.id === defaultModel || listing.aliases.includes(defaultModel)))
    file.refuse(
      read,
      'default_model',
      `is ${defaultModel}, which is not one of the models`,
      'make it the id or alias of one',
    );
  const settings = readEnvironment(environment);
  const proxied = typeof trustProxy === 'number' ? trustProxy > 0 : trustProxy.length > 0;
  const config = {
    ...settings,
    logLevel: read.log_level ?? settings.logLevel,
    fileName,
    listings: new Listings(deepFreeze(listings), defaultModel),
    pods,
    /** The partner catalog's facts about each model, by its id. */
    catalogs,
    market: marketOf(read.market, file),
    probes: { enabled: read.probes.enabled, intervalMs: read.probes.interval_ms },
    /** Whether the ledger is audited every day. */
    audit: read.audit,
    limits: limitsOf(read.limits),
    /** Null where only the operator credits accounts. */
    payments: readPayments(read.payments, environment),
    /** Who issues statements, and their line about tax; null for nothing. */
    billing: { issuer: read.billing.issuer ?? null, tax: read.billing.tax ?? null },
    /** `allow`: hosts that webhooks may go to although they are not public, as `host` or `host:port`. */
    webhooks: read.webhooks,
    /** Null where no mail is sent. */
    mail: readMail(read.mail, environment),
    /** `background`: whether a response may go on without its caller, an extension of Spec 4.4. */
    responses: read.responses,
    /** How long a request that failed on its backends is answered with the same failure; 0: it is run again. */
    repeatGuardMs: read.repeat_guard_ms,
    /** Begins with a slash and does not end with one. */
    partnerPrefix: read.partner_prefix,
    /** How many proxies are in front, or their addresses; 0 trusts none. Determines the addresses of callers. */
    trustProxy,
    console: readConsole(read.console, { loopback: isLoopback(settings.host), proxied }, { file, environment }),
    /** How long a caller waits for a statement or a commit of the database before the answer is 503. */
    databaseDeadlineMs: read.database_deadline_ms,
    /** How long a caller waits for the disk of `dataFolder`. */
    diskDeadlineMs: read.disk_deadline_ms,
    /** How much of the disk of the data folder is left free: below it nothing new is stored there. */
    diskReserveBytes: read.disk_reserve_bytes,
    /** How long one of several gateways still takes requests after SIGTERM. */
    drainAnnounceMs: read.drain_announce_ms,
    /** How long running orders may take to finish after SIGTERM. */
    drainTimeoutMs: read.drain_timeout_ms,
  };
  if (config.peer && config.market.recording !== null)
    throw new ConfigError(
      'market.recording needs one gateway: a record covers the markets of a single gateway; remove it, or SLUICE_PEER_ADDRESS.',
    );
  return deepFreeze(config);
}

/** How published levels and quotes move. docs/sell/configuration.md. */
function marketOf({ level_time_constant_ms, quote, recording }: Market, file: YamlFile) {
  const targetStartRate = Number(file.decimal(quote, 'target_start_rate', schema.definitions.StartRate));
  return {
    levelTimeConstantMs: level_time_constant_ms,
    quote: { intervalMs: quote.interval_ms, targetStartRate },
    /** A folder for a record of each run, for `sluice replay`; null for none. */
    recording: recording ?? null,
  };
}

/** The keys of the file are the names of the limits in snake case. */
function limitsOf(limits: Limits): LimitSettings {
  const settings = { ...limitDefaults };
  for (const name of Object.keys(limitDefaults) as (keyof LimitSettings)[]) {
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    settings[name] = limits[key as keyof Limits];
  }
  return settings;
}

function deepFreeze<Value extends object>(value: Value): Readonly<Value> {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}

/** The settings of Stripe; null without the section. Throws ConfigError, which never repeats a secret. */
function readPayments({ stripe }: Payments, environment: Environment): StripeSettings | null {
  if (stripe === undefined) return null;
  return {
    successUrl: stripe.success_url,
    cancelUrl: stripe.cancel_url,
    apiUrl: stripe.api_url,
    secretKey: secret('STRIPE_SECRET_KEY', /^(sk|rk)_\S+$/, environment),
    webhookSecret: secret('STRIPE_WEBHOOK_SECRET', /^whsec_\S+$/, environment),
  };
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;

/** The server for mail; null without the section. Throws ConfigError, which never repeats the password. */
function readMail(mail: Mail | undefined, environment: Environment) {
  if (mail === undefined) return null;
  const [protocol, place = ''] = mail.server.split('://');
  if (place.includes('@'))
    throw new ConfigError('mail.server contains a user, a password or both; set mail.user and SMTP_PASSWORD instead.');
  const [host = '', port] = place.replace('/', '').split(':');
  const pass = secretOf(environment, 'SMTP_PASSWORD');
  if (mail.user !== undefined && !pass)
    throw new ConfigError('mail.user is set and SMTP_PASSWORD is not; set it to the password of that user.');
  if (mail.user === undefined && pass)
    throw new ConfigError(
      'SMTP_PASSWORD is set and mail.user is not; set it to the user name, or remove the password.',
    );
  const isHere = host === 'localhost' || host === '127.0.0.1';
  const isSecure = protocol === 'smtps';
  return {
    host,
    port: port === undefined ? (isSecure ? SMTPS_PORT : SMTP_PORT) : Number(port),
    /** A server of this machine needs no TLS. */
    tls: isSecure ? ('always' as const) : isHere ? ('none' as const) : ('starttls' as const),
    login: mail.user !== undefined && pass ? { user: mail.user, pass } : null,
    from: mail.from,
    pagesUrl: mail.pages_url,
  };
}

function secret(name: string, pattern: RegExp, environment: Environment): string {
  const value = secretOf(environment, name);
  if (!value)
    throw new ConfigError(`payments.stripe is set and ${name} is not; set it to the one in Stripe's dashboard.`);
  if (!pattern.test(value))
    throw new ConfigError(
      `${name} is not what Stripe's dashboard shows under that name; it begins with ${name === 'STRIPE_SECRET_KEY' ? 'sk_ or rk_' : 'whsec_'}.`,
    );
  return value;
}

/** `console:` of the file, decided for where the gateway listens. */
interface ConsoleSettings {
  /** Whether there are pages at all. The market needs no login, and so no TLS. */
  readonly enabled: boolean;
  /** Whether the settings and the console exist. */
  readonly served: boolean;
  /** Whether a session may be carried without TLS from another machine. */
  readonly insecure: boolean;
  /** The identity provider; null for none. */
  readonly oidc: IdentityProviderSettings | null;
}

/**
 * What `console:` means at this place. Served unless switched off; on an address that other machines reach, only with a
 * trusted proxy in front, which can say that a connection has TLS, or where that is not wanted. Throws ConfigError.
 */
function readConsole(
  { enabled, insecure, oidc }: Console,
  at: { readonly loopback: boolean; readonly proxied: boolean },
  { file, environment }: { readonly file: YamlFile; readonly environment: Environment },
): ConsoleSettings {
  const served = enabled && (at.loopback || at.proxied || insecure);
  return { enabled, served, insecure, oidc: oidc === undefined ? null : readOidc(oidc, file, environment) };
}

/** The issuer of Entra ID that takes people of any organization. */
const SHARED_ISSUER = /^https:\/\/[^/]*microsoftonline\.[^/]+\/(?:common|organizations|consumers)(?:\/|$)/i;

/** The settings of the provider. Throws ConfigError, which never repeats the secret. */
function readOidc(oidc: Oidc, file: YamlFile, environment: Environment): IdentityProviderSettings {
  const { issuer, client_id: clientId, name = new URL(issuer).hostname, scope, role_claim: roleClaim, roles } = oidc;
  // With it, every organization decides the e-mails of its people.
  if (oidc.trust_email && SHARED_ISSUER.test(issuer))
    file.refuse(
      oidc,
      'trust_email',
      'is set for an issuer of many organizations',
      'set the issuer of your tenant alone',
    );
  // Both or neither: a claim without a map gives no role, and a map without a claim is never used.
  if (roles !== undefined && roleClaim === undefined)
    file.refuse(oidc, 'role_claim', 'is missing', 'name the claim whose values roles maps');
  const places = new Map(file.entries(roles ?? {}).map(([value, place]) => [value, placeOf(place)]));
  return {
    issuer,
    clientId,
    clientSecret: clientSecret(environment),
    name,
    scope,
    trustsEmail: oidc.trust_email,
    roleClaim: roleClaim ?? null,
    places,
  };
}

function placeOf(place: RolePlace): MemberPlace {
  return 'account' in place
    ? { accountId: place.account, role: place.role }
    : { accountId: null, role: place.operator };
}

function clientSecret(environment: Environment): string {
  const value = secretOf(environment, 'OIDC_CLIENT_SECRET');
  if (!value)
    throw new ConfigError('console.oidc is set and OIDC_CLIENT_SECRET is not; set it to the secret of the client.');
  return value;
}

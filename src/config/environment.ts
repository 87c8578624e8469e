/**
 * The settings from the environment: where to listen, where data is stored, the log level, metrics, traces, other gateways
 * and the key that signs; all other settings are in the file. An empty variable counts as absent. Where NAME may be set,
 * NAME_FILE may name a file that holds it, with nothing but a line break after it.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type BucketAddress, isBucketUrl, parseBucketUrl } from '#base/bucket-address.ts';
import { type PeerAddress, type PeerSettings, parsePeerAddress } from '#base/peer-address.ts';
import type { SamplingSettings, TraceSettings } from '#base/trace-settings.ts';
import { signingKeyFrom } from '#signing/signing-key.ts';

/** The environment variables; tests pass their own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of one process. */
export interface ProcessSettings {
  readonly host: string;
  /** 0 asks the system for a free port. */
  readonly port: number;
  /** `sqlite:PATH`, `mysql://…` or `mariadb://…`. */
  readonly databaseUrl: string;
  /** The folder of result blobs and of files; with a bucket, only of what need not outlive the process. */
  readonly dataFolder: string;
  /** Where result blobs and files are instead; null: in the folder. */
  readonly dataBucket: BucketAddress | null;
  readonly logLevel: LogLevel;
  /** Where /metrics is served; null: nowhere. */
  readonly metrics: MetricsAddress | null;
  /** The key that signs receipts, PKCS #8 in PEM; null: the newest of the database. */
  readonly receiptSigningKey: string | null;
  /** Where traces go; null: none are kept. */
  readonly traces: TraceSettings | null;
  /** How this gateway and others of the same database reach each other; null: it serves alone. */
  readonly peer: PeerSettings | null;
}

/** Where /metrics is served. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
  /** Whether somebody asked for this port: then the gateway does not start without it. */
  readonly required: boolean;
  /** The ids of the accounts that have series of their own: at most `METRICS_ACCOUNTS_MAX`, each once. */
  readonly accounts: readonly string[];
}

/** Each has seven series. */
const METRICS_ACCOUNTS_MAX = 50;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The port that collectors expect of exporters of OpenTelemetry. */
const METRICS_PORT = 9464;

/** From the most to the least. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Reads the variables of a process, apart from SLUICE_CONFIG and secrets: all that commands need that use the database and
 * no models. Throws ConfigError naming the variable.
 */
export function readEnvironment(environment: Environment = process.env): ProcessSettings {
  const databaseUrl = secretOf(environment, 'DATABASE_URL') ?? 'sqlite:data/sluice.sqlite';
  checkDatabaseUrl(databaseUrl);
  return {
    host: environment.HOST || '127.0.0.1',
    port: readPort('PORT', environment.PORT || '8080'),
    databaseUrl,
    ...readData(environment),
    metrics: readMetrics(environment),
    traces: readTraces(environment),
    logLevel: readLogLevel(environment.LOG_LEVEL || 'info'),
    receiptSigningKey: readSigningKey(environment),
    peer: readPeer(environment, databaseUrl),
  };
}

/** The token with which commands call a running gateway: SLUICE_OPERATOR_TOKEN, or the file that its `_FILE` names; null for none. Throws ConfigError. */
export function readOperatorToken(environment: Environment = process.env): string | null {
  return secretOf(environment, 'SLUICE_OPERATOR_TOKEN') ?? null;
}

/** The path of the configuration file: SLUICE_CONFIG, or `sluice.yaml` in the working folder. */
export function configPath(environment: Environment): string {
  return environment.SLUICE_CONFIG || 'sluice.yaml';
}

/** The address of a bucket is checked only for its form; the start tries it out. */
function readData(environment: Environment): Pick<ProcessSettings, 'dataFolder' | 'dataBucket'> {
  const data = environment.SLUICE_DATA || 'data';
  if (!isBucketUrl(data)) return { dataFolder: data, dataBucket: null };
  try {
    return { dataFolder: environment.SLUICE_SPILL || 'data', dataBucket: parseBucketUrl(data, environment) };
  } catch (error) {
    throw new ConfigError(`SLUICE_DATA ${error instanceof Error ? error.message : error}.`);
  }
}

/** Checks only the form; opening shows whether the database exists. The URL may hold a password and is never shown. */
function checkDatabaseUrl(url: string): void {
  if (/^sqlite:.+/.test(url)) return;
  const fix = 'make it sqlite:data/sluice.sqlite or mysql://user:password@host/database';
  if (!/^(mysql|mariadb):\/\//.test(url)) throw new ConfigError(`DATABASE_URL is not a database address; ${fix}.`);
  const parsed = URL.parse(url);
  if (!parsed?.hostname || [parsed.username, parsed.password, parsed.pathname].some(isMisencoded))
    throw new ConfigError(
      `DATABASE_URL cannot be parsed; ${fix}, and write : / @ # ? % in a password as %3A %2F %40 %23 %3F %25.`,
    );
  if (!/^\/[^/]+$/.test(parsed.pathname)) throw new ConfigError(`DATABASE_URL has no database name; ${fix}.`);
}

function isMisencoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return false;
  } catch {
    return true;
  }
}

/** Port 0 is off. */
function readMetrics(environment: Environment): MetricsAddress | null {
  const { METRICS_PORT: asked, METRICS_HOST: host, METRICS_ACCOUNTS: named } = environment;
  const port = asked ? readPort('METRICS_PORT', asked) : METRICS_PORT;
  const accounts = readAccounts(named || '');
  return port === 0 ? null : { host: host || '127.0.0.1', port, required: Boolean(asked), accounts };
}

/** Whether they exist is not asked: an account may be opened later. */
function readAccounts(text: string): readonly string[] {
  const accounts = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    ),
  ];
  const wrong = accounts.find((account) => !UUID.test(account));
  if (wrong !== undefined)
    throw new ConfigError(
      `METRICS_ACCOUNTS has ${JSON.stringify(wrong)}; make it ids of accounts with commas between them, as \`sluice account list\` shows them.`,
    );
  if (accounts.length <= METRICS_ACCOUNTS_MAX) return accounts;
  throw new ConfigError(`METRICS_ACCOUNTS has ${accounts.length} accounts; name at most ${METRICS_ACCOUNTS_MAX}.`);
}

function readSigningKey(environment: Environment): string | null {
  const pem = secretOf(environment, 'RECEIPT_SIGNING_KEY') ?? null;
  if (pem === null || signingKeyFrom(pem)) return pem;
  throw new ConfigError(
    'RECEIPT_SIGNING_KEY is no Ed25519 private key in PEM; make one with openssl genpkey -algorithm ed25519.',
  );
}

function readPort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ConfigError(`${name} is ${JSON.stringify(text)}; make it a whole number from 0 to 65535.`);
}

function readLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level) return level;
  throw new ConfigError(`LOG_LEVEL is ${JSON.stringify(text)}; make it one of ${logLevels.join(', ')}.`);
}

const SECRET_LENGTH_MIN = 32;

/** Reads the three variables; null without them. Throws ConfigError, which never repeats the secret. */
function readPeer(environment: Readonly<Record<string, string | undefined>>, databaseUrl: string): PeerSettings | null {
  const { SLUICE_PEER_ADDRESS: address, SLUICE_PEER_BIND: bind } = environment;
  const secret = secretOf(environment, 'SLUICE_PEER_SECRET');
  if (!address) {
    if (secret || bind)
      throw new ConfigError(
        `SLUICE_PEER_${secret ? 'SECRET' : 'BIND'} is set and SLUICE_PEER_ADDRESS is not; set it to the host:port where other gateways reach this one, or remove both.`,
      );
    return null;
  }
  if (!secret)
    throw new ConfigError(
      'SLUICE_PEER_ADDRESS is set and SLUICE_PEER_SECRET is not; set it to the same text on all gateways, such as the output of: openssl rand -hex 32',
    );
  if (secret.length < SECRET_LENGTH_MIN)
    throw new ConfigError(
      `SLUICE_PEER_SECRET has ${secret.length} characters; make it at least ${SECRET_LENGTH_MIN}, such as the output of: openssl rand -hex 32`,
    );
  if (databaseUrl.startsWith('sqlite:'))
    throw new ConfigError(
      'SLUICE_PEER_ADDRESS needs MySQL or MariaDB, because one gateway alone can use SQLite; set DATABASE_URL to mysql://user:password@host/database, or remove SLUICE_PEER_ADDRESS and SLUICE_PEER_SECRET.',
    );
  const { host, port } = readAddress(address);
  return { host, port, bind: readBind(bind, { host, port }), secret };
}

function readAddress(text: string) {
  const address = parsePeerAddress(text);
  if (!address)
    throw new ConfigError(
      `SLUICE_PEER_ADDRESS is ${JSON.stringify(text)}; make it the host:port where other gateways reach this one, such as 10.0.0.7:9100.`,
    );
  if (/^(0\.0\.0\.0|[0:]+)$/.test(address.host))
    throw new ConfigError(
      `SLUICE_PEER_ADDRESS is ${text}, which nobody can reach; make it this machine's own address, and set SLUICE_PEER_BIND=${address.host} to listen on all of them.`,
    );
  return address;
}

function readBind(bind: string | undefined, { host, port }: PeerAddress): PeerSettings['bind'] {
  if (!bind) return { host: isIP(host) ? host : null, port };
  if (isIP(bind)) return { host: bind, port };
  const address = parsePeerAddress(bind);
  if (address && isIP(address.host)) return address;
  throw new ConfigError(
    `SLUICE_PEER_BIND is ${JSON.stringify(bind)}; make it an IP address of this machine, or 0.0.0.0 for all, with :port where that differs.`,
  );
}

/** The secret called `name`; undefined when it is not set. Throws ConfigError, which never repeats the secret. */
export function secretOf(environment: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`] || undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set; remove one of them.`);
  const secret = read(name, file);
  if (secret === '') throw new ConfigError(`${name}_FILE names ${file}, which is empty; write the secret into it.`);
  return secret;
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new ConfigError(
      `${name}_FILE names ${file}, which cannot be read (${code}); make it a file that this user may read.`,
    );
  }
}

export class ConfigError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ConfigError';
  }
}

const SAMPLERS: Readonly<Record<string, { readonly parentBased: boolean; readonly ratio: number | null }>> = {
  always_on: { parentBased: false, ratio: 1 },
  always_off: { parentBased: false, ratio: 0 },
  traceidratio: { parentBased: false, ratio: null },
  parentbased_always_on: { parentBased: true, ratio: 1 },
  parentbased_always_off: { parentBased: true, ratio: 0 },
  parentbased_traceidratio: { parentBased: true, ratio: null },
};

/** Null: no traces are kept. Throws ConfigError, which repeats no header. */
export function readTraces(environment: Environment): TraceSettings | null {
  const url = readCollector(environment);
  const isOff = environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  if (url === null || isOff) return null;
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = secretOf(environment, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? secretOf(environment, name) ?? '';
  const attributes = pairsOf('OTEL_RESOURCE_ATTRIBUTES', environment.OTEL_RESOURCE_ATTRIBUTES ?? '');
  return {
    url,
    headers: pairsOf(name, headers),
    timeoutMs: readExportTimeout(environment),
    sampling: readSampling(environment),
    serviceName: environment.OTEL_SERVICE_NAME || attributes['service.name'] || 'sluice',
    attributes,
  };
}

function readCollector(environment: Environment): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = environment;
  const name = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const text = own || base;
  if (!text) return null;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${name} is not a web address; make it such as http://127.0.0.1:4318.`);
  const protocol =
    environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (protocol !== 'http/protobuf')
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}; make it http/protobuf, and the endpoint the collector's port for that (4318).`,
    );
  return own ? text : `${text.replace(/\/+$/, '')}/v1/traces`;
}

function readSampling(environment: Environment): SamplingSettings {
  const { OTEL_TRACES_SAMPLER: asked, OTEL_TRACES_SAMPLER_ARG: share } = environment;
  const sampler = SAMPLERS[asked || 'parentbased_traceidratio'];
  if (!sampler)
    throw new ConfigError(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(asked)}; make it one of ${Object.keys(SAMPLERS).join(', ')}.`,
    );
  const ratio = share ? Number(share) : 1;
  if (!(ratio >= 0 && ratio <= 1))
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(share)}; make it a share from 0 to 1.`);
  return { parentBased: sampler.parentBased, ratio: sampler.ratio ?? ratio };
}

const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 60_000;

function readExportTimeout(environment: Environment): number {
  const text = environment.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || environment.OTEL_EXPORTER_OTLP_TIMEOUT;
  const ms = text ? Number(text) : TIMEOUT_MS;
  if (Number.isInteger(ms) && ms > 0 && ms <= TIMEOUT_MS_MAX) return ms;
  throw new ConfigError(
    `OTEL_EXPORTER_OTLP_TIMEOUT is ${JSON.stringify(text)}; make it milliseconds, a whole number from 1 to ${TIMEOUT_MS_MAX}.`,
  );
}

/** `name=value` with commas between; values are percent-encoded. */
function pairsOf(variable: string, text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [pair]));
  return Object.fromEntries(pairs.map((pair) => pairOf(variable, pair)));
}

function pairOf(variable: string, pair: string): [string, string] {
  const [, name = '', value = ''] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  try {
    if (name !== '') return [name, decodeURIComponent(value)];
  } catch {
    // The same sentence for every error: the value is a secret.
  }
  throw new ConfigError(`${variable} cannot be read; make it name=value,name=value, with other characters as %XX.`);
}

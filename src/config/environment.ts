/**
 * The settings from the environment: where to listen, where data is stored, the log level, metrics, traces (`traces.ts`), other
 * gateways (`peer.ts`) and the key that signs. An empty variable counts as absent. Secrets that the file names are read
 * where the file is (`secrets.ts`). All other settings are in the file.
 */
import { type BucketAddress, isBucketUrl, parseBucketUrl } from '#base/bucket-address.ts';
import type { PeerSettings } from '#base/peer-address.ts';
import type { TraceSettings } from '#base/trace-settings.ts';
import { signingKeyFrom } from '#signing/signing-key.ts';
import { ConfigError } from './config-error.ts';
import { readPeer } from './peer.ts';
import { secretOf } from './secrets.ts';
import { readTraces } from './traces.ts';

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

/** Reads the variables of a process, apart from SLUICE_CONFIG and secrets. Throws ConfigError naming the variable. */
export function readEnvironment(environment: Environment): ProcessSettings {
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

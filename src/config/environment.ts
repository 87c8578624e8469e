/**
 * The few settings from the environment: where to listen, where data is stored, and the log level. An empty variable
 * counts as absent. All other settings are in the file.
 */
import { type BucketAddress, isBucketUrl, parseBucketUrl } from '#base/bucket-address.ts';
import type { PeerSettings } from '#base/peer-address.ts';
import { readPeer } from './peer.ts';
import { secretOf } from './secrets.ts';
import { ConfigError } from './section.ts';

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
  /** How this gateway and others of the same database reach each other; null: it serves alone. */
  readonly peer: PeerSettings | null;
}

/** Where /metrics is served. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
  /** Whether somebody asked for this port: then the gateway does not start without it. */
  readonly required: boolean;
}

/** The port that collectors expect of exporters of OpenTelemetry. */
const METRICS_PORT = 9464;

/** From the most to the least. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads all variables but SLUICE_CONFIG. Throws ConfigError naming the variable. */
export function readEnvironment(environment: Environment): ProcessSettings {
  const databaseUrl = secretOf(environment, 'DATABASE_URL') ?? 'sqlite:data/sluice.sqlite';
  checkDatabaseUrl(databaseUrl);
  return {
    host: environment.HOST || '127.0.0.1',
    port: readPort('PORT', environment.PORT || '8080'),
    databaseUrl,
    ...readData(environment),
    metrics: readMetrics(environment),
    logLevel: readLogLevel(environment.LOG_LEVEL || 'info'),
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
function readMetrics({ METRICS_PORT: asked, METRICS_HOST: host }: Environment): MetricsAddress | null {
  const port = asked ? readPort('METRICS_PORT', asked) : METRICS_PORT;
  return port === 0 ? null : { host: host || '127.0.0.1', port, required: Boolean(asked) };
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

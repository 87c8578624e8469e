/**
 * The few settings that come from the environment: where to listen, where data lives, how loud the log is. An empty
 * variable counts as absent. Everything else is in the file.
 */
import { ConfigError } from './section.ts';

/** The environment as it is handed in; tests pass their own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of one process. */
export interface ProcessSettings {
  readonly host: string;
  /** 0 asks the system for a free port. */
  readonly port: number;
  /** `sqlite:PATH`, `mysql://…` or `mariadb://…`. */
  readonly databaseUrl: string;
  /** Folder of result bodies and batch files. */
  readonly dataFolder: string;
  readonly logLevel: LogLevel;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads PORT, HOST, DATABASE_URL, SLUICE_DATA and LOG_LEVEL. Throws ConfigError naming the variable. */
export function readEnvironment(environment: Environment): ProcessSettings {
  const settings = {
    host: environment.HOST || '127.0.0.1',
    port: readPort(environment.PORT || '8080'),
    databaseUrl: environment.DATABASE_URL || 'sqlite:data/sluice.sqlite',
    dataFolder: environment.SLUICE_DATA || 'data',
    logLevel: readLogLevel(environment.LOG_LEVEL || 'info'),
  };
  if (!/^(sqlite:.+|(mysql|mariadb):\/\/.+)$/.test(settings.databaseUrl))
    throw new ConfigError(
      'DATABASE_URL is no database address; make it sqlite:data/sluice.sqlite or mysql://user:password@host/database.',
    );
  return settings;
}

/** The path of the configuration file: SLUICE_CONFIG, or `sluice.yaml` in the working folder. */
export function configPath(environment: Environment): string {
  return environment.SLUICE_CONFIG || 'sluice.yaml';
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ConfigError(`PORT is ${JSON.stringify(text)}; make it a whole number from 0 to 65535.`);
}

function readLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level) return level;
  throw new ConfigError(`LOG_LEVEL is ${JSON.stringify(text)}; make it one of ${logLevels.join(', ')}.`);
}

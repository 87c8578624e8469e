/**
 * Logging. Each process has one pino logger; code depends only on `Log`. Keys, authorization headers and prompts never
 * reach a log line: secrets are redacted here, and prompts are never passed in.
 */
import { type DestinationStream, pino } from 'pino';

/** Writes log lines: fields first, then one sentence. */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

/** A log whose level can be set while it is used. */
export interface LevelledLog extends Log {
  level: string;
}

/** A log of JSON lines at `level` (`silent` for none) to standard output or `destination`. */
export function createLog(level: string, destination?: DestinationStream): LevelledLog {
  const options = {
    level,
    redact: {
      paths: ['authorization', 'apiKey', 'api_key', '*.authorization', '*["x-api-key"]', '*.apiKey', '*.api_key'],
      censor: '[redacted]',
    },
    base: null,
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Writes nothing. */
export const silentLog: Log = createLog('silent');

/**
 * Secrets from the environment, or from files, as containers and systemd hand them over: where `NAME` may be set,
 * `NAME_FILE` may name a file that holds it instead, and nothing but a line break after it.
 */
import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

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

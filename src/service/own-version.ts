/** The version of this gateway. It imports nothing of the others, because all of them name it. */
import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

/**
 * The hash chain of an exchange record. Each line ends with a SHA-256, in base64url: of the hash of the line before and
 * the bytes of this line without its hash. So a line cannot be changed, removed, inserted or moved unless every hash
 * after it changes, and one hash that somebody noted proves all lines up to it. That whole lines are missing at the end
 * is shown by nothing but a noted hash.
 */
import { hash } from 'node:crypto';

/** How the last member of a line reads. Inside a JSON string it cannot occur, because quotes are escaped there. */
const SEAL = /,"hash":"([\w-]{43})"\}/;
const SEAL_LENGTH = 54;

/** Adds the hashes to the lines of a record. */
export class ChainWriter {
  #hash = '';

  /** The line for this JSON, an object with a member. */
  seal(json: string): string {
    this.#hash = hash('sha256', this.#hash + json, 'base64url');
    return `${json.slice(0, -1)},"hash":"${this.#hash}"}`;
  }
}

/** Checks the hashes of a record, line by line. */
export class ChainReader {
  /** The hash of the last line that was opened; empty before the first. */
  hash = '';

  /** The JSON of a line that follows from the line before; null for any other. */
  open(line: Uint8Array): string | null {
    const json = Buffer.concat([line.subarray(0, -SEAL_LENGTH), Buffer.from('}')]);
    const expected = hash('sha256', Buffer.concat([Buffer.from(this.hash), json]), 'base64url');
    if (Buffer.from(line.subarray(-SEAL_LENGTH)).toString('latin1') !== `,"hash":"${expected}"}`) return null;
    this.hash = expected;
    return json.toString();
  }
}

/** The hash in a line, unchecked; null when it has none. A line that was cut off has none. */
export function hashIn(line: string): string | null {
  return SEAL.exec(line)?.[1] ?? null;
}

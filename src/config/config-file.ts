/**
 * Reads the text of a configuration file. A running gateway reads it too, so nothing that would hold it up is read: no pipe, which
 * may never end, and no file that takes seconds to understand.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

/** A hundred times what a hundred models take. */
const BYTES_MAX = 1024 * 1024;
/** Of brackets that are open at once, wherever they stand: the parser takes seconds for many before it gives up. */
const DEPTH_MAX = 1_000;
const LINE_FEED = 10;

/**
 * The text of a file. Throws ConfigError for one that is not there, is no regular file, is over 1 MiB, is not UTF-8, or opens
 * a thousand brackets.
 */
export function configText(fileName: string): string {
  let bytes: Buffer;
  try {
    const file = statSync(fileName);
    if (!file.isFile()) throw new ConfigError(`${fileName} is not a regular file; set SLUICE_CONFIG to one.`);
    if (file.size > BYTES_MAX) throw new ConfigError(`${fileName} is larger than 1 MiB; is it the right file?`);
    bytes = readFileSync(fileName);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const reason =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'ELOOP'
          ? 'is a link that leads back to itself'
          : 'cannot be read';
    throw new ConfigError(`${fileName} ${reason}; set SLUICE_CONFIG to the path of a configuration file.`);
  }
  if (!isUtf8(bytes))
    throw new ConfigError(`${fileName}:${lineOfFault(bytes)}: this line is not UTF-8; save the file as UTF-8.`);
  const deepAt = lineOfDepth(bytes);
  if (deepAt !== null)
    throw new ConfigError(`${fileName}:${deepAt}: more than ${DEPTH_MAX} brackets are open here; close them.`);
  return bytes.toString();
}

/** The first line that is not UTF-8, from 1: no byte of a longer character is a line feed. */
function lineOfFault(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, start);
    const next = end < 0 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(start, next))) return line;
    start = next;
  }
  return line;
}

/** The first line in which more brackets are open than may be; null for none. */
function lineOfDepth(bytes: Buffer): number | null {
  let [line, depth] = [1, 0];
  for (const byte of bytes) {
    if (byte === LINE_FEED) line++;
    else if (byte === 0x5b || byte === 0x7b) depth++;
    else if ((byte === 0x5d || byte === 0x7d) && depth > 0) depth--;
    if (depth > DEPTH_MAX) return line;
  }
  return null;
}

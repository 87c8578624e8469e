/**
 * API keys. The secret is shown once, when it is created. Only its SHA-256 is stored; a plain hash is enough because 30
 * random base62 characters (178 bits) cannot be searched. The last six are a checksum, by which programs that search
 * code for lost secrets tell a key from a text that looks like one. Spec 5.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, secretText } from '#base/id.ts';

const PREFIX = 'sk-sluice-';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
/** Keys from before they had a checksum; they stay valid. */
const OLD_KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{43}$`);

/** A new unpredictable key: `sk-sluice-`, 30 base62 characters, and 6 more that are the CRC-32 of all before them. */
export function newApiKey(): string {
  const text = PREFIX + secretText(RANDOM_LENGTH);
  return text + checksumOf(text);
}

/** The SHA-256 of a key in hex, by which it is stored and looked up. */
export function hashKey(secret: string): string {
  return hash('sha256', secret);
}

/** Enough of a key to recognize it among the account's others, too little to use it: `sk-sluice-AbCd…wXyZ`. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, PREFIX.length + 4)}…${secret.slice(-4)}`;
}

/** Whether `text` has the form of a key, its checksum included; if not, it need not be looked up. */
export function isApiKey(text: string): boolean {
  if (!KEY.test(text)) return OLD_KEY.test(text);
  return text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LENGTH)));
}

/** CRC-32 in base62, padded with zeros, as in GitHub's tokens. */
function checksumOf(text: string): string {
  return base62(crc32(text)).padStart(CHECKSUM_LENGTH, '0');
}
